// A row whose first value has 16 MB or more begins with 0xFE and was taken for the end of the rows
// (mysql-net/MySqlConnector#73, boostorg/mysql#298).
import { afterEach, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { query } from '../support/mysql-client-packets.js';
import { capability, command, lenencString, maxPayloadBytes } from '../support/mysql-protocol.js';
import {
  columnDefinition,
  endOfRows,
  eof,
  error,
  textRow,
  usualRequest,
} from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { openScriptedMysql, outcome, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const modes = [
  ['with EOF packets', usualRequest & ~capability.deprecateEof],
  ['without', usualRequest],
] as const;

/** Value sizes around what one packet takes; a value of 16 MiB or more begins with 0xFE and an eight-byte length. */
const sizes = [
  ['as long as three bytes can say', 0xffffff],
  ['whose row fills one packet', maxPayloadBytes - 4],
  ['one byte less than that', maxPayloadBytes - 5],
  ['of 16 MiB', 0x1000000],
  ['whose row fills two packets', 2 * maxPayloadBytes - 9],
] as const;

describeEachMysql('a row with a first value', (server) => {
  describe.each(modes)('%s', (_mode, capabilities) => {
    it.each(sizes)('%s is a row, whatever its further packets begin with', async (_name, size) => {
      const proxy = await watchMysql(server.url);
      const session = await RawMysql.open(proxy.through(server.url), { capabilities });
      // 0xFF in the place of an ERR's first byte, 0xFE in that of an EOF's, 0x00 in that of an OK's.
      for (const byte of size === 0x1000000 ? ['ff', 'fe', '00'] : ['ff']) {
        const answer = await session.query(
          `select repeat(x'${byte}', ${size}) union all select '' union all select null`,
        );
        const ends = capabilities & capability.deprecateEof ? 1 : 2;
        const rows = answer.slice(2, -1).filter(({ payload }) => !isEof(payload));
        const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
        expect(bytes).toBe(size + (size < 0x1000000 ? 4 : 9) + 2);
        expect(rows.slice(-2).map(({ payload }) => payload.toString('hex'))).toEqual(['00', 'fb']);
        const isFull = (size + (size < 0x1000000 ? 4 : 9)) % maxPayloadBytes === 0;
        const parts = Math.floor((size + (size < 0x1000000 ? 4 : 9)) / maxPayloadBytes) + 1;
        expect(answer.length).toBe(2 + ends + parts + 2);
        if (isFull) expect(rows.at(-3)?.payload.length).toBe(0);
      }
      expect(outcome(await session.query('select nope'))).toBe('E[1054]');
      expect(outcome(await session.query('select nope'))).toBe('E[1054] noted');
      expect(proxy.blind).toEqual([]);
      session.close();
    });
  });
});

it.each(modes)('a scripted row of 16 MiB, then an error behind the rows, %s', async (_mode, capabilities) => {
  const { upstream, proxy, end, session } = await openScriptedMysql({ client: { capabilities } });
  const hasEof = (capabilities & capability.deprecateEof) === 0;
  const row = lenencString(Buffer.alloc(0x1000000, 0xfe));
  const head = [Buffer.from([1]), columnDefinition({ name: 'a' }), ...(hasEof ? [eof()] : [])];
  const outcomes: string[] = [];
  for (const last of [hasEof ? eof() : endOfRows(), error(1317, 'x'), error(1317, 'x')]) {
    await session.sendPacket(query('select wide'));
    await end.command();
    end.reply(...head, row, textRow(['y']), row, last);
    outcomes.push(outcome((await session.answer(command.query)).slice(-1)));
  }
  expect(outcomes).toEqual(['OK', 'E[1317]', 'E[1317] noted']);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.close();
});

function isEof(payload: Buffer): boolean {
  return payload[0] === 0xfe && payload.length === 5;
}
