/** mongosh, of which the npm package is too large to be a dependency: installed once and kept in the cache folder. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const version = '2.12.0';
const installTimeoutMs = 300_000;

/** A command line, or the sentence that says what is missing. */
export async function mongoshProgram(): Promise<
  { readonly command: readonly string[] } | { readonly missing: string }
> {
  const folder = join(cacheFolder(), `mongosh-${version}`);
  const complete = join(folder, 'complete');
  try {
    await withLock(folder, () => install(folder, complete), installTimeoutMs);
    return { command: [process.execPath, join(folder, 'node_modules', 'mongosh', 'bin', 'mongosh.js')] };
  } catch (error) {
    return { missing: `mongosh ${version}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function install(folder: string, complete: string): Promise<void> {
  if (existsSync(complete)) return;
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  // A manifest of its own keeps npm from looking for one further up.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--omit=optional', '--ignore-scripts'];
  await runCommand('npm', ['install', '--prefix', folder, ...quiet, `mongosh@${version}`], {
    timeoutMs: installTimeoutMs,
    env: process.env,
  });
  writeFileSync(complete, '');
}
