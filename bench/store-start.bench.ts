/**
 * Start of the process with a large memory: the log is read, checked and folded into the index that recall uses.
 *
 * The same file is first walked without parsing in the same run: what is above that is the price of JSON and of the index.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../src/core/limits.js';
import { MemoryIndex } from '../src/core/memory/memory-index.js';
import type { MemoryEvent } from '../src/core/memory/record.js';
import { walkLines } from '../src/storage/jsonl/lines.js';
import { replayLog } from '../src/storage/jsonl/replay.js';
import { type JsonlStore, openJsonlStore } from '../src/storage/jsonl/store.js';
import { at, failure, idOf, observed } from '../test/contract/store-events.js';
import { printSection, table } from './support/report.js';

const records = Number(process.argv[2] ?? 1_000_000);
/** One record in this many has an observation and a resolution behind it. */
const followedUp = 10;
const classes = ['unique_violation', 'undefined_object', 'type_mismatch', 'not_null_violation'] as const;

function eventsOf(n: number): MemoryEvent[] {
  const columns = Array.from({ length: 3 + (n % 12) }, (_, column) => `column_${(n * 7 + column) % 500}`);
  const table = `public.table_${n % 2_000}`;
  const made = failure(n, {
    shape: `insert into ${table} ( ${columns.join(' , ')} ) values ( ${columns.map(() => '?').join(' , ')} ) returning id_${n}`,
    holes: 's'.repeat(columns.length),
    tables: [table],
    class: classes[n % classes.length] ?? 'internal',
    object: { kind: 'constraint', name: `table_${n % 2_000}_email_key` },
    detail: `duplicate key value violates unique constraint "table_${n % 2_000}_email_key"`,
    evidence: { session: `session-${Math.floor(n / 3)}`, application: 'psql', user: 'app' },
    fingerprint: { tables: idOf(n % 2_000), constraints: idOf((n % 2_000) + 1), database: idOf(7) },
    at: at(n),
  });
  if (n % followedUp !== 0) return [made];
  const resolution = { shape: `${made.shape} on conflict do nothing`, tables: made.tables };
  return [made, observed(n, 1, 3), { v: 1, event: 'resolved', id: made.id, at: made.at, resolution }];
}

/** Time on the clock, and of the processor: the second is what a busy machine does not change. */
async function timed(work: () => Promise<unknown>): Promise<{ wallMs: number; cpuMs: number }> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

const folder = await mkdtemp(join(tmpdir(), 'twiceshy-bench-'));
try {
  const filling = await openJsonlStore(folder, { fsync: 'never' });
  for (let n = 0; n < records; n += 1_000) {
    await filling.add(Array.from({ length: Math.min(1_000, records - n) }, (_, k) => eventsOf(n + k)).flat());
  }
  await filling.close();

  const handle = await open(join(folder, 'memory.jsonl'));
  const { size } = await handle.stat();
  const walked = await timed(() =>
    walkLines(
      handle,
      { to: size, chunkBytes: limits.storeReadChunkBytes, maxLineBytes: limits.maxRecordLineBytes },
      { line: () => undefined, tooLong: () => undefined },
    ),
  );
  const parsed = await timed(() => replayLog(handle, size, () => undefined));
  await handle.close();

  const before = process.memoryUsage.rss();
  const index = new MemoryIndex();
  let store: JsonlStore | undefined;
  const started = await timed(async () => {
    store = await openJsonlStore(folder);
    await store.replay((event) => {
      index.apply(event);
    });
  });
  const after = process.memoryUsage.rss();
  await store?.close();
  if (index.size !== records) throw new Error(`expected ${records} records, the index has ${index.size}`);

  printSection(`Store start, ${records} records (Node ${process.version})`, [
    `Log: ${(size / 1e6).toFixed(0)} MB.`,
    '',
    ...table(
      ['step', 'seconds', 'processor seconds', 'ratio to the bare walk'],
      [
        { step: 'walk the lines', ...walked },
        { step: 'and parse and check them', ...parsed },
        { step: 'open, and fold into the index', ...started },
      ].map(({ step, wallMs, cpuMs }) => [
        step,
        seconds(wallMs),
        seconds(cpuMs),
        (cpuMs / walked.cpuMs).toFixed(1),
      ]),
    ),
    '',
    `Resident memory grew by ${((after - before) / 1e6).toFixed(0)} MB. Bound: 10 s for 1,000,000 records.`,
  ]);
} finally {
  await rm(folder, { recursive: true });
}
