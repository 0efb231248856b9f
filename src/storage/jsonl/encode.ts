/** Events as lines of the log. */
import { limits } from '../../core/limits.js';
import type { MemoryEvent } from '../../core/memory/record.js';

export interface EncodedEvents {
  readonly bytes: Buffer;
  readonly mergeableBytes: number;
  /** Events left out because a line cannot hold them. */
  readonly refused: number;
}

export function encodeEvents(
  events: readonly MemoryEvent[],
  isMergeable: (event: MemoryEvent) => boolean,
): EncodedEvents {
  let text = '';
  let mergeableBytes = 0;
  let refused = 0;
  for (const event of events) {
    const line = JSON.stringify(event);
    // UTF-8 takes at most three bytes a UTF-16 unit: most lines are judged by their length alone.
    const isTooLong =
      line.length > limits.maxRecordLineBytes ||
      (line.length * 3 > limits.maxRecordLineBytes && Buffer.byteLength(line) > limits.maxRecordLineBytes);
    if (isTooLong) {
      refused++;
      continue;
    }
    text += `${line}\n`;
    if (isMergeable(event)) mergeableBytes += line.length;
  }
  return { bytes: Buffer.from(text), mergeableBytes, refused };
}
