/** A line on a terminal that says how far long work is; nothing anywhere else, nothing for short work. */
import type { OutputStream } from './memory-output.js';

const firstAfterMs = 500;
const everyMs = 200;
const stepsBetweenLooks = 5_000;

export class Progress {
  readonly #stream: OutputStream;
  readonly #what: string;
  #steps = 0;
  #nextAt: number;
  #isShown = false;

  constructor(stream: OutputStream, what: string) {
    this.#stream = stream;
    this.#what = what;
    this.#nextAt = performance.now() + firstAfterMs;
  }

  step(): void {
    this.#steps++;
    if (this.#stream.isTTY !== true || this.#steps % stepsBetweenLooks !== 0) return;
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + everyMs;
    this.#isShown = true;
    this.#stream.write(`\r\x1b[K${this.#what}: ${this.#steps.toLocaleString('en-US')} events`);
  }

  /** Takes the line away. */
  done(): void {
    if (this.#isShown) this.#stream.write('\r\x1b[K');
    this.#isShown = false;
  }
}
