/** CommandComplete (docs 55.7, 'C' from the server): what the tag says of the session, beyond "done". */
export const tagEffect = {
  none: 0,
  begin: 1,
  commit: 2,
  rollback: 3,
  /** The schema changed (takes effect at commit). CREATE TABLE AS answers SELECT: the catalog probe finds that. */
  ddl: 4,
  /** A session setting changed. */
  set: 5,
  prepare: 6,
  deallocate: 7,
  deallocateAll: 8,
  discardAll: 9,
} as const;

export type TagEffect = (typeof tagEffect)[keyof typeof tagEffect];

const effectOf: ReadonlyMap<string, TagEffect> = new Map([
  ['BEGIN', tagEffect.begin],
  ['START TRANSACTION', tagEffect.begin],
  ['COMMIT', tagEffect.commit],
  ['PREPARE TRANSACTION', tagEffect.commit],
  ['ROLLBACK', tagEffect.rollback],
  ['SET', tagEffect.set],
  ['RESET', tagEffect.set],
  ['PREPARE', tagEffect.prepare],
  ['DEALLOCATE', tagEffect.deallocate],
  ['DEALLOCATE ALL', tagEffect.deallocateAll],
  ['DISCARD ALL', tagEffect.discardAll],
  ['IMPORT FOREIGN SCHEMA', tagEffect.ddl],
]);

const upperD = 0x44;
const upperS = 0x53;
const upperI = 0x49;
const upperU = 0x55;
const upperL = 0x4c;
const upperN = 0x4e;
const longestTag = 64;

/** Reads the body of a CommandComplete. The tags of SELECT, INSERT, UPDATE and DELETE cost no string. */
export function decodeTagEffect(bytes: Buffer, start: number, end: number): TagEffect {
  const first = bytes[start];
  const third = bytes[start + 2];
  if (first === upperS && third === upperL) return tagEffect.none; // SELECT
  if (first === upperI && bytes[start + 1] === upperN) return tagEffect.none; // INSERT
  if (first === upperU || (first === upperD && third === upperL)) return tagEffect.none; // UPDATE, DELETE
  const tag = bytes.toString('latin1', start, Math.min(end - 1, start + longestTag));
  const known = effectOf.get(tag);
  if (known !== undefined) return known;
  return tag.startsWith('CREATE ') || tag.startsWith('ALTER ') || tag.startsWith('DROP ')
    ? tagEffect.ddl
    : tagEffect.none;
}
