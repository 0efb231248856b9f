/**
 * Which session a cancel request means. One registry an upstream, shared by its listeners, because a client may send
 * its cancel by another door than its session came.
 */
import type { CancellableObserver } from '../core/adapter.js';

export class CancelKeys {
  readonly #observers = new Map<string, CancellableObserver>();

  get size(): number {
    return this.#observers.size;
  }

  add(key: string, observer: CancellableObserver): void {
    this.#observers.set(key, observer);
  }

  /** Leaves the key to a newer session that got the same one from the server. */
  remove(key: string, observer: CancellableObserver): void {
    if (this.#observers.get(key) === observer) this.#observers.delete(key);
  }

  /**
   * Tells the session that its cancel is on its way. The answer is to be called once, when the request's connection is
   * over; null when no session has that key.
   */
  cancel(key: string): (() => void) | null {
    const observer = this.#observers.get(key);
    if (observer === undefined) return null;
    observer.cancelRelayed();
    return () => observer.cancelOver?.();
  }
}
