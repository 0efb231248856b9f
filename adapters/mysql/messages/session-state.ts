/**
 * What an OK packet says of changes to the session ("OK_Packet", session state information), where session tracking is
 * in force. The flag that announces it may be set with nothing behind it, and there may be kinds not known here.
 */
import { lengthEncodedAt, lengthEncodedBytes, stringEnd, stringStart } from './length-encoded.js';

export interface SessionStateReceiver {
  systemVariable(name: string, value: string): void;
  /** Empty: the session is in no database. */
  schema(name: string): void;
}

const kind = { systemVariables: 0, schema: 1 } as const;

/** `from` is the index behind the OK packet's warnings, `end` where what is known of it ends. Stops where that is. */
export function readSessionState(
  bytes: Buffer,
  from: number,
  end: number,
  receiver: SessionStateReceiver,
): void {
  const infoEnd = stringEnd(bytes, from, end);
  if (infoEnd < 0 || lengthEncodedBytes(bytes, infoEnd, end) === 0) return;
  let at = stringStart(bytes, infoEnd);
  const last = Math.min(at + lengthEncodedAt(bytes, infoEnd), end);
  while (at < last) {
    const dataEnd = stringEnd(bytes, at + 1, last);
    if (dataEnd < 0) return;
    const data = stringStart(bytes, at + 1);
    if (bytes[at] === kind.systemVariables) readVariables(bytes, data, dataEnd, receiver);
    else if (bytes[at] === kind.schema) {
      const nameEnd = stringEnd(bytes, data, dataEnd);
      if (nameEnd >= 0) receiver.schema(bytes.toString('utf8', stringStart(bytes, data), nameEnd));
    }
    at = dataEnd;
  }
}

function readVariables(bytes: Buffer, from: number, end: number, receiver: SessionStateReceiver): void {
  let at = from;
  while (at < end) {
    const nameEnd = stringEnd(bytes, at, end);
    const valueEnd = nameEnd < 0 ? -1 : stringEnd(bytes, nameEnd, end);
    if (valueEnd < 0) return;
    receiver.systemVariable(
      bytes.toString('latin1', stringStart(bytes, at), nameEnd),
      bytes.toString('utf8', stringStart(bytes, nameEnd), valueEnd),
    );
    at = valueEnd;
  }
}
