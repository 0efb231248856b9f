/** Bulk rows and one very large row: processor time of the process in between per MB, and its memory. */
import pg from 'pg';
import { acquirePostgresServers, releasePostgresServers } from '../test/servers/provision.js';
import { resetPeakMemory, residentMemory } from '../test/support/process-figures.js';
import { processorTimeUs } from './support/processor-time.js';
import { median, printSection, table } from './support/report.js';
import { openTargets, type Target } from './support/targets.js';

const rounds = 5;
const lease = 'bulk-rows';
const megabyte = 1024 * 1024;

const workloads = [
  {
    name: '1,000,000 rows of about 60 bytes',
    sql: "select g, repeat('x', 40) from generate_series(1, 1000000) g",
    megabytes: 61,
  },
  {
    name: '20,000 rows of 4 KB',
    sql: "select g, repeat('x', 4096) from generate_series(1, 20000) g",
    megabytes: 79,
  },
  {
    name: 'COPY out of 1,000,000 rows',
    sql: "copy (select g, repeat('x', 40) from generate_series(1, 1000000) g) to stdout",
    megabytes: 50,
  },
  { name: 'one row of 100 MB', sql: "select repeat('x', 100 * 1024 * 1024)", megabytes: 100 },
] as const;

/** Runs the statement and throws every byte away; resolves at ReadyForQuery. */
async function drain(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadWriteStream } }).connection;
  stream.removeAllListeners('data');
  await new Promise<void>((resolve, reject) => {
    const text = Buffer.from(`${sql}\0`);
    const header = Buffer.from([0x51, 0, 0, 0, 0]);
    header.writeInt32BE(text.length + 4, 1);
    stream.on('data', (chunk: Buffer) => {
      const end = chunk.length - 6;
      if (end >= 0 && chunk[end] === 0x5a && chunk.readInt32BE(end + 1) === 5) resolve();
    });
    stream.on('error', reject);
    stream.resume();
    stream.write(Buffer.concat([header, text]));
  });
  (stream as unknown as { destroy(): void }).destroy();
}

async function measure(
  target: Target,
  sql: string,
): Promise<{ cpuMs: number; wallMs: number; growth: number }> {
  const memoryBefore = target.pid === null ? 0 : residentMemory(target.pid).now;
  if (target.pid !== null) resetPeakMemory(target.pid);
  const cpuBefore = target.pid === null ? 0 : processorTimeUs(target.pid);
  const started = performance.now();
  await drain(target.url, sql);
  return {
    wallMs: performance.now() - started,
    cpuMs: target.pid === null ? Number.NaN : (processorTimeUs(target.pid) - cpuBefore) / 1000,
    growth: target.pid === null ? Number.NaN : residentMemory(target.pid).peak - memoryBefore,
  };
}

async function run(targets: readonly Target[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { name, sql, megabytes } of workloads) {
    const results = new Map(targets.map((target) => [target, [] as Awaited<ReturnType<typeof measure>>[]]));
    for (let round = -1; round < rounds; round += 1) {
      for (const target of targets) {
        const result = await measure(target, sql);
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

const server = (await acquirePostgresServers(lease)).find((one) => 'url' in one);
if (server === undefined || !('url' in server)) throw new Error('No PostgreSQL server to measure against');
const targets = await openTargets(server.url);
try {
  printSection(`Bulk rows (${server.name})`, [
    `${rounds} rounds after a warm-up, targets in turn; medians, memory the largest growth seen in a round. Target of`,
    'the design: at most 1.3 × the bare pipe, and flat memory.',
    '',
    ...table(
      ['result', 'through', 'CPU ms/MB', '× bare pipe', 'wall ms', 'memory growth MB'],
      await run(targets),
    ),
  ]);
} finally {
  for (const target of targets) await target.stop();
  await releasePostgresServers(lease);
}
process.exit(0);
