/**
 * Packets of the time before a session is relayed: taken one by one from what was read, renumbered where the two legs
 * count differently, and built for what the proxy itself has to say (MySQL "Packets", "ERR_Packet").
 *
 * Invariant: a length is checked as soon as its four bytes are here; nothing is gathered for a packet that is too long.
 */

export const headerBytes = 4;

/** Errors of the proxy itself: numbers that servers of both products use, so that clients know them. */
export const refusalError = {
  tooManyConnections: { code: 1040, sqlState: '08004' },
  badHandshake: { code: 1043, sqlState: '08S01' },
  accessDenied: { code: 1045, sqlState: '28000' },
  shuttingDown: { code: 1053, sqlState: '08S01' },
  packetTooLong: { code: 1153, sqlState: '08S01' },
  packetsOutOfOrder: { code: 1156, sqlState: '08S01' },
  /** Whatever is wrong with the connection to the server: "Got an error reading communication packets". */
  upstreamFailed: { code: 1158, sqlState: '08S01' },
  timedOut: { code: 1159, sqlState: '08S01' },
  tlsRequired: { code: 3159, sqlState: 'HY000' },
} as const;

export type RefusalError = (typeof refusalError)[keyof typeof refusalError];

export type TakenPacket =
  /** `packet` is whole with its header; both are views of what was read. */
  | { readonly kind: 'packet'; readonly sequence: number; readonly packet: Buffer; readonly payload: Buffer }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'too-long' };

const incomplete: TakenPacket = { kind: 'incomplete' };
const nothing = Buffer.alloc(0);

/** Bytes of one end from which packets are taken in order. Joined only once a packet is whole. */
export class PacketInbox {
  #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Number of the next packet, however little of its payload is here; null while its header is not. */
  nextSequence(): number | null {
    return this.#length < headerBytes ? null : (this.#headerByte(3) ?? null);
  }

  take(maxPayloadBytes: number): TakenPacket {
    if (this.#length < headerBytes) return incomplete;
    const [low = 0, middle = 0, high = 0] = [0, 1, 2].map((index) => this.#headerByte(index));
    const length = low | (middle << 8) | (high << 16);
    if (length > maxPayloadBytes) return { kind: 'too-long' };
    const end = headerBytes + length;
    if (this.#length < end) return incomplete;
    const all = this.takeRest();
    this.push(all.subarray(end));
    const packet = all.subarray(0, end);
    return { kind: 'packet', sequence: packet[3] ?? 0, packet, payload: packet.subarray(headerBytes) };
  }

  /** Everything not taken, and the inbox is empty. */
  takeRest(): Buffer {
    const [first] = this.#chunks;
    const rest = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#length = 0;
    return rest.length === 0 ? nothing : rest;
  }

  /** One of the first bytes, wherever they were cut. */
  #headerByte(index: number): number | undefined {
    let at = index;
    for (const chunk of this.#chunks) {
      if (at < chunk.length) return chunk[at];
      at -= chunk.length;
    }
    return undefined;
  }
}

export function buildPacket(payload: Buffer, sequence: number): Buffer {
  const packet = Buffer.allocUnsafe(headerBytes + payload.length);
  packet.writeUIntLE(payload.length, 0, 3);
  packet[3] = sequence & 0xff;
  payload.copy(packet, headerBytes);
  return packet;
}

/** The packet under another number: itself where it has that number already, else a copy. */
export function renumbered(packet: Buffer, sequence: number): Buffer {
  if (packet[3] === (sequence & 0xff)) return packet;
  const copy = Buffer.from(packet);
  copy[3] = sequence & 0xff;
  return copy;
}

/**
 * An ERR packet; `message` must be ours, never the client's text. Before the greeting, and to clients older than
 * protocol 4.1, it has no SQLSTATE and no marker of one.
 */
export function errPacket(
  error: RefusalError,
  message: string,
  sequence: number,
  hasSqlState: boolean,
): Buffer {
  const head = Buffer.from([0xff, error.code & 0xff, error.code >> 8]);
  const text = Buffer.from(hasSqlState ? `#${error.sqlState}${message}` : message);
  return buildPacket(Buffer.concat([head, text]), sequence);
}
