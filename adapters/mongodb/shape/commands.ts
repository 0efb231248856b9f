/**
 * Commands: which of their arguments decide what they do, in the order a shape has them, whatever the client's order.
 * https://www.mongodb.com/docs/manual/reference/command/
 */
import type { VerbFamily } from '../../../src/core/shape/shape.js';
import { directions, filter, projection } from './operators.js';
import { documentOf, either, listOf, type Part } from './part.js';
import { pipeline } from './stages.js';

export interface Command {
  readonly name: string;
  readonly family: VerbFamily;
  /** What the command's own key holds. */
  readonly first: Part;
  /** In their order; those that are not listed come after, sorted, with the type of their value. */
  readonly arguments: ReadonlyMap<string, Part>;
  /** The argument that lists operations, of which each is a statement. */
  readonly operations?: string;
}

const collation: Part = documentOf(
  {
    locale: 'locale',
    strength: 'kept digit',
    caseLevel: 'flag',
    numericOrdering: 'flag',
    normalization: 'flag',
    backwards: 'flag',
  },
  { fields: () => 'known word' },
);
const hint: Part = either({ document: () => directions, scalar: 'name' });
const filters: Part = listOf(() => filter, 'run');
const constants: Part = documentOf({}, { fields: () => 'expression' });
const everyUpdate = {
  arrayFilters: filters,
  upsert: 'flag',
  collation,
  hint,
  sort: directions,
  let: constants,
  c: constants,
} as const;
export const updateOf: Part = documentOf({ q: filter, u: 'update', multi: 'flag', ...everyUpdate });
export const deleteOf: Part = documentOf({ q: filter, limit: 'kept digit', collation, hint });

const index: Part = documentOf({
  v: 'dropped',
  ns: 'dropped',
  background: 'dropped',
  key: directions,
  name: 'name',
  unique: 'flag',
  sparse: 'flag',
  hidden: 'flag',
  partialFilterExpression: filter,
  wildcardProjection: projection,
  collation,
});
const indexChange: Part = documentOf({
  keyPattern: directions,
  name: 'name',
  hidden: 'kept boolean',
  unique: 'flag',
  prepareUnique: 'flag',
});
const validation = {
  validator: filter,
  validationLevel: 'known word',
  validationAction: 'known word',
} as const;
const timeseries: Part = documentOf({ timeField: 'name', metaField: 'name', granularity: 'known word' });

function command(
  name: string,
  family: VerbFamily,
  args: Readonly<Record<string, Part>> = {},
  more: { first?: Part; operations?: string } = {},
): Command {
  const { first = 'collection', operations } = more;
  return {
    name,
    family,
    first,
    arguments: new Map(Object.entries(args)),
    ...(operations !== undefined && { operations }),
  };
}

const ofDatabase = { first: 'value' } as const;

const commands: readonly Command[] = [
  command('find', 'read', {
    filter,
    projection,
    sort: directions,
    skip: 'value',
    limit: 'value',
    min: 'value',
    max: 'value',
    hint,
    collation,
    let: constants,
    tailable: 'flag',
    awaitData: 'flag',
    returnKey: 'flag',
  }),
  command('aggregate', 'read', {
    pipeline,
    explain: 'flag',
    hint,
    collation,
    let: constants,
  }),
  command('count', 'read', {
    query: filter,
    skip: 'value',
    limit: 'value',
    hint,
    collation,
    fields: 'dropped',
  }),
  command('distinct', 'read', { key: 'name', query: filter, hint, collation }),
  command('getMore', 'read', { collection: 'collection' }, { first: 'value' }),
  command('mapReduce', 'read', {
    map: 'code',
    reduce: 'code',
    finalize: 'code',
    query: filter,
    sort: directions,
    out: either({ scalar: 'collection' }),
    collation,
  }),
  command('listIndexes', 'read'),
  command(
    'listCollections',
    'read',
    { filter, nameOnly: 'dropped', authorizedCollections: 'dropped' },
    ofDatabase,
  ),
  command(
    'listDatabases',
    'read',
    { filter, nameOnly: 'dropped', authorizedDatabases: 'dropped' },
    ofDatabase,
  ),
  command('collStats', 'read'),
  command('dbStats', 'read', {}, ofDatabase),
  command('validate', 'read'),
  command('insert', 'insert', { documents: 'fields', ordered: 'dropped' }, { operations: 'documents' }),
  command(
    'update',
    'update',
    { updates: updateOf, ordered: 'dropped', let: constants },
    { operations: 'updates' },
  ),
  command(
    'delete',
    'delete',
    { deletes: deleteOf, ordered: 'dropped', let: constants },
    { operations: 'deletes' },
  ),
  command('findAndModify', 'update', {
    query: filter,
    update: 'update',
    remove: 'flag',
    new: 'flag',
    fields: projection,
    ...everyUpdate,
  }),
  command('createIndexes', 'ddl', { indexes: listOf(() => index, 'run'), commitQuorum: 'dropped' }),
  command('create', 'ddl', {
    ...validation,
    capped: 'flag',
    size: 'value',
    max: 'value',
    viewOn: 'collection',
    pipeline,
    timeseries,
    collation,
    clusteredIndex: index,
    autoIndexId: 'dropped',
  }),
  command('collMod', 'ddl', { index: indexChange, ...validation, viewOn: 'collection', pipeline }),
  command('drop', 'ddl'),
  command('dropDatabase', 'ddl', {}, ofDatabase),
  command('dropIndexes', 'ddl', {
    index: either({ document: () => directions, array: () => listOf(() => 'name', 'run'), scalar: 'name' }),
  }),
  command('renameCollection', 'ddl', { to: 'namespace', dropTarget: 'flag' }, { first: 'namespace' }),
  command('convertToCapped', 'ddl', { size: 'value' }),
  command('shardCollection', 'ddl', { key: directions, unique: 'flag' }, { first: 'namespace' }),
  command('killCursors', 'other', { cursors: 'value' }),
];

const byName = new Map(commands.map((one) => [one.name, one]));
/** Names that servers take for another. */
const aliases: Readonly<Record<string, string>> = {
  findandmodify: 'findAndModify',
  mapreduce: 'mapReduce',
  collstats: 'collStats',
  dbstats: 'dbStats',
  deleteIndexes: 'dropIndexes',
};

/** The command of that name; null where nothing is known of it. */
export function commandNamed(name: string): Command | null {
  return byName.get(Object.hasOwn(aliases, name) ? (aliases[name] as string) : name) ?? null;
}

/** Words to every command, and to the driver's session: none says what the command does. */
export const genericArguments: ReadonlySet<string> = new Set(
  (
    'lsid txnNumber autocommit startTransaction comment apiVersion apiStrict apiDeprecationErrors readConcern writeConcern ' +
    'maxTimeMS maxAwaitTimeMS cursor batchSize singleBatch noCursorTimeout allowDiskUse allowPartialResults showRecordId ' +
    'oplogReplay stmtId stmtIds mayBypassWriteBlocking bypassDocumentValidation bypassEmptyTsReplacement clientOperationKey ' +
    'querySettings rawData includeQueryStatsMetrics txnRetryCounter coordinator topologyVersion'
  ).split(' '),
);
