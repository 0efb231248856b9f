/** ErrorResponse (docs 55.7 and 55.8 "Error and Notice Message Fields"): type-byte/string pairs up to a zero byte. */
import type { ServerError } from '../../../src/core/verdict.js';
import type { TextDecoding } from '../text-decoding.js';
import { cstringEnd } from './cstring.js';

/** Field type bytes that are read here. */
export const errorField = {
  severity: 0x53, // S, localised
  severityCode: 0x56, // V, never localised (9.6 and later)
  code: 0x43, // C
  message: 0x4d, // M
  detail: 0x44, // D
  hint: 0x48, // H
  position: 0x50, // P
  internalPosition: 0x70, // p
  context: 0x57, // W
  schema: 0x73, // s
  table: 0x74, // t
  column: 0x63, // c
  dataType: 0x64, // d
  constraint: 0x6e, // n
  routine: 0x52, // R
} as const;

const memberOf: Readonly<Record<number, keyof ServerError>> = {
  [errorField.code]: 'code',
  [errorField.message]: 'message',
  [errorField.detail]: 'detail',
  [errorField.hint]: 'hint',
  [errorField.context]: 'context',
  [errorField.schema]: 'schema',
  [errorField.table]: 'table',
  [errorField.column]: 'column',
  [errorField.dataType]: 'dataType',
  [errorField.constraint]: 'constraint',
  [errorField.routine]: 'routine',
};

/** Fields may be missing or unknown; null only when a field does not end within the body. */
export function decodeErrorResponse(
  bytes: Buffer,
  start: number,
  end: number,
  decoding: TextDecoding,
): ServerError | null {
  const fields: Record<string, string | number | boolean> = { code: '', message: '' };
  let at = start;
  while (at < end && bytes[at] !== 0) {
    const field = bytes[at] as number;
    const valueEnd = cstringEnd(bytes, at + 1, end);
    if (valueEnd < 0) return null;
    const member = memberOf[field];
    if (member !== undefined) {
      fields[member] = decoding.decode(bytes, at + 1, valueEnd);
    } else if (
      field === errorField.severityCode ||
      (field === errorField.severity && !('severity' in fields))
    ) {
      fields['severity'] = bytes.toString('latin1', at + 1, valueEnd);
    } else if (field === errorField.position || field === errorField.internalPosition) {
      const position = Number.parseInt(bytes.toString('latin1', at + 1, valueEnd), 10);
      if (Number.isSafeInteger(position) && position > 0) {
        fields['position'] = position;
        fields['isInternalPosition'] = field === errorField.internalPosition;
      }
    }
    at = valueEnd + 1;
  }
  return at < end ? (fields as unknown as ServerError) : null;
}
