// Commands above 16 MiB were parsed as several commands (sysown/proxysql#1350, apache/shardingsphere#17907).
import { createConnection } from 'mysql2/promise';
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, ping, prepare, query, sendLongData } from '../support/mysql-client-packets.js';
import { maxPayloadBytes, packets } from '../support/mysql-protocol.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { outcome, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

const table = 'create table big (id int primary key, body longblob)';

/** Payload sizes: within two packets, exactly one full packet and an empty one, exactly two. */
const sizes = [17_000_000, maxPayloadBytes, 2 * maxPayloadBytes];

describeEachMysql('a command in several packets', (server) => {
  it.each(sizes)('of %i bytes is one query, with one verdict', async (size) => {
    const database = await createMysqlDatabase(server.url, table);
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const head = "insert into big values (1, '";
    // 0x03 is the first byte of a query, and what every further packet begins with here.
    const text = Buffer.alloc(size - 1, 0x03);
    text.write(head, 0, 'latin1');
    text.write("')", text.length - 2, 'latin1');
    const outcomes: string[] = [];
    for (let time = 1; time <= 3; time += 1) {
      outcomes.push(outcome(await session.run(query(text))), outcome(await session.run(ping)));
    }
    expect(outcomes).toEqual(['OK', 'OK', 'E[1062]', 'OK', 'E[1062] noted', 'OK']);
    const seen = text.toString('latin1', 0, 65_536);
    const events = proxy.sessions[0]?.events.filter((event) => event !== 'note');
    const failure = [`failed 1062 <${seen}> execute k=0 idle`, 'settled idle'];
    expect(events?.map(({ length }) => length)).toEqual(
      [`ok <${seen}> 0`, ...failure, ...failure].map(({ length }) => length),
    );
    expect(events?.[1] === failure[0]).toBe(true);
    expect(proxy.blind).toEqual([]);
    session.close();
    await database.drop();
  });

  it.each(sizes)('of %i bytes and more is one EXECUTE, or data for one', async (size) => {
    const database = await createMysqlDatabase(server.url, table);
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const text = 'insert into big values (?, ?)';
    const [first] = await session.run(prepare(text));
    const id = Number(first?.payload.readUInt32LE(1));
    const long = Buffer.alloc(size, 0x03);
    const outcomes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      outcomes.push(outcome(await session.run(execute(id, ['1', long]))), outcome(await session.run(ping)));
    }
    await session.send(packets(sendLongData(id, 1, long)), packets(execute(id, ['1', undefined])));
    outcomes.push(outcome(await session.answer(0x17)), outcome(await session.run(ping)));
    expect(outcomes).toEqual(['OK', 'OK', 'E[1062]', 'OK', 'E[1062] noted', 'OK']);
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(2).fill(`failed 1062 <${text}> execute k=0 idle`));
    expect(proxy.blind).toEqual([]);
    session.close();
    await database.drop();
  });

  it('by mysql2, as text and as parameter', async () => {
    const database = await createMysqlDatabase(server.url, table);
    const proxy = await watchMysql(database.url);
    const connection = await createConnection(proxy.through(database.url));
    const body = Buffer.alloc(20_000_000, 0x61);
    const messages: string[] = [];
    const failed = (way: string) => (error: Error) =>
      void messages.push(`${way} ${error.message.includes(noteMark)}`);
    for (let time = 1; time <= 3; time += 1) {
      const insert = 'insert into big values (?, ?)';
      await connection.query(insert, [5, body]).catch(failed('query'));
      await connection.execute(insert, [7, body]).catch(failed('execute'));
    }
    expect(messages).toEqual(['query false', 'execute false', 'query true', 'execute true']);
    const [rows] = await connection.query('select id, length(body) as bytes from big order by id');
    expect(rows).toEqual([5, 7].map((id) => ({ id, bytes: body.length })));
    await connection.end();
    await database.drop();
  });
});
