/** Client packets and server frames as the handshake tests send them. */
export function startupPacket(parameters: Record<string, string>, protocol = 0x0003_0000): Buffer {
  const body = Object.entries(parameters)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join('');
  return requestPacket(protocol, Buffer.from(`${body}\0`));
}

export function requestPacket(code: number, rest: Buffer = Buffer.alloc(0)): Buffer {
  const packet = Buffer.alloc(8 + rest.length);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(code, 4);
  rest.copy(packet, 8);
  return packet;
}

export const sslRequest = requestPacket(80_877_103);
export const gssRequest = requestPacket(80_877_104);

export function cancelPacket(key: Buffer): Buffer {
  return requestPacket(80_877_102, key);
}

export function frame(type: string, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function authentication(code: number, rest: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(code, 0);
  return frame('R', Buffer.concat([head, Buffer.from(rest)]));
}

/** Fields of an ErrorResponse frame by their letter; throws when it is not one whole frame. */
export function errorFields(bytes: Buffer): Record<string, string> {
  if (bytes[0] !== 0x45 || bytes.readInt32BE(1) !== bytes.length - 1) throw new Error('not one error frame');
  if (bytes.at(-1) !== 0 || bytes.at(-2) !== 0) throw new Error('error frame does not end as it must');
  const fields: Record<string, string> = {};
  for (const field of bytes.toString('utf8', 5, bytes.length - 2).split('\0')) {
    fields[field.charAt(0)] = field.slice(1);
  }
  return fields;
}

export function saslInitial(mechanism: string, message: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(message), 0);
  return frame('p', Buffer.concat([Buffer.from(`${mechanism}\0`), length, Buffer.from(message)]));
}
