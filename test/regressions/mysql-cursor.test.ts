// With a cursor the server stops behind the definitions, and the proxy went on reading (pingcap/tiproxy#440); the only end
// of an empty cursor's answer was lost (apache/doris#67520).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { closeStatement, execute, fetch, prepare, resetStatement } from '../support/mysql-client-packets.js';
import { capability, packets, status } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const readOnlyCursor = { flags: 1 };

describeEachMysql('a cursor', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table t (id int primary key); insert into t values (1), (2), (3), (4), (5);
       create table empty_t (id int primary key);
       create function checked(value int) returns int deterministic begin
         if value > 3 then signal sqlstate '45000' set message_text = 'out of bounds'; end if;
         return value;
       end`,
    );
  });

  afterAll(() => database.drop());

  describe.each([
    ['with EOF packets', usualRequest & ~capability.deprecateEof],
    ['without', usualRequest],
  ])('%s', (_kind, capabilities) => {
    /** At the same place in what ends rows, be it an EOF packet or an OK without counts. */
    const flagsOf = (payload: Buffer | undefined): number =>
      payload === undefined ? -1 : payload.readUInt16LE(3);

    async function open(text: string) {
      const proxy = await watchMysql(database.url);
      const both = [
        await RawMysql.open(proxy.through(database.url), { capabilities }),
        await RawMysql.open(database.url, { capabilities }),
      ] as const;
      const ids = [await prepared(both[0], text), await prepared(both[1], text)] as const;
      /** The answer through the proxy, which is that of the server but for notes. */
      const run = async (payload: (id: number) => Buffer) => {
        const [proxied, direct] = [await both[0].run(payload(ids[0])), await both[1].run(payload(ids[1]))];
        // MariaDB's messages name the statement by its number, which it counts over all sessions.
        const comparable = (lines: string[]): string[] => lines.map((line) => line.replace(/\(\d+\)/, '()'));
        expect(comparable(plain(proxied))).toEqual(comparable(plain(direct)));
        return proxied;
      };
      return { proxy, run, session: both[0], id: ids[0], close: () => both.map((each) => each.close()) };
    }

    it('that has rows: EXECUTE ends at the definitions, each FETCH at its own end', async () => {
      const { proxy, run, close } = await open('select id from t order by id');
      for (let time = 1; time <= 2; time += 1) {
        const opened = await run((id) => execute(id, [], readOnlyCursor));
        expect(flagsOf(opened.at(-1)?.payload) & status.cursorExists).not.toBe(0);
        expect(opened.length).toBe(3);
        const counts: number[] = [];
        for (let flags = 0; (flags & status.lastRowSent) === 0; ) {
          const rows = await run((id) => fetch(id, 2));
          counts.push(rows.length - 1);
          flags = flagsOf(rows.at(-1)?.payload);
        }
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
        await run((id) => resetStatement(id));
      }
      const ran = proxy.sessions[0]?.events;
      expect(ran).toEqual(Array(2).fill('ok <select id from t order by id> 0'));
      expect(proxy.blind).toEqual([]);
      close();
    });

    it('that is empty: not a packet more or less', async () => {
      const { proxy, run, close } = await open('select id from empty_t');
      for (let time = 1; time <= 2; time += 1) {
        const opened = await run((id) => execute(id, [], readOnlyCursor));
        if ((flagsOf(opened.at(-1)?.payload) & status.cursorExists) !== 0) {
          const rows = await run((id) => fetch(id, 2));
          expect(rows.length).toBe(1);
        }
        await run((id) => resetStatement(id));
        await run(() => prepare('select nope'));
      }
      expect(failuresOf(proxy.sessions[0])).toContain('note');
      expect(proxy.blind).toEqual([]);
      close();
    });

    it('whose rows fail: the error is of the command that met it, and of the statement', async () => {
      const text = 'select checked(id) from t order by id';
      const { proxy, run, close } = await open(text);
      const outcomes: string[] = [];
      for (let time = 1; time <= 2; time += 1) {
        // Both servers run the statement at EXECUTE and keep its rows in a temporary table.
        outcomes.push(outcome(await run((id) => execute(id, [], readOnlyCursor))));
        outcomes.push(outcome(await run((id) => fetch(id, 2))));
      }
      expect(outcomes).toEqual(['E[1644]', 'E[1421]', 'E[1644] noted', 'E[1421] noted']);
      const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
      const each = [`failed 1644 <${text}> execute k=0 idle`, `failed 1421 <${text}> execute k=0 idle`];
      expect(failed).toEqual([...each, ...each]);
      expect(proxy.blind).toEqual([]);
      close();
    });

    it('that is gone: FETCH fails, of a statement that is closed without a text', async () => {
      const text = 'select id from t order by id';
      const { proxy, session, id, close } = await open(text);
      for (let time = 1; time <= 2; time += 1) {
        await session.run(execute(id, [], readOnlyCursor));
        await session.run(fetch(id, 2));
        await session.run(resetStatement(id));
        expect(outcome(await session.run(fetch(id, 2)))).toBe(`E[1421]${time === 1 ? '' : ' noted'}`);
      }
      await session.send(packets(closeStatement(id)), packets(fetch(id, 2)));
      expect(outcome(await session.answer(0x1c))).toBe('E[1243]');
      expect(outcome(await session.query('do 1'))).toBe('OK');
      const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
      expect(failed).toEqual([
        ...Array(2).fill(`failed 1421 <${text}> execute k=0 idle`),
        'failed 1243 <?> execute k=0 idle',
      ]);
      expect(proxy.blind).toEqual([]);
      close();
    });
  });
});

async function prepared(session: RawMysql, text: string): Promise<number> {
  const [first] = await session.run(prepare(text));
  return Number(first?.payload.readUInt32LE(1));
}
