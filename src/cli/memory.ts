/** `twiceshy memory …`: reads and keeps the memory of a folder. Reading works beside a running proxy, writing does not. */
import { Command } from 'commander';
import { type ClearOptions, clearMemory, type RetractOptions, retractRecord } from './memory-edit.js';
import { type ExportOptions, exportEvents } from './memory-export.js';
import { withFilters } from './memory-filter.js';
import { type ImportOptions, importEvents } from './memory-import.js';
import { type ListOptions, listRecords } from './memory-list.js';
import type { MemoryIo } from './memory-output.js';
import type { MemoryOptions } from './memory-read.js';
import { showRecord } from './memory-show.js';

/** The command with its subcommands; failures come out of `parseAsync` as TwiceshyError. */
export function memoryCommand(io: MemoryIo = process): Command {
  const memory = new Command('memory').description('look at and keep what was remembered').addHelpText(
    'after',
    `
Examples:
  twiceshy memory list --class unique_violation
  twiceshy memory show 9f2c51d0
  twiceshy memory retract 9f2c51d0 --reason "the constraint is gone"
  twiceshy memory export backup.jsonl
  twiceshy memory import backup.jsonl --dry-run

While a proxy uses the folder, list, show and export work; import, retract and clear are refused.`,
  );

  withFilters(subcommand(memory, 'list', 'list records, latest first'), 'live')
    .option('--limit <n>', 'at most this many, 0 for all (default: 50, with --json all)')
    .option('--json', 'print a JSON array of records')
    .action((options: ListOptions) => listRecords(io, options));

  subcommand(memory, 'show', 'show all of one record and its history')
    .argument('<id>', 'the id, or its first digits as a note shows them')
    .option('--json', 'print one JSON object')
    .action((id: string, options: MemoryOptions) => showRecord(io, id, options));

  withFilters(subcommand(memory, 'export', 'write the events of records, one JSON object a line'), 'all')
    .argument('[file]', 'file to make or replace (default: stdout)')
    .action((file: string | undefined, options: ExportOptions) => exportEvents(io, file, options));

  subcommand(memory, 'import', 'take in exported records that are not known yet, all or none')
    .argument('<file>', 'exported file, - for stdin')
    .option('--dry-run', 'check the file and say what would be imported')
    .option('--json', 'print the counts as JSON')
    .action((file: string, options: ImportOptions) => importEvents(io, file, options));

  subcommand(memory, 'retract', 'stop showing a record; it stays in the history')
    .argument('<id>', 'the id, or its first digits as a note shows them')
    .option('--reason <text>', 'why it does not hold (required)')
    .option('--author <name>', 'who says so (default: the user of this process)')
    .option('--json', 'print the outcome as JSON')
    .action((id: string, options: RetractOptions) => retractRecord(io, id, options));

  subcommand(memory, 'clear', 'forget everything, history included')
    .option('--yes', 'do not ask')
    .option('--json', 'print the outcome as JSON')
    .action((options: ClearOptions) => clearMemory(io, options));

  return memory;
}

function subcommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--memory <folder>', 'folder of the memory', '.twiceshy');
}
