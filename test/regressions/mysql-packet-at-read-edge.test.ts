// A packet across the edge of a 16 KB read was not put together, and decoding was given up (envoyproxy/envoy#6696).
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { query } from '../support/mysql-client-packets.js';
import { command } from '../support/mysql-protocol.js';
import { columnDefinition, endOfRows, error, textRow } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { startRelay } from '../support/tcp-relay.js';
import { until } from '../support/until.js';
import { failuresOf, openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const edge = 16_384;
const headerBytes = 4;
const smallRow = textRow(['1']);
const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');

/** A result set's beginning, such that the packet behind it begins `before` bytes before the edge. */
function rowsUpTo(before: number): Buffer[] {
  const payloads = [Buffer.from([1]), columnDefinition({ name: 'a' })];
  const small = headerBytes + smallRow.length;
  let left = edge - before - payloads.reduce((sum, payload) => sum + headerBytes + payload.length, 0);
  while (left >= 2 * (headerBytes + 300)) {
    payloads.push(smallRow);
    left -= small;
  }
  // What is left becomes one longer row, whose length takes three bytes.
  payloads.push(textRow(['x'.repeat(left - headerBytes - 3)]));
  return payloads;
}

it.each([0, 1, 2, 3, 4, 5])('a packet of which %i bytes lie before the edge', async (before) => {
  const { upstream, proxy, end, session } = await openScriptedMysql();
  const outcomes: string[] = [];
  for (const last of [[smallRow, endOfRows()], [noSuchColumn], [noSuchColumn]]) {
    await session.sendPacket(query('select wide'));
    await end.command();
    const payloads = [...rowsUpTo(before), ...last];
    const bytes = end.numbered(...payloads);
    const received = session.socket.bytesRead;
    end.write(bytes.subarray(0, edge));
    // What is cut may wait in the proxy, everything before it has passed.
    await until(() => session.socket.bytesRead >= received + edge - before, 10_000, 'the first read');
    end.write(bytes.subarray(edge));
    const answer = await session.answer(command.query);
    expect(plain(answer)).toEqual(
      payloads.map((payload, index) => `${(index + 1) & 0xff} ${payload.toString('latin1')}`),
    );
    outcomes.push(outcome(answer.slice(-1)));
  }
  expect(outcomes).toEqual(['OK', 'E[1054]', 'E[1054] noted']);
  const failure = ['failed 1054 <select wide> execute k=0 idle', 'settled idle'];
  expect(failuresOf(proxy.sessions[0])).toEqual([...failure, ...failure, 'note']);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.close();
});

describeEachMysql('rows in pieces', (server) => {
  it.each([1, 1_400, 16_384])('of %i bytes, and a failure behind them', async (pieceBytes) => {
    const database = await createMysqlDatabase(server.url, 'create table digits (d int primary key)');
    const { hostname, port } = new URL(database.url);
    const relay = await startRelay({ targetHost: hostname, targetPort: Number(port), pieceBytes });
    const proxy = await watchMysql(relay.port);
    const direct = await RawMysql.open(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    await direct.query('insert into digits values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)');
    const rows = 'select 100 * a.d + 10 * b.d + c.d as n from digits a, digits b, digits c order by n';
    for (let time = 1; time <= 3; time += 1) {
      const expected = await direct.query(rows);
      expect(expected.length).toBe(1_003);
      expect(plain(await session.query(rows))).toEqual(plain(expected));
      const failed = await session.query('select nope from digits');
      expect(plain(failed)).toEqual(plain(await direct.query('select nope from digits')));
      expect(outcome(failed)).toBe(time === 1 ? 'E[1054]' : 'E[1054] noted');
    }
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await relay.close();
    await database.drop();
  });
});
