/**
 * The records of one scope, engine and backend: everything one session can ever recall. A session keeps its partition,
 * so that no look-up on the way of a statement has to build a scope key.
 */
import type { FailureClass } from '../failure/failure-class.js';
import type { Backend, Engine } from '../verdict.js';
import type { MemoryRecord } from './record.js';

type OneOrMore = MemoryRecord | MemoryRecord[];

/** Records that share tables, verb, class and code, oldest first: the candidates of one similarity search. */
export interface Bucket {
  readonly verb: string;
  readonly class: FailureClass;
  readonly code: string;
  readonly records: readonly MemoryRecord[];
}

type OwnedBucket = Bucket & { readonly records: MemoryRecord[] };

export class MemoryPartition {
  readonly engine: Engine;
  readonly backend: Backend;
  /** Records whose status is live; expiry and stale fingerprints are left out of account, so never too low. */
  liveCount = 0;
  readonly #byShape = new Map<string, OneOrMore>();
  /** By the shared instance of the table set: comparing identities is far cheaper than hashing joined names. */
  readonly #byTables = new Map<readonly string[], OwnedBucket[]>();
  /** Records by verb and each of their tables, counted. */
  readonly #byVerb = new Map<string, Map<string, number>>();
  readonly #knownTables: (tables: readonly string[]) => readonly string[] | undefined;

  constructor(
    engine: Engine,
    backend: Backend,
    knownTables: (tables: readonly string[]) => readonly string[] | undefined,
  ) {
    this.engine = engine;
    this.backend = backend;
    this.#knownTables = knownTables;
  }

  /** Takes a record whose repeated parts are shared already; its shape becomes the instance known here. */
  add(record: MemoryRecord): void {
    const held = this.#byShape.get(record.shape);
    if (held === undefined) {
      // Most shapes have one record; an array for each would double the cost of the map.
      this.#byShape.set(record.shape, record);
    } else if (Array.isArray(held)) {
      shareShape(record, held[0]);
      held.push(record);
    } else {
      shareShape(record, held);
      this.#byShape.set(record.shape, [held, record]);
    }
    this.#bucketOf(record).records.push(record);
    this.#countVerb(record, 1);
    if (record.status === 'live') this.liveCount++;
  }

  remove(record: MemoryRecord): void {
    const held = this.#byShape.get(record.shape);
    if (Array.isArray(held)) detach(held, record);
    if (held === record || (Array.isArray(held) && held.length === 0)) this.#byShape.delete(record.shape);
    detach(this.#bucketOf(record).records, record);
    this.#countVerb(record, -1);
    if (record.status === 'live') this.liveCount--;
  }

  clear(): void {
    this.liveCount = 0;
    this.#byShape.clear();
    this.#byTables.clear();
    this.#byVerb.clear();
  }

  /** Records of exactly this shape, oldest first. Valid until the next change. */
  exact(shape: string): readonly MemoryRecord[] {
    const held = this.#byShape.get(shape);
    if (held === undefined) return none;
    return Array.isArray(held) ? held : [held];
  }

  /** All buckets of this table set, any verb. Valid until the next change. */
  buckets(tables: readonly string[]): readonly Bucket[] {
    const shared = this.#knownTables(tables);
    return (shared === undefined ? undefined : this.#byTables.get(shared)) ?? noBuckets;
  }

  /** Whether any record has this verb and, among its tables, this one, by its own name or as one of `schema`; '' is any. */
  concerns(verb: string, table: string, schema: string): boolean {
    const tables = this.#byVerb.get(verb);
    if (tables === undefined || tables.size === 0) return false;
    return table === '' || tables.has(table) || tables.has(`${schema}.${table}`);
  }

  #countVerb({ verb, tables }: MemoryRecord, change: 1 | -1): void {
    let counts = this.#byVerb.get(verb);
    if (counts === undefined) {
      counts = new Map();
      this.#byVerb.set(verb, counts);
    }
    for (const table of tables.length === 0 ? withoutTables : tables) {
      const count = (counts.get(table) ?? 0) + change;
      if (count > 0) counts.set(table, count);
      else counts.delete(table);
    }
  }

  #bucketOf(record: MemoryRecord): OwnedBucket {
    const buckets = this.#byTables.get(record.tables);
    const present = buckets?.find(
      (one) => one.code === record.code && one.verb === record.verb && one.class === record.class,
    );
    if (present !== undefined) return present;
    const bucket = { verb: record.verb, class: record.class, code: record.code, records: [] };
    if (buckets === undefined) this.#byTables.set(record.tables, [bucket]);
    else buckets.push(bucket);
    return bucket;
  }
}

const withoutTables: readonly string[] = [''];
const none: readonly MemoryRecord[] = [];
const noBuckets: readonly Bucket[] = [];

function shareShape(record: { shape: string }, known: MemoryRecord | undefined): void {
  if (known !== undefined) record.shape = known.shape;
}

function detach(records: MemoryRecord[], record: MemoryRecord): void {
  const index = records.indexOf(record);
  if (index >= 0) records.splice(index, 1);
}
