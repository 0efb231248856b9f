/** A memory folder for tests of what lies in it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryEvent } from '../../../src/core/memory/record.js';
import type { JsonlOptions, StoreReport } from '../../../src/storage/jsonl/options.js';
import { type JsonlStore, openJsonlStore } from '../../../src/storage/jsonl/store.js';

export interface MemoryFolder {
  readonly path: string;
  readonly log: string;
  readonly reports: StoreReport[];
  readonly counted: Record<string, number>;
  /** Opens a store that is closed with the folder. */
  open(options?: JsonlOptions): Promise<JsonlStore>;
  write(content: string | Buffer): Promise<void>;
  read(): Promise<string>;
  remove(): Promise<void>;
}

export async function makeMemoryFolder(): Promise<MemoryFolder> {
  const root = await mkdtemp(join(tmpdir(), 'twiceshy-memory-'));
  const path = join(root, 'memory');
  const log = join(path, 'memory.jsonl');
  const reports: StoreReport[] = [];
  const counted: Record<string, number> = {};
  const stores: JsonlStore[] = [];
  const open = async (options: JsonlOptions = {}): Promise<JsonlStore> => {
    const store = await openJsonlStore(path, {
      onReport: (report) => reports.push(report),
      counters: {
        count: (name, label = '', by = 1) => {
          counted[`${name}/${label}`] = (counted[`${name}/${label}`] ?? 0) + by;
        },
      },
      ...options,
    });
    stores.push(store);
    return store;
  };
  return {
    path,
    log,
    reports,
    counted,
    open,
    async write(content) {
      if (stores.length === 0) await (await open()).close();
      await writeFile(log, content);
    },
    read: () => readFile(log, 'utf8'),
    async remove() {
      for (const store of stores) await store.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export function linesOf(events: readonly MemoryEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
