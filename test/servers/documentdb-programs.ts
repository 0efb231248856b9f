/**
 * Finds what FerretDB needs: PostgreSQL with the DocumentDB extension (Debian sid, see debian-sid.ts), and FerretDB
 * itself, built from its Go module.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianSid, makeDebianSid, sidCommand } from './debian-sid.js';
import { builtGoProgram, goProgram } from './go-program.js';

const sources = fileURLToPath(new URL('ferretdb', import.meta.url));
const mainPackage = 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb';
const postgresFolder = 'usr/lib/postgresql/18';

/** Command lines and files of both programs. */
export interface FerretdbPrograms {
  readonly name: string;
  readonly ferretdb: string;
  readonly postgres: readonly string[];
  readonly initdb: readonly string[];
  /** Version of the extension: data made with another one is not read. */
  readonly extension: string;
}

/** The programs, or the sentence that says what is missing and how to get it. */
export type FoundFerretdb = FerretdbPrograms | { readonly name: string; readonly missing: string };

const name = 'ferretdb-2.7';

/** With `isMaking`, gets both when the cache has none (minutes); without, only looks. */
export async function ferretdbPrograms(isMaking: boolean): Promise<FoundFerretdb> {
  try {
    const [root, built] = isMaking
      ? await Promise.all([makeDebianSid(), goProgram('ferretdb', sources, mainPackage)])
      : [debianSid(), builtGoProgram('ferretdb', sources, mainPackage)];
    if (root === null) return { name, missing: 'not made yet' };
    if ('missing' in built) return { name, missing: built.missing };
    return { name, ferretdb: built.program, ...postgresOf(root) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, missing: `DocumentDB is not here: ${reason}` };
  }
}

function postgresOf(root: string): Pick<FerretdbPrograms, 'postgres' | 'initdb' | 'extension'> {
  const libraries = [join(postgresFolder, 'lib')];
  const postgres = sidCommand(root, join(postgresFolder, 'bin', 'postgres'), libraries);
  const initdb = join(programFolder(root, postgres), 'initdb');
  const share = join(root, 'usr/share/postgresql/18');
  const control = readFileSync(join(share, 'extension', 'documentdb.control'), 'utf8');
  return {
    postgres,
    initdb: [...postgres.slice(0, -1), initdb, '-L', share],
    extension: /default_version *= *'([^']+)'/.exec(control)?.[1] ?? '',
  };
}

/**
 * initdb runs the `postgres` that lies beside it, and would start it with this machine's loader: so it is copied to a
 * folder where that name is a script with the loader of the other Debian.
 */
function programFolder(root: string, postgres: readonly string[]): string {
  const folder = join(root, 'twiceshy-initdb');
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o755 });
  copyFileSync(join(root, postgresFolder, 'bin', 'initdb'), join(partial, 'initdb'));
  const words = postgres.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(partial, 'postgres'), `#!/bin/sh\nexec ${words} "$@"\n`);
  for (const program of ['initdb', 'postgres']) chmodSync(join(partial, program), 0o755);
  renameSync(partial, folder);
  return folder;
}
