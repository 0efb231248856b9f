/** Reading a memory for the command line: folded records, progress for people, a word about lines passed over. */
import { TwiceshyError } from '../core/errors.js';
import { EventFold } from '../core/memory/fold.js';
import type { MemoryEvent, MemoryRecord } from '../core/memory/record.js';
import { readJsonl } from '../storage/jsonl/read.js';
import { type MemoryIo, visible } from './memory-output.js';
import { Progress } from './memory-progress.js';

/** Options every memory command has. */
export interface MemoryOptions {
  readonly memory: string;
  readonly json?: boolean;
}

/** All records of the memory in order of first appearance. `onEvent` sees each event of the log on the way. */
export async function readRecords(
  io: MemoryIo,
  folder: string,
  onEvent: (event: MemoryEvent) => void = () => undefined,
): Promise<MemoryRecord[]> {
  const fold = new EventFold();
  await readEvents(io, folder, (event) => {
    onEvent(event);
    fold.apply(event);
  });
  return [...fold.records.values()];
}

export async function readEvents(
  io: MemoryIo,
  folder: string,
  onEvent: (event: MemoryEvent) => void,
  onChunk?: () => Promise<void>,
): Promise<void> {
  const progress = new Progress(io.stderr, 'reading the memory');
  try {
    const take = (event: MemoryEvent): void => {
      progress.step();
      onEvent(event);
    };
    const { damaged, unknown, tooLong } = await readJsonl(folder, take, onChunk);
    progress.done();
    if (damaged + unknown + tooLong > 0) {
      io.stderr.write(
        `Lines passed over: ${damaged} damaged, ${unknown} of a newer version, ${tooLong} too long.\n`,
      );
    }
  } finally {
    progress.done();
  }
}

/** The one record whose id starts with `prefix`, as a note shows it. */
export async function findRecord(
  io: MemoryIo,
  folder: string,
  prefix: string,
): Promise<{ record: MemoryRecord; history: MemoryEvent[] }> {
  const wanted = prefix.toLowerCase();
  if (!/^[0-9a-f]{1,16}$/.test(wanted)) {
    throw new TwiceshyError(
      'USAGE',
      'A record is named by the first hex digits of its id, such as 9f2c51d0.',
    );
  }
  const history: MemoryEvent[] = [];
  const records = await readRecords(io, folder, (event) => {
    if (event.id.startsWith(wanted)) history.push(event);
  });
  const found = records.filter(({ id }) => id.startsWith(wanted));
  const [record] = found;
  if (record === undefined) {
    throw new TwiceshyError(
      'RECORD_NOT_FOUND',
      `The memory in ${folder} has no record whose id starts with ${wanted}.`,
    );
  }
  if (found.length > 1) throw ambiguous(wanted, found);
  return { record, history: history.filter(({ id }) => id === record.id) };
}

const maxListed = 10;

function ambiguous(prefix: string, found: readonly MemoryRecord[]): TwiceshyError {
  const lines = found
    .slice(0, maxListed)
    .map(({ id, class: failureClass, object }) =>
      visible(`${id}  ${failureClass}${object === null ? '' : `  ${object.name}`}`),
    );
  const rest = found.length > maxListed ? `\n  and ${found.length - maxListed} more` : '';
  return new TwiceshyError(
    'USAGE',
    `${found.length} records start with ${prefix}; give more digits:\n  ${lines.join('\n  ')}${rest}`,
  );
}
