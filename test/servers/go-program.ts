/** Builds a Go program of the tests, made once for its sources and kept in the cache folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const buildTimeoutMs = 600_000;
/** Where Go's own archive puts it. */
const goFolder = '/usr/local/go/bin';

export type BuiltGoProgram = { readonly program: string } | { readonly missing: string };

/**
 * The path of the built program, or the sentence that says what is missing. Dependencies come from the module cache.
 * `target` is the package to build: that of `sources`, or one of a module that it requires.
 */
export async function goProgram(name: string, sources: string, target = '.'): Promise<BuiltGoProgram> {
  const folder = programFolder(name, sources, target);
  const program = join(folder, name);
  try {
    await withLock(folder, () => build(sources, target, folder, program), buildTimeoutMs);
    return { program };
  } catch (error) {
    return { missing: `Go program ${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The same if it has been built; never builds. */
export function builtGoProgram(name: string, sources: string, target = '.'): BuiltGoProgram {
  const program = join(programFolder(name, sources, target), name);
  return existsSync(program) ? { program } : { missing: `Go program ${name} has not been built` };
}

function programFolder(name: string, sources: string, target: string): string {
  const hash = createHash('sha256').update(target);
  for (const file of readdirSync(sources).sort()) hash.update(file).update(readFileSync(join(sources, file)));
  return join(cacheFolder(), `go-${name}-${hash.digest('hex').slice(0, 8)}`);
}

async function build(sources: string, target: string, folder: string, program: string): Promise<void> {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  const path = [process.env['PATH'] ?? '', goFolder].join(delimiter);
  const env = { ...process.env, PATH: path, GOTOOLCHAIN: 'local' };
  // Not the file that is run, until it is whole.
  const partial = `${program}.partial`;
  await runCommand('go', ['build', '-C', sources, '-o', partial, target], { timeoutMs: buildTimeoutMs, env });
  renameSync(partial, program);
}
