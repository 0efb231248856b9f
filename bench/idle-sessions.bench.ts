/** Memory of idle sessions: what 500 of them, each with a statement behind it, add to the process. */
import { residentMemory } from '../test/support/process-figures.js';
import type { BenchDatabase, RawSession } from './support/database.js';
import { benchDatabases } from './support/databases.js';
import { printSection, table } from './support/report.js';
import { pipeTarget, type Target, twiceshyTarget } from './support/targets.js';

const sessions = 150;
const lease = 'idle-sessions';

async function measure(database: BenchDatabase, target: Target): Promise<number> {
  const open = async (count: number): Promise<RawSession[]> => {
    const opened: RawSession[] = [];
    for (let index = 0; index < count; index += 1) {
      const session = await database.openRawSession(target.url);
      await session.roundTrip(database.query('select 1'));
      opened.push(session);
    }
    return opened;
  };
  const warm = await open(20);
  const before = residentMemory(Number(target.pid)).now;
  const idle = await open(sessions);
  const after = residentMemory(Number(target.pid)).now;
  await Promise.all([...warm, ...idle].map((session) => session.close()));
  return (after - before) / sessions / 1024;
}

for (const database of benchDatabases) {
  const server = await database.acquire(lease);
  const rows: (string | number)[][] = [];
  const starts = [pipeTarget, (url: string) => twiceshyTarget(database, url)];
  try {
    for (const start of starts) {
      const target = await start(server.url);
      rows.push([target.name, (await measure(database, target)).toFixed(1)]);
      await target.stop();
    }
    printSection(`Idle sessions (${server.name})`, [
      `Resident memory added by each of ${sessions} sessions that have run one statement and wait (upper bound: includes`,
      'what the allocator keeps). Target of the design: heap below 64 KiB a session.',
      '',
      ...table(['process', 'KiB a session'], rows),
    ]);
  } finally {
    await server.release();
  }
}
process.exit(0);
