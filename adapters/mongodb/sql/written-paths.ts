/** The fields a statement writes: each once, and none within another. */
import { refuse, shownName } from './refusals.js';

export function refuseOverlap(paths: readonly string[], index: number): void {
  const sorted = [...paths].sort();
  const seen = new Set<string>();
  for (const path of sorted) {
    const parts = path.split('.');
    for (let count = 1; count <= parts.length; count += 1) {
      if (!seen.has(parts.slice(0, count).join('.'))) continue;
      refuse('SQL_INVALID', `${shownName(path, 'A field')} is written twice.`, index);
    }
    seen.add(path);
  }
}
