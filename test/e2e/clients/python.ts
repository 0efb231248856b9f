/** Runs a Python client's battery as a process of its own and takes its JSON lines as the transcript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../servers/run-command.js';
import type { Battery } from '../battery/compare.js';
import { failingStatements } from '../battery/failing-statements.js';

export function pythonBattery(python: string, script: string): Battery {
  return async (url, log) => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-python-'));
    try {
      const cases = join(folder, 'failing-statements.json');
      writeFileSync(cases, JSON.stringify(failingStatements));
      const program = fileURLToPath(new URL(script, import.meta.url));
      const output = await runCommand(python, [program, url, cases], { env: { PYTHONUNBUFFERED: '1' } });
      for (const line of output.split('\n')) {
        if (line === '') continue;
        const { step, ...fields } = JSON.parse(line) as { step: string };
        log.add(step, fields);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
