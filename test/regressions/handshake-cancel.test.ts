// Cancel requests hit another client's backend, broke on long or "negative" keys, or were answered with bytes.
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { postgresAdapter } from '../../adapters/postgres/adapter.js';
import {
  connectTo,
  type ProxyUnderTest,
  type ScriptedEnd,
  startProxy,
  stopProxies,
  until,
} from '../integration/proxy/scripted-ends.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { until as untilCondition } from '../support/until.js';
import { cancelPacket, frame, startupPacket } from '../unit/adapters/postgres/startup-packets.js';

afterEach(stopProxies);

/** Body of the first whole frame of this type, or null. */
function bodyOf(bytes: Buffer, type: string): Buffer | null {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) return null;
    if (String.fromCharCode(bytes[at] ?? 0) === type) return bytes.subarray(at + 5, end);
    at = end;
  }
  return null;
}

async function logIn(port: number, protocol: number): Promise<{ end: ScriptedEnd; key: Buffer }> {
  const end = await connectTo(port);
  end.socket.write(startupPacket({ user: 'trust_user', database: 'postgres' }, protocol));
  await until('the login', () => bodyOf(end.bytes, 'Z') !== null);
  const key = bodyOf(end.bytes, 'K');
  if (key === null) throw new Error('no BackendKeyData');
  return { end, key };
}

async function sendCancel(port: number, key: Buffer): Promise<number> {
  const end = await connectTo(port);
  end.socket.write(cancelPacket(key));
  await end.ended();
  end.socket.destroy();
  return end.length;
}

describeEachPostgres('cancel requests', (server) => {
  const url = new URL(server.url);

  function start(): Promise<ProxyUnderTest> {
    const address = { host: url.hostname, port: Number(url.port), user: '', password: '', database: '' };
    return startProxy(0, { adapter: postgresAdapter, upstream: { name: 'up', address } });
  }

  /** Runs once the server sees that many statements sleep. */
  async function sleeping(count: number): Promise<void> {
    const admin = new pg.Client(server.url);
    await admin.connect();
    const text = "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(31)%'";
    try {
      await untilCondition(
        async () => (await admin.query(text)).rows[0].n === count,
        20_000,
        `${count} sleeping statements`,
      );
    } finally {
      await admin.end();
    }
  }

  test.each([
    ['3.0', 0x0003_0000],
    ['3.2', 0x0003_0002],
  ])('protocol %s: the one session is stopped, its neighbour sleeps on', async (_name, protocol) => {
    const proxy = await start();
    const one = await logIn(proxy.port, protocol);
    const other = await logIn(proxy.port, protocol);
    for (const { end } of [one, other]) end.socket.write(frame('Q', 'select pg_sleep(31)\0'));
    await sleeping(2);
    const negotiated = bodyOf(one.end.bytes, 'v') === null ? protocol : 0x0003_0000;
    expect(one.key.length).toBe(negotiated === 0x0003_0002 ? 36 : 8);
    expect(await sendCancel(proxy.port, one.key)).toBe(0);
    await until('57014', () => one.end.bytes.includes('C57014\0'));
    expect(other.end.bytes.includes('57014')).toBe(false);
    expect(proxy.failures).toEqual([{ code: '57014', isCancelRequested: true }]);
    expect(await sendCancel(proxy.port, other.key)).toBe(0);
    await until('57014', () => other.end.bytes.includes('C57014\0'));
    for (const { end } of [one, other]) end.socket.end(frame('X'));
    await until('all sessions to end', () => proxy.listener.sessions === 0);
    expect(proxy.cancelKeys.size).toBe(0);
  });

  test('a wrong key stops nobody and is not answered', async () => {
    const proxy = await start();
    const { end, key } = await logIn(proxy.port, 0x0003_0000);
    const wrong = Buffer.from(key);
    wrong[7] = (wrong[7] ?? 0) ^ 0xff;
    expect(await sendCancel(proxy.port, wrong)).toBe(0);
    end.socket.write(frame('Q', 'select 1\0'));
    await until('the answer', () => end.bytes.includes('SELECT 1\0'));
    expect(proxy.failures).toEqual([]);
    end.socket.destroy();
  });
});
