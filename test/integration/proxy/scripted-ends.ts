/**
 * A listener between ends that a test scripts byte by byte. Observers are replaced by one that records what it was
 * given and passes everything.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { createHandshake as postgresHandshake } from '../../../adapters/postgres/handshake.js';
import type {
  ByteOutput,
  CancellableObserver,
  DatabaseAdapter,
  LegPolicy,
  ObserverOptions,
  SessionIdentity,
} from '../../../src/core/adapter.js';
import type { CounterName } from '../../../src/core/counters.js';
import { CancelKeys } from '../../../src/proxy/cancel-keys.js';
import { Listener, type ListenerOptions } from '../../../src/proxy/listener.js';
import { testSession } from '../../support/session-context.js';
import { until as untilCondition } from '../../support/until.js';

const plainPolicy: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'clear',
};

/** Waits for a condition with a deadline that suits a loopback connection. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  await untilCondition(condition, 10_000, what);
}

/** One end of a connection with everything it has read. */
export class ScriptedEnd {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  isEnded = false;
  isClosed = false;
  error: NodeJS.ErrnoException | null = null;

  constructor(socket: Socket, isReading = true) {
    this.socket = socket;
    socket.on('error', (error) => {
      this.error = error;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('end', () => {
      this.isEnded = true;
    });
    if (isReading) socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get length(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  async read(length: number): Promise<Buffer> {
    await until(`${length} bytes, got ${this.length}`, () => this.length >= length);
    return this.bytes;
  }

  ended(): Promise<void> {
    return until('the end of the stream', () => this.isEnded || this.isClosed);
  }

  closed(): Promise<void> {
    return until('the close of the socket', () => this.isClosed);
  }
}

/** A server whose every connection a test answers itself. */
export class ScriptedServer {
  readonly connections: ScriptedEnd[] = [];
  readonly #server: Server;
  port = 0;

  constructor(onConnection?: (end: ScriptedEnd) => void, options: { isReading?: boolean } = {}) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const end = new ScriptedEnd(socket, options.isReading ?? true);
      this.connections.push(end);
      onConnection?.(end);
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    return this;
  }

  async connection(index = 0): Promise<ScriptedEnd> {
    await until(`upstream connection ${index}`, () => this.connections.length > index);
    return this.connections[index]!;
  }

  stopListening(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const end of this.connections) end.socket.destroy();
    });
  }
}

/** What one session's observer was given. */
export interface Observed {
  readonly identity: SessionIdentity;
  readonly options: ObserverOptions;
  toServer: Buffer;
  toClient: Buffer;
  ends: number;
  closes: number;
  cancels: number;
}

export interface ProxyUnderTest {
  readonly listener: Listener;
  readonly port: number;
  readonly observed: Observed[];
  /** What sessions with the real observer reported. */
  readonly failures: { readonly code: string; readonly isCancelRequested: boolean }[];
  readonly cancelKeys: CancelKeys;
  count(name: CounterName, label?: string): number;
}

export interface ProxyOverrides extends Partial<Omit<ListenerOptions, 'policy'>> {
  readonly policy?: Partial<LegPolicy>;
  /** Default: PostgreSQL's. */
  readonly createHandshake?: DatabaseAdapter['createHandshake'];
  observe?(observed: Observed): CancellableObserver;
}

const running: Listener[] = [];

export async function startProxy(
  upstreamPort: number,
  overrides: ProxyOverrides = {},
): Promise<ProxyUnderTest> {
  const observed: Observed[] = [];
  const counts = new Map<string, number>();
  const failures: { code: string; isCancelRequested: boolean }[] = [];
  const { policy, createHandshake = postgresHandshake, observe = recordingObserver, ...rest } = overrides;
  const adapter: Partial<DatabaseAdapter> = {
    name: 'postgres',
    backend: 'relational',
    createHandshake,
    createObserver: (options, _policy, identity) => {
      const entry = { identity, options, toServer: Buffer.alloc(0), toClient: Buffer.alloc(0) };
      const record: Observed = { ...entry, ends: 0, closes: 0, cancels: 0 };
      observed.push(record);
      return observe(record);
    },
  };
  const cancelKeys = new CancelKeys();
  const listener = new Listener({
    name: 'test',
    host: '127.0.0.1',
    port: 0,
    adapter: adapter as DatabaseAdapter,
    upstream: {
      name: 'up',
      address: { host: '127.0.0.1', port: upstreamPort, user: '', password: '', database: '' },
    },
    policy: { ...plainPolicy, ...policy },
    maxConnections: 1_000,
    handshakeTimeoutMs: 10_000,
    connectTimeoutMs: 5_000,
    cancelKeys,
    counters: {
      count: (name, label, by = 1) => {
        const key = label === undefined ? name : `${name}:${label}`;
        counts.set(key, (counts.get(key) ?? 0) + by);
      },
    },
    log: pino({ level: 'silent' }),
    openSession: (identity, id) => ({
      context: testSession({
        ...{ id, engine: identity.engine, user: identity.user, application: identity.application },
        scope: { upstream: 'up', database: identity.database },
      }),
      handler: {
        wantsSuccess: false,
        failed: ({ error, isCancelRequested }) => {
          failures.push({ code: error.code, isCancelRequested });
          return null;
        },
        settled: () => undefined,
        succeeded: () => undefined,
        schemaChanged: () => undefined,
        noteAttached: () => undefined,
        bypassed: () => undefined,
        warned: () => undefined,
        close: () => {
          const last = observed.find((entry) => entry.options.session.id === id);
          if (last !== undefined) last.closes += 1;
        },
      },
    }),
    ...rest,
  });
  running.push(listener);
  const { port } = await listener.listen();
  return {
    listener,
    port,
    observed,
    failures,
    cancelKeys,
    count: (name, label) => counts.get(label === undefined ? name : `${name}:${label}`) ?? 0,
  };
}

function recordingObserver(record: Observed): CancellableObserver {
  return {
    blindReason: record.identity.blindReason,
    toServer: (chunk) => {
      record.toServer = Buffer.concat([record.toServer, chunk]);
    },
    toClient: (chunk: Buffer, out: ByteOutput) => {
      record.toClient = Buffer.concat([record.toClient, chunk]);
      out.write(chunk);
    },
    end: () => {
      record.ends += 1;
    },
    cancelRelayed: () => {
      record.cancels += 1;
    },
  };
}

/** Keeps nothing: for streams too long to record. */
export function silentObserver(): CancellableObserver {
  return {
    blindReason: null,
    toServer: () => undefined,
    toClient: (chunk, out) => out.write(chunk),
    end: () => undefined,
    cancelRelayed: () => undefined,
  };
}

export async function stopProxies(): Promise<void> {
  for (const listener of running.splice(0)) {
    await listener.close();
    listener.destroyAll();
    await until('all sessions to end', () => listener.sessions === 0);
  }
}

export async function connectTo(port: number, isReading = true): Promise<ScriptedEnd> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const end = new ScriptedEnd(socket, isReading);
  await until('the connection', () => !socket.connecting);
  return end;
}
