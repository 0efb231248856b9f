import { describe, expect, it } from 'vitest';
import { duplicateEmail, fixture, insertUser, noColumn, orders, shop, table, users } from './fixture.js';

const otherUser = "INSERT  INTO users(email, name) VALUES ('b@example.org' , $$B$$)";

describe('a repeated failure', () => {
  it('gets no note the first time and one the second', () => {
    const session = fixture().open();
    expect(session.fail(insertUser, duplicateEmail)).toBeNull();
    const note = session.fail(insertUser, duplicateEmail);
    expect(note?.long).toMatch(
      /^\[twiceshy [0-9a-f]{8}\] This statement shape failed here 2 times since 2026-11-01 /,
    );
    expect(note?.long).toContain('ON CONFLICT (email)');
  });

  it('is recognised with other literals, spacing and case, and in another session', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    const note = made.open().fail(otherUser, duplicateEmail);
    expect(note?.recordId).toBe(made.only().id);
    expect(made.only().failures).toBe(2);
  });

  it('is one record however often it comes', () => {
    const made = fixture();
    for (let time = 0; time < 5; time++) made.open().fail(insertUser, duplicateEmail);
    expect(made.only()).toMatchObject({ failures: 5, class: 'unique_violation', tables: ['public.users'] });
    expect(made.counters.of('failures_recorded')).toBe(1);
    expect(made.counters.of('failures_observed')).toBe(4);
  });

  it('makes successes of the same verb and table wanted, and of no other', () => {
    const made = fixture();
    const session = made.open();
    expect(session.handler.wantsSuccessOf?.('insert', 'users')).toBe(false);
    session.fail(insertUser, duplicateEmail);
    // Anything may say something of a failure that is open.
    expect(session.handler.wantsSuccessOf?.('select', 'orders')).toBe(true);
    const other = made.open().handler;
    expect(other.wantsSuccessOf?.('insert', 'public.users')).toBe(true);
    expect(other.wantsSuccessOf?.('insert', 'orders')).toBe(false);
    expect(other.wantsSuccessOf?.('select', 'public.users')).toBe(false);
    expect(
      made
        .open({ scope: { upstream: 'shop', database: 'other' } })
        .handler.wantsSuccessOf?.('insert', 'users'),
    ).toBe(false);
  });

  it('counts once for all tries of one write, and is answered alike', () => {
    const made = fixture();
    const first = { attempt: 'lsid:1:0' };
    expect(made.open().fail(insertUser, duplicateEmail, first)).toBeNull();
    expect(made.open().fail(insertUser, duplicateEmail, first)).toBeNull();
    expect(made.only().failures).toBe(1);
    const second = { attempt: 'lsid:2:0' };
    const note = made.open().fail(insertUser, duplicateEmail, second);
    expect(note).not.toBeNull();
    expect(made.open().fail(insertUser, duplicateEmail, second)).toBe(note);
    expect(made.only().failures).toBe(2);
    expect(made.counters.of('failures_not_recorded:retry')).toBe(2);
  });

  it('is recognised by a similar shape, and gets a record of its own', () => {
    const made = fixture();
    const first = "select id, name, email from users where lower(email) = 'a' and nme = 'b' order by id";
    const second = "select id, email, name from users where lower(email) = 'a' and nme = 'b' order by id";
    const firstId = made.open().fail(first, noColumn(first, 'nme'));
    expect(firstId).toBeNull();
    const note = made.open().fail(second, noColumn(second, 'nme'));
    expect(note).not.toBeNull();
    expect(made.memory.size).toBe(2);
    expect(made.counters.of('recalls:similar')).toBe(1);
  });

  it('knows the failing statement of a text by the error position', () => {
    const made = fixture();
    const text = 'select id from users; select nme from users; select id from orders';
    made.open().fail(text, noColumn(text, 'nme'));
    expect(made.only().shape).toBe('select nme from users');
  });

  it('knows the failing statement of a text by how many had completed', () => {
    const made = fixture();
    made.open().fail(`select id from users; ${insertUser}`, duplicateEmail, { completedBefore: 1 });
    expect(made.only().shape).toMatch(/^insert into users/);
  });

  it('takes the last statement where more completed than the text has', () => {
    const made = fixture();
    made.open().fail(`select id from users; ${insertUser}`, duplicateEmail, { completedBefore: 7 });
    expect(made.only().shape).toMatch(/^insert into users/);
  });

  it('keys a refused COMMIT by the table of the constraint', () => {
    const made = fixture();
    expect(made.open().fail('commit', duplicateEmail, { phase: 'commit', before: 'open' })).toBeNull();
    expect(made.only()).toMatchObject({ shape: 'commit', tables: ['public.users'] });
    expect(made.open().fail('COMMIT', duplicateEmail, { phase: 'commit', before: 'open' })).not.toBeNull();
  });
});

describe('a near miss gets no note', () => {
  const missed = (run: (made: ReturnType<typeof fixture>) => unknown) => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    expect(run(made)).toBeNull();
  };

  it('another code', () => {
    missed((made) => made.open().fail(insertUser, { ...duplicateEmail, code: '23514' }));
  });

  it('another constraint', () => {
    missed((made) => made.open().fail(insertUser, { ...duplicateEmail, constraint: 'users_name_key' }));
  });

  it('another table of the same form', () => {
    missed((made) => {
      made.schemas.read([users, orders, table('guests', 'id email name')]);
      return made.open().fail(insertUser.replace('users', 'guests'), duplicateEmail);
    });
  });

  it('another database', () => {
    missed((made) => {
      const scope = { ...shop, database: 'shop2' };
      made.schemas.read([users, orders], scope);
      return made.open({ scope }).fail(insertUser, duplicateEmail);
    });
  });

  it('another upstream', () => {
    missed((made) => made.open({ scope: { ...shop, upstream: 'copy' } }).fail(insertUser, duplicateEmail));
  });

  it('another schema on the search path', () => {
    missed((made) => {
      made.schemas.read([users, orders, { ...users, schema: 'tenant' }]);
      return made.open({ searchPath: ['tenant'] }).fail(insertUser, { ...duplicateEmail, schema: 'tenant' });
    });
  });

  it('another missing column of one shape', () => {
    const made = fixture();
    const text = 'select nme, emial, id, total from users where id = 1 and name = 2';
    made.open().fail(text, noColumn(text, 'nme'));
    expect(made.open().fail(text, noColumn(text, 'emial'))).toBeNull();
  });

  it('a short shape that differs by one word', () => {
    const made = fixture();
    made.open().fail('select nme from users', noColumn('select nme from users', 'nme'));
    const other = 'select nme, id from users';
    expect(made.open().fail(other, noColumn(other, 'nme'))).toBeNull();
  });

  it('a statement cut at the bound matches only itself', () => {
    const made = fixture();
    const cut = { text: () => insertUser, isTruncated: true };
    made.open().fail(insertUser, duplicateEmail, { statement: cut });
    expect(made.only().isTruncated).toBe(true);
    const longer = insertUser.replace("'A')", "'A') returning id");
    expect(made.open().fail(longer, duplicateEmail)).toBeNull();
  });
});

describe('the schema', () => {
  const changed = table('users', 'id email name phone', users.constraints);

  it('silences a record when its table changes and revives it when the change is undone', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.read([changed, orders]);
    expect(made.open().fail(insertUser, duplicateEmail)).toBeNull();
    made.schemas.read([users, orders]);
    expect(made.open().fail(insertUser, duplicateEmail)?.long).toContain('2 times');
    expect(made.memory.size).toBe(2);
  });

  it('does not mind other tables', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.read([users, orders, table('audit', 'id what')]);
    expect(made.open().fail(insertUser, duplicateEmail)).not.toBeNull();
  });

  it('silences a violated rule when the constraints change, and a syntax error not', () => {
    const made = fixture();
    const misspelt = { code: '42601', message: 'syntax error', position: 1 };
    made.open().fail(insertUser, duplicateEmail);
    made.open().fail('selec id from users', misspelt);
    made.schemas.read([{ ...users, constraints: [] }, orders]);
    expect(made.open().fail(insertUser, duplicateEmail)).toBeNull();
    expect(made.open().fail('selec id from users', misspelt)).not.toBeNull();
  });

  it('lets a rule that changed be remembered anew', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.schemas.read([{ ...users, constraints: [] }, orders]);
    made.open().fail(insertUser, duplicateEmail);
    expect(made.open().fail(insertUser, duplicateEmail)?.long).toContain('2 times');
  });

  it('closes the gate of a missing table once it exists', () => {
    const made = fixture();
    const missing = { code: '42P01', message: 'relation "guests" does not exist', position: 15 };
    made.open().fail('select id from guests', missing);
    made.schemas.read([users, orders]);
    expect(made.open().fail('select id from guests', missing)).not.toBeNull();
    made.schemas.read([users, orders]);
    made.schemas.read([users, orders, table('guests', 'id')]);
    expect(made.open().fail('select id from guests', missing)).toBeNull();
  });
});

describe('what is not recorded', () => {
  it.each([
    ['25P02', 'consequence'],
    ['57P01', 'unavailable'],
  ])('%s is counted as %s', (code, reason) => {
    const made = fixture();
    expect(made.open().fail(insertUser, { code })).toBeNull();
    expect(made.open().fail(insertUser, { code })).toBeNull();
    expect(made.memory.size).toBe(0);
    expect(made.counters.of(`failures_not_recorded:${reason}`)).toBe(2);
  });

  it('a cancelled statement', () => {
    const made = fixture();
    made.open().fail('select 1', { code: '57014' }, { isCancelRequested: true });
    expect(made.memory.size).toBe(0);
  });

  it('a plan that the schema outran; the catalog is read again', () => {
    const made = fixture();
    const error = { code: '0A000', message: 'cached plan must not change result type' };
    made.open().fail('select * from users', { ...error, routine: 'RevalidateCachedQuery' });
    expect(made.memory.size).toBe(0);
    expect(made.schemas.refreshes).toContain('drift_suspected');
  });

  it('a failure whose text is not known', () => {
    const made = fixture();
    made.open().fail('', duplicateEmail, { statement: null });
    expect(made.memory.size).toBe(0);
    expect(made.counters.of('failures_dropped:statement_text_unknown')).toBe(1);
  });
});

describe('what is remembered of a failure', () => {
  it('no value of the statement or the message', () => {
    const made = fixture();
    made.open().fail(insertUser, duplicateEmail);
    made.open().fail("select 'hunter2'::int", {
      code: '22P02',
      message: 'invalid input syntax for type integer: "hunter2"',
      position: 8,
    });
    made.sink.close();
    const written = JSON.stringify(made.events);
    expect(written).toContain('users_email_key');
    expect(written).not.toMatch(/hunter2|example\.org/);
  });

  it('the transaction state, the session and the trace', () => {
    const made = fixture();
    const traced = `${insertUser} /*traceparent='00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'*/`;
    made.open({ id: 's9' }).fail(traced, duplicateEmail, { before: 'open' }, 'aborted');
    const [failure] = made.events;
    expect(failure).toMatchObject({ event: 'failure', after: 'aborted', phase: 'execute' });
    expect(failure).toMatchObject({ evidence: { session: 's9', application: 'psql', user: 'app' } });
    expect(JSON.stringify(failure)).toContain('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
  });

  it('the token at the position where the error names nothing, but never a literal', () => {
    const made = fixture();
    const text = "select 'a' 'b' nme, * from users";
    made.open().fail(text, noColumn(text, 'nme'));
    expect(made.only().object).toEqual({ kind: 'name', name: 'nme' });
    const other = fixture();
    other.open().fail("selec 'secret' from users", { code: '42601', position: 7 });
    expect(other.only().object).toBeNull();
  });

  it('does not take a position in a statement of the server for one in the text', () => {
    const made = fixture();
    const text = 'select nme from users';
    made.open().fail(text, { ...noColumn(text, 'nme'), isInternalPosition: true });
    expect(made.only().object).toBeNull();
  });
});
