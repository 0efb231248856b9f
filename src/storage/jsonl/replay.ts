/**
 * Reads the log from its start: every line is an event to hand out, or is passed over and counted. The file is never
 * changed here, so a line this program cannot read is there for one that can.
 */
import type { FileHandle } from 'node:fs/promises';
import { limits } from '../../core/limits.js';
import type { MemoryEvent } from '../../core/memory/record.js';
import { type CheckedEvent, checkEvent } from '../event-check.js';
import { walkLines } from './lines.js';

export interface ReplayReport {
  readonly bytes: number;
  readonly lines: number;
  readonly events: number;
  /** Bytes of observations and feedback of records that had some before: about what compaction would save. */
  readonly mergeableBytes: number;
  /** Lines that are no JSON or lack a field. */
  readonly damaged: number;
  /** Lines of a newer version of this program. */
  readonly unknown: number;
  readonly tooLong: number;
  /** Bytes behind the last newline that are no event: an append was cut short, or is going on. */
  readonly tornBytes: number;
}

/**
 * Calls `onEvent` for each event of the first `size` bytes, in order. What it throws ends the replay. `onChunk` runs
 * after each part of the file and is waited for: the place to pass on what was gathered.
 */
export async function replayLog(
  handle: FileHandle,
  size: number,
  onEvent: (event: MemoryEvent) => void,
  onChunk?: () => Promise<void>,
): Promise<ReplayReport> {
  let lines = 0;
  let events = 0;
  let damaged = 0;
  let unknown = 0;
  let tooLong = 0;
  let mergeableBytes = 0;
  const merging = { observed: new Set<string>(), feedback: new Set<string>() };

  const take = (text: string, bytes: number): CheckedEvent['kind'] => {
    const checked = parseLine(text);
    if (checked.kind === 'event') {
      events++;
      const { event } = checked;
      if (event.event === 'observed' || event.event === 'feedback') {
        if (merging[event.event].has(event.id)) mergeableBytes += bytes;
        else merging[event.event].add(event.id);
      }
      onEvent(event);
    }
    return checked.kind;
  };

  const tail = await walkLines(
    handle,
    { to: size, chunkBytes: limits.storeReadChunkBytes, maxLineBytes: limits.maxRecordLineBytes },
    {
      line(buffer, start, end) {
        if (isBlank(buffer, start, end)) return;
        lines++;
        const kind = take(buffer.toString('utf8', start, end), end - start);
        if (kind === 'invalid') damaged++;
        else if (kind === 'unknown') unknown++;
      },
      tooLong() {
        lines++;
        tooLong++;
      },
      chunk: () => onChunk?.(),
    },
  );

  let tornBytes = size - tail;
  if (tornBytes > 0 && tornBytes <= limits.maxRecordLineBytes) {
    // A whole event whose newline is missing counts: whoever opens the log for writing adds the newline.
    const text = await readRange(handle, tail, size);
    if (take(text, tornBytes) === 'event') {
      lines++;
      tornBytes = 0;
    }
  }
  return { bytes: size, lines, events, mergeableBytes, damaged, unknown, tooLong, tornBytes };
}

/** One line of the log, without its newline. */
export function parseLine(text: string): CheckedEvent {
  try {
    return checkEvent(JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text));
  } catch {
    return { kind: 'invalid', reason: 'expected JSON' };
  }
}

/** Observations and feedback add up: many of them say the same as one. */
export function isMergeable(event: MemoryEvent): boolean {
  return event.event === 'observed' || event.event === 'feedback';
}

export async function readRange(handle: FileHandle, from: number, to: number): Promise<string> {
  const buffer = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.toString('utf8', 0, filled);
}

function isBlank(buffer: Buffer, start: number, end: number): boolean {
  return end === start || (end === start + 1 && buffer[start] === 0x0d);
}
