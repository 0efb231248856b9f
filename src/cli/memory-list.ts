/** `twiceshy memory list`: what is remembered, latest first. */
import { TwiceshyError } from '../core/errors.js';
import type { MemoryRecord } from '../core/memory/record.js';
import { type FilterOptions, makeFilter, statusOf } from './memory-filter.js';
import { type MemoryIo, terminalWidth, toJson, visible, write } from './memory-output.js';
import { type MemoryOptions, readRecords } from './memory-read.js';
import { cut, formatTable } from './memory-table.js';

export interface ListOptions extends MemoryOptions, FilterOptions {
  readonly limit?: string;
}

const defaultLimit = 50;
/** As many digits of an id as a note shows; more only where records on the page would look the same. */
const leastIdDigits = 8;
const idDigits = 16;
const maxNameCells = 28;

export async function listRecords(io: MemoryIo, options: ListOptions): Promise<void> {
  const now = Date.now();
  const limit = parseLimit(options);
  const isWanted = makeFilter(options, now);
  const wanted = (await readRecords(io, options.memory)).filter(isWanted);
  wanted.sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
  const shown = wanted.slice(0, limit);
  if (options.json === true) {
    await writeJsonList(io, shown);
    return;
  }
  if (wanted.length === 0) {
    await write(io.stdout, `No ${options.status === 'all' ? '' : `${options.status} `}records match.\n`);
    return;
  }
  const table = formatTable(...tableOf(shown, now), terminalWidth(io));
  await write(io.stdout, `${table.join('\n')}\n`);
  if (shown.length < wanted.length) {
    await write(io.stdout, `\n${shown.length} of ${wanted.length} records; --limit 0 shows all.\n`);
  }
}

function tableOf(records: readonly MemoryRecord[], now: number): [string[], string[][]] {
  const scopes = new Set(records.map(scopeName));
  const digits = digitsToTellApart(records);
  const states = new Set(records.map((record) => statusOf(record, now)));
  const columns: [string, (record: MemoryRecord) => string][] = [
    ['ID', ({ id }) => id.slice(0, digits)],
    ['CLASS', ({ class: failureClass }) => failureClass],
    ['OBJECT', ({ object }) => cut(visible(object?.name ?? '-'), maxNameCells)],
    ['TIMES', ({ failures }) => String(failures)],
    ['LAST SEEN (UTC)', ({ lastAt }) => lastAt.slice(0, 16).replace('T', ' ')],
    ['SHAPE', ({ shape }) => visible(shape)],
  ];
  // Columns that would say the same on every line are left out.
  if (states.size > 1 || !states.has('live')) columns.splice(1, 0, ['STATUS', (r) => statusOf(r, now)]);
  if (scopes.size > 1) columns.splice(1, 0, ['DATABASE', (r) => cut(visible(scopeName(r)), maxNameCells)]);
  return [columns.map(([title]) => title), records.map((record) => columns.map(([, cell]) => cell(record)))];
}

function digitsToTellApart(records: readonly MemoryRecord[]): number {
  for (let digits = leastIdDigits; digits < idDigits; digits++) {
    if (new Set(records.map(({ id }) => id.slice(0, digits))).size === records.length) return digits;
  }
  return idDigits;
}

function scopeName({ scope }: MemoryRecord): string {
  return scope.upstream === scope.database ? scope.database : `${scope.upstream}/${scope.database}`;
}

async function writeJsonList(io: MemoryIo, records: readonly MemoryRecord[]): Promise<void> {
  await write(io.stdout, '[');
  for (const [index, record] of records.entries()) {
    const isRead = await write(io.stdout, `${index === 0 ? '\n' : ',\n'}${toJson(record)}`);
    if (!isRead) return;
  }
  await write(io.stdout, records.length === 0 ? ']\n' : '\n]\n');
}

/** JSON is for machines: they get everything unless they ask for less. */
function parseLimit({ limit, json }: ListOptions): number {
  if (limit === undefined) return json === true ? Number.POSITIVE_INFINITY : defaultLimit;
  if (!/^\d{1,9}$/.test(limit)) {
    throw new TwiceshyError('USAGE', '--limit: expected a number of records, or 0 for all.');
  }
  return Number(limit) === 0 ? Number.POSITIVE_INFINITY : Number(limit);
}
