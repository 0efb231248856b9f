/** How often each record's note may be shown in one session: a note that did not help twice becomes noise. */
import type { FailureClass } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import type { MemoryRecord } from '../memory/record.js';

/** Classes whose note says that nothing else will do and stops: saying so twice adds nothing. */
const boundaryClasses: ReadonlySet<FailureClass> = new Set([
  'permission',
  'read_only',
  'unsupported_feature',
  'unsupported_translation',
  'resource_limit',
  'internal',
]);

export class NoteBudget {
  readonly #shown = new Map<string, number>();

  /** True while the record's note may be shown once more, at most `notesPerSession` times in all. */
  allows(record: MemoryRecord, notesPerSession: number): boolean {
    const most = boundaryClasses.has(record.class) ? Math.min(1, notesPerSession) : notesPerSession;
    return (this.#shown.get(record.id) ?? 0) < most;
  }

  shown(recordId: string): void {
    const count = this.#shown.get(recordId) ?? 0;
    if (count === 0 && this.#shown.size >= limits.maxNotedRecordsPerSession) {
      const oldest = this.#shown.keys().next();
      if (oldest.done !== true) this.#shown.delete(oldest.value);
    }
    this.#shown.set(recordId, count + 1);
  }
}
