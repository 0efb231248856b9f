/** Builds a Go program of the tests, made once for its sources and kept in the cache folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const buildTimeoutMs = 300_000;
/** Where Go's own archive puts it. */
const goFolder = '/usr/local/go/bin';

/** The path of the built program, or the sentence that says what is missing. Dependencies come from the module cache. */
export async function goProgram(
  name: string,
  sources: string,
): Promise<{ program: string } | { missing: string }> {
  const hash = createHash('sha256');
  for (const file of readdirSync(sources).sort()) hash.update(file).update(readFileSync(join(sources, file)));
  const folder = join(cacheFolder(), `go-${name}-${hash.digest('hex').slice(0, 8)}`);
  const program = join(folder, name);
  try {
    await withLock(folder, () => build(sources, folder, program));
    return { program };
  } catch (error) {
    return { missing: `Go program ${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function build(sources: string, folder: string, program: string): Promise<void> {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  const path = [process.env['PATH'] ?? '', goFolder].join(delimiter);
  const env = { ...process.env, PATH: path, GOTOOLCHAIN: 'local' };
  // Not the file that is run, until it is whole.
  const partial = `${program}.partial`;
  await runCommand('go', ['build', '-C', sources, '-o', partial, '.'], { timeoutMs: buildTimeoutMs, env });
  renameSync(partial, program);
}
