/**
 * Whether a database's schema may have changed, without reading it.
 *
 * What a change cannot do is commit without leaving a new transaction id on a row of the catalogs, so the value is
 * the count and the sum of `xmin` over the rows of users' objects. It moves with the commit, needs no rights, works on
 * a standby, and does not move for what is rolled back, for vacuum (freezing keeps xmin) or for statistics. It costs
 * 0.35 us a row, so two cheaper questions come first:
 * 1. the snapshot: where no transaction ended since the last look, nothing can have changed;
 * 2. on schemas so large that the sum is slow, it is taken rarely, unless the server's own statistics of the catalogs
 *    moved. Those alone would not do: a session reports them late (measured on 15 and 18: up to 10 s after the
 *    commit, when it had reported within the second before), and temporary tables move them all the time.
 */
import { limits } from '../../src/core/limits.js';
import type { CatalogConnection } from './catalog-connection.js';

const begin = `
  begin read only;
  set local statement_timeout = ${limits.catalogStatementTimeoutMs};
  set local lock_timeout = ${limits.catalogStatementTimeoutMs};
  set local search_path = pg_catalog;
  set local jit = off;`;

/** The statistics count by table: pg_class, pg_attribute, pg_constraint, pg_index, pg_trigger, pg_proc, pg_type, pg_enum. */
const statistics = `
  select pg_catalog.sum(pg_catalog.pg_stat_get_tuples_inserted(c) + pg_catalog.pg_stat_get_tuples_updated(c)
                        + pg_catalog.pg_stat_get_tuples_deleted(c))::text
    from pg_catalog.unnest(array[1259, 1249, 2606, 2610, 2620, 1255, 1247, 3501]::pg_catalog.oid[]) c`;

const lookCheap = `${begin}
  select pg_catalog.txid_current_snapshot()::text, (${statistics});
  commit`;

/** First oid of objects that are not the server's own (access/transam.h, FirstNormalObjectId). */
const firstUserOid = 16_384;

const catalogs: readonly (readonly [table: string, condition: string])[] = [
  ['pg_class', `oid >= ${firstUserOid} and relpersistence <> 't' and relkind not in ('t', 'S')`],
  ['pg_attribute', `attrelid >= ${firstUserOid} and attnum > 0`],
  ['pg_index', `indexrelid >= ${firstUserOid}`],
  ['pg_constraint', `oid >= ${firstUserOid}`],
  ['pg_trigger', `oid >= ${firstUserOid} and not tgisinternal`],
  ['pg_proc', `oid >= ${firstUserOid}`],
  ['pg_type', `oid >= ${firstUserOid} and typtype in ('d', 'e')`],
  ['pg_enum', 'true'],
  ['pg_namespace', `oid >= ${firstUserOid} and nspname !~ '^pg_'`],
  ['pg_db_role_setting', 'true'],
];

const sumRows = `${begin}
  ${catalogs
    .map(
      ([table, condition]) =>
        `select pg_catalog.count(*)::text, pg_catalog.sum(xmin::text::int8)::text from pg_catalog.${table} where ${condition}`,
    )
    .join(' union all ')};
  commit`;

/** Share of the time a slow sum may take: one part in so many, fewer when the statistics say that it pays. */
const restForEachSum = 50;
const restForEachSumWhenMoved = 5;

export class CatalogProbe {
  readonly #connection: CatalogConnection;
  readonly #now: () => number;
  #snapshot: string | null = null;
  #statistics: string | null = null;
  #sum = '';
  #sumEndedAt = 0;
  #sumTookMs = 0;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(connection: CatalogConnection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /**
   * A text that differs from the one before when the schema may have changed. `isThorough`: what has committed by now
   * shows, whatever it costs to see it. One call at a time.
   */
  async value(isThorough: boolean): Promise<string> {
    const looked = (await this.#connection.query<[string, string | null]>(lookCheap)).flat()[0];
    const snapshot = looked?.[0] ?? null;
    const statistics = looked?.[1] ?? null;
    if (this.#isSettled(snapshot)) return this.#sum;
    const isDue = isThorough || this.#sum === '' || this.#isSumDue(statistics !== this.#statistics);
    if (!isDue) return this.#sum;
    const startedAt = this.#now();
    this.#sum = (await this.#connection.query<[string, string | null]>(sumRows)).flat().join(' ');
    this.#sumEndedAt = this.#now();
    this.#sumTookMs = this.#sumEndedAt - startedAt;
    // Taken before the sum: what ended meanwhile is looked at once more.
    this.#snapshot = snapshot;
    this.#statistics = statistics;
    return this.#sum;
  }

  /** `xmin:xmax:xip_list`: equal texts mean that no transaction that writes has begun or ended. */
  #isSettled(snapshot: string | null): boolean {
    return snapshot !== null && snapshot === this.#snapshot;
  }

  #isSumDue(isMoved: boolean): boolean {
    const rest = this.#sumTookMs * (isMoved ? restForEachSumWhenMoved : restForEachSum);
    return this.#now() - this.#sumEndedAt >= rest;
  }
}
