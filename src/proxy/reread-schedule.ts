/**
 * When a catalog is read although its probe has not moved, and when it is not although it has: for probes that move
 * when a change begins, also one that comes to nothing, and not when it ends (`CatalogReader.isProbeEarly`).
 *
 * A change that a read came too early for is seen by the next, which is as far off again as the change is old: so the
 * end of one that took a minute is noticed within a minute, at the cost of a few reads after each.
 */
import { limits } from '../core/limits.js';

export class RereadSchedule {
  #movedAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #falseAlarms = 0;
  #dampedUntil = Number.NEGATIVE_INFINITY;

  probeMoved(now: number): void {
    this.#movedAt = now;
  }

  /** `askedBy`: the probe, whoever saw a change or wants a read in any case, or nothing but time. */
  wasRead(read: {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly askedBy: 'probe' | 'others' | 'time';
    readonly isChanged: boolean;
  }): void {
    const { startedAt, endedAt, askedBy, isChanged } = read;
    if (isChanged) this.#falseAlarms = 0;
    else if (askedBy === 'probe') this.#falseAlarms += 1;
    const age = Math.max(startedAt - this.#movedAt, limits.catalogProbeMs);
    this.#dueAt = startedAt + Math.min(age, limits.catalogRereadMs);
    const restMs = (endedAt - startedAt) * limits.catalogFalseAlarmRest;
    this.#dampedUntil = endedAt + Math.min(restMs, limits.catalogRereadMs);
  }

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** True where the last reads were for nothing (temporary tables move the probe too) and the next can wait. */
  isDamped(now: number): boolean {
    return this.#falseAlarms >= limits.catalogFalseAlarms && now < this.#dampedUntil;
  }
}
