/**
 * The catalog reader's own connection to a server: TLS by mode, bounds on every wait and every answer, and a way to
 * drop it that cannot hang. It is in no database, so that it stands in nobody's way.
 */
import { once } from 'node:events';
import { isIP, Socket } from 'node:net';
import { checkServerIdentity, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { type Connection, createConnection } from 'mysql2';
import type { UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import { CatalogGuard } from './catalog-guard.js';

/** One row as the server prints it; null for NULL. */
export type CatalogRow = readonly (string | null)[];

export interface CatalogConnection {
  /** Runs one statement without parameters, one at a time; rows come one by one. Rejects once closed. */
  query(text: string, onRow: (row: CatalogRow) => void): Promise<void>;
  /** Never rejects; returns when the server has let go or `limits.catalogCloseMs` have passed. */
  close(): Promise<void>;
}

/** Rejects with the driver's or the server's own error, which names no password. */
export async function connectCatalog(address: UpstreamAddress, tls: UpstreamTls): Promise<CatalogConnection> {
  if (tls.mode === 'disable') return open(address, null);
  if (tls.mode === 'allow') {
    try {
      return await open(address, null);
    } catch (cause) {
      // Of an account that must use TLS, servers say the same as of a wrong password (1045).
      if (!isServerError(cause)) throw cause;
      return open(address, tls).catch((second: unknown) => {
        throw isTlsError(second) ? cause : second;
      });
    }
  }
  try {
    return await open(address, tls);
  } catch (cause) {
    if (tls.mode === 'prefer' && isTlsError(cause)) return open(address, null);
    throw cause;
  }
}

/** The server itself said no, in an ERR packet. */
function isServerError(cause: unknown): boolean {
  return cause instanceof Error && 'sqlMessage' in cause;
}

/** The server offers no TLS, or none that comes about. */
function isTlsError(cause: unknown): boolean {
  if (!(cause instanceof Error && 'code' in cause)) return false;
  return cause.code === 'HANDSHAKE_NO_SSL_SUPPORT' || cause.code === 'HANDSHAKE_SSL_ERROR';
}

/** Parts of the driver's connection that it does not declare; it is pinned to one version. */
interface DriverParts {
  readonly packetParser: { execute(bytes: Buffer): void };
  readonly sequenceId: number;
  stream: Socket;
  startTLS(onSecure: (error?: Error) => void): void;
}

async function open(address: UpstreamAddress, tls: UpstreamTls | null): Promise<CatalogConnection> {
  // Ours to destroy: the driver's own end() waits for a server that may never answer.
  const socket = new Socket();
  socket.setNoDelay(true).setKeepAlive(true, limits.keepAliveInitialDelayMs);
  socket.connect(address.port, address.host);
  const connection = createConnection({
    ...{ host: address.host, user: address.user, password: address.password, stream: socket },
    ...(tls === null ? {} : { ssl: {} }),
    connectTimeout: limits.connectTimeoutMs,
    connectAttributes: { program_name: 'twiceshy catalog' },
    charset: 'utf8mb4',
    flags: ['-LOCAL_FILES'],
    // Else it makes code out of what the server says of its columns.
    disableEval: true,
    rowsAsArray: true,
  });
  // A lost connection shows in the statement under way or the next; without a listener it would end the process.
  connection.on('error', () => undefined);
  const guard = guardDriver(connection, socket, address.host, tls);
  try {
    await loggedIn(connection);
  } catch (cause) {
    socket.destroy();
    throw explained(cause, address);
  }
  return new OpenConnection(connection, socket, guard);
}

/** Takes the driver's place at the socket: it gets what the guard lets through, and our TLS instead of its own. */
function guardDriver(
  connection: Connection,
  socket: Socket,
  host: string,
  tls: UpstreamTls | null,
): CatalogGuard {
  const driver = connection as unknown as DriverParts;
  const guard = new CatalogGuard({
    packet: (bytes) => driver.packetParser.execute(bytes),
    get sequenceId() {
      return driver.sequenceId;
    },
  });
  const listen = (stream: Socket): void => {
    socket.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      // Up to 2 MB would come in one turn of the event loop: thousands of rows, with everybody waiting.
      stream.pause();
      setImmediate(() => stream.resume());
      try {
        guard.push(chunk);
      } catch (cause) {
        socket.destroy(cause instanceof Error ? cause : new Error(String(cause)));
      }
    });
  };
  listen(socket);
  if (tls !== null) {
    driver.startTLS = (onSecure) => {
      driver.stream = secure(socket, host, tls, onSecure);
      listen(driver.stream);
    };
  }
  return guard;
}

/** Modes as libpq has them: `require` with a CA checks the chain and not the name. */
function secure(
  socket: Socket,
  host: string,
  tls: UpstreamTls,
  onSecure: (error?: Error) => void,
): TLSSocket {
  const { ca, cert, key, mode } = tls;
  const verified = tls.serverName ?? host;
  const secured = tlsConnect({
    socket,
    rejectUnauthorized: mode === 'verify-full' || (mode === 'require' && ca !== undefined),
    checkServerIdentity: (_host, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(verified, certificate) : undefined,
    ...(isIP(verified) === 0 ? { servername: verified } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  let isSecured = false;
  secured.once('secureConnect', () => {
    isSecured = true;
    onSecure();
  });
  secured.on('error', (error) => {
    if (isSecured) socket.destroy(error);
    else onSecure(error);
  });
  return secured;
}

function loggedIn(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

const plugins = /\b(mysql_clear_password|unknown plugin ([\w-]{1,64}))/;

/** What the driver's or the server's words leave unsaid: what to do about it. */
function explained(cause: unknown, { user, password }: UpstreamAddress): unknown {
  if (!(cause instanceof Error)) return cause;
  const [, plugin, unknown] = isServerError(cause) ? [] : (plugins.exec(cause.message) ?? []);
  if (plugin !== undefined) {
    return new TwiceshyError(
      'CATALOG_FAILED',
      `${user}, the account that reads the catalog, logs in by ${unknown ?? plugin}, which the catalog reader does not do: give it one that logs in by caching_sha2_password, or by mysql_native_password.`,
    );
  }
  if (password !== '' || !('errno' in cause) || cause.errno !== accessDenied) return cause;
  return new TwiceshyError(
    'CATALOG_FAILED',
    `The server asks for a password of ${user}, the account that reads the catalog, and none is set: put it into MYSQL_PWD, the URL or the configuration.`,
  );
}

const accessDenied = 1045;

class OpenConnection implements CatalogConnection {
  readonly #connection: Connection;
  readonly #socket: Socket;
  readonly #guard: CatalogGuard;
  #lost: Error | null = null;
  /** Rejects the statement under way. */
  #fail: (cause: Error) => void = () => undefined;

  constructor(connection: Connection, socket: Socket, guard: CatalogGuard) {
    this.#connection = connection;
    this.#socket = socket;
    this.#guard = guard;
    guard.expectNothing();
    connection.on('error', (error) => this.#lose(error));
    socket.on('close', () => this.#lose(new Error('The server closed the connection.')));
  }

  async query(text: string, onRow: (row: CatalogRow) => void): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    const timeoutMs = limits.catalogStatementTimeoutMs + limits.catalogCloseMs;
    const timer = setTimeout(() => this.#socket.destroy(new Error('The server did not answer.')), timeoutMs);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fail = reject;
        this.#guard.expectAnswer();
        const query = this.#connection.query({ sql: text, typeCast: (field) => field.string('utf8') });
        query.on('result', (row: unknown) => {
          // An OK packet is a result too.
          if (Array.isArray(row)) onRow(row);
        });
        query.on('error', reject);
        query.on('end', resolve);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const timer = setTimeout(() => this.#socket.destroy(), limits.catalogCloseMs);
    const closed = once(this.#socket, 'close').catch(() => undefined);
    this.#lose(new Error('The connection was closed.'));
    this.#connection.end();
    await closed;
    clearTimeout(timer);
  }

  #lose(cause: Error): void {
    this.#lost ??= cause;
    this.#fail(this.#lost);
  }
}
