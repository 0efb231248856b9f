/**
 * Stands between the catalog connection's bytes and the driver: hands on whole packets that can be read to their end,
 * in the order the server may send them, and no more of them than a catalog has (MySQL "Text Resultset", "EOF_Packet";
 * MariaDB "Result Set Packets").
 *
 * Invariant: after the first packet that is refused nothing more is handed on. The driver would take a server's word
 * for every count and length, keep what it is sent for as long as it is sent, and print what it cannot read.
 */
import { limits } from '../../src/core/limits.js';
import { buildPacket, PacketInbox } from './handshake-packets.js';

const okHeader = 0x00;
const nullValue = 0xfb;
const eofHeader = 0xfe;
const errHeader = 0xff;
/** An EOF packet is shorter; a longer packet that begins alike is a row. */
const eofBytes = 5;
const moreResultsExist = 0x08;
const maxLoginPackets = 64;
/** More than any statement of the catalog selects. */
const maxColumns = 32;
const columnNames = 6;
/** Length byte, character set, length, type, flags, decimals, filler. */
const columnFactsBytes = 13;
const columnFactsLength = 0x0c;

/** What the server may send next. */
type Expected = 'login' | 'nothing' | 'answer' | 'column' | 'columns-end' | 'row';

export interface GuardedDriver {
  /** A whole packet with its header. */
  packet(bytes: Buffer): void;
  /** The number the driver expects of the next packet. */
  readonly sequenceId: number;
}

export class CatalogGuard {
  readonly #driver: GuardedDriver;
  readonly #inbox = new PacketInbox();
  #expected: Expected = 'login';
  #columns = 0;
  #columnsLeft = 0;
  #packetsLeft = maxLoginPackets;
  #bytesLeft: number = limits.maxCatalogAnswerBytes;
  #refusal: Error | null = null;

  constructor(driver: GuardedDriver) {
    this.#driver = driver;
  }

  /** A statement is about to be sent: one answer may come. */
  expectAnswer(): void {
    this.#expected = 'answer';
    this.#packetsLeft = limits.maxCatalogRows;
    this.#bytesLeft = limits.maxCatalogAnswerBytes;
  }

  /** Login is over: nothing comes unasked. */
  expectNothing(): void {
    this.#expected = 'nothing';
  }

  /** Throws what is wrong with the bytes, now or before; then the connection is to be closed. */
  push(chunk: Buffer): void {
    if (this.#refusal !== null) throw this.#refusal;
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) this.#refuse(tooMuch);
    this.#inbox.push(chunk);
    for (;;) {
      const taken = this.#inbox.take(limits.maxCatalogFrameBytes);
      if (taken.kind === 'incomplete') return;
      if (taken.kind === 'too-long') this.#refuse(unreadable);
      else this.#hand(taken.packet, taken.sequence, taken.payload);
    }
  }

  #refuse(message: string): never {
    this.#refusal = new Error(message);
    throw this.#refusal;
  }

  #hand(packet: Buffer, sequence: number, payload: Buffer): void {
    this.#packetsLeft -= 1;
    if (this.#packetsLeft < 0) this.#refuse(tooMuch);
    const end = sequence === this.#driver.sequenceId ? this.#readableEnd(payload) : -1;
    if (end < 0) this.#refuse(unreadable);
    this.#driver.packet(end === payload.length ? packet : buildPacket(payload.subarray(0, end), sequence));
  }

  /** How much of the packet the driver may see; -1 where it cannot be read to its end, or may not come now. */
  #readableEnd(payload: Buffer): number {
    const first = payload[0];
    if (first === undefined) return -1;
    // What login packets hold, the driver reads with an eye on where they end.
    if (this.#expected === 'login') return payload.length;
    if (first === errHeader) {
      this.#expected = 'nothing';
      return payload.length >= 3 ? payload.length : -1;
    }
    if (this.#expected === 'answer' && first === okHeader) return this.#okEnd(payload);
    return this.#accepts(payload) ? payload.length : -1;
  }

  #accepts(payload: Buffer): boolean {
    switch (this.#expected) {
      case 'answer':
        return this.#acceptsColumnCount(payload);
      case 'column':
        this.#columnsLeft -= 1;
        if (this.#columnsLeft === 0) this.#expected = 'columns-end';
        return isColumn(payload);
      case 'columns-end':
        this.#expected = 'row';
        return isEof(payload);
      case 'row':
        return isEof(payload)
          ? this.#acceptsEnd(payload)
          : valuesEnd(payload, 0, this.#columns) === payload.length;
      default:
        return false;
    }
  }

  /** Affected rows, last id, status, warnings. What the server says of the session's state after them is not needed. */
  #okEnd(payload: Buffer): number {
    this.#expected = 'nothing';
    const statusAt = numbersEnd(payload, 1, 2);
    const end = statusAt + 4;
    return statusAt >= 0 && end <= payload.length && isLast(payload.readUInt16LE(statusAt)) ? end : -1;
  }

  #acceptsColumnCount(payload: Buffer): boolean {
    const [count = 0] = payload;
    this.#expected = 'column';
    this.#columns = count;
    this.#columnsLeft = count;
    return payload.length === 1 && count <= maxColumns;
  }

  #acceptsEnd(payload: Buffer): boolean {
    this.#expected = 'nothing';
    return isLast(payload.readUInt16LE(3));
  }
}

const unreadable = 'The server sent a packet that cannot be read.';
const tooMuch = 'The server sent more than a catalog can hold.';

/** No statement of the catalog has more than one result. */
function isLast(status: number): boolean {
  return (status & moreResultsExist) === 0;
}

function isEof(payload: Buffer): boolean {
  return payload[0] === eofHeader && payload.length === eofBytes;
}

/** Names, then facts of fixed length; MariaDB may put what it says of extended types between the two. */
function isColumn(payload: Buffer): boolean {
  const namesEnd = valuesEnd(payload, 0, columnNames);
  if (namesEnd < 0) return false;
  const factsAt = payload[namesEnd] === columnFactsLength ? namesEnd : valuesEnd(payload, namesEnd, 1);
  return (
    factsAt >= 0 && payload[factsAt] === columnFactsLength && factsAt + columnFactsBytes === payload.length
  );
}

/** Where the last of `count` length-encoded values ends; -1 where one does not end within the payload. */
function valuesEnd(payload: Buffer, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0; left -= 1) {
    const first = payload[at];
    if (first === undefined) return -1;
    at += 1;
    if (first === nullValue) continue;
    const width = lengthWidth(first);
    if (width < 0 || at + width > payload.length) return -1;
    at += width === 0 ? first : width + payload.readUIntLE(at, width);
    if (at > payload.length) return -1;
  }
  return at;
}

/** Where the last of `count` length-encoded numbers ends; -1 as above. */
function numbersEnd(payload: Buffer, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0; left -= 1) {
    const first = payload[at];
    const width = first === eofHeader ? 8 : lengthWidth(first ?? errHeader);
    if (width < 0 || at + 1 + width > payload.length) return -1;
    at += 1 + width;
  }
  return at;
}

/** Bytes of a length after its first; -1 where no packet of ours is that long, or there is no such first byte. */
function lengthWidth(first: number): number {
  if (first < nullValue) return 0;
  return first === 0xfc ? 2 : first === 0xfd ? 3 : -1;
}
