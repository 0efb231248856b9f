/** Waiting in tests: for a condition, with a deadline, never for a time. */
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
