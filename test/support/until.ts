/** Waiting in tests: for a condition, with a deadline, never for a time. By polling, or where events tell, woken by them. */
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;

/**
 * Resolves with the first value of `condition` that is neither false, null nor undefined. Rejects after `timeoutMs`,
 * naming `what` was awaited and the last error `condition` threw, which counts as "not yet".
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs: number,
  what: string,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined) {
        return value as Exclude<T, false | null | undefined>;
      }
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}`, { cause: lastError });
    }
    await delay(pollMs);
  }
}

const steadyLooks = 10;

/** Resolves to what `read` gives once it has been the same ten times in a row. */
export async function steady(
  read: () => number | Promise<number>,
  timeoutMs: number,
  what: string,
): Promise<number> {
  let last = Number.NaN;
  let seen = 0;
  await until(
    async () => {
      const now = await read();
      seen = now === last ? seen + 1 : 1;
      last = now;
      return seen >= steadyLooks;
    },
    timeoutMs,
    what,
  );
  return last;
}

/** Settles as `promise` does, or rejects after `timeoutMs` naming `what`; for promises that a fault would leave open. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  const timer = new AbortController();
  const expiry = delay(timeoutMs, undefined, { signal: timer.signal }).then((): never => {
    throw new Error(`Not settled after ${timeoutMs} ms: ${what}`);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    timer.abort();
    expiry.catch(() => {});
  }
}

/** For what changes by events only: a condition is looked at again at each of them, not from time to time. */
export class Changes {
  private readonly waiting = new Set<() => void>();

  happened(): void {
    for (const check of [...this.waiting]) check();
  }

  /** Resolves when `condition` holds; rejects after `timeoutMs` naming `what`. */
  async until(condition: () => boolean, timeoutMs: number, what: string): Promise<void> {
    if (condition()) return;
    let check: () => void = () => {};
    const holds = new Promise<void>((resolve) => {
      check = (): void => {
        if (condition()) resolve();
      };
      this.waiting.add(check);
    });
    try {
      await within(holds, timeoutMs, what);
    } finally {
      this.waiting.delete(check);
    }
  }
}
