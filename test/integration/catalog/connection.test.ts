import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectCatalog } from '../../../adapters/postgres/catalog-connection.js';
import type { UpstreamTls } from '../../../src/core/adapter.js';
import { createDatabase, type TestDatabase } from '../../servers/database.js';
import { tlsOnlyRole } from '../../servers/roles.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';
import { within } from '../../support/until.js';
import { addressOf } from './support.js';

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The certificate that a server with TLS on presents; it signed itself, so it is its own CA. */
async function certificateOf(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write(sslRequest);
  await once(socket, 'data');
  const tls = secure({ socket, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  const { raw } = tls.getPeerCertificate();
  tls.destroy();
  return `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

const servers: Server[] = [];
const sockets = new Set<Socket>();

async function serve(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

describeEachPostgres('the catalog connection', (server) => {
  const address = addressOf(server.url);
  let database: TestDatabase;
  let ca: string;

  beforeAll(async () => {
    database = await createDatabase(server.url);
    ca = await certificateOf(address.host, address.port);
  });

  afterAll(() => database?.drop());

  const isSecured = `select ssl from pg_stat_ssl where pid = pg_backend_pid()`;

  it.each<[string, () => UpstreamTls, boolean]>([
    ['disable', () => ({ mode: 'disable' }), false],
    ['allow', () => ({ mode: 'allow' }), false],
    ['prefer', () => ({ mode: 'prefer' }), true],
    ['require', () => ({ mode: 'require' }), true],
    ['require with the CA', () => ({ mode: 'require', ca, serverName: 'other.example' }), true],
    ['verify-full', () => ({ mode: 'verify-full', ca }), true],
    ['verify-full by another name', () => ({ mode: 'verify-full', ca, serverName: 'localhost' }), true],
  ])('is secured as asked: %s', async (_, tls, expected) => {
    const connection = await connectCatalog(address, tls(), database.name);
    expect(await connection.query(isSecured)).toEqual([[[expected]]]);
    await connection.close();
    await expect(connection.query('select 1')).rejects.toThrow();
  });

  it.each<[string, () => UpstreamTls]>([
    ['an unknown CA', () => ({ mode: 'verify-full' })],
    ['a certificate for another name', () => ({ mode: 'verify-full', ca, serverName: 'other.example' })],
    ['an unknown CA where one was given', () => ({ mode: 'require', ca: otherCa })],
  ])('refuses %s', async (_, tls) => {
    await expect(connectCatalog(address, tls(), database.name)).rejects.toThrow(/certificate|altnames/i);
  });

  /** A server without TLS: answers N and passes on what follows. */
  const withoutTls = (): Promise<number> =>
    serve((client) => {
      client.once('data', (first: Buffer) => {
        const upstream = connect(address.port, address.host);
        sockets.add(upstream);
        upstream.on('error', () => undefined);
        if (first.equals(sslRequest)) client.write('N');
        else upstream.write(first);
        client.pipe(upstream).pipe(client);
      });
    });

  it('says whose password is missing, and where to put it', async () => {
    const connecting = connectCatalog({ ...address, password: '' }, { mode: 'disable' }, database.name);
    await expect(connecting).rejects.toThrow(/password of app, .* PGPASSWORD/);
  });

  it('takes TLS where the server lets the account in no other way (allow)', async () => {
    const { name: user, password } = tlsOnlyRole;
    const connection = await connectCatalog({ ...address, user, password }, { mode: 'allow' }, database.name);
    expect(await connection.query(isSecured)).toEqual([[[true]]]);
    await connection.close();
  });

  it('goes on without TLS where it is only preferred and there is none', async () => {
    const port = await withoutTls();
    const connection = await connectCatalog({ ...address, port }, { mode: 'prefer' }, database.name);
    expect(await connection.query(isSecured)).toEqual([[[false]]]);
    await connection.close();
    await expect(connectCatalog({ ...address, port }, { mode: 'require' }, database.name)).rejects.toThrow(
      /SSL/,
    );
  });

  it.each<UpstreamTls['mode']>(['disable', 'prefer'])('says what the server says (%s)', async (mode) => {
    const wrong = { ...address, password: 'wrong' };
    await expect(connectCatalog(wrong, { mode }, database.name)).rejects.toMatchObject({ code: '28P01' });
    await expect(connectCatalog(address, { mode }, 'no_such')).rejects.toMatchObject({ code: '3D000' });
  });

  it('rejects what is asked when the server ends it, and can still be closed', async () => {
    const connection = await connectCatalog(address, { mode: 'prefer' }, database.name);
    const [[[pid]]] = (await connection.query<[number]>('select pg_backend_pid()')) as [[[number]]];
    const other = new pg.Client(server.url);
    await other.connect();
    const sleeping = connection.query('select pg_sleep(60)');
    const ended = expect(sleeping).rejects.toThrow();
    await other.query('select pg_terminate_backend($1)', [pid]);
    await ended;
    await other.end();
    await expect(connection.query('select 1')).rejects.toThrow();
    await connection.close();
  });

  it('can be closed while the server is silent', async () => {
    const connection = await connectCatalog(address, { mode: 'disable' }, database.name);
    const sleeping = connection.query('select pg_sleep(60)').catch(() => 'rejected');
    await within(connection.close(), 10_000, 'close');
    expect(await sleeping).toBe('rejected');
  });
});

describe('a catalog connection that fails', () => {
  const address = { host: '127.0.0.1', user: 'app', password: 'secretpw', database: 'app' };

  it.each<UpstreamTls['mode']>(['disable', 'prefer', 'verify-full'])(
    'is rejected when the server resets (%s)',
    async (mode) => {
      const port = await serve((socket) => socket.resetAndDestroy());
      await expect(connectCatalog({ ...address, port }, { mode }, 'app')).rejects.toThrow();
    },
  );

  it('is rejected when nobody listens', async () => {
    const port = await serve(() => undefined);
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    await expect(connectCatalog({ ...address, port }, { mode: 'prefer' }, 'app')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('is rejected when the server answers with anything else', async () => {
    const port = await serve((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(connectCatalog({ ...address, port }, { mode: 'require' }, 'app')).rejects.toThrow();
  });
});

/** Any CA that did not sign the servers' certificates: the first of those that Node trusts. */
const otherCa = (await import('node:tls')).rootCertificates[0] ?? '';
