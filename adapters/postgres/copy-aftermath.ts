/**
 * Where the server is after a COPY from the client failed. While it reads COPY data it swallows Sync (docs 55.2.6), and
 * nothing tells how far it had read when it failed: each Sync sent before the end of the data was either swallowed or
 * will be answered. Every possible place in the queue of owed replies is kept until a reply leaves only one. What fits
 * two places is not guessed at: it fits none.
 */
import { serverMessage } from './messages/message-type.js';
import { isCopyMark, type Owed, owed, type ReplyQueue } from './reply-queue.js';

/** `extended`: the server skips to a Sync first; `simple`: the failed Query itself is answered. */
type Failed = 'extended' | 'simple';

export class CopyAftermath {
  readonly #queue: ReplyQueue;
  #failed: Failed | null = null;
  /** Possible places, ascending: how many entries lie before each. Empty until the first ReadyForQuery. */
  #places: number[] = [];

  constructor(queue: ReplyQueue) {
    this.#queue = queue;
  }

  /** A ReadyForQuery is to come that answers the failed Query, or a Sync of which it is not known which. */
  get awaitsReady(): boolean {
    return this.#failed !== null && this.#places.length === 0;
  }

  get isUnsure(): boolean {
    return this.#places.length > 0;
  }

  /** The COPY at the head of the queue has failed. False: no Sync was sent in it, so nothing is unsure. */
  copyFailed(failed: Failed): boolean {
    const isUnsure = this.#has(owed.swallowed);
    if (isUnsure) this.#failed = failed;
    return isUnsure;
  }

  /**
   * The first ReadyForQuery after the failure; the failed COPY's own entry is gone. Returns the place when only one is
   * possible, null when none is, else 'unsure'.
   */
  firstReady(): number | null | 'unsure' {
    const places: number[] = [];
    const isSimple = this.#failed === 'simple';
    let hasEnd = false;
    for (let index = 0; index < this.#queue.size; index += 1) {
      const kind = this.#queue.kindAt(index);
      if (kind === owed.swallowed) {
        // The failed Query has its answer: having swallowed none of them, the server has yet to answer the first.
        if (isSimple && places.length === 0) places.push(index);
        places.push(index + 1);
      } else if (isCopyMark(kind)) {
        hasEnd = true;
      } else if (isSimple || (kind !== owed.sync && !hasEnd)) {
        // Behind the data the server swallows nothing, and within it nothing but Sync.
        break;
      } else if (kind === owed.sync) {
        places.push(index + 1);
        break;
      }
    }
    return this.#keep(places);
  }

  /** The server sent a message of this type: drops the places where nothing asked for it. Answers as `firstReady`. */
  received(type: number): number | null | 'unsure' {
    const isReady = type === serverMessage.readyForQuery;
    const places: number[] = [];
    for (const place of this.#places) {
      const index = this.#passMarks(place);
      if (index < this.#queue.size && answers(type, this.#queue.kindAt(index)))
        places.push(isReady ? index + 1 : place);
    }
    return isReady || places.length === 1 ? this.#keep(places) : null;
  }

  #keep(places: number[]): number | null | 'unsure' {
    const [place] = places;
    if (place !== undefined && places.length > 1) {
      this.#places = places;
      return 'unsure';
    }
    this.#places = [];
    this.#failed = null;
    return place ?? null;
  }

  #passMarks(place: number): number {
    let index = place;
    while (index < this.#queue.size && isCopyMark(this.#queue.kindAt(index))) index += 1;
    return index;
  }

  #has(kind: Owed): boolean {
    for (let index = 0; index < this.#queue.size; index += 1) {
      if (this.#queue.kindAt(index) === kind) return true;
    }
    return false;
  }
}

/** Whether a message of this type can be the first answer to an entry of this kind. */
function answers(type: number, kind: Owed): boolean {
  switch (type) {
    case serverMessage.readyForQuery:
      return kind === owed.sync || kind === owed.swallowed;
    case serverMessage.errorResponse:
      // At a Sync only what ran before it in the same cycle can fail, and here a cycle begins.
      return kind !== owed.sync && kind !== owed.swallowed;
    case serverMessage.parseComplete:
      return kind === owed.parse;
    case serverMessage.bindComplete:
      return kind === owed.bind;
    case serverMessage.closeComplete:
      return kind === owed.close;
    case serverMessage.noData:
    case serverMessage.parameterDescription:
      return kind === owed.describe;
    case serverMessage.portalSuspended:
      return kind === owed.execute;
    case serverMessage.functionCallResponse:
      return kind === owed.functionCall;
    case serverMessage.rowDescription:
      return kind === owed.describe || kind === owed.query || kind === owed.execute;
    default:
      return kind === owed.query || kind === owed.execute;
  }
}
