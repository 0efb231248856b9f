/**
 * Runs a dialogue between a client and a server through the handshake and writes down what it asked for, with the
 * proxy's side of sockets played here: connections and TLS come as soon as they are asked for, unless a test says otherwise.
 */
import { createHandshake } from '../../../adapters/mongodb/handshake.js';
import { RequestSentBefore } from '../../../adapters/mongodb/session-identity.js';
import type { Handshake, HandshakeAction, LegPolicy, SessionIdentity } from '../../../src/core/adapter.js';

const plain: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'relay',
};
export function policyOf(change: Partial<LegPolicy> = {}): LegPolicy {
  return { ...plain, ...change };
}

export const clientTls = { cert: 'c', key: 'k', isRequired: false };

/** `c` from the client, `s` from the server: bytes that arrive together. */
export type Step = readonly ['c' | 's', ...Buffer[]];
export type Chunking = 'whole' | 'byte by byte' | number;

export interface Options {
  readonly policy?: Partial<LegPolicy>;
  /** Instead of a policy of its own: that of other sessions. */
  readonly sharedPolicy?: LegPolicy;
  readonly nowMs?: number;
  /** What of the upstream's side fails, and in which tries. */
  readonly fails?: { readonly what: 'connect' | 'tls'; readonly tries: readonly number[] };
}

export interface Outcome {
  /** What was asked for, in order: writes of one end in a row count as one. */
  readonly asked: readonly string[];
  readonly toClient: Buffer;
  /** By connection. */
  readonly toServer: readonly Buffer[];
  readonly identity: SessionIdentity | null;
  /** What the observer sees of the client: what went before, and the backlog. */
  readonly observed: Buffer;
  /** Reason of the close; null: not closed. */
  readonly closed: string | null;
}

const failure = 'The upstream database server closed the connection.';

export class Dialogue {
  readonly handshake: Handshake;
  readonly #fails: Options['fails'];
  readonly #asked: string[] = [];
  readonly #toClient: Buffer[] = [];
  readonly #toServer: Buffer[][] = [];
  #identity: SessionIdentity | null = null;
  #closed: string | null = null;

  constructor(options: Options = {}) {
    this.#fails = options.fails;
    const policy = options.sharedPolicy ?? policyOf(options.policy);
    this.handshake = createHandshake(policy, { now: () => options.nowMs ?? 0 });
    this.perform(this.handshake.opened());
  }

  /** Bytes arrive, as they are or cut. */
  hear([end, ...parts]: Step, chunking: Chunking = 'whole'): this {
    for (const chunk of chunks(Buffer.concat(parts), chunking)) {
      // A copy, as the network would give: nothing may rely on bytes outside the chunk.
      const copy = Buffer.from(chunk);
      if (this.#identity !== null) this.#pump(end, copy);
      else this.perform(end === 'c' ? this.handshake.clientBytes(copy) : this.handshake.serverBytes(copy));
    }
    return this;
  }

  /** The upstream's connection ends. */
  lose(): this {
    return this.perform(this.handshake.serverFailed(failure));
  }

  perform(actions: readonly HandshakeAction[]): this {
    for (const action of actions) {
      if (this.#closed !== null) throw new Error(`${action.kind} after the close`);
      this.#note(action);
    }
    return this;
  }

  get outcome(): Outcome {
    const sent = this.#identity?.negotiated;
    const before = sent instanceof RequestSentBefore ? sent.bytes : Buffer.alloc(0);
    return {
      asked: this.#asked,
      toClient: Buffer.concat(this.#toClient),
      toServer: this.#toServer.map((writes) => Buffer.concat(writes)),
      identity: this.#identity,
      observed: Buffer.concat([before, this.#identity?.clientBacklog ?? Buffer.alloc(0)]),
      closed: this.#closed,
    };
  }

  /** What comes after the handshake: wherever the network cut, the session gets it behind the backlog. */
  #pump(end: Step[0], bytes: Buffer): void {
    if (this.#identity === null) return;
    const backlog = end === 'c' ? 'clientBacklog' : 'serverBacklog';
    this.#identity = { ...this.#identity, [backlog]: Buffer.concat([this.#identity[backlog], bytes]) };
  }

  #note(action: HandshakeAction): void {
    if (this.#asked.at(-1) !== action.kind) this.#asked.push(action.kind);
    switch (action.kind) {
      case 'write-client':
        this.#toClient.push(Buffer.from(action.bytes));
        break;
      case 'write-server':
        this.#toServer.at(-1)?.push(Buffer.from(action.bytes));
        break;
      case 'secure-client':
        if (action.pending !== null) this.#pending = Buffer.from(action.pending);
        break;
      case 'connect-server':
        this.#toServer.push([]);
        this.#attempt('connect');
        break;
      case 'secure-server':
        this.#attempt('tls');
        break;
      case 'relay':
        this.#identity = action.identity;
        break;
      case 'close':
        this.#closed = action.reason;
        break;
      default:
    }
  }

  /** Bytes that the proxy read of a TLS handshake. */
  #pending = Buffer.alloc(0);

  get pending(): Buffer {
    return this.#pending;
  }

  #attempt(what: 'connect' | 'tls'): void {
    const isFailing = this.#fails?.what === what && this.#fails.tries.includes(this.#toServer.length);
    if (isFailing) this.lose();
    else this.perform(what === 'tls' ? this.handshake.serverSecured() : this.handshake.serverConnected());
  }
}

export interface RunOptions extends Options {
  readonly chunking?: Chunking;
}

export function run(steps: readonly Step[], options: RunOptions = {}): Outcome {
  const dialogue = new Dialogue(options);
  for (const step of steps) dialogue.hear(step, options.chunking);
  return dialogue.outcome;
}

/** The outcome of the dialogue as it is, once it is known to be the same wherever the network cuts. */
export function runAnyhow(steps: readonly Step[], options: Options = {}): Outcome {
  const whole = run(steps, options);
  const longest = Math.max(...steps.map(([, ...parts]) => Buffer.concat(parts).length));
  const cuts = Array.from({ length: longest }, (_, index) => index + 1);
  for (const chunking of ['byte by byte', ...cuts] as const) {
    const cut = run(steps, { ...options, chunking });
    if (JSON.stringify(cut) !== JSON.stringify(whole)) {
      throw new Error(`Cut ${chunking}: ${JSON.stringify(cut)}\ninstead of ${JSON.stringify(whole)}`);
    }
  }
  return whole;
}

function* chunks(bytes: Buffer, chunking: Chunking): Generator<Buffer> {
  if (chunking === 'byte by byte') {
    for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
  } else if (chunking === 'whole' || chunking >= bytes.length) {
    yield bytes;
  } else {
    yield bytes.subarray(0, chunking);
    yield bytes.subarray(chunking);
  }
}
