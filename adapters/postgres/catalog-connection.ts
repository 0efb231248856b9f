/**
 * The catalog reader's own connection to one database: TLS by mode, bounds on every wait, and a way to drop it that
 * cannot hang. Nothing of it is shared with a client's session, and no setting of it outlives a transaction.
 */
import { Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import pg from 'pg';
import type { UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import { guardedStream } from './catalog-guard.js';

export interface CatalogConnection {
  /** Runs one text without parameters; rows come as arrays, one result a statement. Rejects once closed. */
  query<Row extends unknown[]>(text: string): Promise<Row[][]>;
  /** Never rejects; returns when the server has let go or `limits.catalogCloseMs` have passed. */
  close(): Promise<void>;
}

/** Rejects with the driver's or the server's own error, which names no password. */
export async function connectCatalog(
  address: UpstreamAddress,
  tls: UpstreamTls,
  database: string,
): Promise<CatalogConnection> {
  if (tls.mode === 'disable') return open(address, false, database);
  if (tls.mode === 'allow') {
    try {
      return await open(address, false, database);
    } catch (cause) {
      if (isFinalRefusal(cause) || !(cause instanceof pg.DatabaseError)) throw cause;
      return open(address, tlsOptions(address.host, tls), database);
    }
  }
  try {
    return await open(address, tlsOptions(address.host, tls), database);
  } catch (cause) {
    // What libpq's `prefer` does: no TLS there, or none that is let in, is a reason to go on without.
    if (tls.mode === 'prefer' && !isFinalRefusal(cause)) return open(address, false, database);
    throw cause;
  }
}

/** Modes as libpq has them: `require` with a CA checks the chain and not the name. */
function tlsOptions(host: string, tls: UpstreamTls): ConnectionOptions {
  const { ca, cert, key, mode } = tls;
  const verified = tls.serverName ?? host;
  const isVerified = mode === 'verify-full' || (mode === 'require' && ca !== undefined);
  return {
    rejectUnauthorized: isVerified,
    servername: tls.serverName,
    checkServerIdentity: (_host, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(verified, certificate) : undefined,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** The server spoke SQL with us over TLS and said no; only class 28 may be about TLS (pg_hba.conf). */
function isFinalRefusal(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.code !== '28000';
}

/** The driver's connection, fed only with what its parser can read to the end. */
class GuardedConnection extends pg.Connection {
  /** The driver's own hook: called with the socket, and again with what TLS makes of it. */
  attachListeners(stream: Socket): void {
    const attach: unknown = Reflect.get(pg.Connection.prototype, 'attachListeners');
    if (typeof attach !== 'function') throw new Error('The driver has no attachListeners to guard.');
    attach.call(this, guardedStream(stream));
  }
}

async function open(
  address: UpstreamAddress,
  ssl: ConnectionOptions | false,
  database: string,
): Promise<CatalogConnection> {
  // Ours to destroy: the driver's own end() waits for a server that may never answer.
  const socket = new Socket();
  const config: pg.ClientConfig & { readonly connection: pg.Connection } = {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database,
    ssl,
    application_name: 'twiceshy catalog',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    query_timeout: limits.catalogStatementTimeoutMs + limits.catalogCloseMs,
    connection: new GuardedConnection({
      stream: () => socket,
      ssl,
      keepAlive: true,
      keepAliveInitialDelayMillis: limits.keepAliveInitialDelayMs,
    }),
  };
  const client = new pg.Client(config);
  // A lost connection shows in the next query; without a listener it would end the process.
  client.on('error', () => undefined);
  socket.on('error', () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    socket.destroy();
    throw address.password === '' && isPasswordMissing(cause) ? passwordMissing(address.user) : cause;
  }
  return {
    query: async <Row extends unknown[]>(text: string): Promise<Row[][]> => {
      const result: unknown = await client.query<Row>({ text, rowMode: 'array' });
      return (Array.isArray(result) ? result : [result]).map(({ rows }: pg.QueryArrayResult<Row>) => rows);
    },
    close: () => endWithin(client, socket, limits.catalogCloseMs),
  };
}

/** The driver's own words for it, which name neither the account nor the remedy. */
function isPasswordMissing(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes('password must be a string');
}

function passwordMissing(user: string): TwiceshyError {
  return new TwiceshyError(
    'CATALOG_FAILED',
    `The server asks for a password of ${user}, the account that reads the catalog, and none is set: put it into PGPASSWORD, the URL or the configuration.`,
  );
}

async function endWithin(client: pg.Client, socket: Socket, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  try {
    await client.end();
  } catch {
    // Already gone, which is what was wanted.
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
