/** Runs a script of client and server messages through an observer and writes down everything it reports. */
import { MongoObserver } from '../../../adapters/mongodb/observer.js';
import { RequestSentBefore } from '../../../adapters/mongodb/session-identity.js';
import type { BlindReason, ByteOutput, LegPolicy } from '../../../src/core/adapter.js';
import type { Note } from '../../../src/core/notes/note.js';
import {
  type Audience,
  defaultLexicalOptions,
  type Scope,
  type ServerError,
  type SessionContext,
} from '../../../src/core/verdict.js';

/** `c` bytes of the client, `s` bytes of the server. */
export type Step = readonly ['c' | 's', ...Buffer[]];

/** Every way the steps of a script reach the observer in tests; a number is the size of the pieces. */
type Chunking = 'whole' | 'all at once' | number;

/** Name, script, what is reported, options: adding a case is adding an entry. */
export type Script = readonly [string, readonly Step[], readonly string[], Options?];

/** As `it.each` wants them: each with options. */
export function cases(scripts: readonly Script[]): [string, readonly Step[], readonly string[], Options][] {
  return scripts.map(([name, steps, events, options = {}]) => [name, steps, events, options]);
}

export interface Outcome {
  /** One line an event, in order. */
  readonly events: readonly string[];
  /** What the client received. */
  readonly received: Buffer;
  readonly session: SessionContext;
  readonly errors: readonly ServerError[];
  readonly attempts: readonly (string | undefined)[];
  readonly blind: BlindReason | null;
}

export interface Options extends Partial<Pick<LegPolicy, 'advertisedAddress' | 'compression'>> {
  readonly audience?: Audience;
  readonly note?: (statement: string | null, code: string) => Note | null;
  readonly wantsSuccess?: boolean;
  /** The one verb and table whose successes are wanted, as `find users`. */
  readonly wantsSuccessOf?: string;
  readonly chunking?: Chunking;
  /** A request that the handshake has sent already. */
  readonly sentBefore?: Buffer;
  /** Of the listener, for sessions of one; it says what the other options do not. */
  readonly policy?: Pick<LegPolicy, 'advertisedAddress' | 'compression'>;
  /** Thrown by the handler at every failure. */
  readonly fault?: Error;
}

export const sampleNote: Note = {
  recordId: '9f2c51d07a3be844',
  short: '[twiceshy 9f2c51d0] Short form.',
  long: '[twiceshy 9f2c51d0] Long form of the instruction.',
};

export const listenerAddress = '127.0.0.1:37017';

export function run(steps: readonly Step[], options: Options = {}): Outcome {
  const events: string[] = [];
  const errors: ServerError[] = [];
  const attempts: (string | undefined)[] = [];
  const received: Buffer[] = [];
  const session = newSession(options, (event) => events.push(event));
  let blind: BlindReason | null = null;
  const observer = new MongoObserver(
    {
      session,
      handler: {
        wantsSuccess: options.wantsSuccess ?? options.wantsSuccessOf !== undefined,
        ...(options.wantsSuccessOf === undefined
          ? {}
          : { wantsSuccessOf: (verb, table) => `${verb} ${table}` === options.wantsSuccessOf }),
        failed(failure) {
          if (options.fault !== undefined) throw options.fault;
          const { error, phase, before } = failure;
          const statement = failure.statement?.text() ?? null;
          const cut = failure.statement?.isTruncated === true ? ' cut' : '';
          errors.push(error);
          attempts.push(failure.attempt);
          events.push(`failed ${error.code} <${statement ?? '?'}>${cut} ${phase} ${before}`);
          return options.note?.(statement, error.code) ?? null;
        },
        settled: (after) => events.push(`settled ${after}`),
        succeeded: ({ statement, index }) => events.push(`ok <${statement.text()}> ${index}`),
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
      listenerAddress,
    },
    options.policy ?? {
      compression: options.compression ?? 'relay',
      ...(options.advertisedAddress === undefined ? {} : { advertisedAddress: options.advertisedAddress }),
    },
    options.sentBefore === undefined ? {} : { negotiated: new RequestSentBefore(options.sentBefore) },
  );
  const out: ByteOutput = { write: (bytes) => received.push(Buffer.from(bytes)) };
  for (const [side, ...messages] of steps) {
    for (const piece of piecesOf(messages, options.chunking ?? 'whole')) {
      // A copy, as the network would give: nothing may rely on bytes outside the chunk, or on a server's chunk later.
      const copy = Buffer.from(piece);
      if (side === 'c') observer.toServer(copy);
      else observer.toClient(copy, out);
      if (side === 's') copy.fill(0xaa);
    }
  }
  observer.end(out);
  return { events, received: Buffer.concat(received), session, errors, attempts, blind };
}

function newSession(options: Options, onEvent: (event: string) => void): SessionContext {
  let scope: Scope = { upstream: 'shop', database: '' };
  return {
    id: 's1',
    engine: 'mongodb',
    backend: 'document',
    get scope() {
      return scope;
    },
    set scope(next) {
      scope = next;
      onEvent(`in ${scope.upstream}/${scope.database}`);
    },
    user: '',
    audience: options.audience ?? 'agent',
    application: '',
    lexical: defaultLexicalOptions,
    setLexical: () => undefined,
    searchPath: null,
  };
}

function piecesOf(messages: readonly Buffer[], chunking: Chunking): readonly Buffer[] {
  if (chunking === 'whole') return messages.filter(({ length }) => length > 0);
  const bytes = Buffer.concat(messages);
  if (chunking === 'all at once') return bytes.length === 0 ? [] : [bytes];
  const count = Math.ceil(bytes.length / chunking);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * chunking, (index + 1) * chunking),
  );
}

/** What the server sends in a script, as bytes. */
export function sentBytes(steps: readonly Step[]): Buffer {
  return Buffer.concat(steps.flatMap(([side, ...messages]) => (side === 's' ? messages : [])));
}

/**
 * The same events whatever way the bytes arrive: in messages, byte by byte, and with each step cut once at every offset.
 * Without a note or an edit, every byte as it was sent. Returns what happened.
 */
export function outcomeOf(steps: readonly Step[], options: Options = {}): Outcome {
  const whole = run(steps, { ...options, chunking: 'whole' });
  const agree = (other: Outcome, how: string): void => {
    if (JSON.stringify(other.events) !== JSON.stringify(whole.events))
      throw new Error(
        `events differ ${how}:\n${other.events.join('\n')}\ninstead of\n${whole.events.join('\n')}`,
      );
    if (!other.received.equals(whole.received)) throw new Error(`client bytes differ ${how}`);
  };
  for (const chunking of [1, 7, 'all at once'] as const)
    agree(run(steps, { ...options, chunking }), `in pieces of ${chunking}`);
  steps.forEach(([side, ...messages], index) => {
    const bytes = Buffer.concat(messages);
    // Long messages are cut where they begin and where they end: what lies between is no other case.
    for (let at = 1; at < bytes.length; at += at === 600 && bytes.length > 1_200 ? bytes.length - 1_200 : 1) {
      const cut: Step[] = [
        [side, bytes.subarray(0, at)],
        [side, bytes.subarray(at)],
      ];
      const scripted = [...steps.slice(0, index), ...cut, ...steps.slice(index + 1)];
      agree(run(scripted, options), `with step ${index} cut at ${at}`);
    }
  });
  return whole;
}

export function eventsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  const { events, received } = outcomeOf(steps, options);
  if (options.note === undefined && !received.equals(sentBytes(steps)))
    throw new Error('client bytes are not the server’s');
  return events;
}

/** The events without where the session is and that it is ready. */
export function verdictsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  return eventsOf(steps, options).filter((event) => event !== 'ready' && !event.startsWith('in '));
}
