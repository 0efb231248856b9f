/**
 * Codes of FerretDB that are no MongoDB codes: DocumentDB answers a failed write with a SQLSTATE packed into an integer as
 * PostgreSQL packs it, six bits a character, and FerretDB passes on those it has no code for.
 */
import { documentdbConditions } from './documentdb-conditions.js';

/** States have five characters, so the fifth of them makes any packed one at least this large. */
const least = 1 << 24;
const end = 1 << 30;

/** States of PostgreSQL that DocumentDB lets through, by what they mean here. */
const postgresStates: Readonly<Record<string, number>> = {
  '0A000': 115,
  '22023': 2,
  '22P02': 2,
  '23505': 11000,
  '23P01': 11000,
  '40001': 112,
  '40P01': 112,
  '42501': 13,
  '53100': 14031,
  '53200': 146,
  '54000': 146,
  '55P03': 24,
  '57014': 50,
  XX000: 1,
};

/** MongoDB's code for a packed state; `code` itself where it is none, or one that nothing is known of. */
export function unpackedCode(code: number): number {
  if (!Number.isInteger(code) || code < least || code >= end) return code;
  let state = '';
  for (let shift = 0; shift < 30; shift += 6) state += String.fromCharCode(0x30 + ((code >> shift) & 0x3f));
  const own = /^M[0-9A-Z]{4}$/.test(state)
    ? documentdbConditions[Number.parseInt(state.slice(1), 36)]
    : undefined;
  return own ?? postgresStates[state] ?? code;
}
