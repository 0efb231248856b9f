// MySQL ends an idle connection with an ERR numbered 0 (sidorares/node-mysql2#1660, #1334), MariaDB sends one with a number
// that does not follow when it shuts down or kills (mysql-net/MySqlConnector#662).
import { createPool } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { query } from '../support/mysql-client-packets.js';
import { packet } from '../support/mysql-protocol.js';
import { columnDefinition, error, readError, textRow } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { until } from '../support/until.js';
import { failuresOf, openScriptedMysql, outcome, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

describeEachMysql('a session that the server ends', (server) => {
  let other: RawMysql;

  beforeAll(async () => {
    other = await RawMysql.open(server.url);
  });

  afterAll(() => other.close());

  async function open() {
    const proxy = await watchMysql(server.url);
    const both = [await RawMysql.open(proxy.through(server.url)), await RawMysql.open(server.url)] as const;
    return { proxy, session: both[0], direct: both[1] };
  }

  /** Everything that comes until the end, as it came. */
  const rest = async (session: RawMysql): Promise<string[]> =>
    (await session.ended()).map(({ sequence, payload }) => `${sequence} ${payload.toString('latin1')}`);

  const bothEnded = async (session: RawMysql, direct: RawMysql): Promise<string[]> => {
    const proxied = await rest(session);
    expect(proxied).toEqual(await rest(direct));
    return proxied;
  };

  it('for its idleness: what it says is relayed as it is, and of no statement', async () => {
    const { proxy, session, direct } = await open();
    for (const one of [session, direct]) {
      expect(outcome(await one.query('select nope'))).toBe('E[1054]');
      await one.query('set wait_timeout = 1');
    }
    const said = await bothEnded(session, direct);
    const words = '0 \xff\xbf\x0f#HY000The client was disconnected by the server because of inactivity';
    // MariaDB says nothing.
    expect(said.map((line) => line.slice(0, words.length))).toEqual(
      server.flavour === 'mysql' ? [words] : [],
    );
    await until(() => proxy.proxy.listener.sessions === 0, 10_000, 'the session to end');
    const failed = proxy.sessions[0]?.events.filter((event) => /^(failed|note)/.test(event));
    expect(failed).toEqual(['failed 1054 <select nope> execute k=0 idle']);
    expect(proxy.blind).toEqual([]);
  });

  it('by KILL, while idle and while it waits', async () => {
    for (const text of [null, 'select sleep(60)', 'select sleep(60)']) {
      const { proxy, session, direct } = await open();
      for (const one of [session, direct]) {
        if (text !== null) await one.sendPacket(query(text));
        const id = Number(one.greeting?.threadId);
        if (text !== null) {
          const running = `select 1 from information_schema.processlist where id = ${id} and info = '${text}'`;
          const isRunning = async (): Promise<boolean> => (await other.query(running)).length === 4;
          await until(isRunning, 10_000, 'the statement to run');
        }
        expect(outcome(await other.query(`kill ${id}`))).toBe('OK');
      }
      await bothEnded(session, direct);
      await until(() => proxy.proxy.listener.sessions === 0, 10_000, 'the session to end');
      expect(failuresOf(proxy.sessions[0]).filter((event) => event === 'note')).toEqual([]);
      expect(proxy.blind).toEqual([]);
    }
  });

  it('in a pool of mysql2: the next query gets another connection', async () => {
    const proxy = await watchMysql(server.url);
    const pool = createPool({ uri: proxy.through(server.url), connectionLimit: 1 });
    for (let time = 1; time <= 2; time += 1) {
      await pool.query('set wait_timeout = 1');
      await until(() => proxy.proxy.listener.sessions === 0, 10_000, 'the server to end it');
      expect((await pool.query('select 1 as one'))[0]).toEqual([{ one: 1 }]);
      expect(proxy.sessions).toHaveLength(time + 1);
    }
    await pool.end();
    expect(proxy.blind).toEqual([]);
  });
});

describe('a scripted ERR with a number of its own', () => {
  const killed = error(1927, 'Connection was killed', '70100');
  const rows = [Buffer.from([1]), columnDefinition({ name: 'a' }), textRow(['1']), textRow(['2'])];

  it.each([
    ['where an answer is due', [], 0],
    ['where an answer is due, far off', [], 200],
    ['behind the number of columns', rows.slice(0, 1), 0],
    ['in the midst of rows', rows, 0],
    ['in the midst of rows, far off', rows, 99],
  ])('%s keeps it, and its message', async (_where, before, sequence) => {
    for (let time = 1; time <= 2; time += 1) {
      const { upstream, proxy, end, session } = await openScriptedMysql({
        server: { greeting: { version: '5.5.5-10.3.39-MariaDB' } },
      });
      await session.sendPacket(query('select a'));
      await end.command();
      end.write(Buffer.concat([end.numbered(...before), packet(killed, sequence)]));
      end.end();
      const packets = await session.ended();
      expect(packets).toHaveLength(before.length + 1);
      expect(packets.at(-1)?.sequence).toBe(sequence);
      expect(readError(packets.at(-1)?.payload as Buffer)).toEqual({
        code: 1927,
        sqlState: '70100',
        message: 'Connection was killed',
      });
      expect(failuresOf(proxy.sessions[0])).toEqual([]);
      expect(proxy.blind).toEqual([]);
      session.close();
      await upstream.close();
    }
  });

  it('on an idle session is followed by what the client asked meanwhile', async () => {
    const { upstream, proxy, end, session } = await openScriptedMysql();
    const outcomes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      end.write(packet(error(4031, 'inactivity'), 0));
      expect((await session.packet()).sequence).toBe(0);
      await session.sendPacket(query('select nope'));
      await end.command();
      end.reply(error(1054, 'x'));
      outcomes.push(outcome(await session.answer(3)));
    }
    expect(outcomes).toEqual(['E[1054]', 'E[1054] noted']);
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });
});
