// Keys of cancel requests are bytes: a negative process id made a driver refuse to cancel (pgjdbc/pgjdbc#2319), and
// code that knew keys of four bytes broke with those of protocol 3.2 (npgsql/npgsql#6159, pgjdbc/pgjdbc#3592,
// jackc/pgx#2498).
import { afterEach, expect, it } from 'vitest';
import { connectTo, ScriptedServer, stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { until } from '../support/until.js';
import { cancelPacket, startupPacket } from '../unit/adapters/postgres/startup-packets.js';
import { fieldsOf, letters } from './support/frames.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const int32 = (bytes: Buffer): number => bytes.readInt32BE(0);

it.each([
  ['a negative process id', int32(Buffer.from('f0000001', 'hex')), Buffer.from('deadbeef', 'hex')],
  ['zeros', 0, Buffer.alloc(4)],
  ['32 bytes', 4711, Buffer.alloc(32, 0xa5)],
  ['256 bytes', -1, Buffer.from(Array.from({ length: 256 }, (_, index) => index))],
])(
  'a key of %s reaches the client and the server as it is, and names its session',
  async (_what, pid, secret) => {
    const upstream = await new ScriptedServer((end) => {
      end.socket.once('end', () => end.socket.end());
    }).listen();
    const proxy = await watch(upstream.port);
    const opening = RawPostgres.open(proxy.through());
    const end = await upstream.connection();
    await end.read(8);
    end.socket.write(
      Buffer.concat([reply.authenticationOk(), reply.backendKey(pid, secret), reply.ready('I')]),
    );
    const session = await opening;
    const key = session.frames.find(({ type }) => type === 'K')?.body ?? Buffer.alloc(0);
    expect(key).toEqual(reply.backendKey(pid, secret).subarray(5));
    await session.send(client.query('select pg_sleep(60)'));
    const canceller = await connectTo(proxy.proxy.port);
    canceller.socket.end(cancelPacket(key));
    const request = await upstream.connection(1);
    expect(await request.read(8 + key.length)).toEqual(cancelPacket(key));
    await canceller.ended();
    expect(canceller.length).toBe(0);
    end.socket.write(Buffer.concat([reply.error('57014'), reply.ready('I')]));
    await session.ready(1);
    expect(proxy.sessions[0]?.events[0]).toBe('failed 57014 <select pg_sleep(60)> execute k=0 idle cancel');
    session.close();
    await upstream.stopListening();
  },
);

describeEachPostgres('protocol 3.2', (server) => {
  it('is offered, or refused, by the server alone, and its key cancels', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.dial(proxy.through(server.url));
    const database = new URL(server.url).pathname.slice(1);
    await session.send(startupPacket({ user: 'trust_user', database }, 0x0003_0002));
    const login = await session.ready(1);
    const key = login.find(({ type }) => type === 'K')?.body ?? Buffer.alloc(0);
    // A server that knows 3.0 only says so with NegotiateProtocolVersion and keeps to short keys.
    expect(key.length).toBe(letters(login).includes('v') ? 8 : 36);
    await session.send(client.query('select pg_sleep(60)'));
    const watcher = await RawPostgres.open(server.url);
    const text = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and pid = ${key.readInt32BE(0)}`;
    const isAsleep = async (): Promise<boolean> => {
      await watcher.send(client.query(text));
      return letters(await watcher.ready(1)) === 'TDCZ';
    };
    await until(isAsleep, 20_000, 'the statement to run');
    const canceller = await connectTo(proxy.proxy.port);
    canceller.socket.write(cancelPacket(key));
    await canceller.ended();
    expect(canceller.length).toBe(0);
    const frames = await session.ready(1);
    expect(fieldsOf(frames.find(({ type }) => type === 'E')?.body ?? Buffer.alloc(0))['C']).toBe('57014');
    expect(proxy.sessions[0]?.events.at(-2)).toMatch(/^failed 57014 .* cancel$/);
    session.close();
    watcher.close();
  });
});
