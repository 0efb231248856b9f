/**
 * A folder with the MySQL server and client of Debian sid, which stable Debian does not package: made by debootstrap
 * once, kept in the cache folder. Its programs run through its own dynamic loader, so nothing is mounted, no root is
 * needed after it is made, and the folder can be deleted like any other.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const packages = ['mysql-server-core', 'mysql-client-core', 'libaio1t64'];
const installTimeoutMs = 600_000;

/** The folder, if it has been made. */
export function debianSid(): string | null {
  const root = sidFolder();
  return existsSync(root) ? root : null;
}

/** Makes the folder unless it exists (about a minute). Rejects with a sentence that says what is missing. */
export async function makeDebianSid(): Promise<string> {
  const root = sidFolder();
  if (existsSync(root)) return root;
  if (process.getuid?.() !== 0)
    throw new Error('it comes from Debian sid by debootstrap, which must run as root once');
  if (!existsSync('/usr/sbin/debootstrap'))
    throw new Error('it comes from Debian sid by debootstrap (Debian: apt-get install debootstrap)');
  await withLock(`${root}-making`, () => bootstrap(root), installTimeoutMs);
  return root;
}

/** The command line that runs a program of the folder. */
export function sidCommand(root: string, program: string): string[] {
  const libraries = libraryFolder(root);
  const loader = readdirSync(libraries).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
  if (loader === undefined) throw new Error(`No dynamic loader in ${libraries}`);
  return [join(libraries, loader), '--library-path', libraries, join(root, program)];
}

function sidFolder(): string {
  return join(cacheFolder(), 'debian-sid-mysql');
}

function libraryFolder(root: string): string {
  const base = join(root, 'usr', 'lib');
  const name = readdirSync(base).find((entry) => entry.endsWith('-linux-gnu'));
  if (name === undefined) throw new Error(`No library folder in ${base}`);
  return join(base, name);
}

async function bootstrap(root: string): Promise<void> {
  if (existsSync(root)) return;
  const partial = `${root}.partial`;
  await removePartial(partial);
  await runCommand(
    '/usr/sbin/debootstrap',
    ['--variant=minbase', `--include=${packages.join(',')}`, 'sid', partial],
    { timeoutMs: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
  );
  renameSync(partial, root);
}

/** A killed debootstrap leaves /proc and /sys mounted in what it was making. */
async function removePartial(partial: string): Promise<void> {
  if (!existsSync(partial)) return;
  for (const mount of ['proc', 'sys'])
    await runCommand('umount', [join(partial, mount)]).catch(() => undefined);
  rmSync(partial, { recursive: true, force: true });
}
