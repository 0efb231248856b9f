import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCatalog } from '../../../adapters/mongodb/catalog-connection.js';
import type { UpstreamAddress, UpstreamTls } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { type AvailableMongo, describeEachMongo } from '../../support/mongodb-servers.js';
import { ScriptedMongoServer } from '../../support/scripted-mongodb-server.js';
import { closedPort, startRelay } from '../../support/tcp-relay.js';
import { until, within } from '../../support/until.js';
import { addressOf, plain } from './support.js';

const soonMs = 8_000;

let certificate: Certificate;
beforeAll(async () => {
  certificate = await makeCertificate();
});
afterAll(() => certificate.remove());

async function ping(address: UpstreamAddress, tls: UpstreamTls): Promise<void> {
  const connection = await connectCatalog(address, tls);
  try {
    expect(await connection.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  } finally {
    await connection.close();
  }
}

describeEachMongo('the catalog connection', (server) => {
  const address = addressOf(server.url);

  it('logs in, and says what the server says of a wrong password', async () => {
    await ping(address, plain);
    for (const mode of ['disable', 'allow', 'prefer'] as const) {
      const wrong = connectCatalog({ ...address, password: 'wrong' }, { mode });
      await expect(within(wrong, soonMs, 'the refusal')).rejects.toMatchObject({ code: 18 });
    }
  });

  it.runIf(address.user !== '')('says whose password is missing, and where to put it', async () => {
    await expect(connectCatalog({ ...address, password: '' }, plain)).rejects.toThrow(
      `password of ${address.user}`,
    );
  });

  it('says at once that nobody is there', async () => {
    const gone = { ...address, port: await closedPort() };
    for (const mode of ['disable', 'prefer', 'verify-full'] as const) {
      await expect(within(connectCatalog(gone, { mode }), soonMs, 'the refusal')).rejects.toThrow(
        /ECONNREFUSED/,
      );
    }
  });

  it('is one connection for commands and one of the driver’s own, and leaves none behind', async () => {
    const relay = await startRelay({ targetHost: address.host, targetPort: address.port });
    try {
      const connection = await connectCatalog({ ...address, host: '127.0.0.1', port: relay.port }, plain);
      const db = connection.db('admin');
      await Promise.all(Array.from({ length: 20 }, () => db.command({ ping: 1 })));
      expect(relay.pairs.size).toBe(2);
      await connection.close();
      await until(() => relay.pairs.size === 0, soonMs, 'the connections to go');
      await connection.close();
    } finally {
      await relay.close();
    }
  });

  it('rejects what is asked when the server goes, and is closed all the same', async () => {
    const relay = await startRelay({ targetHost: address.host, targetPort: address.port });
    try {
      const connection = await connectCatalog({ ...address, host: '127.0.0.1', port: relay.port }, plain);
      relay.hold('far', true);
      const asked = connection.db('admin').command({ ping: 1 });
      const refused = expect(asked).rejects.toThrow();
      relay.resetAll();
      await refused;
      const closing = connection.close();
      await within(closing, limits.catalogCloseMs + soonMs, 'the end');
    } finally {
      await relay.close();
    }
  });

  it('is closed within its time where the server says nothing any more', async () => {
    const relay = await startRelay({ targetHost: address.host, targetPort: address.port });
    try {
      const connection = await connectCatalog({ ...address, host: '127.0.0.1', port: relay.port }, plain);
      await connection.db('admin').command({ ping: 1 });
      relay.hold('far', true);
      await within(connection.close(), limits.catalogCloseMs + soonMs, 'the end');
      relay.hold('far', false);
      await until(() => relay.pairs.size === 0, soonMs, 'the connections to go');
    } finally {
      await relay.close();
    }
  });
});

const overTls = (server: AvailableMongo): UpstreamAddress => addressOf(server.tls?.url ?? '');
const authorityOf = (server: AvailableMongo): string => readFileSync(server.tls?.ca ?? '', 'utf8');

describeEachMongo('the catalog connection over TLS', (server) => {
  const cases: [string, () => UpstreamTls][] = [
    ['allow', () => ({ mode: 'allow' })],
    ['prefer', () => ({ mode: 'prefer' })],
    ['require', () => ({ mode: 'require' })],
    [
      'require with the CA',
      () => ({ mode: 'require', ca: authorityOf(server), serverName: 'other.example' }),
    ],
    ['verify-full', () => ({ mode: 'verify-full', ca: authorityOf(server) })],
    [
      'verify-full by name',
      () => ({ mode: 'verify-full', ca: authorityOf(server), serverName: 'localhost' }),
    ],
  ];
  it.runIf(server.tls !== null).each(cases)('reaches a server that wants it: %s', async (_, tls) => {
    await ping(overTls(server), tls());
  });

  const refused: [string, () => UpstreamTls][] = [
    ['an unknown CA', () => ({ mode: 'verify-full' })],
    ['another name', () => ({ mode: 'verify-full', ca: authorityOf(server), serverName: 'other.example' })],
    [
      'an unknown CA where one was given',
      () => ({ mode: 'require', ca: readFileSync(certificate.cert, 'utf8') }),
    ],
  ];
  it.runIf(server.tls !== null).each(refused)('refuses %s', async (_, tls) => {
    await expect(within(connectCatalog(overTls(server), tls()), soonMs, 'the refusal')).rejects.toThrow(
      /certificate|altnames/i,
    );
  });

  it.runIf(server.tls !== null)('does without where the server has none, if it may', async () => {
    const address = addressOf(server.url);
    await ping(address, { mode: 'prefer' });
    await ping(address, { mode: 'allow' });
    await expect(
      within(connectCatalog(address, { mode: 'require' }), soonMs, 'the refusal'),
    ).rejects.toThrow();
    await expect(within(connectCatalog(overTls(server), plain), soonMs, 'the refusal')).rejects.toThrow();
  });
});

/** What one of the greetings says of the login; the driver's own connection has none. */
function speculative(commands: readonly Record<string, unknown>[]): Record<string, unknown> | undefined {
  const greeting = commands.find((command) => command['speculativeAuthenticate'] !== undefined);
  return greeting?.['speculativeAuthenticate'] as Record<string, unknown> | undefined;
}

describe('the login of the catalog connection', () => {
  const asked = async (address: Partial<UpstreamAddress>): Promise<Record<string, unknown>[]> => {
    const commands: Record<string, unknown>[] = [];
    const server = await ScriptedMongoServer.listen((session) =>
      session.serve((command) => {
        commands.push(command);
        return undefined;
      }),
    );
    try {
      const base = { ...addressOf(server.url), ...address };
      const connection = await connectCatalog(base, plain).catch(() => null);
      await connection?.close();
      return commands;
    } finally {
      await server.close();
    }
  };

  it('is none where the URL names nobody', async () => {
    const commands = await asked({});
    expect(commands.some((command) => 'saslStart' in command || 'authenticate' in command)).toBe(false);
    expect(commands[0]?.['client']).toMatchObject({ application: { name: 'twiceshy catalog' } });
  });

  it('asks where the URL says, by the mechanism it says', async () => {
    const options = { authMechanism: 'SCRAM-SHA-1', authSource: 'accounts' };
    const start = speculative(await asked({ user: 'reader', password: 'pw', options }));
    expect(start).toMatchObject({ mechanism: 'SCRAM-SHA-1', db: 'accounts' });
  });

  it.each([
    ['', undefined],
    ['CN=reader', 'CN=reader'],
  ])('may be by certificate, of whoever it names: <%s>', async (user, expected) => {
    const options = { authMechanism: 'MONGODB-X509', authSource: '$external' };
    const start = speculative(await asked({ user, password: '', options }));
    expect(start).toMatchObject({ authenticate: 1, mechanism: 'MONGODB-X509' });
    expect(start?.['user']).toBe(expected);
  });

  it('offers no compression', async () => {
    const commands = await asked({});
    expect(commands[0]?.['compression']).toEqual(['none']);
  });
});
