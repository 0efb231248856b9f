/**
 * `twiceshy memory import`: takes in the events of records that the memory does not have, all of them or, where one
 * line is wrong, none.
 *
 * A record that is known already keeps its own history: importing the same file again changes nothing.
 */
import { createReadStream } from 'node:fs';
import { TwiceshyError } from '../core/errors.js';
import { limits } from '../core/limits.js';
import type { MemoryEvent } from '../core/memory/record.js';
import { checkEvent } from '../storage/event-check.js';
import { readJsonl } from '../storage/jsonl/read.js';
import { openJsonlStore } from '../storage/jsonl/store.js';
import { linesOf } from './memory-import-lines.js';
import { type MemoryIo, toJson, write } from './memory-output.js';
import { Progress } from './memory-progress.js';
import type { MemoryOptions } from './memory-read.js';

export interface ImportOptions extends MemoryOptions {
  readonly dryRun?: boolean;
}

interface ImportCounts {
  readonly imported: { records: number; events: number };
  readonly skipped: {
    /** Records of the file that the memory has. */
    knownRecords: number;
    /** Events whose record's failure is neither in the memory nor before them in the file. */
    unmatchedEvents: number;
  };
}

type Write = (events: readonly MemoryEvent[]) => Promise<void>;

export async function importEvents(io: MemoryIo, file: string, options: ImportOptions): Promise<void> {
  const counts: ImportCounts = {
    imported: { records: 0, events: 0 },
    skipped: { knownRecords: 0, unmatchedEvents: 0 },
  };
  if (options.dryRun === true) {
    await takeIn(io, file, await knownIds(options.memory), counts, async () => undefined);
  } else {
    const store = await openJsonlStore(options.memory, { isCompactedByItself: false });
    try {
      await store.addAtomically(async (writeEvents) => {
        await takeIn(io, file, await knownIds(options.memory), counts, writeEvents);
      });
    } finally {
      await store.close();
    }
  }
  await report(io, counts, options);
}

async function takeIn(
  io: MemoryIo,
  file: string,
  known: ReadonlySet<string>,
  counts: ImportCounts,
  writeEvents: Write,
): Promise<void> {
  const { imported, skipped } = counts;
  const fresh = new Set<string>();
  const skippedIds = new Set<string>();
  const progress = new Progress(io.stderr, 'importing');
  const name = file === '-' ? 'stdin' : file;
  let batch: MemoryEvent[] = [];
  try {
    for await (const line of linesOf(openSource(io, file), name)) {
      progress.step();
      const event = parse(line.text, `${name}: line ${line.number}`);
      if (event === null) continue;
      if (known.has(event.id)) {
        skippedIds.add(event.id);
        continue;
      }
      if (event.event === 'failure') fresh.add(event.id);
      else if (!fresh.has(event.id)) {
        skipped.unmatchedEvents++;
        continue;
      }
      imported.events++;
      batch.push(event);
      if (batch.length < limits.maxStoreBatchEvents) continue;
      await writeEvents(batch);
      batch = [];
    }
    await writeEvents(batch);
  } catch (error) {
    if (error instanceof TwiceshyError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES') {
      throw new TwiceshyError('USAGE', `${name} cannot be read (${code}).`, { cause: error });
    }
    throw error;
  } finally {
    progress.done();
  }
  imported.records = fresh.size;
  skipped.knownRecords = skippedIds.size;
}

function parse(text: string, place: string): MemoryEvent | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TwiceshyError('IMPORT_INVALID', `${place}: expected one JSON object. Nothing was imported.`);
  }
  const checked = checkEvent(value);
  if (checked.kind === 'event') return checked.event;
  throw new TwiceshyError('IMPORT_INVALID', `${place}: ${checked.reason}. Nothing was imported.`);
}

function openSource(io: MemoryIo, file: string): AsyncIterable<Buffer | string> {
  return file === '-' ? io.stdin : createReadStream(file);
}

/** Ids of the records that `folder` has; none where there is no memory yet. */
async function knownIds(folder: string): Promise<Set<string>> {
  const ids = new Set<string>();
  try {
    await readJsonl(folder, (event) => {
      if (event.event === 'failure') ids.add(event.id);
    });
  } catch (error) {
    const cause = error instanceof TwiceshyError ? error.cause : null;
    if ((cause as NodeJS.ErrnoException | null)?.code !== 'ENOENT') throw error;
  }
  return ids;
}

async function report(io: MemoryIo, counts: ImportCounts, options: ImportOptions): Promise<void> {
  if (options.json === true) {
    await write(io.stdout, `${toJson({ ...counts, dryRun: options.dryRun === true })}\n`);
    return;
  }
  const { imported, skipped } = counts;
  const verb = options.dryRun === true ? 'Would import' : 'Imported';
  const lines = [`${verb} ${imported.records} records (${imported.events} events).`];
  if (skipped.knownRecords > 0) lines.push(`Skipped ${skipped.knownRecords} records that are known already.`);
  if (skipped.unmatchedEvents > 0) {
    lines.push(`Skipped ${skipped.unmatchedEvents} events of records that are not in the file.`);
  }
  await write(io.stdout, `${lines.join('\n')}\n`);
}
