// A statement counted as done at CommandComplete although its error was still to come: deferred constraints at Sync
// (rust-postgres/rust-postgres#832, porsager/postgres#1117, transact-rs/sqlx#1370, jackc/pgx#570) and at COMMIT
// (pgjdbc/r2dbc-postgresql#541, geldata/gel#3515), and later statements of one text (jackc/pgx#2259).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { errorsIn, letters } from './support/frames.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, describe, execute, parse, query, sync } = client;
const insert = 'insert into slot values (2, 1)';

describeEachPostgres('an error after CommandComplete', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    const table = 'create table slot (id int, rank int unique deferrable initially deferred);';
    const rows = 'insert into slot values (1, 1); grant all on slot to trust_user';
    database = await createDatabase(server.url, table + rows);
  });

  afterAll(() => database.drop());

  /** Sends each, takes the answers, and tells which errors had notes. */
  async function exchange(
    sent: readonly (readonly Buffer[])[],
  ): Promise<{ answers: string[]; notes: number[]; events: readonly string[] }> {
    const proxy = await watch(database.url);
    const session = await RawPostgres.open(proxy.through(database.url));
    const answers: string[] = [];
    const notes: number[] = [];
    for (const [index, messages] of sent.entries()) {
      await session.send(Buffer.concat(messages));
      const frames = await session.ready(1);
      answers.push(letters(frames));
      const marked = errorsIn(frames).filter((fields) => fields['H']?.includes(noteMark));
      notes.push(...marked.map(() => index));
    }
    session.close();
    expect(proxy.blind).toEqual([]);
    return { answers, notes, events: proxy.sessions[0]?.events ?? [] };
  }

  it('at Sync is the failure of the statement, told once and noted once', async () => {
    const cycle = [parse('', insert), bind('', ''), describe('P', ''), execute(''), sync()];
    const { answers, notes, events } = await exchange([cycle, cycle]);
    expect(answers).toEqual(['12nCE[23505]Z', '12nCE[23505]Z']);
    expect(notes).toEqual([1]);
    const failure = [`failed 23505 <${insert}> commit k=0 idle`, 'settled idle'];
    expect(events.filter((event) => event !== 'note')).toEqual([...failure, ...failure]);
  });

  it('at Sync behind two statements is of the one that ran last', async () => {
    const cycle = [
      parse('', 'select 1'),
      bind('', ''),
      execute(''),
      parse('', insert),
      bind('', ''),
      execute(''),
    ];
    const { answers, events } = await exchange([[...cycle, sync()]]);
    expect(answers).toEqual(['12DC12CE[23505]Z']);
    expect(events).toEqual([`failed 23505 <${insert}> commit k=0 idle`, 'settled idle']);
  });

  it('at COMMIT is of COMMIT, and the transaction’s state is what ReadyForQuery says', async () => {
    const block = [[query('begin')], [query(insert)], [query('commit')], [query('rollback')]];
    const { answers, notes, events } = await exchange([...block, ...block]);
    expect(answers).toEqual(Array(2).fill(['CZ', 'CZ', 'E[23505]Z', 'NCZ']).flat());
    expect(notes).toEqual([6]);
    const failure = ['failed 23505 <commit> execute k=0 open', 'settled idle'];
    expect(events.filter((event) => /^(failed|settled)/.test(event))).toEqual([...failure, ...failure]);
  });

  it('of one text is of the statement that failed; those before it are undone, those behind it never ran', async () => {
    const text = 'select 1; select 1/0; select 2';
    const { answers, notes, events } = await exchange([[query(text)], [query(text)]]);
    expect(answers).toEqual(['TDCE[22012]Z', 'TDCE[22012]Z']);
    expect(notes).toEqual([1]);
    const failure = [`failed 22012 <${text}> execute k=1 idle`, 'settled idle'];
    expect(events.filter((event) => event !== 'note')).toEqual([...failure, ...failure]);
  });
});
