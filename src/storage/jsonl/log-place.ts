/**
 * Whether the open log is still the file that its name stands for. Other programs may remove, replace or cut it: what
 * is appended then goes where nobody will read it, without an error.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { TwiceshyError } from '../../core/errors.js';
import type { StoreReport } from './options.js';

/** `missing`: the name is gone; `replaced`: it stands for another file; `resized`: ours, of another size than we left it. */
export type LogPlace = 'in_place' | 'missing' | 'replaced' | 'resized';

/** `size`: where our last append ended. Not to be called during one. An error other than a missing name is thrown. */
export async function findLog(path: string, handle: FileHandle, size: number): Promise<LogPlace> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (found === null) return 'missing';
  const own = await handle.stat();
  if (found.ino !== own.ino || found.dev !== own.dev) return 'replaced';
  return own.size === size ? 'in_place' : 'resized';
}

/** Opens the log, made if it is not there, for reading and appending. */
export async function openLog(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'a+', 0o600);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EISDIR' ? noFile(path) : error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw noFile(path);
}

function noFile(path: string): TwiceshyError {
  return new TwiceshyError(
    'MEMORY_WRITE_FAILED',
    `${path} is not a file. Move it away, or name another folder.`,
  );
}

type Disturbance = Exclude<LogPlace, 'in_place'>;

/** What to tell people once the store has gone on after it. */
export const disturbances: Readonly<Record<Disturbance, Pick<StoreReport, 'kind' | 'message'>>> = {
  missing: {
    kind: 'log_restored',
    message:
      'memory.jsonl was removed or renamed while in use. It was written again with all it held; ' +
      'to forget, stop this process and run twiceshy memory clear.',
  },
  replaced: {
    kind: 'log_replaced',
    message:
      'memory.jsonl was replaced by another file while in use. That file is appended to from now on; ' +
      'restart this process to recall what it holds and nothing else.',
  },
  resized: {
    kind: 'log_resized',
    message:
      'memory.jsonl was changed by another program while in use. It is appended to as it is now; ' +
      'restart this process to recall what it holds and nothing else.',
  },
};
