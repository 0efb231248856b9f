/** OK and EOF packets ("OK_Packet", "EOF_Packet"): status flags and the number of warnings. */
import { lengthEncodedBytes } from './length-encoded.js';

/** Filled in by the decoders, so that a packet costs no object. */
export interface ServerState {
  status: number;
  warnings: number;
  /** Index behind the warnings of an OK packet: text and tracked state; -1 for an EOF packet. */
  rest: number;
}

/** The payload of an OK packet, under either of its first bytes. False: it has no room for the flags. */
export function decodeOk(bytes: Buffer, start: number, end: number, into: ServerState): boolean {
  const affectedRows = lengthEncodedBytes(bytes, start + 1, end);
  if (affectedRows === 0) return false;
  const insertId = lengthEncodedBytes(bytes, start + 1 + affectedRows, end);
  const at = start + 1 + affectedRows + insertId;
  if (insertId === 0 || at + 4 > end) return false;
  into.status = uint16At(bytes, at);
  into.warnings = uint16At(bytes, at + 2);
  into.rest = at + 4;
  return true;
}

/** The payload of an EOF packet. False: it has no room for the flags. */
export function decodeEof(bytes: Buffer, start: number, end: number, into: ServerState): boolean {
  if (end - start < 5) return false;
  into.warnings = uint16At(bytes, start + 1);
  into.status = uint16At(bytes, start + 3);
  into.rest = -1;
  return true;
}

function uint16At(bytes: Buffer, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}
