/** Runs the Go client's battery as a process of its own and takes its JSON lines as the transcript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../servers/run-command.js';
import type { Battery } from '../battery/compare.js';
import { failingStatements } from '../battery/failing-statements.js';
import { addLines } from './json-lines.js';

export const goSources = fileURLToPath(new URL('./go', import.meta.url));

const timeoutMs = 300_000;

export function goBattery(program: string): Battery {
  return async (url, log, flavour) => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-go-'));
    try {
      const cases = join(folder, 'failing-statements.json');
      writeFileSync(cases, JSON.stringify(failingStatements(flavour)));
      addLines(log, await runCommand(program, [url, cases, flavour], { timeoutMs }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
