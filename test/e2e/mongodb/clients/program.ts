/** Runs a battery in another language as a process of its own, and takes its JSON lines as the transcript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../servers/run-command.js';
import type { Battery } from '../battery/compare.js';
import { failingCommands } from '../battery/failing-commands.js';
import { withoutVarying } from '../battery/plain.js';

const timeoutMs = 300_000;

/** `commandLine` gets the URL and the name of a JSON file with the failing commands. */
export function programBattery(
  commandLine: (url: string, cases: string) => readonly string[],
  env: NodeJS.ProcessEnv = {},
): Battery {
  return async (url, log, { capabilities }) => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-battery-'));
    try {
      const cases = join(folder, 'failing-commands.json');
      writeFileSync(cases, JSON.stringify(failingCommands(capabilities)));
      const [file = '', ...args] = commandLine(url, cases);
      const output = await runCommand(file, args, { env, timeoutMs });
      for (const line of output.split('\n').filter((one) => one.startsWith('{'))) {
        const { step, ...fields } = JSON.parse(line) as { step: string };
        log.add(step, withoutVarying(fields) as Record<string, unknown>);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
