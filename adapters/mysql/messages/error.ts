/** ERR packets ("ERR_Packet"): error number, `#` and SQLSTATE (not before the login is done), message to the end. */

/** MariaDB reports progress in an ERR packet of this number ("Progress Reporting"): the answer is still to come. */
export const progressErrno = 0xffff;

const markerBytes = 6;
const marker = 0x23;

export interface ErrorPacket {
  readonly errno: number;
  /** Null where the packet has none. */
  readonly sqlState: string | null;
  /** Where the message begins; it goes to the end of the payload. */
  readonly messageStart: number;
}

/** Null when the payload has no room for an error number, or for the SQLSTATE that its marker announces. */
export function decodeError(bytes: Buffer, start: number, end: number): ErrorPacket | null {
  if (end - start < 3) return null;
  const errno = errnoAt(bytes, start);
  if (end - start === 3 || bytes[start + 3] !== marker)
    return { errno, sqlState: null, messageStart: start + 3 };
  if (end - start < 3 + markerBytes) return null;
  const messageStart = start + 3 + markerBytes;
  return { errno, sqlState: bytes.toString('latin1', start + 4, messageStart), messageStart };
}

/** The error number of a payload of at least three bytes. */
export function errnoAt(bytes: Buffer, start: number): number {
  return (bytes[start + 1] as number) | ((bytes[start + 2] as number) << 8);
}
