/**
 * Statement round trips: processor time of the process in between per statement, and latency, in one run.
 *
 * Targets take turns in short rounds, so that a change of the machine's speed hits all alike; the ratio is the median
 * over rounds of each round's own ratio to the bare pipe.
 */

import type { BenchDatabase, RawSession } from './support/database.js';
import { benchDatabases } from './support/databases.js';
import { processorTimeUs } from './support/processor-time.js';
import { median, percentile, printSection, table } from './support/report.js';
import { openTargets, type Target } from './support/targets.js';

const rounds = 7;
const statementsPerRound = 4_000;
const lease = 'round-trips';

interface Figures {
  readonly cpuUs: number[];
  readonly p50: number[];
  readonly p99: number[];
}

async function measure(
  target: Target,
  sessions: readonly RawSession[],
  bytes: Buffer,
): Promise<{ cpuUs: number; p50: number; p99: number }> {
  const each = Math.ceil(statementsPerRound / sessions.length);
  const times = new Float64Array(each * sessions.length);
  let seen = 0;
  const before = target.pid === null ? 0 : processorTimeUs(target.pid);
  await Promise.all(
    sessions.map((session) =>
      session.repeat(bytes, each, (us) => {
        times[seen] = us;
        seen += 1;
      }),
    ),
  );
  const cpuUs = target.pid === null ? Number.NaN : processorTimeUs(target.pid) - before;
  times.sort();
  return { cpuUs: cpuUs / times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

async function run(database: BenchDatabase, targets: readonly Target[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const clients of [1, 8, 64]) {
    for (const { name, prepare, bytes } of database.roundTrips) {
      const figures = new Map<Target, Figures>();
      for (const target of targets) figures.set(target, { cpuUs: [], p50: [], p99: [] });
      for (let round = -1; round < rounds; round += 1) {
        for (const target of targets) {
          const sessions = await Promise.all(
            Array.from({ length: clients }, () => database.openRawSession(target.url)),
          );
          if (prepare !== null) await Promise.all(sessions.map((session) => session.roundTrip(prepare)));
          const result = await measure(target, sessions, bytes);
          await Promise.all(sessions.map((session) => session.close()));
          if (round < 0) continue; // warm-up
          figures.get(target)?.cpuUs.push(result.cpuUs);
          figures.get(target)?.p50.push(result.p50);
          figures.get(target)?.p99.push(result.p99);
        }
      }
      const pipe = figures.get(targets[1] as Target) as Figures;
      for (const target of targets) {
        const mine = figures.get(target) as Figures;
        const ratios = mine.cpuUs.map((value, index) => value / (pipe.cpuUs[index] as number));
        rows.push([
          name,
          clients,
          target.name,
          target.pid === null ? '' : median(mine.cpuUs).toFixed(1),
          target.pid === null ? '' : median(ratios).toFixed(2),
          median(mine.p50).toFixed(0),
          median(mine.p99).toFixed(0),
        ]);
      }
    }
  }
  return rows;
}

for (const database of benchDatabases) {
  const server = await database.acquire(lease);
  const targets = await openTargets(database, server.url);
  try {
    printSection(`Round trips of \`select 1\` (${server.name})`, [
      `Processor time of the process in between per statement; ${rounds} rounds of ${statementsPerRound} statements a`,
      'target, targets in turn, medians over rounds. Target of the design: at most 1.15 × the bare pipe.',
      '',
      ...table(
        ['protocol', 'clients', 'through', 'CPU µs/statement', '× bare pipe', 'p50 µs', 'p99 µs'],
        await run(database, targets),
      ),
    ]);
  } finally {
    for (const target of targets) await target.stop();
    await server.release();
  }
}
process.exit(0);
