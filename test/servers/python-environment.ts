/** A Python environment with the database clients the batteries use, made once and kept in the cache folder. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { withLock } from './lock.js';
import { runCommand } from './run-command.js';

const packages = [
  'psycopg[binary]==3.3.9',
  'asyncpg==0.32.0',
  'PyMySQL==1.2.4',
  'cryptography==50.0.2',
  'mysql-connector-python==9.7.0',
  'pymongo==4.20.1',
];
const installTimeoutMs = 300_000;

/** The path of an interpreter that can import the clients, or the sentence that says what is missing. */
export async function pythonEnvironment(): Promise<{ python: string } | { missing: string }> {
  const folder = join(
    cacheFolder(),
    `python-${packages
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9.]+/g, '-')}`,
  );
  const python = join(folder, 'venv', 'bin', 'python');
  const complete = join(folder, 'complete');
  try {
    await withLock(folder, async () => {
      if (existsSync(complete)) return;
      rmSync(join(folder, 'venv'), { recursive: true, force: true });
      await runCommand('python3', ['-m', 'venv', join(folder, 'venv')], {
        timeoutMs: installTimeoutMs,
        env: process.env,
      });
      await runCommand(
        python,
        ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
        {
          timeoutMs: installTimeoutMs,
          env: process.env,
        },
      );
      writeFileSync(complete, '');
    });
    return { python };
  } catch (error) {
    return {
      missing: `Python with ${packages.join(' and ')}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
