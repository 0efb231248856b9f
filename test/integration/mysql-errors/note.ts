/** The note that a failure on a real server gives, made of the same parts as in the proxy, on the tables of `fixture`. */
import { classify } from '../../../adapters/mysql/classify.js';
import { mariadbDialect, mysqlDialect } from '../../../adapters/mysql/dialect.js';
import type { Flavour } from '../../../adapters/mysql/error-codes.js';
import { readErrorFields } from '../../../adapters/mysql/error-fields.js';
import { positionOfNear } from '../../../adapters/mysql/near-position.js';
import { mariadbTemplates, mysqlTemplates } from '../../../adapters/mysql/note-templates.js';
import { isRecorded } from '../../../src/core/failure/failure-class.js';
import type { MemoryRecord } from '../../../src/core/memory/record.js';
import { templateInput } from '../../../src/core/notes/input.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { createShaper } from '../../../src/core/shape/shaper.js';
import { keyFailure, observeFailure } from '../../../src/core/sink/observed-failure.js';
import { defaultLexicalOptions, type ServerError, type SessionContext } from '../../../src/core/verdict.js';
import type { RaisedError } from './raise.js';

const shapers = { mysql: createShaper(mysqlDialect), mariadb: createShaper(mariadbDialect) };
const templates = { mysql: mysqlTemplates, mariadb: mariadbTemplates };

/** Null where the failure is not one to remember. */
export function noteFor(
  statement: string,
  raised: RaisedError,
  flavour: Flavour,
  schema: SchemaModel,
  database: string,
): string | null {
  const error = readError(statement, raised, flavour);
  const classification = classify({ error, phase: 'execute', isCancelRequested: false }, flavour);
  const failureClass = classification.class;
  if (!isRecorded(failureClass)) return null;
  const context = contextOf(flavour, database);
  const observed = observeFailure(
    {
      statement: { text: () => statement, isTruncated: false },
      completedBefore: 0,
      phase: 'execute',
      error,
      before: 'idle',
      isCancelRequested: false,
    },
    { ...classification, class: failureClass },
    context,
    shapers[flavour],
    0,
  );
  if (observed === null) return null;
  const { facts, resolved } = keyFailure(observed, schema);
  const record: MemoryRecord = { ...facts, failures: 3, successes: 0, resolution: null } as never;
  return templates[flavour][failureClass](
    templateInput(record, resolved.tables, schema, false, {
      error,
      shape: facts.shape,
      searchPath: context.searchPath,
      user: context.user,
    }),
  );
}

function readError(statement: string, raised: RaisedError, flavour: Flavour): ServerError {
  const position = positionOfNear(raised.message, statement);
  return {
    ...raised,
    ...readErrorFields(raised.code, raised.message, flavour),
    ...(raised.code === '1064' && position !== undefined ? { position } : {}),
  };
}

function contextOf(flavour: Flavour, database: string): SessionContext {
  return {
    id: '1',
    engine: flavour,
    backend: 'relational',
    scope: { upstream: 'test', database },
    user: 'app',
    audience: 'agent',
    application: '',
    lexical: defaultLexicalOptions,
    setLexical: () => {},
    searchPath: [database],
  } as never;
}
