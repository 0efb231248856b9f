/** Runs a script of client and server packets through an observer and writes down everything it reports. */
import { capability } from '../../../adapters/mysql/capabilities.js';
import { Negotiated, type NegotiatedTerms } from '../../../adapters/mysql/negotiated.js';
import { MysqlObserver } from '../../../adapters/mysql/observer.js';
import type { BlindReason, ByteOutput } from '../../../src/core/adapter.js';
import type { Note } from '../../../src/core/notes/note.js';
import {
  type Audience,
  defaultLexicalOptions,
  type LexicalOptions,
  type ServerError,
  type SessionContext,
} from '../../../src/core/verdict.js';
import { maxPayloadBytes, packets } from '../../support/mysql-protocol.js';

/**
 * `c` commands of the client, each numbered from 0; `c+` packets of the client that go on with the numbers; `s` packets of
 * the server, likewise, from the number after the client's last; `s>` those of the next answer, numbered from 1. All are
 * payloads. `c!` and `s!` are bytes as they are.
 */
export type Step = readonly ['c' | 'c+' | 's' | 's>' | 'c!' | 's!', ...Buffer[]];

/** Every way the steps of a script reach the observer in tests; a number is the size of the pieces. */
export type Chunking = 'whole' | 'all at once' | number;

export interface Outcome {
  /** One line an event, in order. */
  readonly events: readonly string[];
  /** What the client received. */
  readonly received: Buffer;
  /** Sizes of the writes to the client. */
  readonly writes: readonly number[];
  readonly session: SessionContext;
  readonly errors: readonly ServerError[];
  readonly blind: BlindReason | null;
  /** What the observer said of itself before the end. */
  readonly isIdle: boolean;
  readonly isSendingFile: boolean;
}

export interface Options extends Partial<NegotiatedTerms> {
  readonly audience?: Audience;
  readonly note?: (statement: string | null) => Note | null;
  readonly wantsSuccess?: boolean;
  readonly chunking?: Chunking;
}

export const sampleNote: Note = {
  recordId: '9f2c51d07a3be844',
  short: '[twiceshy 9f2c51d0] Short form.',
  long: '[twiceshy 9f2c51d0] Long form of the instruction.',
};

/** What a modern client of MySQL agrees on; MariaDB's second word goes into `extendedCapabilities`. */
export const modern =
  capability.protocol41 | capability.deprecateEof | capability.localFiles | capability.sessionTrack;
/** The same with EOF packets. */
export const withEof = modern & ~capability.deprecateEof;

const autocommit = 2;

function termsOf(options: Options): Negotiated {
  return new Negotiated({
    capabilities: modern,
    extendedCapabilities: 0,
    engine: 'mysql',
    serverVersion: '9.7.0',
    connectionId: 7,
    characterSet: 45,
    statusFlags: autocommit,
    database: 'shop',
    ...options,
  });
}

/** The bytes of a step, and the numbers as they are after it. */
class Numbers {
  #next = 0;

  bytesOf([side, ...payloads]: Step): Buffer {
    if (side === 'c!' || side === 's!') return Buffer.concat(payloads);
    if (side === 's>') this.#next = 1;
    const parts = payloads.map((payload) => {
      if (side === 'c') this.#next = 0;
      const bytes = packets(payload, this.#next);
      this.#next += 1 + Math.floor(payload.length / maxPayloadBytes);
      return bytes;
    });
    return Buffer.concat(parts);
  }
}

export function run(steps: readonly Step[], options: Options = {}): Outcome {
  const events: string[] = [];
  const received: Buffer[] = [];
  const errors: ServerError[] = [];
  let blind: BlindReason | null = null;
  let lexical: LexicalOptions = defaultLexicalOptions;
  const session: SessionContext = {
    id: 's1',
    engine: options.engine ?? 'mysql',
    backend: 'relational',
    scope: { upstream: 'shop', database: options.database ?? 'shop' },
    user: 'app',
    audience: options.audience ?? 'agent',
    application: 'mysql',
    get lexical() {
      return lexical;
    },
    setLexical(own) {
      lexical = { ...defaultLexicalOptions, ...own };
    },
    searchPath: null,
  };
  const observer = new MysqlObserver(
    {
      session,
      handler: {
        wantsSuccess: options.wantsSuccess ?? true,
        failed(failure) {
          const statement = failure.statement?.text() ?? null;
          errors.push(failure.error);
          events.push(
            `failed ${failure.error.code} <${statement ?? '?'}> ${failure.phase} k=${failure.completedBefore} ${failure.before}`,
          );
          return options.note?.(statement) ?? null;
        },
        settled: (after) => events.push(`settled ${after}`),
        succeeded: (success) => events.push(`ok <${success.statement.text()}> ${success.index}`),
        schemaChanged: () => events.push('schema changed'),
        noteAttached: (note) => events.push(`note ${note.recordId}`),
        bypassed: (reason) => events.push(`bypassed ${reason}`),
        warned: (count) => events.push(`warned ${count}`),
      },
      onBlind(reason) {
        blind = reason;
        events.push(`blind ${reason}`);
      },
      onCancelKey: (key) => events.push(`key ${key}`),
      onReady: () => events.push('ready'),
      listenerAddress: '127.0.0.1:1',
    },
    { isAuthenticated: true, negotiated: termsOf(options) },
  );
  const out: ByteOutput = { write: (bytes) => received.push(Buffer.from(bytes)) };
  const numbers = new Numbers();
  const feed = (side: string, chunk: Buffer): void => {
    // A copy, as the network would give: nothing may rely on bytes outside the chunk.
    const copy = Buffer.from(chunk);
    if (side.startsWith('c')) observer.toServer(copy);
    else observer.toClient(copy, out);
  };
  for (const step of steps) {
    const bytes = numbers.bytesOf(step);
    if (bytes.length === 0) continue;
    for (const piece of piecesOf(bytes, options.chunking ?? 'whole')) feed(step[0], piece);
  }
  const { isIdle, isSendingFile } = observer;
  observer.end(out);
  return {
    events: events.filter((event) => event !== 'ready'),
    received: Buffer.concat(received),
    writes: received.map((bytes) => bytes.length),
    session,
    errors,
    blind,
    isIdle,
    isSendingFile,
  };
}

function piecesOf(bytes: Buffer, chunking: Chunking): Buffer[] {
  if (chunking === 'all at once') return [bytes];
  if (chunking === 'whole') return wholePackets(bytes);
  const count = Math.ceil(bytes.length / chunking);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * chunking, (index + 1) * chunking),
  );
}

/** Cuts bytes at the ends of packets, as far as their lengths make sense. */
function wholePackets(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + 4 <= bytes.length ? at + 4 + bytes.readUIntLE(at, 3) : bytes.length;
    parts.push(bytes.subarray(at, end));
    at = end;
  }
  return parts;
}

/** What the server sends in a script, as bytes. */
export function sentBytes(steps: readonly Step[]): Buffer {
  const numbers = new Numbers();
  return Buffer.concat(
    steps.map((step) => {
      const bytes = numbers.bytesOf(step);
      return step[0].startsWith('s') ? bytes : Buffer.alloc(0);
    }),
  );
}

/** The same events whatever way the bytes arrive, and every byte as it was sent; returns the events. */
export function eventsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  const whole = run(steps, { ...options, chunking: 'whole' });
  if (options.note === undefined && !whole.received.equals(sentBytes(steps)))
    throw new Error('client bytes are not the server’s');
  for (const chunking of [1, 7, 'all at once'] as const) {
    const other = run(steps, { ...options, chunking });
    if (JSON.stringify(other.events) !== JSON.stringify(whole.events)) {
      throw new Error(
        `events differ ${chunking}:\n${other.events.join('\n')}\ninstead of\n${whole.events.join('\n')}`,
      );
    }
    if (!other.received.equals(whole.received)) throw new Error(`client bytes differ ${chunking}`);
  }
  return whole.events;
}
