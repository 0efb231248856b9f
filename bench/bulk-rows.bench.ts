/** Bulk rows and one very large row: processor time of the process in between per MB, and its memory. */
import { resetPeakMemory, residentMemory } from '../test/support/process-figures.js';
import type { BenchDatabase } from './support/database.js';
import { benchDatabases } from './support/databases.js';
import { processorTimeUs } from './support/processor-time.js';
import { median, printSection, table } from './support/report.js';
import { openTargets, type Target } from './support/targets.js';

const rounds = 5;
const lease = 'bulk-rows';
const megabyte = 1024 * 1024;

async function measure(
  database: BenchDatabase,
  target: Target,
  sql: string,
): Promise<{ cpuMs: number; wallMs: number; growth: number }> {
  const session = await database.openRawSession(target.url);
  const memoryBefore = target.pid === null ? 0 : residentMemory(target.pid).now;
  if (target.pid !== null) resetPeakMemory(target.pid);
  const cpuBefore = target.pid === null ? 0 : processorTimeUs(target.pid);
  const started = performance.now();
  await session.roundTrip(database.query(sql));
  const figures = {
    wallMs: performance.now() - started,
    cpuMs: target.pid === null ? Number.NaN : (processorTimeUs(target.pid) - cpuBefore) / 1000,
    growth: target.pid === null ? Number.NaN : residentMemory(target.pid).peak - memoryBefore,
  };
  await session.close();
  return figures;
}

async function run(database: BenchDatabase, targets: readonly Target[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { name, sql, megabytes } of database.bulk) {
    const results = new Map(targets.map((target) => [target, [] as Awaited<ReturnType<typeof measure>>[]]));
    for (let round = -1; round < rounds; round += 1) {
      for (const target of targets) {
        const result = await measure(database, target, sql);
        if (round >= 0) results.get(target)?.push(result);
      }
    }
    const pipe = results.get(targets[1] as Target) ?? [];
    for (const target of targets) {
      const mine = results.get(target) ?? [];
      const isBetween = target.pid !== null;
      rows.push([
        name,
        target.name,
        isBetween ? (median(mine.map((one) => one.cpuMs)) / megabytes).toFixed(2) : '',
        isBetween
          ? median(mine.map((one, index) => one.cpuMs / (pipe[index]?.cpuMs ?? Number.NaN))).toFixed(2)
          : '',
        median(mine.map((one) => one.wallMs)).toFixed(0),
        isBetween ? (Math.max(...mine.map((one) => one.growth)) / megabyte).toFixed(0) : '',
      ]);
    }
  }
  return rows;
}

for (const database of benchDatabases) {
  const server = await database.acquire(lease);
  const targets = await openTargets(database, server.url);
  try {
    printSection(`Bulk rows (${server.name})`, [
      `${rounds} rounds after a warm-up, targets in turn; medians, memory the largest growth seen in a round. Target of`,
      'the design: at most 1.3 × the bare pipe, and flat memory.',
      '',
      ...table(
        ['result', 'through', 'CPU ms/MB', '× bare pipe', 'wall ms', 'memory growth MB'],
        await run(database, targets),
      ),
    ]);
  } finally {
    for (const target of targets) await target.stop();
    await server.release();
  }
}
process.exit(0);
