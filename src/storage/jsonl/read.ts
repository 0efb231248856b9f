/** Reading a memory without its lock: what the command line does while a proxy writes. */
import { type FileHandle, open } from 'node:fs/promises';
import { TwiceshyError } from '../../core/errors.js';
import type { MemoryEvent } from '../../core/memory/record.js';
import { memoryFiles } from './files.js';
import { type ReplayReport, replayLog } from './replay.js';

/**
 * Hands every event of the memory in `folder`, as it is now, to `onEvent` (`onChunk`: see replay.ts). Changes nothing. Throws MEMORY_UNREADABLE where there is
 * no memory or it may not be read.
 */
export async function readJsonl(
  folder: string,
  onEvent: (event: MemoryEvent) => void,
  onChunk?: () => Promise<void>,
): Promise<ReplayReport> {
  const handle = await openLog(folder);
  try {
    const { size } = await handle.stat();
    return await replayLog(handle, size, onEvent, onChunk);
  } finally {
    await handle.close();
  }
}

async function openLog(folder: string): Promise<FileHandle> {
  const path = memoryFiles(folder).log;
  try {
    return await open(path, 'r');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const message =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `There is no memory in ${folder} (no file memory.jsonl). Name the folder that the proxy was given with --memory.`
        : `The memory in ${folder} cannot be read (${code}).`;
    throw new TwiceshyError('MEMORY_UNREADABLE', message, { cause: error });
  }
}
