/** Memory of idle sessions: what 500 of them, each with a statement behind it, add to the process. */
import pg from 'pg';
import { acquirePostgresServers, releasePostgresServers } from '../test/servers/provision.js';
import { residentMemory } from '../test/support/process-figures.js';
import { printSection, table } from './support/report.js';
import { pipeTarget, type Target, twiceshyTarget } from './support/targets.js';

const sessions = 150;
const lease = 'idle-sessions';

async function measure(target: Target): Promise<number> {
  const open = async (count: number): Promise<pg.Client[]> => {
    const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: target.url }));
    for (const client of clients) {
      await client.connect();
      await client.query('select $1::int', [1]);
    }
    return clients;
  };
  const warm = await open(20);
  const before = residentMemory(Number(target.pid)).now;
  const clients = await open(sessions);
  const after = residentMemory(Number(target.pid)).now;
  await Promise.all([...warm, ...clients].map((client) => client.end()));
  return (after - before) / sessions / 1024;
}

const server = (await acquirePostgresServers(lease)).find((one) => 'url' in one);
if (server === undefined || !('url' in server)) throw new Error('No PostgreSQL server to measure against');
const rows: (string | number)[][] = [];
try {
  for (const start of [pipeTarget, twiceshyTarget]) {
    const target = await start(server.url);
    rows.push([target.name, (await measure(target)).toFixed(1)]);
    await target.stop();
  }
  printSection(`Idle sessions (${server.name})`, [
    `Resident memory added by each of ${sessions} sessions that have run one statement and wait (upper bound: includes`,
    'what the allocator keeps). Target of the design: heap below 64 KiB a session.',
    '',
    ...table(['process', 'KiB a session'], rows),
  ]);
} finally {
  await releasePostgresServers(lease);
}
process.exit(0);
