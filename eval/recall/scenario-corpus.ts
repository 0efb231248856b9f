/** Reads the scenario corpus: YAML written by hand, bound to the report by its hash. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { BSON } from 'bson';
import { parse } from 'yaml';
import { z } from 'zod';
import { commandText } from '../../adapters/mongodb/command-text.js';
import { serverError } from '../../adapters/mongodb/error-fields.js';
import { readErrorFields } from '../../adapters/mysql/error-fields.js';
import { buildSchema, type SchemaInput, type TableInput } from '../../src/core/schema/schema.js';
import type { Engine, ServerError } from '../../src/core/verdict.js';
import type { FailureCase, Question, Scenario } from './case.js';

const folder = new URL('scenarios/', import.meta.url);

const constraint = z.strictObject({
  kind: z.enum(['primary_key', 'unique', 'unique_index', 'foreign_key', 'check', 'trigger']),
  name: z.string(),
  columns: z.array(z.string()),
  definition: z.string(),
  references: z.string().optional(),
});
const database = z.record(
  z.string(),
  z.strictObject({ columns: z.array(z.string()), constraints: z.array(constraint) }),
);
const error = z.strictObject({
  code: z.string().optional(),
  sqlState: z.string().optional(),
  message: z.string().optional(),
  schema: z.string().optional(),
  table: z.string().optional(),
  column: z.string().optional(),
  constraint: z.string().optional(),
  routine: z.string().optional(),
  codeName: z.string().optional(),
  keyPattern: z.array(z.string()).optional(),
  context: z.string().optional(),
  at: z.string().nullable().optional(),
});
/** A change of the schema between learning and asking. `undone` changes it and changes it back. */
const change = z.strictObject({
  table: z.string().optional(),
  add: z.string().optional(),
  drop: z.string().optional(),
  redefine: z.string().optional(),
  retype: z.record(z.string(), z.string()).optional(),
  create: z.string().optional(),
  undone: z.boolean().optional(),
});
const engines = z.enum(['postgresql', 'mysql', 'mariadb', 'mongodb']);
const statement = z.strictObject({
  sql: z.string().optional(),
  /** MongoDB: what was sent, or what a person would write for it. */
  command: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  /** Which operation of the command failed. */
  operation: z.number().optional(),
  error: error.optional(),
  database: z.string().optional(),
  upstream: z.string().optional(),
  engine: engines.optional(),
  backend: z.enum(['relational', 'document']).optional(),
  completedBefore: z.number().optional(),
  cancelled: z.boolean().optional(),
  after: change.optional(),
});
const questions = z.record(z.string(), z.union([z.string(), statement])).optional();
const scenario = z.strictObject({
  name: z.string(),
  /** Played once on each; default: PostgreSQL alone. */
  engines: z.array(engines).default(['postgresql']),
  class: z.string(),
  learn: statement,
  recall: questions,
  abstain: questions,
});

type Database = z.infer<typeof database>;
type Statement = z.infer<typeof statement>;

export interface ScenarioCorpus {
  readonly scenarios: readonly Scenario[];
  /** SHA-256 over the files in order of their names. */
  readonly sha256: string;
}

export function readScenarioCorpus(): ScenarioCorpus {
  const hash = createHash('sha256');
  const files = readdirSync(folder).sort();
  const texts = new Map(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
  for (const [file, text] of texts) hash.update(`${file}\0${text}\0`);
  const databases = z.record(z.string(), database).parse(parse(texts.get('schemas.yaml') ?? ''));
  const scenarios = files
    .filter((file) => file !== 'schemas.yaml')
    .flatMap((file) => z.array(scenario).parse(parse(texts.get(file) ?? '')))
    .flatMap((one) => one.engines.map((engine) => ({ ...one, engine })))
    .map((one): Scenario => {
      const toQuestions = (asked: z.infer<typeof questions>): Question[] =>
        Object.entries(asked ?? {}).map(([kind, value]) => {
          const isCommand = one.learn.command !== undefined;
          const asking =
            typeof value === 'string' ? (isCommand ? { command: value } : { sql: value }) : value;
          const { sql, command, operation, ...rest } = one.learn;
          const own =
            asking.sql === undefined && asking.command === undefined ? { sql, command, operation } : {};
          return {
            kind,
            ask: toCase(
              { ...rest, ...own, ...asking, error: { ...one.learn.error, ...asking.error } },
              one.engine,
              databases,
            ),
          };
        });
      return {
        name: `${one.name} (${one.engine})`,
        expectedClass: one.class,
        learn: toCase(one.learn, one.engine, databases),
        recall: toQuestions(one.recall),
        abstain: toQuestions(one.abstain),
      };
    });
  return { scenarios, sha256: hash.digest('hex') };
}

function toCase(
  stated: Statement,
  readAs: Engine,
  databases: Readonly<Record<string, Database>>,
): FailureCase {
  const name = stated.database ?? 'shop';
  const declared = databases[readAs === 'mongodb' ? `${name} documents` : name] ?? databases[name];
  if (declared === undefined) throw new Error(`No database ${name} in schemas.yaml`);
  const text = textOf(stated);
  const engine = stated.engine ?? readAs;
  const place = placeOf(readAs, name);
  return {
    text,
    error: toError(stated, text, readAs),
    completedBefore: stated.completedBefore ?? 0,
    isCancelRequested: stated.cancelled ?? false,
    scope: { upstream: stated.upstream ?? 'main', database: name },
    backend: stated.backend ?? (engine === 'mongodb' ? 'document' : 'relational'),
    engine,
    readAs,
    searchPath: readAs === 'postgresql' || readAs === 'mongodb' ? null : [name],
    schema: buildSchema(toInput(declared, stated.after, place), 1),
  };
}

/** A command that is written out as a document goes the way of the wire. */
function textOf({ sql, command, operation }: Statement): string {
  if (sql !== undefined) return sql;
  if (typeof command === 'string') return command;
  if (command === undefined) throw new Error('A statement without sql and without command');
  const body = Buffer.from(BSON.serialize(command));
  return commandText({
    body,
    start: 0,
    end: body.length,
    sequences: [],
    operation: operation ?? null,
    isTruncated: false,
  }).text;
}

function toError({ error: stated }: Statement, text: string, readAs: Engine): ServerError {
  const { at, keyPattern = [], ...fields } = stated ?? {};
  const { code = '', message = '', codeName = null } = fields;
  if (readAs === 'mongodb' && /^\d+$/.test(code)) {
    return serverError({ code: Number(code), codeName, errmsg: message, labels: [], keyPattern });
  }
  const index =
    at === undefined || at === null || at === '' ? -1 : text.toLowerCase().indexOf(at.toLowerCase());
  return {
    code,
    message,
    ...fields,
    ...((readAs === 'mysql' || readAs === 'mariadb') && readErrorFields(code, message, readAs)),
    ...(index >= 0 && { position: [...text.slice(0, index)].length + 1 }),
  } as ServerError;
}

/** Where a database's tables are. */
interface Place {
  readonly schema: string;
  readonly searchPath: readonly string[];
  readonly kind: TableInput['kind'];
  /** What a primary key is called, where it has no name of its own. */
  readonly primaryKey: string | null;
}

/** A MySQL or MongoDB database is a schema, and the one a session is in is all it looks names up in. */
function placeOf(engine: Engine, database: string): Place {
  switch (engine) {
    case 'postgresql':
      return { schema: 'public', searchPath: ['public'], kind: 'table', primaryKey: null };
    case 'mongodb':
      return { schema: database, searchPath: [database], kind: 'collection', primaryKey: '_id_' };
    default:
      return { schema: database, searchPath: [], kind: 'table', primaryKey: 'PRIMARY' };
  }
}

function toInput(
  declared: Database,
  after: z.infer<typeof change> | undefined,
  { schema, searchPath, kind, primaryKey }: Place,
): SchemaInput {
  const tables = Object.entries(declared).map(([name, table]): TableInput => {
    const isChanged = after !== undefined && after.undone !== true && after.table === name;
    const columns = isChanged && after.add !== undefined ? [...table.columns, after.add] : table.columns;
    return {
      schema,
      name,
      kind,
      columns: columns.map((text) => toColumn(text, isChanged ? (after.retype ?? {}) : {})),
      constraints: table.constraints
        .filter((one) => !(isChanged && after.drop === one.name))
        .map(({ references, ...one }) => ({
          ...one,
          name: one.kind === 'primary_key' ? (primaryKey ?? one.name) : one.name,
          definition:
            isChanged && after.redefine === one.name ? `${one.definition} (changed)` : one.definition,
          ...(references !== undefined && { references }),
        })),
    };
  });
  if (after?.create !== undefined) {
    tables.push({
      schema,
      name: after.create,
      kind,
      columns: [toColumn('id bigint', {})],
      constraints: [],
    });
  }
  return { tables, defaultSearchPath: searchPath };
}

function toColumn(text: string, retype: Readonly<Record<string, string>>) {
  const [name = '', ...type] = text.replace(/ not null$/, '').split(' ');
  return { name, type: retype[name] ?? type.join(' '), isNotNull: text.endsWith(' not null') };
}
