/** Reading a memory without its lock: what the command line does while a proxy writes. */
import { constants } from 'node:fs';
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
    const found = await handle.stat();
    if (!found.isFile()) {
      throw new TwiceshyError('MEMORY_UNREADABLE', `${memoryFiles(folder).log} is not a file.`);
    }
    const { size } = found;
    return await replayLog(handle, size, onEvent, onChunk);
  } finally {
    await handle.close();
  }
}

async function openLog(folder: string): Promise<FileHandle> {
  const path = memoryFiles(folder).log;
  try {
    // Without waiting: a named pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const message = reasons(folder)[code] ?? `The memory in ${folder} cannot be read (${code}).`;
    throw new TwiceshyError('MEMORY_UNREADABLE', message, { cause: error });
  }
}

function reasons(folder: string): Readonly<Record<string, string>> {
  const whatToDo = 'Name the folder that the proxy was given with --memory.';
  return {
    ENOENT: `There is no memory in ${folder} (no file memory.jsonl). ${whatToDo}`,
    ENOTDIR: `There is no memory in ${folder}: it is not a folder. ${whatToDo}`,
  };
}
