/** Operations of a command that has several, such as the documents of an insert: each is a statement of its own. */
import { limits } from '../../../src/core/limits.js';
import type { Level } from './level.js';

/** Which operations become statements: the one of an index, each, or each that differs from those before. */
export type Operations = number | 'each' | 'distinct';

/** What `read` makes of the wanted ones; `read` finds the operation as the current element of its level. */
export function readOperations<Result>(
  list: Level,
  wanted: Operations,
  isFull: () => boolean,
  read: (operation: Level) => Result | null,
  keyOf: (result: Result) => string,
): Result[] {
  const inner = list.enter();
  const found: Result[] = [];
  if (inner === null) return found;
  const seen = new Set<string>();
  for (let index = 0; found.length < limits.maxMultiStatements && !isFull() && inner.next(); index += 1) {
    if (typeof wanted === 'number' && index < wanted) continue;
    const result = read(inner);
    if (result !== null && (wanted !== 'distinct' || !seen.has(keyOf(result)))) {
      found.push(result);
      seen.add(keyOf(result));
    }
    if (index === wanted) break;
  }
  return found;
}
