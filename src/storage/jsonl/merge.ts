/**
 * Compaction: copies a log and lets observations and feedback of a record that follow each other become one.
 *
 * Invariant: the copy folds to the same records. Counts are merged only between two other events of the same record,
 * since those may start a count anew; every other line, also one that cannot be read, is copied byte for byte.
 */
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../core/limits.js';
import type { FeedbackKind, MemoryEvent } from '../../core/memory/record.js';
import { walkLines } from './lines.js';
import { parseLine } from './replay.js';

/** Small enough that traffic relayed by the same process does not notice a chunk being parsed. */
const chunkBytes = 128 * 1024;
const newline = Buffer.from('\n');

interface Pending {
  count: number;
  successes: number;
  observedAt: string;
  succeededAt: string;
  readonly feedback: Map<FeedbackKind, { count: number; at: string }>;
}

export interface MergeTarget {
  append(bytes: Buffer): Promise<void>;
}

/** Copies the whole lines of the first `size` bytes. `isStopped` ends it early: the result is then of no use. */
export async function mergeObservations(
  source: FileHandle,
  size: number,
  target: MergeTarget,
  isStopped: () => boolean,
): Promise<void> {
  const pending = new Map<string, Pending>();
  let pieces: (Buffer | { from: number; to: number })[] = [];

  const settle = (id: string, counts: Pending): void => {
    for (const event of mergedEvents(id, counts)) pieces.push(Buffer.from(`${JSON.stringify(event)}\n`));
    pending.delete(id);
  };
  const flush = async (): Promise<void> => {
    const ready = pieces;
    pieces = [];
    let batch: Buffer[] = [];
    for (const piece of ready) {
      if (Buffer.isBuffer(piece)) {
        batch.push(piece);
        continue;
      }
      await target.append(Buffer.concat(batch));
      batch = [];
      await copyRange(source, piece.from, piece.to, target);
    }
    if (batch.length > 0) await target.append(Buffer.concat(batch));
  };

  await walkLines(
    source,
    { to: size, chunkBytes, maxLineBytes: limits.maxRecordLineBytes },
    {
      line(buffer, start, end) {
        if (isStopped()) return;
        const checked = parseLine(buffer.toString('utf8', start, end));
        if (checked.kind === 'event') {
          if (addTo(pending, checked.event)) return;
          const counts = pending.get(checked.event.id);
          if (counts !== undefined) settle(checked.event.id, counts);
        }
        // A copy: the walk uses its buffer again.
        pieces.push(Buffer.concat([buffer.subarray(start, end), newline]));
      },
      tooLong(from, to) {
        pieces.push({ from, to });
      },
      async chunk() {
        if (!isStopped()) await flush();
        await nextTurn();
      },
    },
  );
  for (const [id, counts] of pending) settle(id, counts);
  if (!isStopped()) await flush();
}

/** Appends the bytes [from, to) of `source` to `target`, in pieces. */
export async function copyRange(
  source: FileHandle,
  from: number,
  to: number,
  target: MergeTarget,
): Promise<void> {
  const block = Buffer.alloc(Math.min(limits.storeReadChunkBytes, Math.max(1, to - from)));
  for (let position = from; position < to; ) {
    const { bytesRead } = await source.read(block, 0, Math.min(block.length, to - position), position);
    if (bytesRead === 0) break;
    await target.append(block.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function addTo(pending: Map<string, Pending>, event: MemoryEvent): boolean {
  if (event.event !== 'observed' && event.event !== 'feedback') return false;
  let counts = pending.get(event.id);
  if (counts === undefined) {
    counts = { count: 0, successes: 0, observedAt: '', succeededAt: '', feedback: new Map() };
    pending.set(event.id, counts);
  }
  if (event.event === 'feedback') {
    const known = counts.feedback.get(event.kind);
    if (known === undefined) counts.feedback.set(event.kind, { count: event.count, at: event.at });
    else {
      known.count += event.count;
      known.at = later(known.at, event.at);
    }
    return true;
  }
  counts.count += event.count;
  counts.successes += event.successes ?? 0;
  // Only occurrences move the time a record was last seen.
  if (event.count > 0) counts.observedAt = later(counts.observedAt, event.at);
  else counts.succeededAt = later(counts.succeededAt, event.at);
  return true;
}

function mergedEvents(id: string, counts: Pending): MemoryEvent[] {
  const events: MemoryEvent[] = [];
  const { count, successes } = counts;
  if (count > 0 || successes > 0) {
    const at = count > 0 ? counts.observedAt : counts.succeededAt;
    events.push({ v: 1, event: 'observed', id, at, count, ...(successes > 0 ? { successes } : {}) });
  }
  for (const [kind, feedback] of counts.feedback) {
    if (feedback.count > 0) {
      events.push({ v: 1, event: 'feedback', id, at: feedback.at, kind, count: feedback.count });
    }
  }
  return events;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
