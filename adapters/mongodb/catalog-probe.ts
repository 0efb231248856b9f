/**
 * Whether what a database declares has changed: a hash of it, made anew no more often than it is cheap to make.
 *
 * A server has no number that moves with its catalog for every account to see. Collections come in one answer, and with
 * them all that changes a collection but its indexes; indexes take a command for each collection. So each second the
 * collections are listed, and the indexes when anything gives a reason to, or when it is their turn, both within a share
 * of the time. Whatever the pace, the value is of what was really listed: it does not move for a command that changed nothing.
 */
import { hash } from 'node:crypto';
import type { ListedCollection, ListedIndexes } from './catalog-documents.js';
import type { CatalogListing, Collections } from './catalog-listing.js';

/** Share of the time that listing may take: one part in so many, fewer where there is a reason to look. */
const restForEachListing = 50;
const restForEachListingWithReason = 5;

export interface Listed {
  readonly collections: readonly ListedCollection[];
  readonly indexes: ReadonlyMap<string, ListedIndexes>;
}

/** When something was listed last, and how long that took. */
interface Pace {
  endedAt: number;
  tookMs: number;
}

export class CatalogProbe {
  readonly #listing: CatalogListing;
  readonly #now: () => number;
  readonly #collectionsPace: Pace = { endedAt: Number.NEGATIVE_INFINITY, tookMs: 0 };
  readonly #indexesPace: Pace = { endedAt: Number.NEGATIVE_INFINITY, tookMs: 0 };
  #collections = '';
  #indexes = '';
  /** The commands counted, and the collections there were, when the indexes were listed. */
  #listedAtCount = '';
  #listedFor = '';
  #listed: Listed | null = null;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(listing: CatalogListing, now: () => number) {
    this.#listing = listing;
    this.#now = now;
  }

  /** The same for equal declarations, on whichever connection. `isThorough`: lists everything now. One call at a time. */
  async value(isThorough: boolean): Promise<string> {
    this.#listed = null;
    // Before the look: what begins during it gives a reason for another.
    const count = await this.#listing.commandCounts();
    const isReason = count !== this.#listedAtCount;
    if (isThorough) this.#listed = await this.#lookAtAll(count);
    else if (this.#isDue(this.#collectionsPace, isReason)) await this.#look(count);
    return hash('sha256', `${this.#collections} ${this.#indexes}`).slice(0, 32);
  }

  /** What the thorough probe just before listed; else listed now. */
  async listed(): Promise<Listed> {
    const listed = this.#listed ?? (await this.#lookAtAll(await this.#listing.commandCounts()));
    this.#listed = null;
    return listed;
  }

  /** At the collections, and at the indexes where it is time. */
  async #look(count: string): Promise<void> {
    const { listed, incarnations } = await this.#listCollections();
    const isReason = count !== this.#listedAtCount || this.#standFor(incarnations) !== this.#listedFor;
    if (this.#isDue(this.#indexesPace, isReason)) await this.#listIndexes(listed, incarnations, count);
  }

  async #lookAtAll(count: string): Promise<Listed> {
    const { listed, incarnations } = await this.#listCollections();
    return { collections: listed, indexes: await this.#listIndexes(listed, incarnations, count) };
  }

  async #listCollections(): Promise<Collections> {
    const collections = await this.#timed(this.#collectionsPace, () => this.#listing.collections());
    this.#collections = digest(collections.listed);
    return collections;
  }

  async #listIndexes(
    collections: readonly ListedCollection[],
    incarnations: string,
    count: string,
  ): Promise<Listed['indexes']> {
    const indexes = await this.#timed(this.#indexesPace, () => this.#listing.indexes(collections));
    this.#indexes = digest([...indexes]);
    this.#listedAtCount = count;
    this.#listedFor = this.#standFor(incarnations);
    return indexes;
  }

  #standFor(incarnations: string): string {
    return `${this.#collections} ${incarnations}`;
  }

  #isDue({ endedAt, tookMs }: Pace, isReason: boolean): boolean {
    const rest = isReason ? restForEachListingWithReason : restForEachListing;
    return this.#now() - endedAt >= tookMs * rest;
  }

  async #timed<Result>(pace: Pace, list: () => Promise<Result>): Promise<Result> {
    const startedAt = this.#now();
    const result = await list();
    pace.endedAt = this.#now();
    pace.tookMs = pace.endedAt - startedAt;
    return result;
  }
}

/** Each part is written out alone: the text of a whole catalog would be long. */
function digest(parts: readonly unknown[]): string {
  const digests = parts.map((part) => hash('sha256', JSON.stringify(part)));
  return hash('sha256', digests.join(' '));
}
