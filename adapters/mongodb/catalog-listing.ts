/**
 * Asks a server what a database declares, and keeps to what the account may see. The driver decodes what comes one
 * document at a time; what is kept of each is no more than a fingerprint needs.
 */
import { hash } from 'node:crypto';
import type { Db, Document } from 'mongodb';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import {
  incarnationOf,
  type ListedCollection,
  type ListedIndexes,
  listedCollection,
  listedIndexes,
  noIndexes,
} from './catalog-documents.js';

/** Unauthorized; AtlasError, which says the same. */
const refusals: ReadonlySet<unknown> = new Set([13, 8000]);
/** NamespaceNotFound: dropped since it was listed. CommandNotSupportedOnView: a view since. */
const gone: ReadonlySet<unknown> = new Set([26, 166]);

/** As documents say it: a pattern that JavaScript does not know, or text that is not UTF-8, must not stop a read. */
const decoding = { bsonRegExp: true, enableUtf8Validation: false, promoteLongs: true, promoteValues: true };

export interface Collections {
  /** Sorted by name. */
  readonly listed: readonly ListedCollection[];
  /** Moves when one was dropped and made again, although the same is declared. */
  readonly incarnations: string;
}

export class CatalogListing {
  readonly #db: Db;
  readonly #isAnonymous: boolean;
  #isPartlyListed = false;
  #hasHiddenIndexes = false;
  #canCount = true;

  /** `isAnonymous`: known to be logged in as nobody. */
  constructor(db: Db, isAnonymous: boolean) {
    this.#db = db;
    this.#isAnonymous = isAnonymous;
  }

  get database(): string {
    return this.#db.databaseName;
  }

  /** What the account was not shown the last time. */
  get blindSpot(): string | null {
    const unseen = this.#isPartlyListed ? 'listCollections' : this.#hasHiddenIndexes ? 'listIndexes' : null;
    if (unseen === null) return null;
    if (this.#isAnonymous) {
      return `The server shows what ${this.database} declares only to who logs in, and the URL names no user for the catalog: name one with the role read on ${this.database}.`;
    }
    return (
      `The account that reads the catalog may not run ${unseen} on ${this.database}, so it is shown only part of what is ` +
      `declared, and changes of the rest go unnoticed: grant it the role read on ${this.database}, or name another account.`
    );
  }

  async collections(): Promise<Collections> {
    try {
      const collections = await this.#list({});
      this.#isPartlyListed = false;
      return collections;
    } catch (cause) {
      if (!hasCode(cause, refusals)) throw cause;
      this.#isPartlyListed = true;
    }
    try {
      return await this.#list({ nameOnly: true, authorizedCollections: true });
    } catch (cause) {
      // It may do nothing at all here.
      if (!hasCode(cause, refusals)) throw cause;
      return { listed: [], incarnations: '' };
    }
  }

  /** By collection; views have none of their own. One at a time: nobody waits for it. */
  async indexes(collections: readonly ListedCollection[]): Promise<ReadonlyMap<string, ListedIndexes>> {
    const indexes = new Map<string, ListedIndexes>();
    let isHidden = false;
    for (const { name, kind } of collections) {
      if (kind === 'view') continue;
      try {
        const documents: Document[] = [];
        await this.#each({ listIndexes: name }, (document) => documents.push(document));
        indexes.set(name, listedIndexes(documents));
      } catch (cause) {
        if (hasCode(cause, refusals)) isHidden = true;
        else if (!hasCode(cause, gone)) throw cause;
        indexes.set(name, noIndexes);
      }
    }
    this.#hasHiddenIndexes = isHidden;
    return indexes;
  }

  /**
   * How many commands that change a schema the server counted since it started; empty where it does not say, or not to
   * this account. Only a reason to look: it knows nothing of other routers, of members that replicate, or of collections
   * made by an insert.
   */
  async commandCounts(): Promise<string> {
    if (!this.#canCount) return '';
    try {
      const status = await this.#db.command({ serverStatus: 1, ...unneeded }, decoding);
      const counted = status['metrics']?.commands;
      if (typeof counted !== 'object' || counted === null) this.#canCount = false;
      else return counters.map((command) => String(counted[command]?.total ?? 0)).join(' ');
    } catch (cause) {
      // A refusal stays one until the next login; a lost connection is the caller's to see.
      if (!isServerError(cause)) throw cause;
      this.#canCount = false;
    }
    return '';
  }

  async #list(how: Document): Promise<Collections> {
    const listed: ListedCollection[] = [];
    const incarnations: string[] = [];
    await this.#each({ listCollections: 1, ...how }, (document) => {
      const collection = listedCollection(document);
      if (collection === null) return;
      if (listed.push(collection) > limits.maxCatalogTables) throw tooMany(this.database);
      incarnations.push(`${collection.name} ${incarnationOf(document)}`);
    });
    listed.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { listed, incarnations: hash('sha256', incarnations.sort().join('\n')) };
  }

  /** Rejects with the server's or the driver's own error. */
  async #each(command: Document, take: (document: Document) => void): Promise<void> {
    const cursor = this.#db.runCursorCommand(
      { ...command, cursor: { batchSize: limits.catalogBatchDocuments } },
      decoding,
    );
    cursor.setBatchSize(limits.catalogBatchDocuments);
    let taken = 0;
    for await (const document of cursor) {
      taken += 1;
      if (taken > limits.maxCatalogRows) throw tooMany(this.database);
      take(document);
    }
  }
}

const counters = [
  'applyOps',
  'collMod',
  'convertToCapped',
  'create',
  'createIndexes',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'renameCollection',
];

/** Sections of serverStatus that take long to make. */
const unneeded = { locks: 0, repl: 0, tcmalloc: 0, transactions: 0, wiredTiger: 0 };

function isServerError(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number';
}

function hasCode(cause: unknown, codes: ReadonlySet<unknown>): boolean {
  return cause instanceof Error && 'code' in cause && codes.has(cause.code);
}

function tooMany(database: string): TwiceshyError {
  return new TwiceshyError(
    'CATALOG_FAILED',
    `${database} has more than ${limits.maxCatalogTables} collections, or more indexes than a catalog can hold; it is not read.`,
  );
}
