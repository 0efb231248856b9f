/**
 * `twiceshy/mongodb`: SQL on a database of the `mongodb` driver, with a memory behind it. A composition root of its own:
 * who loads it loads nothing of other databases.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { catalogOfDb } from '../adapters/mongodb/catalog.js';
import { failuresOf } from '../adapters/mongodb/driver-error.js';
import { mongodbEngine } from '../adapters/mongodb/engine.js';
import { compileSql } from '../adapters/mongodb/sql/compile.js';
import type { CompiledSql, SqlCommand } from '../adapters/mongodb/sql/compiled.js';
import { runCompiled, type SqlResult } from '../adapters/mongodb/sql/run.js';
import { TwiceshyError } from './core/errors.js';
import { limits } from './core/limits.js';
import type { Audience } from './core/verdict.js';
import { SqlSession, type SqlSurface } from './driver/sql-session.js';
import { MemoryRuntime } from './memory-runtime.js';
import { CounterSet } from './observe/counters.js';
import { HealthLog } from './observe/health-log.js';
import { createLog, type Logger } from './observe/log.js';
import type { PolledUpstream } from './proxy/schema-pollers.js';
import { LiveSessionContext } from './session-context.js';

export { SqlRefusedError } from './driver/sql-refused-error.js';
export { type CompiledSql, compileSql, type SqlResult };

export interface OpenSqlOptions {
  /** The folder of the memory; made if it is not there. One process at a time may write to it. */
  readonly memory: string;
  /** Name of the server in the memory; default: its host and port, as the proxy names it. */
  readonly upstream?: string;
  /** Who reads the errors (default `agent`): an application's messages stay as they are, the note is in `error.note`. */
  readonly audience?: Audience;
  /** For evidence, and for a memory shared by several programs. */
  readonly application?: string;
  /** Troubles of the memory go here; default: nowhere. */
  readonly log?: Logger;
}

/** SQL on one database. Calls may overlap. */
export interface DocumentSql {
  /**
   * Runs one statement; parameters are `$1`, `$2`, … or `?`. Rejects with a `SqlRefusedError` for what the documents'
   * language cannot say, else with the driver's own error.
   */
  sql(text: string, params?: readonly unknown[]): Promise<SqlResult>;
  /** Writes what was learned; the client stays open. */
  close(): Promise<void>;
}

/** Rejects with MEMORY_LOCKED where another process has the folder, CATALOG_FAILED where the catalog cannot be read. */
export async function openSql(db: Db, options: OpenSqlOptions): Promise<DocumentSql> {
  const upstream = options.upstream ?? hostOf(db);
  const scope = { upstream, database: db.databaseName };
  const runtime = await MemoryRuntime.open({
    folder: options.memory,
    fsync: 'interval',
    engines: [mongodbEngine],
    upstreams: new Map([[upstream, polled(db)]]),
    counters: new CounterSet(),
    health: new HealthLog(options.log ?? createLog({ level: 'silent', format: 'json' })),
  });
  const release = runtime.pollers.sessionOpened(scope);
  if (!(await runtime.pollers.ready(scope, limits.catalogReadyWaitMs))) {
    release();
    await runtime.close();
    throw new TwiceshyError('CATALOG_FAILED', `The collections of ${db.databaseName} cannot be read.`);
  }
  const context = new LiveSessionContext({
    id: randomBytes(6).toString('hex'),
    backend: 'document',
    upstream,
    identity: {
      engine: 'mongodb',
      user: '',
      database: db.databaseName,
      application: options.application ?? '',
      searchPath: null,
      blindReason: null,
      clientBacklog: Buffer.alloc(0),
      serverBacklog: Buffer.alloc(0),
      isAuthenticated: true,
    },
    initialLexical: mongodbEngine.initialLexical,
    audienceOf: () => options.audience ?? 'agent',
    serverLexical: () => null,
  });
  const session = new SqlSession(surfaceOf(db), context, runtime.sink.openSession(context));
  return {
    sql: (text, params) => session.sql(text, params),
    close: async () => {
      session.close();
      release();
      await runtime.close();
    },
  };
}

function surfaceOf(db: Db): SqlSurface<SqlCommand, SqlResult> {
  return {
    compile: (text, params) => compileSql(text, params),
    run: (command) => runCompiled(db, command),
    failuresOf,
  };
}

/** The catalog is read through the caller's own client: the address is nobody's. */
function polled(db: Db): PolledUpstream {
  return {
    adapter: { catalogCovers: 'database', openCatalog: () => Promise.resolve(catalogOfDb(db)) },
    address: { host: '', port: 0, user: '', password: '', database: db.databaseName },
    tls: { mode: 'disable' },
  };
}

/** `host:port` of the first server of the connection string. */
function hostOf(db: Db): string {
  const [first] = db.client.options.hosts;
  return first === undefined ? 'mongodb' : first.toString();
}
