/**
 * Runs a dialogue between a client and a server through the handshake and writes down what it asked for, with the
 * proxy's side of sockets played here: TLS is set up as soon as it is asked for.
 */
import { createHandshake } from '../../../adapters/mysql/handshake.js';
import type { ProxyKey } from '../../../adapters/mysql/rsa-password.js';
import type { Handshake, HandshakeAction, LegPolicy, SessionIdentity } from '../../../src/core/adapter.js';
import { PacketSplitter } from '../../support/mysql-protocol.js';

const plain: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'clear',
};
export const clientTls = { cert: 'c', key: 'k', isRequired: false };

/** `c` from the client, `s` from the server: bytes that arrive together. */
export type Step = readonly ['c' | 's', ...Buffer[]];

export type Chunking =
  | 'whole'
  | 'byte by byte'
  /** Every step is cut at this offset, if it is that long. */
  | number;

export interface Outcome {
  /** What was asked for, in order: writes of one end in a row count as one. */
  readonly asked: readonly string[];
  readonly toClient: Buffer;
  readonly toServer: Buffer;
  readonly identity: SessionIdentity | null;
  /** Reason of the close; null: not closed. */
  readonly closed: string | null;
}

export interface Options {
  readonly policy?: Partial<LegPolicy>;
  readonly proxyKey?: ProxyKey;
  readonly chunking?: Chunking;
  /** Puts payloads of 256 bytes to the server into words: RSA blocks differ from run to run. */
  readonly reveal?: (block: Buffer) => string;
}

const noKey: ProxyKey = {
  publicKey: () => {
    throw new Error('The key of the proxy is not to be needed here');
  },
  decryptPassword: () => {
    throw new Error('The key of the proxy is not to be needed here');
  },
};

export class Dialogue {
  readonly handshake: Handshake;
  readonly #asked: string[] = [];
  readonly #toClient: Buffer[] = [];
  readonly #toServer: Buffer[] = [];
  #identity: SessionIdentity | null = null;
  #closed: string | null = null;

  constructor(options: Options = {}) {
    const policy = { ...plain, ...options.policy };
    this.handshake = createHandshake(policy, { proxyKey: options.proxyKey ?? noKey });
    this.perform(this.handshake.opened());
    this.perform(this.handshake.serverConnected());
  }

  /** Bytes arrive, as they are or cut. */
  hear([end, ...parts]: Step, chunking: Chunking = 'whole'): this {
    const bytes = Buffer.concat(parts);
    for (const chunk of chunks(bytes, chunking)) {
      // A copy, as the network would give: nothing may rely on bytes outside the chunk, or change those of a test.
      const copy = Buffer.from(chunk);
      if (this.#identity !== null) this.#pump(end, copy);
      else this.perform(end === 'c' ? this.handshake.clientBytes(copy) : this.handshake.serverBytes(copy));
    }
    return this;
  }

  perform(actions: readonly HandshakeAction[]): this {
    for (const action of actions) {
      if (this.#closed !== null) throw new Error(`${action.kind} after the close`);
      this.#note(action);
    }
    return this;
  }

  get outcome(): Outcome {
    return {
      asked: this.#asked,
      toClient: Buffer.concat(this.#toClient),
      toServer: Buffer.concat(this.#toServer),
      identity: this.#identity,
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
        this.#toServer.push(Buffer.from(action.bytes));
        break;
      case 'secure-client':
        this.perform(this.handshake.clientSecured());
        break;
      case 'secure-server':
        this.perform(this.handshake.serverSecured());
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
}

export function run(steps: readonly Step[], options: Options = {}): Outcome {
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
    const [got, expected] = [cut, whole].map((outcome) => describeOutcome(outcome, options.reveal));
    if (got !== expected) throw new Error(`Cut ${chunking}: ${got}\ninstead of ${expected}`);
  }
  return whole;
}

function describeOutcome({ toClient, toServer, ...rest }: Outcome, reveal: Options['reveal']): string {
  return JSON.stringify({ ...rest, toClient: shown(toClient), toServer: shown(toServer, reveal) });
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

/** Number and payload of each packet, as `2:00…` in hex; what is no whole packet comes last. */
export function shown(bytes: Buffer, reveal?: (block: Buffer) => string): string[] {
  const splitter = new PacketSplitter();
  const packets = splitter.push(bytes).map(({ sequence, payload }) => {
    const isBlock = reveal !== undefined && payload.length === 256;
    return `${sequence}:${isBlock ? reveal(payload) : payload.toString('hex')}`;
  });
  const rest = splitter.takeRest();
  return rest.length === 0 ? packets : [...packets, `rest ${rest.toString('hex')}`];
}

/** The same for payloads that a test expects. */
export function numbered(
  ...packets: readonly (readonly [sequence: number, payload: Buffer | string])[]
): string[] {
  return packets.map(
    ([sequence, payload]) => `${sequence}:${typeof payload === 'string' ? payload : payload.toString('hex')}`,
  );
}
