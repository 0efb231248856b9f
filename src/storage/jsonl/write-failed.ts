/** The system's errors about a memory as ours: what failed, the system's code, what to do. */
import { TwiceshyError } from '../../core/errors.js';

const advice: Readonly<Record<string, string>> = {
  EACCES: 'This user may not write there: change the permissions, or name another folder.',
  EPERM: 'This user may not write there: change the permissions, or name another folder.',
  EROFS: 'The file system is read-only: name a folder elsewhere.',
  ENOSPC: 'The disk is full: make room.',
  EDQUOT: 'The quota is used up: make room.',
  ENOENT: 'It cannot be made there: name another folder.',
  ENOTDIR: 'Something on the way to it is not a folder: name another one.',
  ELOOP: 'Links on the way to it lead in a circle: name another folder.',
  ENAMETOOLONG: 'The name is too long: name another folder.',
};

export function writeFailed(what: string, error: unknown): TwiceshyError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? '' : ` (${code})`;
  const whatToDo = advice[code ?? ''] ?? "Check the folder's permissions and free space.";
  return new TwiceshyError('MEMORY_WRITE_FAILED', `${what}${reason}. ${whatToDo}`, { cause: error });
}
