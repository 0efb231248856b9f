/** Reads the scenario corpus: YAML written by hand, bound to the report by its hash. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { readErrorFields } from '../../adapters/mysql/error-fields.js';
import { buildSchema, type SchemaInput, type TableInput } from '../../src/core/schema/schema.js';
import type { Engine, ServerError } from '../../src/core/verdict.js';
import type { FailureCase, Question, Scenario } from './case.js';

const folder = new URL('scenarios/', import.meta.url);

const constraint = z.strictObject({
  kind: z.enum(['primary_key', 'unique', 'foreign_key', 'check', 'trigger']),
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
const statement = z.strictObject({
  sql: z.string(),
  error: error.optional(),
  database: z.string().optional(),
  upstream: z.string().optional(),
  engine: z.enum(['postgresql', 'mysql', 'mariadb']).optional(),
  completedBefore: z.number().optional(),
  cancelled: z.boolean().optional(),
  after: change.optional(),
});
const questions = z.record(z.string(), z.union([z.string(), statement])).optional();
const scenario = z.strictObject({
  name: z.string(),
  /** Played once on each; default: PostgreSQL alone. */
  engines: z.array(z.enum(['postgresql', 'mysql', 'mariadb'])).default(['postgresql']),
  class: z.string(),
  learn: statement,
  recall: questions,
  abstain: questions,
});

type RelationalEngine = Exclude<Engine, 'mongodb'>;
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
          const asking = typeof value === 'string' ? { sql: value } : value;
          return {
            kind,
            ask: toCase(
              { ...one.learn, ...asking, error: { ...one.learn.error, ...asking.error } },
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
  readAs: RelationalEngine,
  databases: Readonly<Record<string, Database>>,
): FailureCase {
  const name = stated.database ?? 'shop';
  const declared = databases[name];
  if (declared === undefined) throw new Error(`No database ${name} in schemas.yaml`);
  const { at, ...fields } = stated.error ?? {};
  const index =
    at === undefined || at === null || at === '' ? -1 : stated.sql.toLowerCase().indexOf(at.toLowerCase());
  const failure = {
    code: '',
    message: '',
    ...fields,
    ...(readAs !== 'postgresql' && readErrorFields(fields.code ?? '', fields.message ?? '', readAs)),
    ...(index >= 0 && { position: [...stated.sql.slice(0, index)].length + 1 }),
  } as ServerError;
  return {
    sql: stated.sql,
    error: failure,
    completedBefore: stated.completedBefore ?? 0,
    isCancelRequested: stated.cancelled ?? false,
    scope: { upstream: stated.upstream ?? 'main', database: name },
    engine: stated.engine ?? readAs,
    readAs,
    // A MySQL database is a schema, and the one a session is in is all it looks names up in.
    searchPath: readAs === 'postgresql' ? null : [name],
    schema: buildSchema(toInput(declared, stated.after, readAs === 'postgresql' ? 'public' : name), 1),
  };
}

function toInput(declared: Database, after: z.infer<typeof change> | undefined, schema: string): SchemaInput {
  const tables = Object.entries(declared).map(([name, table]): TableInput => {
    const isChanged = after !== undefined && after.undone !== true && after.table === name;
    const columns = isChanged && after.add !== undefined ? [...table.columns, after.add] : table.columns;
    return {
      schema,
      name,
      kind: 'table',
      columns: columns.map((text) => toColumn(text, isChanged ? (after.retype ?? {}) : {})),
      constraints: table.constraints
        .filter((one) => !(isChanged && after.drop === one.name))
        .map(({ references, ...one }) => ({
          ...one,
          // MySQL gives primary keys no name of their own.
          name: one.kind === 'primary_key' && schema !== 'public' ? 'PRIMARY' : one.name,
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
      kind: 'table',
      columns: [toColumn('id bigint', {})],
      constraints: [],
    });
  }
  return { tables, defaultSearchPath: schema === 'public' ? ['public'] : [] };
}

function toColumn(text: string, retype: Readonly<Record<string, string>>) {
  const [name = '', ...type] = text.replace(/ not null$/, '').split(' ');
  return { name, type: retype[name] ?? type.join(' '), isNotNull: text.endsWith(' not null') };
}
