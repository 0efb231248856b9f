/** `twiceshy memory show`: everything known of one record, and how it came to be. */
import type { MemoryEvent, MemoryRecord } from '../core/memory/record.js';
import { statusOf } from './memory-filter.js';
import { type MemoryIo, terminalWidth, toJson, visible, write } from './memory-output.js';
import { findRecord, type MemoryOptions } from './memory-read.js';
import { wrap } from './memory-table.js';

const labelCells = 15;
const unfittedCells = 100;
const maxHistory = 20;

export async function showRecord(io: MemoryIo, prefix: string, options: MemoryOptions): Promise<void> {
  const { record, history } = await findRecord(io, options.memory, prefix);
  if (options.json === true) {
    await write(io.stdout, `${toJson({ ...record, history })}\n`);
    return;
  }
  const cells = Math.max(20, (terminalWidth(io) ?? unfittedCells) - labelCells);
  const lines: string[] = [];
  for (const [label, value] of fieldsOf(record)) {
    const [first = '', ...more] = wrap(visible(value), cells);
    lines.push(`${label.padEnd(labelCells)}${first}`, ...more.map((line) => ' '.repeat(labelCells) + line));
  }
  lines.push('', ...historyLines(history));
  await write(io.stdout, `${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

function fieldsOf(record: MemoryRecord): [string, string][] {
  const { object, resolution, evidence, fingerprint } = record;
  const reason = record.statusReason === null ? '' : `: ${record.statusReason}`;
  const fields: [string, string][] = [
    ['id', record.id],
    ['status', `${statusOf(record, Date.now())}${reason}`],
    ['failure', `${record.class} (${record.engine} ${record.code}), raised at ${record.phase}`],
    ['object', object === null ? '-' : `${object.kind} ${object.name}`],
    ['detail', record.detail],
    ['database', `${record.scope.database} on ${record.scope.upstream}`],
    ['tables', record.tables.length === 0 ? '-' : record.tables.join(', ')],
    ['shape', record.shape],
    [
      'failed',
      record.failures === 1
        ? `once, at ${record.firstAt}`
        : `${record.failures} times, ${record.firstAt} to ${record.lastAt}`,
    ],
    ['ran since', times(record.successes)],
    [
      'notes shown',
      `${record.ignored} times failed again all the same, ${record.confirmed} times followed, ${record.contradicted} times proved wrong`,
    ],
  ];
  if (resolution !== null) fields.push(['then ran', resolution.shape]);
  if (record.reviewBy !== null) fields.push(['review by', record.reviewBy]);
  const seenBy = [evidence.user, evidence.application].filter((name) => name !== undefined && name !== '');
  if (seenBy.length > 0) fields.push(['first seen by', seenBy.join(', ')]);
  if (evidence.trace !== undefined) fields.push(['trace', evidence.trace]);
  fields.push(['schema', `tables ${fingerprint.tables}, constraints ${fingerprint.constraints}`]);
  return fields;
}

function historyLines(history: readonly MemoryEvent[]): string[] {
  const left = history.length - maxHistory;
  const lines = history.slice(-maxHistory).map((event) => `  ${event.at}  ${describe(event)}`);
  return ['history', ...(left > 0 ? [`  ${left} earlier events`] : []), ...lines];
}

function describe(event: MemoryEvent): string {
  switch (event.event) {
    case 'failure':
      return 'failed';
    case 'observed': {
      const successes = event.successes ?? 0;
      const parts = [
        ...(event.count > 0 ? [`failed ${times(event.count)} more`] : []),
        ...(successes > 0 ? [`ran ${times(successes)}`] : []),
      ];
      return parts.join(', ') || 'observed';
    }
    case 'resolved':
      return 'another shape ran in its place';
    case 'feedback':
      return `note ${event.kind} ${times(event.count)}`;
    case 'retracted':
    case 'deleted':
    case 'restored':
      return visible(`${event.event} by ${event.author}: ${event.reason}`);
    case 'superseded':
      return visible(`superseded by ${event.by}`);
    case 'reviewed':
      return visible(
        event.verdict === 'keep' ? `kept by ${event.author}` : `put under review by ${event.author}`,
      );
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
