/**
 * The end of the log: appends whole batches.
 *
 * Invariant: after an append that failed, the file ends where it ended before, or the next append starts on a line of
 * its own. So a full disk costs the batch that did not fit and never the lines around it.
 */

/** The part of a file handle that is needed here; opened for appending. */
export interface AppendHandle {
  write(buffer: Buffer, offset: number, length: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

const newline = Buffer.from('\n');

export class AppendFile {
  readonly #handle: AppendHandle;
  #size: number;
  #hasTornTail: boolean;
  #isSynced = true;

  /** `hasTornTail`: the file may end within a line. */
  constructor(handle: AppendHandle, size: number, hasTornTail = false) {
    this.#handle = handle;
    this.#size = size;
    this.#hasTornTail = hasTornTail;
  }

  /** Bytes of the file up to which it holds whole lines. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends all of `bytes` (whole lines) or rejects with the reason of the system; with `isSyncing` the disk has them
   * when it resolves. Not to be called while one is going on.
   */
  async append(bytes: Buffer, isSyncing = false): Promise<void> {
    const batch = this.#hasTornTail ? Buffer.concat([newline, bytes]) : bytes;
    let written = 0;
    try {
      while (written < batch.length) {
        const { bytesWritten } = await this.#handle.write(batch, written, batch.length - written);
        written += bytesWritten;
      }
      if (isSyncing) await this.#handle.datasync();
    } catch (error) {
      if (written > 0) await this.#cut(written);
      throw error;
    }
    this.#hasTornTail = false;
    this.#isSynced = isSyncing && this.#isSynced;
    this.#size += written;
  }

  /** Hands what was appended to the disk. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    try {
      await this.#handle.datasync();
    } catch (error) {
      this.#isSynced = false;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #cut(written: number): Promise<void> {
    try {
      await this.#handle.truncate(this.#size);
    } catch {
      this.#hasTornTail = true;
      this.#size += written;
    }
  }
}
