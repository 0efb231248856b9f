import { describe, expect, it } from 'vitest';
import type { Note } from '../../../src/core/notes/note.js';
import type { StatementFailure, StatementSuccess } from '../../../src/core/verdict.js';
import { SqlRefusedError } from '../../../src/driver/sql-refused-error.js';
import { SqlSession, type SqlSurface } from '../../../src/driver/sql-session.js';
import { testSession } from '../../support/session-context.js';

const note: Note = {
  recordId: 'abcdef0123456789',
  short: '[twiceshy abcdef01] short',
  long: '[twiceshy abcdef01] long',
};

class ServerRefusal extends Error {
  readonly code = 11000;
}

/** `refuse …` is refused by the compiler, `fail …` by the server, `drop …` by the network. */
const surface: SqlSurface<{ readonly kind: 'command'; readonly text: string }, string> = {
  compile: (text) =>
    text.startsWith('refuse')
      ? { kind: 'refused', code: 'SQL_JOIN', message: 'JOIN is not said here.', position: 8 }
      : { kind: 'command', text },
  run: ({ text }) => {
    if (text.startsWith('fail')) return Promise.reject(new ServerRefusal('E11000 duplicate key'));
    if (text.startsWith('drop')) return Promise.reject(new Error('connection closed'));
    return Promise.resolve('done');
  },
  failuresOf: (error) =>
    error instanceof ServerRefusal
      ? [{ error: { code: '11000', message: error.message } }, { error: { code: '11000', message: 'again' } }]
      : [],
};

function open(audience: 'agent' | 'application', answer: Note | null) {
  const failures: StatementFailure[] = [];
  const successes: StatementSuccess[] = [];
  const calls: string[] = [];
  const handler = {
    wantsSuccess: true,
    failed: (failure: StatementFailure) => {
      failures.push(failure);
      calls.push('failed');
      return answer;
    },
    noteAttached: () => void calls.push('attached'),
    settled: (after: string) => void calls.push(`settled ${after}`),
    succeeded: (success: StatementSuccess) => void successes.push(success),
    schemaChanged: () => undefined,
    bypassed: () => undefined,
    warned: () => undefined,
    close: () => void calls.push('closed'),
  };
  const context = testSession({ engine: 'mongodb', backend: 'document', audience });
  return { session: new SqlSession(surface, context, handler), failures, successes, calls };
}

async function caught(run: Promise<unknown>): Promise<Error & { readonly note?: string | null }> {
  try {
    await run;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('a session of SQL', () => {
  it('reports what ran', async () => {
    const { session, successes, failures } = open('agent', null);
    expect(await session.sql('select 1')).toBe('done');
    expect(successes.map(({ statement, index }) => [statement.text(), index])).toEqual([['select 1', 0]]);
    expect(failures).toEqual([]);
  });

  it('reports a refusal as a verdict, and throws it', async () => {
    const { session, failures, calls } = open('agent', null);
    const error = await caught(session.sql('refuse x'));
    expect(error).toBeInstanceOf(SqlRefusedError);
    expect(error).toMatchObject({
      code: 'SQL_JOIN',
      position: 8,
      note: null,
      message: 'JOIN is not said here.',
    });
    expect(failures[0]).toMatchObject({ phase: 'parse', error: { code: 'SQL_JOIN', position: 8 } });
    expect(failures[0]?.statement?.text()).toBe('refuse x');
    expect(calls).toEqual(['failed', 'settled idle']);
  });

  it('puts the note into the refusal, by audience', async () => {
    const forAgent = open('agent', note);
    const toAgent = await caught(forAgent.session.sql('refuse x'));
    expect(toAgent.message).toBe(`JOIN is not said here.\n${note.short}`);
    expect(toAgent.note).toBe(note.long);
    expect(forAgent.calls).toEqual(['failed', 'attached', 'settled idle']);
    const toProgram = await caught(open('application', note).session.sql('refuse x'));
    expect(toProgram.message).toBe('JOIN is not said here.');
    expect(toProgram.note).toBe(note.long);
  });

  it('throws the very error of the driver, with one note for its failures', async () => {
    const { session, failures, calls } = open('agent', note);
    const error = await caught(session.sql('fail x'));
    expect(error).toBeInstanceOf(ServerRefusal);
    expect(error.message).toBe(`E11000 duplicate key\n${note.short}`);
    expect(error.note).toBe(note.long);
    expect(failures.map(({ error: { message } }) => message)).toEqual(['E11000 duplicate key', 'again']);
    expect(calls).toEqual(['failed', 'attached', 'settled idle', 'failed', 'settled idle']);
  });

  it('leaves alone what no server said', async () => {
    const { session, failures } = open('agent', note);
    expect((await caught(session.sql('drop x'))).message).toBe('connection closed');
    expect(failures).toEqual([]);
  });

  it('cuts a statement at the bound and says so', async () => {
    const { session, failures } = open('agent', null);
    await caught(session.sql(`refuse ${'x'.repeat(70_000)}`));
    expect(failures[0]?.statement?.isTruncated).toBe(true);
    expect(failures[0]?.statement?.text().length).toBe(64 * 1024);
  });
});
