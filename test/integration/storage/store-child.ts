/**
 * A process that uses a memory, for tests that kill it. Told on stdin, answers on stdout, one line each:
 * `open` → `opened` or `refused <code> <message>`; `add <n>` → appends failures n, n+1, … until killed, `added <k>` after each.
 */
import { createInterface } from 'node:readline';
import { TwiceshyError } from '../../../src/core/errors.js';
import type { FsyncPolicy } from '../../../src/storage/jsonl/options.js';
import { type JsonlStore, openJsonlStore } from '../../../src/storage/jsonl/store.js';
import { failure, observed } from '../../contract/store-events.js';

const [folder = '', fsync = 'interval'] = process.argv.slice(2);
let store: JsonlStore | undefined;

async function open(): Promise<string> {
  try {
    store = await openJsonlStore(folder, { fsync: fsync as FsyncPolicy, compactMinBytes: 2_000 });
    return 'opened';
  } catch (error) {
    return error instanceof TwiceshyError
      ? `refused ${error.code} ${error.message}`
      : `broken ${String(error)}`;
  }
}

async function addForever(from: number): Promise<void> {
  for (let n = from; ; n++) {
    await store?.add([failure(n), observed(n, n), observed(n, n)]);
    // The next one is not begun before the reader can know of this one.
    await new Promise((resolve) => process.stdout.write(`added ${n}\n`, resolve));
  }
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = line.split(' ');
  if (command === 'open') process.stdout.write(`${await open()}\n`);
  if (command === 'add') await addForever(Number(argument));
}
await (store as JsonlStore | undefined)?.close();
