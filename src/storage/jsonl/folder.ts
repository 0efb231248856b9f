/**
 * The folder of a memory: made step by step, private to its owner, and clear about what is in the way.
 *
 * Not with the recursive mkdir of Node.js: below a folder that takes no entries (/proc) it tries again for ever, in a
 * thread that cannot be ended.
 */
import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { TwiceshyError } from '../../core/errors.js';

/** What was found of the rights of a folder that was there before. */
export type FolderAccess = 'private' | 'made_private' | 'open';

const groupAndOthers = 0o077;
const sticky = 0o1000;

/** Makes `folder` and what is missing above it, mode 0700. Throws MEMORY_WRITE_FAILED naming what is in the way, or the system's error. */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    // Made by another process in between.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await isFolder(path))) return;
    throw error;
  }
}

/**
 * Takes the rights of group and others away where that can surprise nobody: the folder is ours and holds nothing but a
 * memory. `open`: others have rights on it, and it was left as it is.
 */
export async function keepPrivate(folder: string): Promise<FolderAccess> {
  const ownUser = process.getuid?.();
  if (ownUser === undefined) return 'private'; // a platform without such rights
  const { mode, uid } = await stat(folder);
  if ((mode & groupAndOthers) === 0) return 'private';
  // Somebody may have named /tmp or a folder of a project.
  const isOnlyMemory = (await readdir(folder)).every((name) => name.startsWith('memory.'));
  if (uid !== ownUser || (mode & sticky) !== 0 || !isOnlyMemory) return 'open';
  try {
    await chmod(folder, mode & 0o700);
    return 'made_private';
  } catch {
    return 'open';
  }
}

/** False when nothing is there. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const link = await lstat(path).catch(() => null);
    if (link === null) return false;
    throw inTheWay(`${path} is a link to something that does not exist`);
  }
  throw inTheWay(`${path} is not a folder`);
}

function inTheWay(what: string): TwiceshyError {
  return new TwiceshyError('MEMORY_WRITE_FAILED', `${what}. Name a folder for the memory.`);
}
