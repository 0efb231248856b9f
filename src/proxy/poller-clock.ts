/** Time as the catalog pollers see it, so that tests can drive it. */
export interface PollerClock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back once after `delayMs` unless cancelled through the answer. */
  after(delayMs: number, callback: () => void): () => void;
  /** Lets other work have its turn. */
  yield(): Promise<void>;
}

/** The machine's clock. A wait does not keep the process alive, work that is due now does. */
export const systemClock: PollerClock = {
  now: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    if (delayMs > 0) timer.unref();
    return () => clearTimeout(timer);
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};
