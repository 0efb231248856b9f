// An ERR at the end of a result set was not expected (sysown/proxysql#3547), or the reader behind it waited for more rows
// for ever (vitessio/vitess#20495).
import { createConnection, type RowDataPacket } from 'mysql2';
import { createConnection as createPromised } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, prepare, query } from '../support/mysql-client-packets.js';
import { capability } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { until } from '../support/until.js';
import { failuresOf, outcome, plain, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

const schema = `
create table digits (d int primary key);
insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
create function checked(value int) returns int deterministic begin
  if value > 2 then signal sqlstate '45000' set message_text = 'out of bounds'; end if;
  return value;
end`;

const late = 'select d, checked(d) from digits order by d';
/** Each row takes long enough that a limit of a second comes behind some of them, and before the last. */
const slow = 'select a.d, benchmark(20000, sha2(a.d, 256)) from digits a, digits b, digits c, digits d';
/** Far more rows than can be sent before the server stops. */
const endless = 'select a.d from digits a, digits b, digits c, digits d, digits e, digits f, digits g';

async function prepared(session: RawMysql, text: string): Promise<number> {
  const [first] = await session.run(prepare(text));
  return Number(first?.payload.readUInt32LE(1));
}

describeEachMysql('an error behind rows', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, schema);
  });

  afterAll(() => database.drop());

  describe.each([
    ['with EOF packets', usualRequest & ~capability.deprecateEof],
    ['without', usualRequest],
  ])('%s', (_kind, capabilities) => {
    async function open() {
      const proxy = await watchMysql(database.url);
      const session = await RawMysql.open(proxy.through(database.url), { capabilities });
      const direct = await RawMysql.open(database.url, { capabilities });
      return { proxy, session, direct, close: () => [session, direct].map((each) => each.close()) };
    }

    it('ends the command, as text and as binary rows, and the next one is answered', async () => {
      const { proxy, session, direct, close } = await open();
      const id = await prepared(session, late);
      const directId = await prepared(direct, late);
      const answers: string[] = [];
      for (const [command, same] of [
        [query(late), query(late)],
        [execute(id), execute(directId)],
        [query('select 1'), query('select 1')],
      ] as const) {
        for (let time = 1; time <= 2; time += 1) {
          const answer = await session.run(command);
          expect(plain(answer)).toEqual(plain(await direct.run(same)));
          answers.push(outcome(answer));
        }
      }
      // The statement of the text and of EXECUTE is the same one, so that it is known at its second time.
      expect(answers.slice(0, 4)).toEqual(['E[1644]', ...Array(3).fill('E[1644] noted')]);
      expect(answers[4]).toMatch(/packets/);
      const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
      expect(failed).toEqual(Array(4).fill(`failed 1644 <${late}> execute k=0 idle`));
      expect(proxy.blind).toEqual([]);
      close();
    });

    it('of a statement that takes too long', async () => {
      const { proxy, session, close } = await open();
      const limit =
        server.flavour === 'mysql' ? 'set max_execution_time = 1000' : 'set max_statement_time = 1';
      const code = server.flavour === 'mysql' ? 3024 : 1969;
      await session.query(limit);
      const id = await prepared(session, slow);
      const outcomes: string[] = [];
      for (const command of [query(slow), query(slow), execute(id)]) {
        const answer = await session.run(command);
        expect(answer.length).toBeGreaterThan(4);
        outcomes.push(outcome(answer));
        expect(outcome(await session.query('select 1'))).toMatch(/packets/);
      }
      expect(outcomes).toEqual([`E[${code}]`, `E[${code}] noted`, `E[${code}] noted`]);
      expect(proxy.blind).toEqual([]);
      close();
    });

    it('of a statement that another session kills', async () => {
      const { proxy, session, direct, close } = await open();
      const id = Number(session.greeting?.threadId);
      for (let time = 1; time <= 2; time += 1) {
        const before = session.packets.length;
        await session.sendPacket(query(endless));
        await until(() => session.packets.length > before + 3, 20_000, 'rows');
        await direct.query(`kill query ${id}`);
        expect(outcome(await session.answer(3))).toBe(time === 1 ? 'E[1317]' : 'E[1317] noted');
        expect(outcome(await session.query('select 1'))).toMatch(/packets/);
      }
      const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
      expect(failed).toEqual(Array(2).fill(`failed 1317 <${endless}> execute k=0 idle`));
      expect(proxy.blind).toEqual([]);
      close();
    });
  });

  it('in a stream of mysql2 is one error of the stream, and the connection is idle and usable', async () => {
    const proxy = await watchMysql(database.url);
    const connection = createConnection(proxy.through(database.url));
    for (let time = 1; time <= 2; time += 1) {
      const rows: unknown[] = [];
      const errors: Error[] = [];
      await new Promise<void>((resolve) => {
        const stream = connection.query(late).stream();
        stream.on('data', (row) => rows.push(row));
        stream.on('error', (error) => errors.push(error));
        stream.on('close', resolve);
      });
      expect(rows).toEqual([0, 1, 2].map((d) => ({ d, 'checked(d)': d })));
      expect(errors.map((error) => (error as { errno?: number }).errno)).toEqual([1644]);
      expect(errors[0]?.message.includes(noteMark)).toBe(time === 2);
      const [next] = await connection.promise().query<RowDataPacket[]>('select 1 as one');
      expect(next).toEqual([{ one: 1 }]);
    }
    connection.destroy();
  });

  it('of mysql2’s execute, then another statement', async () => {
    const proxy = await watchMysql(database.url);
    const connection = await createPromised(proxy.through(database.url));
    const messages: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      await connection.execute(late).catch((error: Error) => messages.push(error.message));
      expect((await connection.execute<RowDataPacket[]>('select 1 as one'))[0]).toEqual([{ one: 1 }]);
    }
    expect(messages.map((message) => message.split('\n')[0])).toEqual(Array(2).fill('out of bounds'));
    expect(messages.map((message) => message.includes(noteMark))).toEqual([false, true]);
    await connection.end();
  });

  it('of a recursion that goes too deep comes before any row', async () => {
    // Both servers keep what they find until it is all there: then MySQL fails, MariaDB stops and sends it.
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const variable = server.flavour === 'mysql' ? 'cte_max_recursion_depth' : 'max_recursive_iterations';
    await session.query(`set ${variable} = 20`);
    const deep = 'with recursive c as (select 1 as n union all select n + 1 from c) select n from c';
    const outcomes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const answer = await session.query(deep);
      outcomes.push(answer.length <= 3 ? outcome(answer) : 'rows');
      expect(outcome(await session.query('select 1'))).toMatch(/packets/);
    }
    expect(outcomes).toEqual(server.flavour === 'mysql' ? ['E[3636]', 'E[3636] noted'] : ['rows', 'rows']);
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});
