/** Pre-flight recall on the command line: memory and, where a server is named, its schema; nothing is written. */
import { text as readAll } from 'node:stream/consumers';
import { adapterFor, engineSupport } from '../app.js';
import { formatHostPort } from '../config/address.js';
import { configFromFlags } from '../config/flags.js';
import type { EngineSupport } from '../core/adapter.js';
import { TwiceshyError } from '../core/errors.js';
import { MemoryIndex } from '../core/memory/memory-index.js';
import type { MemoryRecord } from '../core/memory/record.js';
import { templateInput } from '../core/notes/input.js';
import { renderNote } from '../core/notes/render.js';
import { Recall, type Recalled } from '../core/recall/recall.js';
import type { SchemaModel, TableName } from '../core/schema/model.js';
import { buildSchema } from '../core/schema/schema.js';
import type { StatementShape } from '../core/shape/shape.js';
import type { Backend } from '../core/verdict.js';
import { toJson, visible } from './memory-output.js';
import { readEvents } from './memory-read.js';
import { print } from './output.js';
import { type ServerUrl, type ServerUrlOptions, serverFromFlags } from './server-url.js';

export interface RecallOptions extends ServerUrlOptions {
  readonly memory: string;
  readonly database?: string;
  readonly upstream?: string;
  readonly json?: boolean;
}

/** A part of the memory to ask, and the schema to judge it by. */
interface Place {
  readonly upstream: string;
  readonly database: string;
  readonly support: EngineSupport & { readonly backend: Backend };
  readonly schema: SchemaModel | null;
  /** Schemas searched for unqualified names; null for the server's default. */
  readonly searchPath: readonly string[] | null;
  readonly user: string;
}

interface Hit {
  readonly place: Place;
  readonly recalled: Recalled;
  readonly statement: StatementShape;
  readonly note: string;
}

export async function runRecall(sql: string, options: RecallOptions): Promise<void> {
  const text = sql === '-' ? await readAll(process.stdin) : sql;
  const memory = new MemoryIndex();
  await readEvents(process, options.memory, (event) => void memory.apply(event));
  const server = serverFromFlags(options);
  const places = server === null ? placesIn(memory, options) : [await placeAt(server, options)];
  const hits = places.flatMap((place) => recallAt(place, memory, text));
  if (options.json === true) print(toJson({ schema: schemaWord(options), hits: hits.map(asJson) }));
  else printHits(hits, memory, options);
}

function recallAt(place: Place, memory: MemoryIndex, text: string): Hit[] {
  const { support, schema, searchPath } = place;
  const recall = new Recall();
  const partition = memory.partition(place, support.engine, support.backend);
  const lexical = { ...support.initialLexical, ...schema?.lexical };
  const { statements } = support.createShaper().shape(text, lexical, false);
  return statements.flatMap((statement) => {
    const resolved = schema?.resolve(statement.tables, searchPath, place.user) ?? null;
    const recalled = recall.beforeRun(partition, {
      ...statement,
      tables: resolved?.names ?? statement.tables.map(writtenName),
      fingerprint:
        schema === null || resolved === null
          ? null
          : {
              tables: resolved.tablesFingerprint,
              constraints: resolved.constraintsFingerprint,
              database: schema.fingerprint,
            },
      now: Date.now(),
    });
    if (recalled === null) return [];
    const { record } = recalled;
    const input = templateInput(record, resolved?.tables ?? [], schema, false, {
      how: recalled.how,
      shape: statement.shape,
      searchPath,
    });
    const note = renderNote(support.templates[record.class], input, support.shownWords);
    return [{ place, recalled, statement, note: note.long }];
  });
}

/** Every database of the memory that the filters let through. */
function placesIn(memory: MemoryIndex, options: RecallOptions): Place[] {
  const places = new Map<string, Place>();
  for (const { scope, engine } of memory.records()) {
    const { upstream, database } = scope;
    if (options.upstream !== undefined && options.upstream !== upstream) continue;
    if (options.database !== undefined && options.database !== database) continue;
    const support = engineSupport(engine);
    const key = JSON.stringify([upstream, database, engine]);
    if (support !== null)
      places.set(key, { upstream, database, support, schema: null, searchPath: null, user: '' });
  }
  return [...places.values()];
}

/** The server named, with its schema as it is now. */
async function placeAt(server: ServerUrl, options: RecallOptions): Promise<Place> {
  const { url, urlFlag } = server;
  const flags = { url, urlFlag, exampleUrl: server.adapter.exampleUrl, name: options.upstream };
  const config = configFromFlags(flags, process.cwd(), { env: process.env, adapterFor });
  const [upstream] = config.upstreams;
  if (upstream === undefined) throw new TwiceshyError('USAGE', `${urlFlag}: names no server`);
  const { adapter, address, tls, name } = upstream;
  const database = options.database ?? address.database;
  try {
    const reader = await adapter.openCatalog(address, tls, database);
    try {
      const schema = buildSchema(await reader.read(), 1);
      const support = engineSupport(reader.engine);
      if (support === null) throw new TwiceshyError('USAGE', `${urlFlag}: a server of another kind answered`);
      const searchPath = adapter.catalogCovers === 'server' ? [database].filter((each) => each !== '') : null;
      return { upstream: name, database, support, schema, searchPath, user: address.user };
    } finally {
      await reader.close();
    }
  } catch (cause) {
    if (cause instanceof TwiceshyError) throw cause;
    const reason = cause instanceof Error ? visible(cause.message) : 'unknown reason';
    const where = formatHostPort(address.host, address.port);
    throw new TwiceshyError('CATALOG_FAILED', `Cannot read the schema at ${where}: ${reason}`, { cause });
  }
}

function writtenName({ schema, name }: TableName): string {
  return schema === null ? name : `${schema}.${name}`;
}

function schemaWord(options: RecallOptions): 'read' | 'believed' {
  return serverFromFlags(options) === null ? 'believed' : 'read';
}

function asJson({ place, recalled, statement, note }: Hit): unknown {
  const { record, how, similarity } = recalled;
  const { id, scope, engine, code, isStructural, object, failures, successes, firstAt, lastAt, resolution } =
    record;
  return {
    ...{ id, scope, engine, class: record.class, code, isStructural, object },
    ...{ failures, successes, firstAt, lastAt, resolution },
    ...{
      how,
      similarity,
      statement: statement.shape,
      note,
      schema: place.schema === null ? 'believed' : 'read',
    },
  };
}

function printHits(hits: readonly Hit[], memory: MemoryIndex, options: RecallOptions): void {
  for (const { recalled, note } of hits) {
    print(note);
    print(`  ${visible(whereAndHow(recalled))}`);
  }
  if (hits.length === 0)
    print(`Nothing is remembered of this statement (${memory.size} records looked through).`);
  if (serverFromFlags(options) === null) {
    print(
      'No schema was read: records are believed to be current. Name the server with --postgres, --mysql or --mongodb to check.',
    );
  }
}

function whereAndHow({ record, how, similarity }: Recalled): string {
  const { scope } = record satisfies MemoryRecord;
  const match = how === 'exact' ? 'same shape' : `similar shape (${similarity.toFixed(2)}): ${record.shape}`;
  return `${match}, ${scope.database} on ${scope.upstream}, failed ${record.failures} and ran ${record.successes} times`;
}
