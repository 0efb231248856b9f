/**
 * `npm run bench`: every benchmark one after the other, written to docs/benchmarks.md with the versions they ran on.
 * `npm run bench -- shape error-path` runs those and prints them only.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const reportFile = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const order = ['round-trips', 'bulk-rows', 'idle-sessions', 'shape', 'error-path', 'store-start'];
const suffix = '.bench.ts';

function runBenchmark(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', `${folder}${name}${suffix}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${name} ended with ${String(code)}`));
    });
  });
}

function header(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench`. Ratios compare processes in the same run; absolute figures belong to the machine.',
    '',
    `twiceshy ${version}, Node ${process.versions.node}, ${os.platform()} ${os.arch()}, ${os.cpus().length} cores,`,
    `${os.cpus()[0]?.model ?? 'unknown processor'}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '',
  ].join('\n');
}

const present = readdirSync(folder)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !present.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`No benchmark ${unknown.join(', ')}; there are ${present.join(', ')}.\n`);
  process.exit(2);
}
const names = asked.length > 0 ? asked : [...order, ...present.filter((name) => !order.includes(name))];
const sections: string[] = [];
for (const name of names) sections.push(await runBenchmark(name));
if (asked.length === 0) writeFileSync(reportFile, `${(header() + sections.join('\n')).trim()}\n`);
