/** The memory as a user of MySQL or MariaDB meets it: across sessions, restarts, crashes, databases and schema changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { MemoryRecord } from '../../../src/core/memory/record.js';
import type { TestDatabase } from '../../servers/database.js';
import { asAccount, createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import { initDb } from '../../support/mysql-client-packets.js';
import { readError } from '../../support/mysql-server-packets.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { recordsIn } from '../../support/records-in.js';
import { type RunningProxy, startConfiguredProxy } from '../../support/start-proxy.js';
import { until } from '../../support/until.js';
import { Asking, ask, type Told, toldBy } from './asking.js';

const settleMs = 20_000;
/** The memory's file lags behind the session that is told of it. */
const written = { timeout: settleMs, interval: 200 };
const reader = { name: 'reader', password: 'readerpw' };

/** One table for each test that could be in another's way. */
const tables = [
  'ruled',
  'plain',
  'other',
  'altered',
  'viewed',
  'kept',
  'budgeted',
  'renewed',
  'crashed',
  'raced',
  'waited',
];
const schema = `
${tables
  .map(
    (
      name,
    ) => `create table ${name} (id int primary key, word varchar(20), qty int default 0, unique key ${name}_word (word));
insert into ${name} (id, word) values (1, 'one'), (2, 'two');`,
  )
  .join('\n')}
create view seen as select id, word from viewed;
create trigger ruled_guard before update on ruled for each row
  if new.qty < 0 then signal sqlstate '45000' set message_text = 'no debts'; end if;
create procedure add_plain(w varchar(20)) begin insert into plain (id, word) values (77, w); end;
create procedure add_twice(w varchar(20)) begin select 1; insert into other (id, word) values (77, w); select 2; end;
create table digits (d int primary key);
insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
`;

/** Runs for minutes, and can be ended at any time. */
const endless =
  'select max(a.d + h.d) from digits a, digits b, digits c, digits d, digits e, digits f, digits g, digits h';

const duplicate = (table: string, id = 50): string => `insert into ${table} (id, word) values (${id}, 'one')`;

describeEachMysql('the memory', (server) => {
  let database: TestDatabase;
  let twin: TestDatabase;
  let memory: string;
  let config: string;
  let proxy: RunningProxy;
  const isMysql = server.flavour === 'mysql';

  beforeAll(async () => {
    [database, twin] = await Promise.all([
      createMysqlDatabase(server.url, schema),
      createMysqlDatabase(server.url, schema),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-memory-'));
    memory = join(folder, 'memory');
    config = join(folder, 'config.yaml');
    writeFileSync(
      config,
      `memory: { folder: memory }
admin: { listen: false }
upstreams: { shop: { url: ${JSON.stringify(database.url)} } }
listeners:
  - { name: agents, listen: 127.0.0.1:0 }
  - { name: programs, listen: 127.0.0.1:0, audience: application }
`,
    );
    proxy = await startConfiguredProxy(config, memory);
  });

  afterAll(async () => {
    const exit = await proxy.stop();
    if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    await Promise.all([database.drop(), twin.drop()]);
    rmSync(join(memory, '..'), { recursive: true, force: true });
    expect(exit).toMatchObject({ code: 0 });
  });

  const through = (url = database.url, listener = 'agents'): string => proxy.through(url, listener);

  const records = (isWanted: (record: MemoryRecord) => boolean): MemoryRecord[] =>
    recordsIn(memory).filter(isWanted);

  it('speaks to another session, about other values', async () => {
    expect(await ask(through(), duplicate('plain'))).toEqual(['']);
    const [note] = await ask(through(), "INSERT  INTO `plain`(id,word) VALUES (0x77, _utf8mb4'two') # again");
    expect(note).toContain('unique_violation');
    expect(note).toContain('plain_word');
    expect(note).toContain('ON DUPLICATE KEY UPDATE');
  });

  it('speaks within a session, in text and prepared alike', async () => {
    const session = await Asking.open(through());
    expect(await session.ask("insert into other (word, id) values ('one', 3)")).toEqual(['']);
    expect(await session.prepared('insert into other (word, id) values (?, ?)', ['two', '4'])).toContain(
      'other_word',
    );
    expect(await session.prepared('select nope_there from other where id = ?', ['1'])).toBe('');
    expect((await session.ask('select nope_there from other where id = 7'))[0]).toContain('undefined_object');
    await session.end();
  });

  it('knows which statement of a text failed', async () => {
    const broken = 'select other.nope_k from other';
    expect(await ask(through(), `select 1; ${broken}; select 2`)).toEqual(['']);
    expect((await ask(through(), broken))[0]).toContain('undefined_object');
    const told = await ask(through(), `do 1; update other set qty = 1 where id = 1; set @a = 1; ${broken}`);
    expect(told[0]).toContain('undefined_object');
    await vi.waitFor(() => {
      const known = records(({ shape }) => shape.includes('nope_k'));
      expect(known).toMatchObject([{ shape: broken }]);
    }, written);
  });

  it('knows a CALL by what is called, and not by what fails inside', async () => {
    expect(await ask(through(), "call add_plain('one')", "call add_twice('one')")).toEqual(['', '']);
    const told = await ask(through(), "call add_plain('two')", "call add_twice('two')");
    expect(told[0]).toContain('unique_violation');
    expect(told[1]).toContain('unique_violation');
    expect(await ask(through(), "insert into other (id, word, qty) values (77, 'one', 2)")).toEqual(['']);
  });

  it('repeats what a trigger raised, under any number', async () => {
    const overdrawn = 'update ruled set qty = -1 where id = 1';
    expect(await ask(through(), overdrawn)).toEqual(['']);
    expect((await ask(through(), overdrawn.replace('-1', '-20')))[0]).toContain('rule_raised');
  });

  it('stays within its database', async () => {
    const broken = 'select nope_here from kept';
    const there = `use ${twin.name}`;
    expect(await ask(through(), broken)).toEqual(['']);
    expect((await ask(through(), broken))[0]).toContain('undefined_object');
    // By USE and back again.
    const told = await ask(through(), there, broken, `use ${database.name}`, broken);
    expect([told[0], told[1], told[2]]).toEqual([null, '', null]);
    expect(told[3]).toContain('undefined_object');
    // By name.
    expect(await ask(through(), `select nope_here from ${twin.name}.kept`)).toEqual(['']);
    expect(await ask(through(twin.url), `select nope_here from ${database.name}.kept`)).toEqual(['']);
    // By login: the other database has its own record by now.
    expect((await ask(through(twin.url), broken))[0]).toContain('undefined_object');
  });

  it('follows COM_INIT_DB and COM_CHANGE_USER to another database', async () => {
    const session = await RawMysql.open(through());
    const noteOn = async (text: string): Promise<boolean> => {
      const [answer] = await session.query(text);
      if (answer === undefined) throw new Error('No answer');
      return readError(answer.payload).message.includes('[twiceshy ');
    };
    const byInitDb = 'select nope_init from kept';
    expect([await noteOn(byInitDb), await noteOn(byInitDb)]).toEqual([false, true]);
    await session.run(initDb(twin.name));
    expect([await noteOn(byInitDb), await noteOn(byInitDb)]).toEqual([false, true]);
    await session.run(initDb(database.name));
    expect(await noteOn(byInitDb)).toBe(true);
    const byChange = 'select nope_change from kept';
    expect([await noteOn(byChange), await noteOn(byChange)]).toEqual([false, true]);
    await session.changeUser(through(asAccount(twin.url, reader)));
    expect([await noteOn(byChange), await noteOn(byChange)]).toEqual([false, true]);
    // A refused one leaves the session where it was, if the server leaves it at all.
    await session.run(initDb('no_such_database'));
    expect(await noteOn(byChange)).toBe(true);
    session.close();
  });

  it('is silent once the table changed, speaks again when the change is taken back', async () => {
    const broken = 'select nope from altered';
    await ask(through(), broken);
    const idOf = async (): Promise<string> => ((await ask(through(), broken))[0] ?? '').slice(0, 18);
    await runMysql(database.url, `create table unrelated_${server.flavour} (id int)`);
    const id = await idOf();
    expect(id).toMatch(/^\[twiceshy [0-9a-f]{8}$/);
    // The changes come past the proxy: its probe has to see them.
    await runMysql(database.url, 'alter table altered add column founded date');
    const isOther = async (): Promise<boolean> => (await idOf()) !== id;
    await until(isOther, settleMs, 'the note on the old table to be gone');
    await runMysql(database.url, 'alter table altered drop column founded');
    const isSame = async (): Promise<boolean> => (await idOf()) === id;
    await until(isSame, settleMs, 'the note on the old table to be back');
  });

  it('forgets an undefined column once it exists, and an unknown table once it is made', async () => {
    const missing = ['select born from renewed', 'select id from renewed_too'];
    await ask(through(), ...missing, ...missing);
    const made = ['alter table renewed add column born date', 'create table renewed_too (id int)'];
    expect(await ask(through(), ...made, ...missing)).toEqual([null, null, null, null]);
    const gone = ['alter table renewed drop column born', 'drop table renewed_too'];
    expect(await ask(through(), ...gone)).toEqual([null, null]);
  });

  it('takes back what was refused for want of a right, once it is granted', async () => {
    const user = through(asAccount(database.url, reader));
    const denied = 'delete from kept where id = 900';
    expect((await ask(user, denied, denied))[1]).toContain('permission');
    await runMysql(server.url, `grant delete on \`${database.name}\`.kept to reader@'%'`);
    expect(await ask(user, denied)).toEqual([null]);
    const isRetracted = (): boolean =>
      records(({ shape, status }) => status === 'retracted' && shape.startsWith('delete from kept')).length >
      0;
    await until(isRetracted, settleMs, 'the record to be retracted');
    await runMysql(server.url, `revoke delete on \`${database.name}\`.kept from reader@'%'`);
    const [first, second] = await ask(user, denied, denied);
    expect(first).toBe('');
    expect(second).toContain('permission');
  });

  it('tells what worked in the place of what failed, and the closest names', async () => {
    await ask(through(), 'select wrd from plain where id = 1', 'select word from plain where id = 1');
    // While the schema is being read anew a note names nothing of it; others change theirs on this server.
    const told = until(
      async () => {
        const [note] = await ask(through(), 'select wrd from plain where id = 2');
        return note?.includes('Close names: word.') === true ? note : null;
      },
      settleMs,
      'the closest name',
    );
    expect(await told).toContain('then ran: select word from plain where id = ?');
  });

  it('shows the note of a record three times a session', async () => {
    const broken = 'select nope from budgeted';
    const told = await ask(through(), ...Array.from({ length: 6 }, () => broken));
    expect(told.map((one) => (one ?? '').slice(0, 9))).toEqual([
      '',
      ...Array.from({ length: 3 }, () => '[twiceshy'),
      '',
      '',
    ]);
    expect((await ask(through(), broken))[0]).toContain('undefined_object');
  });

  it('says nothing to programs that read the message, and speaks of the rest', async () => {
    const programs = (url = database.url): string => through(url, 'programs');
    const bare: readonly (readonly [string, string])[] = [
      [duplicate('kept'), programs()],
      ['use no_such_database', programs()],
      ['use mysql', programs(asAccount(database.url, reader))],
    ];
    for (const [text, url] of bare) {
      expect(await ask(url, text, text), text).toEqual(['', '']);
      expect((await ask(url.replace(programs(), through()), text))[0] === null, text).toBe(false);
    }
    // The failures were remembered all the same.
    expect((await ask(through(), duplicate('kept')))[0]).toContain('unique_violation');
    expect((await ask(programs(), 'select nope_app from kept', 'select nope_app from kept'))[1]).toContain(
      'undefined_object',
    );
  });

  it('does not remember that someone killed a statement, nor a refused login', async () => {
    const killed = endless.replace('max(', 'min(');
    for (let time = 1; time <= 2; time += 1) {
      const session = await Asking.open(through());
      const told = toldBy(session.connection.query(killed));
      const running = `select id from information_schema.processlist where info = '${killed}'`;
      const [{ id }] = await until(
        async () => {
          const [found] = await runMysql(database.url, running);
          return found === undefined ? null : ([found] as const);
        },
        settleMs,
        'the statement to run',
      );
      await runMysql(database.url, `kill query ${String(id ?? '')}`);
      expect(await told).toBe('');
      await session.end();
      const wrong = through(asAccount(database.url, { name: 'reader', password: 'wrong' }));
      expect(await toldBy(Asking.open(wrong))).toBe('');
    }
    // What is written in order of its coming is all there once this is.
    await ask(through(), 'select nope_after from plain');
    const isWritten = (): boolean => records(({ shape }) => shape.includes('nope_after')).length > 0;
    await until(isWritten, settleMs, 'what came before to be written');
    expect(records(({ shape }) => shape.includes('min ( a'))).toEqual([]);
    expect(records(({ code }) => code === '1045' || code === '1317')).toEqual([]);
  });

  it('remembers that a statement took too long', async () => {
    const limit = isMysql ? 'set max_execution_time = 30' : 'set max_statement_time = 0.03';
    const told = await ask(through(), limit, endless, endless);
    expect(told.slice(0, 2)).toEqual([null, '']);
    expect(told[2]).toContain('statement_timeout');
    expect(told[2]).toMatch(/MAX_EXECUTION_TIME|max_statement_time/);
  });

  it("tells a deadlock's victim to run its whole transaction again", async () => {
    const first = await collide();
    expect(first).toBe('');
    const second = await collide();
    expect(second).toContain('deadlock');
    expect(second).toMatch(/whole transaction/i);
    await vi.waitFor(() => {
      const known = records((record) => record.class === 'deadlock');
      expect(known).toMatchObject([{ code: '1213', after: 'idle' }]);
    }, written);
  });

  /** Two sessions that lock two rows in opposite order; what the one is told that InnoDB chose. */
  async function collide(): Promise<string> {
    const [one, other] = [await Asking.open(through()), await Asking.open(through())];
    const change = (id: number): string => `update raced set qty = qty + 1 where id = ${id}`;
    await one.run('begin', change(1));
    await other.run('begin', change(2));
    const finish = async (session: Asking, id: number): Promise<Told> => {
      const [note = null] = await session.ask(change(id));
      await session.run('rollback');
      return note;
    };
    const told = await Promise.all([finish(one, 2), finish(other, 1)]);
    await Promise.all([one.end(), other.end()]);
    const victims = told.filter((note) => note !== null);
    expect(victims).toHaveLength(1);
    return victims[0] ?? '';
  }

  it('tells who waited for a lock in vain that the transaction is still open', async () => {
    const holder = await Asking.open(database.url);
    const waiter = await Asking.open(through());
    await holder.run('begin', 'update waited set qty = 1 where id = 1');
    await waiter.run('set innodb_lock_wait_timeout = 1', 'begin', 'update waited set qty = 2 where id = 2');
    const wait = 'update waited set qty = 3 where id = 1';
    const [first, second] = await waiter.ask(wait, wait);
    expect(first).toBe('');
    expect(second).toContain('lock_timeout');
    expect(second).toMatch(/still open/);
    await holder.run('rollback');
    expect(await waiter.ask(wait, 'commit')).toEqual([null, null]);
    const kept = await runMysql(database.url, 'select qty from waited order by id');
    expect(kept.map(({ qty }) => qty)).toEqual([3, 2]);
    await Promise.all([holder.end(), waiter.end()]);
    await vi.waitFor(() => {
      const known = records(({ shape }) => shape.startsWith('update waited'));
      expect(known).toMatchObject([{ class: 'lock_timeout', code: '1205', after: 'open' }]);
    }, written);
  });

  it('speaks of views by their columns', async () => {
    const broken = 'select qty from seen';
    await ask(through(), broken, duplicate('seen'));
    const told = await ask(through(), broken, duplicate('seen'));
    expect(told[0]).toContain('undefined_object');
    expect(told[1]).toContain('unique_violation');
    expect(
      await ask(through(), 'create or replace view seen as select id, word, id + 1 as next from viewed'),
    ).toEqual([null]);
    expect(await ask(through(), broken)).toEqual(['']);
  });

  it('learns of a database that is made while it runs', async () => {
    const late = await createMysqlDatabase(
      server.url,
      'create table late (id int primary key, word varchar(9))',
    );
    try {
      const broken = 'select nope from late';
      const isKnown = async (): Promise<boolean> => (await ask(through(late.url), broken))[0] !== '';
      await until(isKnown, settleMs, 'a repetition to be annotated in the new database');
    } finally {
      await late.drop();
    }
  });

  it('outlives a restart, and a crash once it had time to write', async () => {
    expect(await ask(through(), duplicate('crashed'))).toEqual(['']);
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    proxy = await startConfiguredProxy(config, memory);
    expect((await ask(through(), duplicate('crashed', 60)))[0]).toContain('unique_violation');
    await ask(through(), 'select nope_crash from crashed');
    const isWritten = (): boolean => records(({ shape }) => shape.includes('nope_crash')).length > 0;
    await until(isWritten, settleMs, 'the failure to be written');
    proxy.signal('SIGKILL');
    await proxy.exited;
    proxy = await startConfiguredProxy(config, memory);
    const told = await ask(through(), duplicate('crashed', 70), 'select nope_crash from crashed');
    expect(told[0]).toContain('unique_violation');
    expect(told[1]).toContain('undefined_object');
  });
});
