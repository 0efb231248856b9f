/** Time as the catalog pollers see it, so that tests can drive it. */
export interface PollerClock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back once after `delayMs` unless cancelled through the answer. */
  after(delayMs: number, callback: () => void): () => void;
  /** Lets other work have its turn. */
  yield(): Promise<void>;
}

/** The machine's clock; its timers do not keep the process alive. */
export const systemClock: PollerClock = {
  now: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};
