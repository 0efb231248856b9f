/**
 * The requests of one connection that are owed a reply, oldest first. A reply names its request (`responseTo`), so nothing
 * gets out of step; servers answer in order all the same, and the oldest is looked at first.
 *
 * Invariant: bounded in number and in bytes, and nothing is allocated for a request while no more are in flight than were
 * before: entries are objects that stay in the ring and are used again.
 */
import { limits } from '../../src/core/limits.js';
import type { Scope } from '../../src/core/verdict.js';
import { type CommandKind, commandKind } from './command-kind.js';

const noBytes = Buffer.alloc(0);
const initialSlots = 4;
/** A ring of more than this is not kept when it is empty. */
const keptSlots = 64;
/** What an entry takes, roughly. */
const slotBytes = 192;

/** What is remembered of a request until its last reply has come. */
export class OwedRequest {
  /** The id its next reply answers to: its own, or, in an exhaust chain, that of the reply before. */
  id = 0;
  kind: CommandKind = commandKind.plain;
  /** Its message, or as much as is kept of it; empty where nothing is. */
  bytes: Buffer = noBytes;
  /** An OP_QUERY, and not an OP_MSG. */
  isQuery = false;
  isTruncated = false;
  /** The server may answer with many replies to the one request. */
  isExhaustAllowed = false;
  /** An aggregate whose result goes into a collection. */
  writesCollection = false;
  /** The database it names; null where it names none. */
  scope: Scope | null = null;

  get isKept(): boolean {
    return this.bytes.length > 0;
  }

  clear(): void {
    this.kind = commandKind.plain;
    this.bytes = noBytes;
    this.isQuery = false;
    this.isTruncated = false;
    this.isExhaustAllowed = false;
    this.writesCollection = false;
    this.scope = null;
  }
}

export class OwedRequests {
  #slots: OwedRequest[] = newSlots(initialSlots);
  #head = 0;
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size >= limits.maxRequestsInFlight || this.#bytes >= limits.maxExpectedReplyBytes;
  }

  /** An entry to be filled in; `keep` says what it holds on to. Only when not full. */
  add(id: number): OwedRequest {
    if (this.#size === this.#slots.length) this.#resize(this.#slots.length * 2);
    const slot = this.#at(this.#size);
    this.#size += 1;
    this.#bytes += slotBytes;
    slot.id = id;
    return slot;
  }

  /** `bytes` stays with the request until it is answered. */
  keep(request: OwedRequest, bytes: Buffer): void {
    request.bytes = bytes;
    this.#bytes += bytes.length;
  }

  /** The oldest request that is owed a reply under this id. */
  find(id: number): OwedRequest | null {
    for (let index = 0; index < this.#size; index += 1) {
      const slot = this.#at(index);
      if (slot.id === id) return slot;
    }
    return null;
  }

  /** It is answered. */
  remove(request: OwedRequest): void {
    let index = 0;
    while (index < this.#size && this.#at(index) !== request) index += 1;
    if (index === this.#size) return;
    this.#bytes -= slotBytes + request.bytes.length;
    request.clear();
    // Whoever stands before it moves up by one, which is nobody where the oldest is answered.
    for (; index > 0; index -= 1) this.#put(index, this.#at(index - 1));
    this.#put(0, request);
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    if (this.#size === 0 && this.#slots.length > keptSlots) this.clear();
  }

  clear(): void {
    this.#slots = newSlots(initialSlots);
    this.#head = 0;
    this.#size = 0;
    this.#bytes = 0;
  }

  #at(index: number): OwedRequest {
    return this.#slots[(this.#head + index) & (this.#slots.length - 1)] as OwedRequest;
  }

  #put(index: number, slot: OwedRequest): void {
    this.#slots[(this.#head + index) & (this.#slots.length - 1)] = slot;
  }

  #resize(count: number): void {
    const slots: OwedRequest[] = [];
    for (let index = 0; index < this.#size; index += 1) slots.push(this.#at(index));
    this.#slots = [...slots, ...newSlots(count - slots.length)];
    this.#head = 0;
  }
}

function newSlots(count: number): OwedRequest[] {
  return Array.from({ length: count }, () => new OwedRequest());
}
