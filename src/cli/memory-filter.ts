/** Which records a memory command is about, from its options. */
import type { Command } from 'commander';
import { TwiceshyError } from '../core/errors.js';
import { failureClasses } from '../core/failure/failure-class.js';
import type { MemoryRecord } from '../core/memory/record.js';
import { isExpired, isLive } from '../core/memory/views.js';

const statuses = ['live', 'under_review', 'expired', 'retracted', 'superseded', 'deleted'] as const;

export interface FilterOptions {
  readonly class?: string;
  readonly database?: string;
  readonly upstream?: string;
  readonly table?: string;
  readonly status: string;
}

/** Adds the filter options to `command`. */
export function withFilters(command: Command, defaultStatus: string): Command {
  return command
    .option('--class <class>', 'only this class of failure (several: separated by commas)')
    .option('--database <name>', 'only records of this database')
    .option('--upstream <name>', 'only records of this upstream')
    .option('--table <name>', 'only statements on this table, with or without its schema')
    .option('--status <status>', `one of ${statuses.join(', ')}, or all`, defaultStatus);
}

/** True when the options leave nothing out. */
export function takesEverything(options: FilterOptions): boolean {
  const { class: classes, database, upstream, table, status } = options;
  return status === 'all' && [classes, database, upstream, table].every((value) => value === undefined);
}

/** The predicate the options stand for; throws USAGE for a class or status that does not exist. */
export function makeFilter(options: FilterOptions, now: number): (record: MemoryRecord) => boolean {
  const { database, upstream, table, status } = options;
  const classes = options.class === undefined ? null : parseClasses(options.class);
  if (status !== 'all' && !(statuses as readonly string[]).includes(status)) {
    throw new TwiceshyError('USAGE', `--status: expected one of ${statuses.join(', ')} or all.`);
  }
  return (record) =>
    (classes === null || classes.has(record.class)) &&
    (database === undefined || record.scope.database === database) &&
    (upstream === undefined || record.scope.upstream === upstream) &&
    (table === undefined || record.tables.some((name) => name === table || name.endsWith(`.${table}`))) &&
    (status === 'all' || statusOf(record, now) === status);
}

/** The status people see: a record past its review date is `expired`. */
export function statusOf(record: MemoryRecord, now: number): string {
  if (isLive(record, now)) return 'live';
  return record.status === 'live' && isExpired(record, now) ? 'expired' : record.status;
}

function parseClasses(list: string): ReadonlySet<string> {
  const names = list.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!(failureClasses as readonly string[]).includes(name)) {
      throw new TwiceshyError('USAGE', `--class: expected one of ${failureClasses.join(', ')}.`);
    }
  }
  return new Set(names);
}
