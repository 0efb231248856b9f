/**
 * The catalog reader's own client: one connection for commands to one server (and the driver's own, on which it asks how
 * the server is), TLS by mode, bounds on every wait and every answer, and a way to drop it that cannot hang. To be
 * imported when a catalog is opened, because the driver takes a while to load.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkServerIdentity } from 'node:tls';
import { type Db, MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import type { UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import { CatalogGuard } from './catalog-guard.js';

export interface CatalogConnection {
  db(name: string): Db;
  /** Never rejects; returns when the server has let go or `limits.catalogCloseMs` have passed. */
  close(): Promise<void>;
}

/** Rejects with the driver's or the server's own error, which names no password. */
export async function connectCatalog(address: UpstreamAddress, tls: UpstreamTls): Promise<CatalogConnection> {
  switch (tls.mode) {
    case 'disable':
      return await open(address, null);
    case 'allow':
      return await openEither(address, null, tls);
    case 'prefer':
      return await openEither(address, tls, null);
    default:
      return await open(address, tls);
  }
}

/** A server that wants TLS, or has none, says so by hanging up on who comes the other way. */
async function openEither(
  address: UpstreamAddress,
  first: UpstreamTls | null,
  second: UpstreamTls | null,
): Promise<CatalogConnection> {
  // Some who have no TLS neither answer nor hang up, but wait for what they take for the rest of a message.
  const timeoutMs = first === null ? limits.connectTimeoutMs : limits.optionalTlsTimeoutMs;
  try {
    return await open(address, first, timeoutMs);
  } catch (cause) {
    if (isAnswer(cause)) throw cause;
    return await open(address, second).catch((otherwise: unknown) => {
      throw isAnswer(otherwise) ? otherwise : cause;
    });
  }
}

/** The server itself said no. */
function isAnswer(cause: unknown): boolean {
  return cause instanceof MongoServerError || cause instanceof TwiceshyError;
}

async function open(
  address: UpstreamAddress,
  tls: UpstreamTls | null,
  connectTimeoutMS: number = limits.connectTimeoutMs,
): Promise<CatalogConnection> {
  const sockets = new Set<Socket>();
  const client = new MongoClient(urlOf(address), {
    ...settings,
    ...loginOf(address),
    connectTimeoutMS,
    ...(tls === null ? { tls: false } : tlsOptions(address.host, tls)),
    connectionType: guardedConnection(sockets),
  } as MongoClientOptions);
  const close = async (): Promise<void> => {
    const isOver = new AbortController();
    const timeout = delay(limits.catalogCloseMs, undefined, { signal: isOver.signal });
    await Promise.race([client.close(), timeout]).catch(() => undefined);
    isOver.abort();
    timeout.catch(() => undefined);
    for (const socket of sockets) socket.destroy();
  };
  try {
    await connected(client);
  } catch (cause) {
    await close();
    throw explained(cause, address);
  }
  return { db: (name) => client.db(name), close };
}

const settings = {
  appName: 'twiceshy catalog',
  directConnection: true,
  maxPoolSize: 1,
  retryReads: false,
  retryWrites: false,
  // Nothing is learned from asking the server how it is between two looks.
  serverMonitoringMode: 'poll',
  heartbeatFrequencyMS: 24 * 60 * 60_000,
  serverSelectionTimeoutMS: limits.connectTimeoutMs,
  waitQueueTimeoutMS: limits.connectTimeoutMs,
  socketTimeoutMS: limits.catalogStatementTimeoutMs + limits.catalogCloseMs,
} satisfies MongoClientOptions;

const certificateLogin = 'MONGODB-X509';

/** The driver takes a user without a password from a URL alone: the one a certificate is for. */
function urlOf({ host, port, user, options }: UpstreamAddress): string {
  const isNamed = user !== '' && options?.['authMechanism'] === certificateLogin;
  const named = isNamed ? `${encodeURIComponent(user)}@` : '';
  return `mongodb://${named}${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}:${port}/`;
}

/** `options` are those of the URL, by the driver's names. */
function loginOf({ user, password, options = {} }: UpstreamAddress): MongoClientOptions {
  const { authMechanism, authSource } = options;
  const isCertificate = authMechanism === certificateLogin;
  if (user === '' && !isCertificate) return {};
  return {
    ...(!isCertificate && { auth: { username: user, password } }),
    ...(authSource !== undefined && { authSource }),
    ...(authMechanism !== undefined && { authMechanism: authMechanism as 'DEFAULT' }),
  };
}

/** Modes as libpq has them: `require` with a CA checks the chain and not the name. */
function tlsOptions(host: string, { ca, cert, key, mode, serverName }: UpstreamTls): MongoClientOptions {
  return {
    tls: true,
    rejectUnauthorized: mode === 'verify-full' || (mode === 'require' && ca !== undefined),
    checkServerIdentity: (_host, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(serverName ?? host, certificate) : undefined,
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** The driver would go on trying until its time is up, and then say only that it was. */
async function connected(client: MongoClient): Promise<void> {
  const failed = new Promise<never>((_resolve, reject) => {
    client.once('serverHeartbeatFailed', ({ failure }) => reject(failure));
  });
  await Promise.race([client.connect(), failed]);
}

/** What the driver calls with each socket once it is connected; not declared, and the driver is pinned to one version. */
type ConnectionType = new (socket: Socket, options: unknown) => object;

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: ConnectionType;
};

function guardedConnection(sockets: Set<Socket>): ConnectionType {
  return class extends Connection {
    constructor(socket: Socket, options: unknown) {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
      super(guarded(socket), options);
    }
  };
}

/** The driver reads a socket by piping it, once. */
function guarded(socket: Socket): Socket {
  const guard = new CatalogGuard();
  guard.on('error', (cause) => socket.destroy(cause));
  const { pipe } = socket;
  socket.pipe = (reader) => {
    socket.pipe = pipe;
    return socket.pipe(guard).pipe(reader);
  };
  return socket;
}

const authenticationFailed = 18;

function explained(cause: unknown, { user, password, options }: UpstreamAddress): unknown {
  const isRefused = cause instanceof MongoServerError && cause.code === authenticationFailed;
  if (!isRefused || password !== '' || options?.['authMechanism'] === certificateLogin) return cause;
  return new TwiceshyError(
    'CATALOG_FAILED',
    `The server asks for a password of ${user}, the account that reads the catalog, and none is set: put it into the URL or the configuration.`,
  );
}
