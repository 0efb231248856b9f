/** What a memory folder holds, folded as the product folds it; works beside a running proxy, which may yet have more to write. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldEvents } from '../../src/core/memory/fold.js';
import type { MemoryEvent, MemoryRecord } from '../../src/core/memory/record.js';

export function recordsIn(folder: string): MemoryRecord[] {
  const text = readFileSync(join(folder, 'memory.jsonl'), 'utf8');
  // What stands behind the last line break is still being written.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Partial<MemoryEvent>);
  return [...foldEvents(events.filter((one): one is MemoryEvent => one.event !== undefined)).values()];
}
