/** Names in a memory folder, and the durability of names themselves. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';

export interface MemoryFiles {
  readonly log: string;
  /** What was cut off the end of the log when it was healed; for people, never read back. */
  readonly torn: string;
  /** A log being rewritten; left over only by a crash. */
  readonly rewrite: string;
  /** The same, of a compaction. */
  readonly merged: string;
}

export function memoryFiles(folder: string): MemoryFiles {
  return {
    log: join(folder, 'memory.jsonl'),
    torn: join(folder, 'memory.torn'),
    rewrite: join(folder, 'memory.rewrite'),
    merged: join(folder, 'memory.merged'),
  };
}

/** Makes a created or renamed name as durable as the file behind it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return; // a platform that cannot open folders
  try {
    await handle.sync();
  } catch {
    // Some file systems refuse it; the name is then as durable as they make it.
  } finally {
    await handle.close();
  }
}
