/** Runs a script of client and server messages through an observer and writes down everything it reports. */
import { PostgresObserver } from '../../../adapters/postgres/observer.js';
import type { BlindReason, ByteOutput } from '../../../src/core/adapter.js';
import type { Note } from '../../../src/core/notes/note.js';
import type { Audience, SessionContext } from '../../../src/core/verdict.js';
import { testSession } from '../../support/session-context.js';
import { type Chunking, startup } from './frames.js';

/** `c` from the client, `s` from the server, `cancel` a cancel request that was relayed and acted on. */
export type Step = readonly ['c' | 's', ...Buffer[]] | readonly ['cancel'];

export interface Outcome {
  /** One line an event, in order. */
  readonly events: readonly string[];
  /** What the client received. */
  readonly received: Buffer;
  readonly session: SessionContext;
  readonly blind: BlindReason | null;
}

export interface Options {
  readonly audience?: Audience;
  readonly note?: (statement: string | null) => Note | null;
  readonly wantsSuccess?: boolean;
  readonly chunking?: Chunking;
  readonly withoutStartup?: boolean;
}

export const sampleNote: Note = {
  recordId: '9f2c51d07a3be844',
  short: '[twiceshy 9f2c51d0] Short form.',
  long: '[twiceshy 9f2c51d0] Long form of the instruction.',
};

export function run(steps: readonly Step[], options: Options = {}): Outcome {
  const events: string[] = [];
  const received: Buffer[] = [];
  const session = testSession({ audience: options.audience ?? 'agent', application: 'psql' });
  let blind: BlindReason | null = null;
  const observer = new PostgresObserver({
    session,
    handler: {
      wantsSuccess: options.wantsSuccess ?? true,
      failed(failure) {
        const statement = failure.statement?.text() ?? null;
        const marks = [failure.phase, `k=${failure.completedBefore}`, failure.before];
        if (failure.isCancelRequested) marks.push('cancel');
        events.push(`failed ${failure.error.code} <${statement ?? '?'}> ${marks.join(' ')}`);
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
    onCancelKey: (key) => events.push(`key ${Buffer.from(key, 'latin1').toString('hex')}`),
    onReady: () => events.push('ready'),
    listenerAddress: '127.0.0.1:1',
  });
  const out: ByteOutput = { write: (bytes) => received.push(Buffer.from(bytes)) };
  const all: readonly Step[] = options.withoutStartup ? steps : [['s', ...startup], ...steps];
  for (const step of all) {
    if (step[0] === 'cancel') {
      observer.cancelRelayed();
      observer.cancelOver();
      continue;
    }
    const [side, ...messages] = step;
    const feed = (chunk: Buffer): void => {
      // A copy, as the network would give: nothing may rely on bytes outside the chunk.
      const copy = Buffer.from(chunk);
      if (side === 'c') observer.toServer(copy);
      else observer.toClient(copy, out);
    };
    const joined = Buffer.concat(messages);
    if (options.chunking === 'byte by byte') for (const byte of joined) feed(Buffer.from([byte]));
    else if (options.chunking === 'all at once') feed(joined);
    else for (const message of messages) feed(message);
  }
  observer.end(out);
  const start = options.withoutStartup ? 0 : Buffer.concat(startup).length;
  return {
    events: options.withoutStartup
      ? events
      : events.filter((event) => event !== 'ready' && !event.startsWith('key')),
    received: Buffer.concat(received).subarray(start),
    session,
    blind,
  };
}

/** The same events whatever way the bytes arrive; returns them. */
export function eventsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  const whole = run(steps, { ...options, chunking: 'whole' });
  for (const chunking of ['byte by byte', 'all at once'] as const) {
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
