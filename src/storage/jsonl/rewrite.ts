/** A log being written beside the old one, which it replaces by a rename or leaves as it was. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { AppendFile } from './append-file.js';

export class Rewrite extends AppendFile {
  readonly handle: FileHandle;
  readonly #path: string;
  #isInPlace = false;

  constructor(handle: FileHandle, path: string) {
    super(handle, 0);
    this.handle = handle;
    this.#path = path;
  }

  /** Takes the place of `log`, on disk whole before it does. */
  async replace(log: string): Promise<void> {
    await this.sync();
    await rename(this.#path, log);
    this.#isInPlace = true;
  }

  /** Closes and removes it, unless it is in place. */
  async discard(): Promise<void> {
    if (this.#isInPlace) return;
    await this.close().catch(() => undefined);
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}

/** Runs `build` with a new log at `path`; unless it was put in place, it is gone afterwards. `mode`: of the file. */
export async function withRewrite<T>(
  path: string,
  mode: number,
  build: (target: Rewrite) => Promise<T>,
): Promise<T> {
  const target = new Rewrite(await open(path, 'ax+', mode & 0o777), path);
  try {
    return await build(target);
  } finally {
    await target.discard();
  }
}
