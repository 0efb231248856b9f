/** Runs a Python client's battery as a process of its own and takes its JSON lines as the transcript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../servers/run-command.js';
import type { Battery } from '../battery/compare.js';
import { failingStatements } from '../battery/failing-statements.js';
import { addLines } from './json-lines.js';

const timeoutMs = 300_000;

export function pythonBattery(python: string, script: string, ...more: readonly string[]): Battery {
  return async (url, log, flavour) => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-python-'));
    try {
      const cases = join(folder, 'failing-statements.json');
      writeFileSync(cases, JSON.stringify(failingStatements(flavour)));
      const program = fileURLToPath(new URL(`./python/${script}`, import.meta.url));
      const env = { PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' };
      addLines(log, await runCommand(python, [program, url, cases, flavour, ...more], { env, timeoutMs }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
