/** What clients say first, and the one reply that answers it. */
import type { Document } from 'bson';
import { bodyOf, type Message, messageOf, opMsg, opQuery } from './mongodb-messages.js';

/** As drivers say it, by either opcode; both are request 7. */
export const hello = opMsg(
  { hello: 1, client: { application: { name: 'probe' } }, $db: 'admin' },
  { requestId: 7 },
);
export const oldHello = opQuery({ ismaster: 1, helloOk: true }, { requestId: 7 });

/** The beginning of a TLS record with a ClientHello. */
export const clientHello = Buffer.from('160301010c010001080303', 'hex');

/** Throws where there is anything but one reply. */
export function onlyReply(
  bytes: Buffer,
): Pick<Message, 'opcode' | 'responseTo'> & { readonly body: Document } {
  if (bytes.readInt32LE(0) !== bytes.length) throw new Error('Not just one reply');
  const message = messageOf(bytes);
  return { opcode: message.opcode, responseTo: message.responseTo, body: bodyOf(message) };
}
