/** `twiceshy memory retract` and `clear`: the two commands that take something out of the memory. */
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { TwiceshyError } from '../core/errors.js';
import { openJsonlStore } from '../storage/jsonl/store.js';
import { type MemoryIo, toJson, write } from './memory-output.js';
import { findRecord, type MemoryOptions, readRecords } from './memory-read.js';

export interface RetractOptions extends MemoryOptions {
  readonly reason?: string;
  readonly author?: string;
}

export interface ClearOptions extends MemoryOptions {
  readonly yes?: boolean;
}

const maxReasonChars = 500;

/** Adds a `retracted` event: the record stays in the history and is no longer shown. */
export async function retractRecord(io: MemoryIo, prefix: string, options: RetractOptions): Promise<void> {
  const reason = options.reason?.trim() ?? '';
  if (reason === '' || reason.length > maxReasonChars) {
    throw new TwiceshyError(
      'USAGE',
      `--reason: say in up to ${maxReasonChars} characters why the record does not hold; it is kept with it.`,
    );
  }
  const { record } = await findRecord(io, options.memory, prefix);
  const isChanged = record.status !== 'retracted';
  if (isChanged) {
    const store = await openJsonlStore(options.memory, { fsync: 'always', isCompactedByItself: false });
    try {
      const at = new Date().toISOString();
      const author = options.author ?? currentUser();
      await store.add([{ v: 1, event: 'retracted', id: record.id, at, reason, author }]);
    } finally {
      await store.close();
    }
  }
  const text = isChanged ? `Retracted ${record.id}.` : `${record.id} was retracted before; nothing changed.`;
  await write(io.stdout, options.json === true ? `${toJson({ id: record.id, isChanged })}\n` : `${text}\n`);
}

/** Forgets everything, history included, after a question on the terminal or `--yes`. */
export async function clearMemory(io: MemoryIo, options: ClearOptions): Promise<void> {
  if (options.yes !== true && io.stdin.isTTY !== true) {
    throw new TwiceshyError(
      'USAGE',
      'clear forgets everything for good. There is no terminal to ask on: give --yes to confirm.',
    );
  }
  const { length } = await readRecords(io, options.memory);
  if (
    options.yes !== true &&
    !(await isConfirmed(io, `Forget all ${length} records in ${options.memory}?`))
  ) {
    await write(io.stdout, 'Nothing was changed.\n');
    return;
  }
  const store = await openJsonlStore(options.memory, { isCompactedByItself: false });
  try {
    await store.clear();
  } finally {
    await store.close();
  }
  await write(
    io.stdout,
    options.json === true ? `${toJson({ forgotten: length })}\n` : `Forgot ${length} records.\n`,
  );
}

async function isConfirmed(io: MemoryIo, question: string): Promise<boolean> {
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
    const answer = await Promise.race([prompt.question(`${question} Type yes: `), closed]);
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    prompt.close();
  }
}

function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'command line';
  }
}
