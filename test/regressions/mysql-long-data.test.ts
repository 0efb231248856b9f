// COM_STMT_SEND_LONG_DATA has no answer and its error comes with the next EXECUTE (sysown/proxysql#764, #1283,
// apache/shardingsphere#39401); followed by COM_STMT_CLOSE, which has none either, the connection stayed busy
// (matrixorigin/matrixone#27263).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import {
  closeStatement,
  execute,
  ping,
  prepare,
  query,
  resetStatement,
  sendLongData,
} from '../support/mysql-client-packets.js';
import { command, packets } from '../support/mysql-protocol.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, outcome, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const pieceBytes = 8_192;

describeEachMysql('data sent ahead of EXECUTE', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      'create table big (id int primary key, body longblob, short varchar(4))',
    );
  });

  afterAll(() => database.drop());

  async function open(text: string) {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const [first] = await session.run(prepare(text));
    return { proxy, session, id: Number(first?.payload.readUInt32LE(1)) };
  }

  it('in 8 KB pieces is waited for by nobody, and the verdict is that of EXECUTE', async () => {
    const text = 'insert into big (id, body) values (?, ?)';
    const { proxy, session, id } = await open(text);
    const outcomes: string[] = [];
    for (let time = 1; time <= 3; time += 1) {
      for (let piece = 0; piece < 100; piece += 1)
        await session.run(sendLongData(id, 1, Buffer.alloc(pieceBytes, piece)));
      outcomes.push(outcome(await session.run(execute(id, ['1', undefined]))));
      outcomes.push(outcome(await session.run(resetStatement(id))));
    }
    expect(outcomes).toEqual(['OK', 'OK', 'E[1062]', 'OK', 'E[1062] noted', 'OK']);
    const stored = await session.query('select length(body) from big');
    expect(stored.at(-2)?.payload.toString()).toContain(String(100 * pieceBytes));
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(2).fill(`failed 1062 <${text}> execute k=0 idle`));
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('for a parameter that is none fails at EXECUTE, until COM_STMT_RESET', async () => {
    const text = 'insert into big (id, short) values (?, ?)';
    const { proxy, session, id } = await open(text);
    const outcomes: string[] = [];
    for (const key of ['11', '12']) {
      for (const payload of [
        sendLongData(id, 7, Buffer.from('x')),
        execute(id, [key, 'y']),
        execute(id, [key, 'y']),
        resetStatement(id),
        execute(id, [key, 'y']),
      ])
        outcomes.push(outcome(await session.run(payload)));
    }
    const noted = 'E[1210] noted';
    expect(outcomes.slice(0, 5)).toEqual(['nothing', 'E[1210]', noted, 'OK', 'OK']);
    expect(outcomes.slice(5)).toEqual(['nothing', noted, noted, 'OK', 'OK']);
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(4).fill(`failed 1210 <${text}> execute k=0 idle`));
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('and then COM_STMT_CLOSE leaves the session idle', async () => {
    const { proxy, session, id } = await open('insert into big (id, body) values (?, ?)');
    await session.send(
      ...[sendLongData(id, 1, Buffer.from('x')), closeStatement(id), ping].map((one) => packets(one)),
    );
    expect(outcome(await session.answer(command.ping))).toBe('OK');
    for (let time = 1; time <= 2; time += 1)
      expect(outcome(await session.query('select nope'))).toBe(`E[1054]${time === 1 ? '' : ' noted'}`);
    await session.send(
      ...[sendLongData(id, 0, Buffer.from('x')), execute(id, ['1', 'x']), query('do 1')].map((one) =>
        packets(one),
      ),
    );
    expect(outcome(await session.answer(command.stmtExecute))).toBe('E[1243]');
    expect(outcome(await session.answer(command.query))).toBe('OK');
    expect(failuresOf(proxy.sessions[0]).at(-3)).toBe('bypassed statement_text_unknown');
    expect(failuresOf(proxy.sessions[0]).at(-2)).toBe('failed 1243 <?> execute k=0 idle');
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});
