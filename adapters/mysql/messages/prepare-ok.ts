/**
 * The first packet of the answer to COM_STMT_PREPARE ("COM_STMT_PREPARE Response"): statement id, number of columns and
 * of parameters, warnings and, with optional metadata, whether definitions follow.
 */

export interface PrepareOk {
  readonly id: number;
  readonly columns: number;
  readonly parameters: number;
  readonly hasDefinitions: boolean;
}

/** Null when the payload is too short. */
export function decodePrepareOk(bytes: Buffer, start: number, end: number): PrepareOk | null {
  if (end - start < 12) return null;
  return {
    id: bytes.readUInt32LE(start + 1),
    columns: bytes.readUInt16LE(start + 5),
    parameters: bytes.readUInt16LE(start + 7),
    hasDefinitions: end - start < 13 || bytes[start + 12] === 1,
  };
}
