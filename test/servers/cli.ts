/**
 * The test servers for people and benchmarks: `npx tsx test/servers/cli.ts up|down|env`.
 *
 * `up` keeps them running until `down`; `env` prints the URLs of those that run, as shell assignments.
 */
import { acquireServers, releaseServers, runningServers, type TestServers } from './provision.js';

const lease = 'command-line';

async function main(command: string | undefined): Promise<number> {
  if (command === 'up') return print(await acquireServers(lease, true));
  if (command === 'env') return print(await runningServers());
  if (command === 'down') {
    await releaseServers(lease);
    return 0;
  }
  process.stderr.write('Usage: tsx test/servers/cli.ts up|down|env\n');
  return 2;
}

function print({ postgres, mysql, mongodb }: TestServers): number {
  let missing = 0;
  for (const server of [...postgres, ...mysql, ...mongodb]) {
    const variable = server.name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    if ('url' in server) process.stdout.write(`${variable}_URL=${server.url}\n`);
    else {
      missing += 1;
      process.stderr.write(`${server.name}: ${server.missing}\n`);
    }
  }
  return missing === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
