/**
 * A folder with what Debian sid packages and stable Debian does not: the MySQL server and client, PostgreSQL with the
 * DocumentDB extension. Made by debootstrap once, kept in the cache folder. Its programs run through its own dynamic
 * loader, so nothing is mounted, no root is needed after it is made, and the folder can be deleted like any other.
 *
 * Invariant: the folder holds the packages named below, whole; an older one without some of them is made anew.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const packages = ['mysql-server-core', 'mysql-client-core', 'libaio1t64', 'postgresql-18-documentdb'];
const installTimeoutMs = 600_000;
/** Of no use to a program that runs, and a third of the folder. */
const unneeded = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale', 'usr/share/man'];

/** The folder, if it has been made. */
export function debianSid(): string | null {
  const root = sidFolder();
  return isComplete(root) ? root : null;
}

/** Makes the folder unless it exists (about two minutes). Rejects with a sentence that says what is missing. */
export async function makeDebianSid(): Promise<string> {
  const root = sidFolder();
  if (isComplete(root)) return root;
  if (process.getuid?.() !== 0)
    throw new Error('it comes from Debian sid by debootstrap, which must run as root once');
  if (!existsSync('/usr/sbin/debootstrap'))
    throw new Error('it comes from Debian sid by debootstrap (Debian: apt-get install debootstrap)');
  await withLock(`${root}-making`, () => bootstrap(root), installTimeoutMs);
  return root;
}

/** The command line that runs a program of the folder; `libraries` are more folders of it to look for libraries in. */
export function sidCommand(root: string, program: string, libraries: readonly string[] = []): string[] {
  const standard = libraryFolder(root);
  const loader = readdirSync(standard).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
  if (loader === undefined) throw new Error(`No dynamic loader in ${standard}`);
  const path = [standard, ...libraries.map((folder) => join(root, folder))].join(':');
  return [join(standard, loader), '--library-path', path, join(root, program)];
}

function sidFolder(): string {
  return join(cacheFolder(), 'debian-sid-mysql');
}

function isComplete(root: string): boolean {
  const stamp = stampFile(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === packages.join(' ');
}

function stampFile(root: string): string {
  return join(root, 'twiceshy-packages');
}

function libraryFolder(root: string): string {
  const base = join(root, 'usr', 'lib');
  const name = readdirSync(base).find((entry) => entry.endsWith('-linux-gnu'));
  if (name === undefined) throw new Error(`No library folder in ${base}`);
  return join(base, name);
}

async function bootstrap(root: string): Promise<void> {
  if (isComplete(root)) return;
  const partial = `${root}.partial`;
  await removePartial(partial);
  await runCommand(
    '/usr/sbin/debootstrap',
    ['--variant=minbase', `--include=${packages.join(',')}`, 'sid', partial],
    { timeoutMs: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
  );
  for (const folder of unneeded) rmSync(join(partial, folder), { recursive: true, force: true });
  keepLinksInside(partial);
  writeFileSync(stampFile(partial), packages.join(' '));
  // A server that runs out of the older folder keeps the files it has open.
  const older = `${root}.older`;
  if (existsSync(root)) renameSync(root, older);
  renameSync(partial, root);
  rmSync(older, { recursive: true, force: true });
}

/** Links of Debian's alternatives name absolute paths, which outside of a chroot are this machine's own. */
function keepLinksInside(root: string): void {
  for (const folder of ['etc/alternatives', 'usr/lib', 'usr/share']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) continue;
      const link = join(entry.parentPath, entry.name);
      const target = readlinkSync(link);
      if (!target.startsWith('/')) continue;
      rmSync(link);
      symlinkSync(relative(dirname(link), join(root, target)), link);
    }
  }
}

/** A killed debootstrap leaves /proc and /sys mounted in what it was making. */
async function removePartial(partial: string): Promise<void> {
  if (!existsSync(partial)) return;
  for (const mount of ['proc', 'sys'])
    await runCommand('umount', [join(partial, mount)]).catch(() => undefined);
  rmSync(partial, { recursive: true, force: true });
}
