/** `twiceshy memory export`: the events of the chosen records, one JSON object a line, as they stand in the log. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { TwiceshyError } from '../core/errors.js';
import type { MemoryEvent } from '../core/memory/record.js';
import { type FilterOptions, makeFilter, takesEverything } from './memory-filter.js';
import { type MemoryIo, write } from './memory-output.js';
import { type MemoryOptions, readEvents, readRecords } from './memory-read.js';

export interface ExportOptions extends MemoryOptions, FilterOptions {}

/** Ends the reading of the memory when nobody wants the rest (`| head`). */
const readerGone = new Error('the reader is gone');

/** `file` undefined or `-`: to stdout. A file is there whole or not at all, and private to its owner. */
export async function exportEvents(
  io: MemoryIo,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const isWanted = await chooseRecords(io, options);
  if (file === undefined || file === '-') {
    try {
      await copyEvents(io, options.memory, isWanted, async (text) => {
        if (!(await write(io.stdout, text))) throw readerGone;
      });
    } catch (error) {
      if (error !== readerGone) throw error;
    }
    return;
  }
  const temporary = `${file}.${randomBytes(6).toString('hex')}.part`;
  let handle: FileHandle | null = null;
  try {
    const target = await open(temporary, 'wx', 0o600);
    handle = target;
    const copied = await copyEvents(io, options.memory, isWanted, (text) => target.appendFile(text));
    await target.sync();
    await rename(temporary, file);
    io.stderr.write(`Exported ${copied.records} records (${copied.events} events) to ${file}.\n`);
  } catch (error) {
    if (error instanceof TwiceshyError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new TwiceshyError('EXPORT_FAILED', `${file} cannot be written (${code}).`, { cause: error });
  } finally {
    await handle?.close();
    await rm(temporary, { force: true });
  }
}

async function chooseRecords(io: MemoryIo, options: ExportOptions): Promise<(id: string) => boolean> {
  const isWanted = makeFilter(options, Date.now());
  if (takesEverything(options)) return () => true;
  const ids = new Set<string>();
  for (const record of await readRecords(io, options.memory)) if (isWanted(record)) ids.add(record.id);
  return (id) => ids.has(id);
}

async function copyEvents(
  io: MemoryIo,
  folder: string,
  isWanted: (id: string) => boolean,
  writeText: (text: string) => Promise<void>,
): Promise<{ records: number; events: number }> {
  const ids = new Set<string>();
  let text = '';
  let events = 0;
  const flush = async (): Promise<void> => {
    const ready = text;
    text = '';
    if (ready !== '') await writeText(ready);
  };
  const take = (event: MemoryEvent): void => {
    if (!isWanted(event.id)) return;
    ids.add(event.id);
    events++;
    text += `${JSON.stringify(event)}\n`;
  };
  await readEvents(io, folder, take, flush);
  await flush();
  return { records: ids.size, events };
}
