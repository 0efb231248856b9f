import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { duplicateEmail, fixture, insertUser, noColumn, orders, shop, table, users } from './fixture.js';

const changed = table('users', 'id email name phone', users.constraints);
const selectGuests = 'select id from guests';
const noGuests = { code: '42P01', message: 'relation "guests" does not exist', position: 16 };
const kinds = (made: ReturnType<typeof fixture>) => made.events.map(({ event }) => event);

describe('a name read out of a message', () => {
  it('counts once the schema that declares it is read: a unique index made a moment ago', () => {
    const made = fixture([table('users', 'id email name')]);
    const session = made.open();
    const read = { ...duplicateEmail, nameRanges: [] };
    made.schemas.refresh(shop, 'ddl_seen');
    expect(session.fail(insertUser, read)).toBeNull();
    expect(made.only().object).toBeNull();
    made.schemas.read([users]);
    expect(made.only().object).toEqual({ kind: 'constraint', name: 'users_email_key' });
    session.fail(insertUser, read);
    made.sink.flush();
    expect(made.stored()).toMatchObject([{ object: { name: 'users_email_key' }, failures: 2 }]);
  });
});

describe('before the first read of the catalog', () => {
  it('keeps failures and keys them by what is read: two are two observations of one record', () => {
    const made = fixture(null);
    const session = made.open();
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    expect(made.counters.of('recalls:no_catalog')).toBe(2);
    expect(made.memory.size).toBe(0);
    made.schemas.read([users, orders]);
    expect(made.only()).toMatchObject({ failures: 2, tables: ['public.users'], after: 'idle' });
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
    made.sink.flush();
    expect(made.stored()).toMatchObject([{ failures: 3, after: 'idle' }]);
  });

  it('asks for the read', () => {
    const made = fixture(null);
    made.open().fail(insertUser, duplicateEmail);
    expect(made.schemas.refreshes).toContain('first_seen');
  });

  it('settles a failure whose transaction state comes after the read', () => {
    const made = fixture(null);
    const { handler } = made.open();
    handler.failed({
      statement: { text: () => insertUser, isTruncated: false },
      ...{ completedBefore: 0, phase: 'execute', before: 'open', isCancelRequested: false },
      error: duplicateEmail,
    });
    made.schemas.read([users]);
    expect(made.events).toEqual([]);
    handler.settled('aborted');
    expect(made.events).toMatchObject([{ event: 'failure', after: 'aborted' }]);
  });

  it('does not mix databases', () => {
    const made = fixture(null);
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.read([users], { ...shop, database: 'other' });
    expect(made.memory.size).toBe(0);
  });

  it('goes on waiting when a read fails', () => {
    const made = fixture(null);
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.readFailed();
    made.schemas.read([users]);
    expect(made.memory.size).toBe(1);
  });

  it('drops what waited too long, counted', () => {
    const made = fixture(null);
    made.open().fail(insertUser, duplicateEmail);
    made.now += limits.maxAwaitCatalogMs + 1;
    made.sink.flush();
    expect(made.counters.of('failures_dropped:no_catalog')).toBe(1);
    made.schemas.read([users]);
    expect(made.memory.size).toBe(0);
  });

  it('drops what there is no room for, counted', () => {
    const made = fixture(null);
    const session = made.open();
    for (let index = 0; index < limits.maxFailuresAwaitingCatalog + 3; index++) {
      session.fail(insertUser, duplicateEmail);
    }
    expect(made.counters.of('failures_dropped:waiting_for_catalog_full')).toBe(3);
  });
});

describe('while the catalog is being read again', () => {
  it('recalls at once and writes nothing before the read', () => {
    const made = fixture();
    const session = made.open();
    session.fail(selectGuests, noGuests);
    expect(session.fail(selectGuests, noGuests)).not.toBeNull();
    expect(session.fail(selectGuests, noGuests)).not.toBeNull();
    made.sink.flush();
    expect(made.events).toEqual([]);
    made.schemas.read([users, orders]);
    made.sink.flush();
    expect(kinds(made)).toEqual(['failure', 'feedback', 'observed']);
    expect(made.stored()).toMatchObject([{ failures: 3, ignored: 1 }]);
  });

  it('moves a record made under a schema that was gone, counts kept', () => {
    const made = fixture();
    const session = made.open();
    made.schemas.refresh(shop, 'probe_moved');
    session.fail(insertUser, duplicateEmail);
    const { id } = made.only();
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
    made.schemas.read([changed, orders]);
    expect(made.only().id).not.toBe(id);
    expect(made.only()).toMatchObject({ failures: 2, status: 'live' });
    expect(session.fail(insertUser, duplicateEmail)?.long).toContain('3 times');
    made.sink.flush();
    expect(made.stored()).toMatchObject([{ id: made.only().id, failures: 3 }]);
    expect(new Set(made.events.map((event) => event.id)).size).toBe(1);
  });

  it('moves only what failed since to another record, when the record was there before', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.fail(insertUser, duplicateEmail);
    const old = made.only();
    made.now += 60_000;
    made.schemas.refresh(shop, 'probe_moved');
    session.fail(insertUser, duplicateEmail);
    session.fail(insertUser, duplicateEmail);
    session.fail(insertUser, duplicateEmail);
    made.schemas.read([changed, orders]);
    made.sink.flush();
    const [first, second, ...others] = made.memory.records();
    expect(others).toEqual([]);
    expect(first).toBe(old);
    expect(first).toMatchObject({ failures: 2, lastAt: '2026-11-01T00:00:00.000Z' });
    expect(second).toMatchObject({ failures: 3, firstAt: '2026-11-01T00:01:00.000Z' });
    expect(made.stored().map(({ id, failures }) => [id, failures])).toEqual([
      [first?.id, 2],
      [second?.id, 3],
    ]);
  });

  it('joins the record that the right schema already has', () => {
    const made = fixture([changed, orders]);
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    const present = made.only();
    made.schemas.read([users, orders]);
    made.schemas.refresh(shop, 'probe_moved');
    session.fail(insertUser, duplicateEmail);
    session.fail(insertUser, duplicateEmail);
    made.schemas.read([changed, orders]);
    expect(made.only()).toBe(present);
    expect(present.failures).toBe(3);
    made.sink.flush();
    expect(made.stored()).toMatchObject([{ id: present.id, failures: 3 }]);
  });

  it('waits for the read that was asked for last', () => {
    const made = fixture();
    made.open().fail(selectGuests, noGuests);
    made.schemas.read([users, orders], shop, true);
    expect(made.events).toEqual([]);
    made.schemas.read([users, orders]);
    expect(kinds(made)).toEqual(['failure']);
  });

  it('writes as it is known what has waited too long, and at the end', () => {
    const made = fixture();
    made.open().fail(selectGuests, noGuests);
    made.now += limits.maxAwaitCatalogMs + 1;
    made.sink.flush();
    expect(kinds(made)).toEqual(['failure']);
    const ending = fixture();
    ending.open().fail(selectGuests, noGuests);
    ending.sink.close();
    expect(kinds(ending)).toEqual(['failure']);
  });
});

describe('a schema change seen on the wire', () => {
  it('silences records of its table until the catalog is read, though nothing is known yet', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.ddl('alter table users add column phone text');
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    expect(made.counters.of('notes_withheld:schema_moving')).toBe(1);
    made.schemas.read([changed, orders]);
    expect(session.fail(insertUser, duplicateEmail)?.long).toContain('2 times');
  });

  it('does not silence records of other tables', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.ddl('create table audit (id int)');
    session.ddl('alter table orders add column note text');
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('lets a failure under the new schema be recalled before it is read', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.ddl('alter table users add column phone text');
    session.fail(insertUser, duplicateEmail);
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('gives the note back when the change is undone', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    session.ddl('alter table users add column phone text');
    made.schemas.read([changed, orders]);
    session.ddl('alter table users drop column phone');
    made.schemas.read([users, orders]);
    expect(session.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('keeps what failed before it under the schema before it', () => {
    const made = fixture();
    const session = made.open();
    session.fail(selectGuests, noGuests);
    session.ddl('create table guests (id int)');
    made.schemas.read([users, orders, table('guests', 'id')]);
    session.ddl('drop table guests');
    made.schemas.read([users, orders]);
    expect(session.fail(selectGuests, noGuests)).not.toBeNull();
    expect(made.memory.size).toBe(1);
  });

  it('concerns only its own session until it is committed', () => {
    const made = fixture();
    const [one, other] = [made.open(), made.open()];
    other.fail(insertUser, duplicateEmail);
    one.succeed('begin');
    one.succeed('alter table users add column phone text');
    expect(other.fail(insertUser, duplicateEmail)).not.toBeNull();
    expect(one.fail(insertUser, duplicateEmail, { before: 'open' }, 'aborted')).toBeNull();
    // Rolled back with the block that failed.
    expect(one.fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('asks for a read', () => {
    const made = fixture();
    made.open().handler.schemaChanged();
    expect(made.schemas.refreshes).toEqual(['ddl_seen']);
  });

  it('is watched for whenever there is something to silence', () => {
    const made = fixture();
    expect(made.open().handler.wantsSuccess).toBe(false);
    made.open().fail(insertUser, duplicateEmail);
    expect(made.open().handler.wantsSuccess).toBe(true);
    expect(made.open({ scope: { ...shop, database: 'other' } }).handler.wantsSuccess).toBe(false);
  });
});

it('asks for a read when an error suggests that the catalog is out of date', () => {
  const made = fixture();
  const text = 'select nme from users';
  made.open().fail(text, noColumn(text, 'nme'));
  expect(made.schemas.refreshes).toEqual(['drift_suspected']);
});

describe('a model in doubt', () => {
  it('lends nothing to a note until it has been made sure of', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    made.schemas.refresh(shop, 'first_seen');
    const doubtful = session.fail(insertUser, duplicateEmail);
    expect(doubtful?.long).toContain('ON CONFLICT');
    expect(doubtful?.long).not.toContain('(email)');
    made.schemas.read([users, orders]);
    expect(session.fail(insertUser, duplicateEmail)?.long).toContain('ON CONFLICT (email)');
  });

  it('is not doubted for an error that only made one wonder', () => {
    const made = fixture();
    const session = made.open();
    session.fail(insertUser, duplicateEmail);
    made.schemas.refresh(shop, 'drift_suspected');
    expect(session.fail(insertUser, duplicateEmail)?.long).toContain('ON CONFLICT (email)');
  });
});

describe('a table that is not declared', () => {
  it('proves nothing of the missing one when a statement runs on it: it is a temporary one', () => {
    const made = fixture();
    const session = made.open();
    session.fail(selectGuests, noGuests);
    made.schemas.read([users, orders]);
    session.succeed(selectGuests);
    made.schemas.read([users, orders]);
    expect(made.only()).toMatchObject({ status: 'live', contradicted: 0 });
    expect(made.open().fail(selectGuests, noGuests)).not.toBeNull();
  });

  it('has the catalog read again, for it may have been made without looking like it', () => {
    const made = fixture();
    made.open().fail('insert into guests values (1)', { code: '23505', constraint: 'guests_pkey' });
    expect(made.schemas.refreshes).toEqual(['drift_suspected']);
  });
});
