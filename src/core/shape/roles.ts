/**
 * Words that mean something to the passes, each with a small number, so that a pass compares numbers and not strings.
 * A dialect that lacks a word never shows its role.
 */
import type { WordTable } from './words.js';

export const roles = {
  none: 0,
  also: 1,
  analyse: 2,
  analyze: 3,
  array: 4,
  as: 5,
  atomic: 6,
  attach: 7,
  begin: 8,
  by: 9,
  case: 10,
  column: 11,
  copy: 12,
  current: 13,
  default: 14,
  delete: 15,
  detach: 16,
  distinct: 17,
  do: 18,
  end: 19,
  except: 20,
  execute: 21,
  exists: 22,
  explain: 23,
  false: 24,
  fetch: 25,
  for: 26,
  from: 27,
  function: 28,
  group: 29,
  having: 30,
  if: 31,
  ilike: 32,
  immediate: 33,
  in: 34,
  inherit: 35,
  inherits: 36,
  insert: 37,
  instead: 38,
  intersect: 39,
  into: 40,
  is: 41,
  join: 42,
  like: 43,
  limit: 44,
  lock: 45,
  materialized: 46,
  merge: 47,
  not: 48,
  null: 49,
  of: 50,
  offset: 51,
  on: 52,
  only: 53,
  order: 54,
  ordinality: 55,
  partition: 56,
  procedure: 57,
  recursive: 58,
  references: 59,
  replace: 60,
  returning: 61,
  returns: 62,
  rows: 63,
  select: 64,
  set: 65,
  stdin: 66,
  straight_join: 67,
  table: 68,
  temp: 69,
  temporary: 70,
  to: 71,
  true: 72,
  truncate: 73,
  union: 74,
  unlogged: 75,
  update: 76,
  using: 77,
  vacuum: 78,
  values: 79,
  verbose: 80,
  view: 81,
  where: 82,
  window: 83,
  with: 84,
} as const;

/** Role by entry of the word table. */
export class RoleTable {
  private readonly byEntry: Uint8Array;

  constructor(words: WordTable) {
    this.byEntry = new Uint8Array(words.size);
    for (const [word, role] of Object.entries(roles)) {
      const entry = words.entryOf(word);
      if (entry > 0) this.byEntry[entry] = role;
    }
  }

  of(entry: number): number {
    return this.byEntry[entry] ?? roles.none;
  }
}
