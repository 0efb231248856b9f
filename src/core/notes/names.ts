/**
 * Which of the names that exist is most likely meant by one that does not. Pure and bounded: names over
 * `limits.maxNameLength` are passed over and at most `limits.maxNameCandidates` are looked at.
 */
import { limits } from '../limits.js';

interface Scored {
  readonly name: string;
  readonly score: number;
  readonly lengthGap: number;
}

/** Names that differ by more than about a third of the letters wanted are not called close. */
const maxShareOfEdits = 0.34;
/** Two slips are forgiven in short names too, as long as half of the letters stay. */
const minEdits = 2;
/** However long the names are, more edits than this are another name. */
const maxEdits = 4;
/** A name contained in another counts as close from this length on; `id` is a part of too much. */
const minContainedLength = 3;
/** A name that is a smaller part of the other than this says nothing of it. */
const minContainedShare = 0.25;

/**
 * The at most `count` candidates closest to `wanted`, best first, without duplicates; empty where none is close.
 * Case and underscores do not count, a swap of neighbours is one edit; ties go to the nearer length, then by code unit.
 */
export function closestNames(wanted: string, candidates: Iterable<string>, count: number): string[] {
  const key = comparable(wanted);
  if (key === null || count <= 0) return [];
  const found = new Map<string, Scored>();
  const rows = newRows();
  let looked = 0;
  for (const name of candidates) {
    if (looked++ >= limits.maxNameCandidates) break;
    if (name === wanted || found.has(name)) continue;
    const score = scoreOf(key, name, rows);
    if (score !== null) found.set(name, { name, score, lengthGap: Math.abs(name.length - wanted.length) });
  }
  return [...found.values()]
    .sort(byScore)
    .slice(0, count)
    .map((scored) => scored.name);
}

function byScore(a: Scored, b: Scored): number {
  return a.score - b.score || a.lengthGap - b.lengthGap || (a.name < b.name ? -1 : 1);
}

function comparable(name: string): string | null {
  if (name.length === 0 || name.length > limits.maxNameLength) return null;
  const folded = name.toLowerCase().replaceAll('_', '');
  return folded.length === 0 ? null : folded;
}

function scoreOf(key: string, name: string, rows: Rows): number | null {
  const other = comparable(name);
  if (other === null) return null;
  const longer = Math.max(key.length, other.length);
  const edits = editDistance(key, other, maxEditsOf(key.length), rows);
  if (edits !== null) return edits;
  const shorter = Math.min(key.length, other.length);
  const isPart = shorter >= minContainedLength && shorter >= longer * minContainedShare;
  const isContained = isPart && (key.includes(other) || other.includes(key));
  return isContained ? limits.maxNameLength + longer - shorter : null;
}

/** One edit in a name of two letters makes any other: it is close to itself alone, in whatever case. */
function maxEditsOf(length: number): number {
  if (length <= 2) return 0;
  const share = Math.max(minEdits, Math.floor(length * maxShareOfEdits));
  return Math.min(maxEdits, share, Math.floor(length / 2));
}

type Rows = readonly [Uint16Array, Uint16Array, Uint16Array];

function newRows(): Rows {
  const width = limits.maxNameLength + 1;
  return [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)];
}

/** Edits (insert, delete, replace, swap of neighbours) from `left` to `right`, or null when there are more than `bound`. */
function editDistance(left: string, right: string, bound: number, rows: Rows): number | null {
  if (Math.abs(left.length - right.length) > bound) return null;
  const [a, b] = withoutSharedEnds(left, right);
  let [beforeLast, last, current] = rows;
  const far = bound + 1;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    // Cells further than `bound` from the diagonal cannot be part of an answer.
    const from = Math.max(1, i - bound);
    const to = Math.min(b.length, i + bound);
    current[from - 1] = from === 1 ? i : far;
    let best = far;
    for (let j = from; j <= to; j += 1) {
      const code = a.charCodeAt(i - 1);
      const isSame = code === b.charCodeAt(j - 1);
      const above = j === i + bound ? far : at(last, j) + 1;
      let cost = Math.min(above, at(current, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      const isSwap =
        i > 1 && j > 1 && code === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwap) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      current[j] = cost;
      if (cost < best) best = cost;
    }
    // A swap can reach back one row, so one row over the bound is not yet the end.
    if (best > bound + 1) return null;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  const edits = at(last, b.length);
  return edits <= bound ? edits : null;
}

/** What two names begin or end with alike takes no edits. */
function withoutSharedEnds(a: string, b: string): readonly [string, string] {
  let start = 0;
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  const room = Math.min(a.length, b.length) - start;
  while (end < room && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function at(row: Uint16Array, index: number): number {
  return row[index] ?? 0;
}
