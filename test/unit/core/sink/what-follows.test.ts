import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { duplicateEmail, fixture, insertUser, noColumn, orders, shop, table, users } from './fixture.js';

const upsert = "insert into users (email, name) values ('a@example.org', 'A') on conflict (email) do nothing";
const misspelt = 'select nme from users';
const corrected = 'select name from users';
const noName = noColumn(misspelt, 'nme');

/** A structural failure whose catalog has been read since. */
function misspeltOnce() {
  const made = fixture();
  const session = made.open();
  session.fail(misspelt, noName);
  made.schemas.read([users, orders]);
  return { made, session };
}

describe('resolution', () => {
  it('is the shape that ran next where the failed one did not', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.succeed(upsert);
    expect(made.only().resolution?.shape).toContain('on conflict ( email ) do nothing');
    expect(made.events.at(-1)).toMatchObject({ event: 'resolved', id: made.only().id });
    expect(JSON.stringify(made.events)).not.toContain('example.org');
  });

  it('is found while the catalog is being read again', () => {
    const made = fixture();
    const session = made.open();
    session.fail(misspelt, noName);
    session.succeed(corrected);
    expect(made.only().resolution).toEqual({ shape: corrected, tables: ['public.users'] });
    expect(made.events).toEqual([]);
    made.schemas.read([users, orders]);
    expect(made.stored()).toMatchObject([{ resolution: { shape: corrected } }]);
  });

  it('is shown with the next note', () => {
    const made = fixture();
    const session = made.open();
    session.fail(misspelt, noName);
    session.succeed(corrected);
    expect(made.open().fail(misspelt, noName)?.long).toContain(corrected);
  });

  it.each([
    ['another verb family', "update users set name = 'A' where email = 'a'"],
    ['fewer tables', 'insert into orders (id) values (1)'],
  ])('is never of %s', (_what, text) => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.succeed(text);
    expect(made.only().resolution).toBeNull();
  });

  it('needs all tables of the failed statement, and may have more', () => {
    const joined = 'select nme from users join orders on orders.user_id = users.id';
    const made = fixture();
    const session = made.open();
    session.fail(joined, noColumn(joined, 'nme'));
    session.succeed(corrected);
    expect(made.only().resolution).toBeNull();
    session.succeed(joined.replace('nme', 'name'));
    expect(made.only().resolution?.tables).toEqual(['public.orders', 'public.users']);
  });

  it('is of the same session', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.open().succeed(upsert);
    expect(made.only().resolution).toBeNull();
  });

  it('is not looked for once the shape itself ran', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.succeed("insert into users (email, name) values ('other', 'B')");
    session.succeed(upsert);
    expect(made.only().resolution).toBeNull();
  });

  it('is not looked for beyond so many statements, or so long', () => {
    const far = fixture();
    const busy = far.open();
    busy.fail(insertUser, duplicateEmail);
    for (let index = 0; index < limits.maxOpenFailureStatements; index++)
      busy.succeed('select id from orders');
    busy.succeed(upsert);
    expect(far.only().resolution).toBeNull();
    const late = fixture();
    const slow = late.open();
    slow.fail(insertUser, duplicateEmail);
    late.now += limits.maxOpenFailureMs + 1;
    slow.succeed(upsert);
    expect(late.only().resolution).toBeNull();
  });

  it('is the first one found', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.succeed(upsert);
    session.fail(insertUser, duplicateEmail);
    session.succeed("insert into users (email) values ('x')");
    expect(made.only().resolution?.shape).toContain('on conflict');
    expect(made.counters.of('resolutions')).toBe(1);
  });
});

describe('a structural record', () => {
  it('is retracted when the same statement runs unchanged, in any session', () => {
    const { made } = misspeltOnce();
    made.open().succeed(misspelt);
    expect(made.only()).toMatchObject({
      status: 'retracted',
      statusReason: 'the same statement ran unchanged (success)',
    });
    expect(made.counters.of('retractions')).toBe(1);
    expect(made.events.at(-1)).toMatchObject({ event: 'retracted', author: 'success' });
    expect(made.open().fail(misspelt, noName)).toBeNull();
  });

  it('comes back when it fails again', () => {
    const { made } = misspeltOnce();
    made.open().succeed(misspelt);
    made.open().fail(misspelt, noName);
    made.schemas.read([users, orders]);
    expect(made.only()).toMatchObject({ status: 'live', failures: 2 });
    expect(made.open().fail(misspelt, noName)?.long).toContain('3 times');
    made.schemas.read([users, orders]);
    made.sink.flush();
    expect(made.stored()).toMatchObject([{ status: 'live', failures: 3, successes: 1 }]);
  });

  it('does not come back when a person took it out', () => {
    const { made } = misspeltOnce();
    const { id } = made.only();
    made.memory.apply({
      v: 1,
      event: 'retracted',
      id,
      at: '2026-11-01T00:00:01.000Z',
      reason: 'wrong',
      author: 'ann',
    });
    made.open().fail(misspelt, noName);
    expect(made.open().fail(misspelt, noName)).toBeNull();
    expect(made.only()).toMatchObject({ status: 'retracted', failures: 3 });
  });

  it('stands when the literals that ran were of other kinds', () => {
    const made = fixture();
    const session = made.open();
    session.fail('select upper(5) from users', { code: '42883', position: 8 });
    made.schemas.read([users, orders]);
    session.succeed("select upper('a') from users");
    expect(made.only()).toMatchObject({ status: 'live', isStructural: true, holes: 'n', successes: 1 });
  });

  it('is judged only when the schema it ran under is known', () => {
    const { made, session } = misspeltOnce();
    session.ddl('alter table users add column nme text');
    session.succeed(misspelt);
    expect(made.only().status).toBe('live');
    made.schemas.read([table('users', 'id email name nme', users.constraints), orders]);
    expect(made.only().status).toBe('live');
    // The column is gone again: so is the reason to doubt.
    made.schemas.read([users, orders]);
    expect(session.fail(misspelt, noName)).not.toBeNull();
  });

  it('is retracted after the read when only another table had changed', () => {
    const { made, session } = misspeltOnce();
    session.ddl('create table audit (id int)');
    session.succeed(misspelt);
    made.schemas.read([users, orders, table('audit', 'id')]);
    expect(made.only().status).toBe('retracted');
  });

  it('is retracted only by the same user, where the failure is of rights', () => {
    const made = fixture();
    const denied = {
      code: '42501',
      message: 'permission denied for table users',
      schema: 'public',
      table: 'users',
    };
    made.open().fail('select * from users', denied);
    made.schemas.read([users, orders]);
    made.open({ user: 'owner' }).succeed('select * from users');
    expect(made.only().status).toBe('live');
    made.open().succeed('select * from users');
    expect(made.only().status).toBe('retracted');
  });

  it('counts a correction that finds nothing to correct', () => {
    const { made, session } = misspeltOnce();
    const { id } = made.only();
    made.memory.apply({
      v: 1,
      event: 'deleted',
      id,
      at: '2026-11-01T00:00:01.000Z',
      reason: 'x',
      author: 'ann',
    });
    session.succeed(misspelt);
    expect(made.counters.of('skipped_unmatched_retraction')).toBe(1);
    expect(made.only().status).toBe('deleted');
  });
});

describe('a data-dependent record', () => {
  it('is counted against, never retracted, by a success of its shape', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.open().succeed("insert into users (email, name) values ('b', 'B')");
    made.open().succeed(insertUser);
    expect(made.only()).toMatchObject({ status: 'live', successes: 2 });
    expect(made.counters.of('successes_seen')).toBe(2);
    made.sink.flush();
    expect(made.events.at(-1)).toMatchObject({ event: 'observed', count: 0, successes: 2 });
  });

  it('is not counted against under another schema', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.read([table('users', 'id email name phone', users.constraints), orders]);
    made.open().succeed(insertUser);
    expect(made.only().successes).toBe(0);
  });

  it('is written in one event a flush, and not at all when nothing happened', () => {
    const made = fixture();
    const session = made.open();
    for (let index = 0; index < 4; index++) session.fail(insertUser, duplicateEmail);
    made.sink.flush();
    made.sink.flush();
    const observed = made.events.filter(({ event }) => event === 'observed');
    expect(observed).toMatchObject([{ count: 3 }]);
  });
});

describe('feedback on a note', () => {
  /** Failed twice in one session, so that the note was shown. */
  function shown(
    text = insertUser,
    error: Parameters<ReturnType<typeof misspeltOnce>['session']['fail']>[1] = duplicateEmail,
  ) {
    const made = fixture();
    const session = made.open();
    session.fail(text, error);
    made.schemas.read([users, orders]);
    expect(session.fail(text, error)).not.toBeNull();
    made.schemas.read([users, orders]);
    return { made, session };
  }

  it('ignored: the same failure again', () => {
    const { made, session } = shown();
    session.fail(insertUser, duplicateEmail);
    expect(made.only()).toMatchObject({ ignored: 1, confirmed: 0 });
    expect(made.events.at(-1)).toMatchObject({ event: 'feedback', kind: 'ignored', count: 1 });
  });

  it('not ignored: the note was never put on the wire', () => {
    const made = fixture();
    const { handler } = made.open();
    for (let index = 0; index < 3; index++) {
      handler.failed({
        statement: { text: () => insertUser, isTruncated: false },
        ...{ completedBefore: 0, phase: 'execute', before: 'idle', isCancelRequested: false },
        error: duplicateEmail,
      });
      handler.settled('idle');
    }
    expect(made.only().ignored).toBe(0);
    expect(made.counters.of('notes_attached:unique_violation')).toBe(0);
  });

  it('confirmed: another shape on the same tables runs, as a replacement or another write', () => {
    const { made, session } = shown();
    session.succeed("update users set name = 'A' where email = 'a'");
    session.succeed(upsert);
    expect(made.only()).toMatchObject({ confirmed: 1, contradicted: 0 });
    expect(made.only().resolution).not.toBeNull();
  });

  it('nothing: only a look at the table', () => {
    const { made, session } = shown();
    session.succeed("select id from users where email = 'a'");
    expect(made.only()).toMatchObject({ confirmed: 0, resolution: null });
  });

  it('confirmed: what was to be run again ran', () => {
    const deadlock = { code: '40P01', message: 'deadlock detected' };
    const update = "update users set name = 'A' where id = '1'";
    const { made, session } = shown(update, deadlock);
    session.succeed(update);
    expect(made.only()).toMatchObject({ confirmed: 1, contradicted: 0, status: 'live', successes: 1 });
  });

  it('contradicted: the same shape ran unchanged', () => {
    const { made, session } = shown(misspelt, noName);
    session.succeed(misspelt);
    expect(made.only()).toMatchObject({ contradicted: 1, status: 'retracted' });
  });

  it('puts a record contradicted too often under review', () => {
    const made = fixture();
    for (let round = 0; round < limits.contradictionsBeforeReview; round++) {
      const session = made.open();
      session.fail(misspelt, noName);
      made.schemas.read([users, orders]);
      session.fail(misspelt, noName);
      made.schemas.read([users, orders]);
      session.succeed(misspelt);
    }
    expect(made.only()).toMatchObject({
      status: 'under_review',
      contradicted: limits.contradictionsBeforeReview,
    });
    made.open().fail(misspelt, noName);
    expect(made.open().fail(misspelt, noName)).toBeNull();
    made.schemas.read([users, orders]);
    expect(made.stored()).toMatchObject([{ status: 'under_review' }]);
  });
});

describe('how often a note is shown', () => {
  it('so many times a session, and again in the next', () => {
    const made = fixture();
    const session = made.open();
    const notes = Array.from({ length: 6 }, () => session.fail(insertUser, duplicateEmail));
    expect(notes.map((note) => note !== null)).toEqual([false, true, true, true, false, false]);
    expect(made.counters.of('notes_withheld:budget')).toBe(2);
    expect(made.open().fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('as often as the policy of the moment says', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    made.policy = { ...made.policy, notesPerSession: 1 };
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
  });

  it('once where it only says that nothing will do', () => {
    const made = fixture();
    const session = made.open();
    const denied = {
      code: '42501',
      message: 'permission denied for table users',
      schema: 'public',
      table: 'users',
    };
    const notes = Array.from({ length: 4 }, () => session.fail('select * from users', denied));
    expect(notes.map((note) => note !== null)).toEqual([false, true, false, false]);
  });

  it('never when disabled, and it is remembered all the same', () => {
    const made = fixture();
    made.policy = { ...made.policy, isEnabled: false };
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    expect(made.only().failures).toBe(2);
    made.policy = { ...made.policy, isEnabled: true };
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('never in a session held back; the share is that of sessions', () => {
    const made = fixture();
    made.policy = { ...made.policy, holdback: 0.3 };
    made.open().fail(insertUser, duplicateEmail);
    let heldBack = 0;
    for (let index = 0; index < 1_000; index++) {
      if (made.open({ id: `s${index}` }).fail(insertUser, duplicateEmail) === null) heldBack++;
    }
    expect(heldBack).toBeGreaterThan(250);
    expect(heldBack).toBeLessThan(350);
    expect(made.counters.of('notes_withheld:holdback')).toBe(heldBack);
  });
});

describe('whatever goes wrong', () => {
  it('does not reach the session, and is counted', () => {
    const made = fixture();
    const session = made.open();
    const statement = {
      isTruncated: false,
      text: () => {
        throw new Error('the bytes are gone');
      },
    };
    expect(session.fail('', duplicateEmail, { statement })).toBeNull();
    session.fail(insertUser, duplicateEmail);
    session.handler.succeeded({ statement, index: 0 });
    expect(made.counters.of('bypassed:sink_error')).toBe(2);
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('settles what a session leaves open when it ends', () => {
    const made = fixture();
    const session = made.open();
    session.handler.failed({
      statement: { text: () => insertUser, isTruncated: false },
      ...{ completedBefore: 0, phase: 'execute', before: 'open', isCancelRequested: false },
      error: duplicateEmail,
    });
    expect(made.events).toEqual([]);
    session.handler.close();
    expect(made.events).toMatchObject([{ event: 'failure', after: 'closed' }]);
  });

  it('passes over a session of an engine it has no parts for', () => {
    const made = fixture();
    const session = made.open({ engine: 'mysql' });
    expect(session.handler.wantsSuccess).toBe(false);
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    expect(made.memory.size).toBe(0);
  });

  it('recalls what was read from the store at the start', () => {
    const first = fixture();
    first.open().fail(insertUser, duplicateEmail);
    first.sink.close();
    const second = fixture();
    for (const event of first.events) second.memory.apply(event);
    expect(second.open().fail(insertUser, duplicateEmail)?.recordId).toBe(first.only().id);
    expect(second.open({ scope: { ...shop, upstream: 'copy' } }).fail(insertUser, duplicateEmail)).toBeNull();
  });
});
