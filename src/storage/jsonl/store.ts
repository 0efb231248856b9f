/**
 * The default store: one append-only file of events in a folder of its own, one writer at a time
 * (docs/store-format.md).
 *
 * Invariant: work that changes the file runs one at a time, in the order it was asked for; the file always folds to
 * what was acknowledged, at most plus a last line that the next opening heals.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { type Counters, noCounters } from '../../core/counters.js';
import { TwiceshyError } from '../../core/errors.js';
import { limits } from '../../core/limits.js';
import { EventFold } from '../../core/memory/fold.js';
import type { MemoryEvent, MemoryRecord, Store } from '../../core/memory/record.js';
import { isLive } from '../../core/memory/views.js';
import { AppendFile } from './append-file.js';
import { encodeEvents } from './encode.js';
import { type MemoryFiles, memoryFiles, syncFolder } from './files.js';
import { type FolderAccess, keepPrivate, makeFolder } from './folder.js';
import { type HealResult, healTail } from './heal.js';
import { acquireLock, type FolderLock } from './lock.js';
import { disturbances, findLog, openLog } from './log-place.js';
import { copyRange, mergeObservations } from './merge.js';
import type { CompactReport, JsonlOptions, StoreReport } from './options.js';
import { isMergeable, type ReplayReport, replayLog } from './replay.js';
import { type Rewrite, withRewrite } from './rewrite.js';
import { writeFailed } from './write-failed.js';

/**
 * Opens (and makes, private to its owner) the memory in `folder` for writing. Throws MEMORY_LOCKED when another process
 * writes to it, MEMORY_WRITE_FAILED when it cannot be made or written.
 */
export async function openJsonlStore(folder: string, options: JsonlOptions = {}): Promise<JsonlStore> {
  let lock: FolderLock | null = null;
  let handle: FileHandle | null = null;
  try {
    await makeFolder(folder);
    lock = await acquireLock(folder, options.lock);
    const files = memoryFiles(folder);
    for (const leftover of [files.rewrite, files.merged]) await rm(leftover, { force: true });
    handle = await openLog(files.log);
    const healing = await healTail(handle, files.torn);
    await syncFolder(folder);
    const store = new JsonlStore(folder, options, lock, handle, healing);
    tellAccess(folder, await keepPrivate(folder), options);
    return store;
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await lock?.release().catch(() => undefined);
    throw error instanceof TwiceshyError
      ? error
      : writeFailed(`The memory in ${folder} cannot be opened for writing`, error);
  }
}

function tellAccess(folder: string, access: FolderAccess, { onReport }: JsonlOptions): void {
  if (access === 'made_private') {
    onReport?.({
      kind: 'folder_made_private',
      message: `The rights of others on ${folder} were taken away.`,
    });
  } else if (access === 'open') {
    onReport?.({
      kind: 'folder_open',
      message: `Others have rights on ${folder}; it was left so. Give the memory a folder of its own, mode 0700.`,
    });
  }
}

export class JsonlStore implements Store {
  readonly folder: string;
  readonly #files: MemoryFiles;
  readonly #options: JsonlOptions;
  readonly #counters: Counters;
  readonly #lock: FolderLock;
  #file: AppendFile;
  #handle: FileHandle;
  #work: Promise<unknown> = Promise.resolve();
  #syncTimer: NodeJS.Timeout | null = null;
  readonly #watchTimer: NodeJS.Timeout;
  #isWatching = false;
  /** False where the file system gives one file several numbers. */
  #hasSteadyNumbers = true;
  #isMissingTold = false;
  /** Counts the files that have been the log. */
  #generation = 0;
  #mergeableBytes = 0;
  #compaction: Promise<CompactReport> | null = null;
  #closing: Promise<void> | null = null;
  #isLost = false;
  #isSyncFailing = false;

  constructor(
    folder: string,
    options: JsonlOptions,
    lock: FolderLock,
    handle: FileHandle,
    healing: HealResult,
  ) {
    this.folder = folder;
    this.#files = memoryFiles(folder);
    this.#options = options;
    this.#counters = options.counters ?? noCounters;
    this.#lock = lock;
    this.#handle = handle;
    this.#file = new AppendFile(handle, healing.size);
    lock.watch(() => this.#lose());
    this.#watchTimer = setInterval(() => this.#watch(), options.fsyncIntervalMs ?? limits.fsyncIntervalMs);
    this.#watchTimer.unref();
    if (healing.healed !== null) {
      this.#counters.count('store_lines_healed', 'torn');
      const what =
        healing.healed === 'moved' ? 'moved to memory.torn' : 'a whole event, ended with a newline';
      this.#report(
        'healed',
        `The last line of the memory was cut short (${healing.tornBytes} bytes): ${what}.`,
      );
    }
  }

  /**
   * Appends whole batches: on rejection (MEMORY_WRITE_FAILED) none of the batch counts. Resolves when the system has the events,
   * which survive this process from then on, and with `fsync: always` when the disk has them.
   */
  async add(events: readonly MemoryEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { bytes, mergeableBytes, refused } = encodeEvents(events, isMergeable);
    if (refused > 0) {
      this.#counters.count('store_events_dropped', 'not_storable', refused);
      this.#report('events_refused', `${refused} events were not stored: too long for a line of the memory.`);
    }
    if (bytes.length === 0) return;
    await this.#run('append to', async () => {
      await this.#file.append(bytes, this.#options.fsync === 'always');
    });
    this.#counters.count('store_events_written', undefined, events.length - refused);
    this.#mergeableBytes += mergeableBytes;
    this.#syncLater();
    this.#compactLater();
  }

  /** Hands every event of the log to `onEvent`, in order; what other calls append meanwhile is left out. */
  async replay(onEvent: (event: MemoryEvent) => void): Promise<ReplayReport> {
    const { reader, size } = await this.#run('read', async () => ({
      reader: await open(this.#files.log, 'r'),
      size: this.#file.size,
    }));
    try {
      const report = await replayLog(reader, size, onEvent);
      this.#mergeableBytes = Math.max(this.#mergeableBytes, report.mergeableBytes);
      this.#reportSkipped(report);
      this.#compactLater();
      return report;
    } finally {
      await reader.close();
    }
  }

  async all(): Promise<MemoryRecord[]> {
    const fold = new EventFold();
    await this.replay((event) => fold.apply(event));
    return [...fold.records.values()];
  }

  async live(isCurrent?: (record: MemoryRecord) => boolean): Promise<MemoryRecord[]> {
    const now = this.#options.now?.() ?? Date.now();
    return (await this.all()).filter((record) => isLive(record, now, isCurrent));
  }

  /** Forgets everything, also what healing put aside. All or nothing, also when the process dies meanwhile. */
  async clear(): Promise<void> {
    await this.#run('clear', async () => {
      await this.#rewrite(this.#files.rewrite, (target) => this.#replaceBy(target));
      await rm(this.#files.torn, { force: true });
      this.#mergeableBytes = 0;
    });
  }

  /**
   * Appends what `produce` writes as one: when it throws, or the process dies, the memory is as it was. Everything else waits, so it is
   * for imports, not for traffic.
   */
  async addAtomically(
    produce: (write: (events: readonly MemoryEvent[]) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await this.#run('write to', async () => {
      await this.#rewrite(this.#files.rewrite, async (target) => {
        await copyRange(this.#handle, 0, this.#file.size, target);
        await produce(async (events) => {
          const { bytes, refused } = encodeEvents(events, isMergeable);
          if (refused > 0) throw new TwiceshyError('USAGE', 'An event is too long for a line of the memory.');
          if (bytes.length > 0) await target.append(bytes);
        });
        await this.#replaceBy(target);
      });
    });
  }

  /** Merges observations and feedback; other events stay byte for byte. Appends go on meanwhile. */
  compact(): Promise<CompactReport> {
    this.#compaction ??= this.#compactNow().finally(() => {
      this.#compaction = null;
    });
    return this.#compaction;
  }

  /** Writes out and syncs what was added, gives the lock back. Whatever comes after is refused. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer);
    clearInterval(this.#watchTimer);
    await this.#compaction?.catch(() => undefined);
    await this.#work.catch(() => undefined);
    if (!this.#isLost) await this.#keepInPlace().catch(() => undefined);
    if (this.#options.fsync !== 'never') await this.#sync();
    await this.#file.close().catch(() => undefined);
    await this.#lock.release().catch(() => undefined);
  }

  async #compactNow(): Promise<CompactReport> {
    const { source, size, generation } = await this.#run('compact', async () => ({
      source: await open(this.#files.log, 'r'),
      size: this.#file.size,
      generation: this.#generation,
    }));
    const isStopped = (): boolean =>
      this.#closing !== null || this.#isLost || this.#generation !== generation;
    try {
      const report = await this.#rewrite(this.#files.merged, async (target) => {
        await mergeObservations(source, size, target, isStopped);
        return this.#run('compact', async () => {
          // Cleared or imported into meanwhile: what was copied is not the log any more.
          if (this.#generation !== generation) return null;
          const bytesBefore = this.#file.size;
          await copyRange(this.#handle, size, bytesBefore, target);
          await this.#replaceBy(target);
          this.#mergeableBytes = 0;
          return { bytesBefore, bytesAfter: this.#file.size };
        });
      });
      return report ?? { bytesBefore: this.#file.size, bytesAfter: this.#file.size };
    } finally {
      await source.close();
    }
  }

  async #rewrite<T>(path: string, build: (target: Rewrite) => Promise<T>): Promise<T> {
    const { mode } = await this.#handle.stat();
    return withRewrite(path, mode, build);
  }

  /** Inside `#run` only. */
  async #replaceBy(target: Rewrite): Promise<void> {
    await target.replace(this.#files.log);
    const old = this.#file;
    this.#file = target;
    this.#handle = target.handle;
    this.#generation++;
    await old.close().catch(() => undefined);
    await syncFolder(this.folder);
  }

  /** Runs `work` after everything asked for before it. Our own errors pass, the system's become MEMORY_WRITE_FAILED. */
  #run<T>(what: string, work: () => Promise<T>): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.reject(refusal);
    const result = this.#work.then(async () => {
      if (this.#isLost) throw this.#lostError();
      try {
        await this.#keepInPlace();
        return await work();
      } catch (error) {
        if (error instanceof TwiceshyError) throw error;
        throw writeFailed(`Could not ${what} the memory in ${this.folder}`, error);
      }
    });
    this.#work = result.catch(() => undefined);
    return result;
  }

  #refusal(): TwiceshyError | null {
    if (this.#isLost) return this.#lostError();
    if (this.#closing !== null) {
      return new TwiceshyError('MEMORY_WRITE_FAILED', `The memory in ${this.folder} is closed.`);
    }
    return null;
  }

  #lostError(): TwiceshyError {
    return new TwiceshyError(
      'MEMORY_LOCKED',
      `The memory in ${this.folder} was taken over or removed while in use. Restart this process to use it again.`,
    );
  }

  /** Looks after the log also when nothing is appended. */
  #watch(): void {
    if (this.#isWatching || this.#isLost) return;
    this.#isWatching = true;
    this.#run('look after', () => Promise.resolve())
      .catch(() => undefined)
      .finally(() => {
        this.#isWatching = false;
      });
  }

  /**
   * Makes the open file and the name `memory.jsonl` one again, under the lock: a log that is gone is written again from
   * the open file, which still holds all of it; another file in its place, or ours changed, is gone on with.
   */
  async #keepInPlace(): Promise<void> {
    const place = await findLog(this.#files.log, this.#handle, this.#file.size);
    if (place === 'in_place' || (place === 'replaced' && !this.#hasSteadyNumbers)) return;
    if (!(await this.#lock.isHeld())) {
      this.#lose();
      throw this.#lostError();
    }
    try {
      if (place === 'missing') await this.#writeAgain();
      else await this.#takeUp(place === 'replaced' ? await openLog(this.#files.log) : this.#handle);
    } catch (error) {
      if (!this.#isMissingTold) {
        this.#report('log_missing', 'memory.jsonl is away and cannot be written again; trying on.', error);
      }
      this.#isMissingTold = true;
      throw error;
    }
    this.#isMissingTold = false;
    if (place === 'replaced' && (await findLog(this.#files.log, this.#handle, this.#file.size)) === place) {
      this.#hasSteadyNumbers = false;
      return;
    }
    this.#counters.count('store_log_disturbed', place);
    const { kind, message } = disturbances[place];
    this.#report(kind, message);
  }

  async #writeAgain(): Promise<void> {
    const { size } = await this.#handle.stat();
    await this.#rewrite(this.#files.rewrite, async (target) => {
      await copyRange(this.#handle, 0, Math.min(size, this.#file.size), target);
      await this.#replaceBy(target);
    });
  }

  /** Nothing of it is healed: whoever changed it may not be done. Our next line starts on a line of its own. */
  async #takeUp(handle: FileHandle): Promise<void> {
    const { size } = await handle.stat();
    await this.#sync();
    const old = this.#handle;
    this.#file = new AppendFile(handle, size, size > 0);
    this.#handle = handle;
    this.#generation++;
    if (old !== handle) await old.close().catch(() => undefined);
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#watchTimer);
    this.#report(
      'lock_lost',
      `The memory in ${this.folder} was taken over or removed; nothing more is written.`,
    );
  }

  #syncLater(): void {
    const { fsync = 'interval', fsyncIntervalMs = limits.fsyncIntervalMs } = this.#options;
    if (fsync !== 'interval' || this.#syncTimer !== null || this.#closing !== null) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = null;
      this.#run('sync', () => this.#sync()).catch(() => undefined);
    }, fsyncIntervalMs);
    this.#syncTimer.unref();
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.sync();
      this.#isSyncFailing = false;
    } catch (error) {
      // Told once, not at each attempt.
      if (!this.#isSyncFailing)
        this.#report('sync_failed', 'The memory could not be handed to the disk.', error);
      this.#isSyncFailing = true;
    }
  }

  #compactLater(): void {
    if (this.#options.isCompactedByItself === false || this.#compaction !== null || this.#closing !== null)
      return;
    const least = this.#options.compactMinBytes ?? limits.compactMinBytes;
    // Rewriting a large log to save less than a third of it is not worth it.
    if (this.#mergeableBytes < Math.max(least, this.#file.size / 3)) return;
    this.compact().then(
      ({ bytesBefore, bytesAfter }) =>
        this.#report('compacted', `Merged observations: ${bytesBefore} bytes became ${bytesAfter}.`),
      (error: unknown) => {
        if (this.#closing !== null) return;
        this.#mergeableBytes = 0;
        this.#report(
          'compaction_failed',
          'Observations could not be merged; the memory is as it was.',
          error,
        );
      },
    );
  }

  #reportSkipped({ damaged, unknown, tooLong }: ReplayReport): void {
    if (damaged > 0) this.#counters.count('store_lines_healed', 'damaged', damaged);
    if (unknown > 0) this.#counters.count('store_lines_healed', 'unknown', unknown);
    if (tooLong > 0) this.#counters.count('store_lines_healed', 'too_long', tooLong);
    if (damaged + unknown + tooLong === 0) return;
    this.#report(
      'lines_passed_over',
      `Lines of the memory passed over and left in place: ${damaged} damaged, ${unknown} of a newer version, ${tooLong} too long.`,
    );
  }

  #report(kind: StoreReport['kind'], message: string, error?: unknown): void {
    this.#options.onReport?.(error instanceof Error ? { kind, message, error } : { kind, message });
  }
}
