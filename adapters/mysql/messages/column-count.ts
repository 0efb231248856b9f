/**
 * The first packet of a result set ("Text Resultset"): the number of columns and, where one of two capabilities is in
 * force, whether their definitions follow. MySQL 9.7 and MariaDB 10.11 both send the number first, and bound the columns of
 * a table but not of a SELECT. Definitions are counted, never kept, so there is no bound here either.
 */
import { lengthEncodedAt, lengthEncodedBytes } from './length-encoded.js';

/** How many definitions follow; -1 for what cannot be the start of a result set. */
export function decodeDefinitionCount(
  bytes: Buffer,
  start: number,
  end: number,
  canOmitDefinitions: boolean,
): number {
  const size = lengthEncodedBytes(bytes, start, end);
  const count = size === 0 ? 0 : lengthEncodedAt(bytes, start);
  if (count === 0) return -1;
  const left = end - start - size;
  if (left === 0) return count;
  if (!canOmitDefinitions || left !== 1) return -1;
  const follows = bytes[start + size] as number;
  return follows === 0 ? 0 : follows === 1 ? count : -1;
}
