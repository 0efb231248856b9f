/**
 * One failure as the session saw it, without anything that depends on the schema: it can be kept until the catalog is
 * known and keyed again when the catalog turns out to have moved. Holds no text of the statement; the error's message
 * stays behind `detail`, in memory, as long as the failure itself is kept.
 */
import type { EngineSupport } from '../adapter.js';
import type { Classification, FailureClass, NamedObject } from '../failure/failure-class.js';
import type { Evidence, FailureFacts, MemoryRecord, RecordFingerprint } from '../memory/record.js';
import { recordId } from '../memory/record-id.js';
import { redactAround, redactDetail } from '../notes/redact.js';
import type { ResolvedTables, SchemaModel, TableName } from '../schema/model.js';
import type { Shaper, StatementShape, TextShape } from '../shape/shape.js';
import type { Scope, ServerError, SessionContext, StatementFailure, StatementText } from '../verdict.js';
import { realObject, realRanges, realTables } from './read-names.js';

/** What the sink needs of one engine. */
export interface EngineParts extends Pick<EngineSupport, 'classify' | 'templates' | 'shownWords'> {
  readonly shaper: Shaper;
}

export interface ObservedFailure {
  readonly context: Pick<SessionContext, 'backend' | 'engine'>;
  /** Where and who the session was: it may be elsewhere and another when the failure is keyed. */
  readonly scope: Scope;
  readonly user: string;
  readonly searchPath: readonly string[] | null;
  readonly statement: StatementShape;
  /** Those of the statement or, where it names none, the one the error names. */
  readonly tables: readonly TableName[];
  readonly class: FailureClass;
  readonly code: string;
  readonly isStructural: boolean;
  readonly object: NamedObject | null;
  /** The error's names were read out of its text: only those count that are declared or written. */
  readonly isNameRead: boolean;
  /** Made when asked for: redacting takes longer than recall, and the error is held back meanwhile. */
  detail(record: Pick<MemoryRecord, 'scope' | 'object' | 'tables'>): string;
  readonly phase: FailureFacts['phase'];
  readonly evidence: Evidence;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Classes whose error points at the very token it is about. */
const tokenNamesObject: ReadonlySet<FailureClass> = new Set([
  'syntax',
  'undefined_object',
  'duplicate_object',
  'invalid_statement',
  'type_mismatch',
  'unsupported_feature',
]);

const plainToken = /^[\p{L}_][\p{L}\p{N}_$]*(\.[\p{L}_][\p{L}\p{N}_$]*)*$/u;
const maxTokenLength = 128;

/** The failing statement of a text, and the object its error names. */
export function observeFailure(
  failure: StatementFailure & { readonly statement: StatementText },
  classification: Classification & { readonly class: FailureClass },
  context: SessionContext,
  shaper: Shaper,
  at: number,
): ObservedFailure | null {
  const text = failure.statement.text();
  const shapes = shaper.shape(text, context.lexical, failure.statement.isTruncated);
  const token = tokenOf(failure.error, text, context, shaper);
  const statement = failing(shapes, token?.statement ?? failure.completedBefore);
  if (statement === undefined) return null;
  const { error } = failure;
  return {
    context,
    scope: context.scope,
    user: context.user,
    searchPath: context.searchPath,
    statement,
    tables: tablesOf(statement, error, classification.class),
    class: classification.class,
    code: error.code,
    isStructural: classification.isStructural,
    object: classification.object ?? objectAt(token, classification.class),
    isNameRead: error.nameRanges !== undefined,
    detail: (record) => detailOf(error, statement, classification.class, record),
    phase: failure.phase,
    evidence: evidenceOf(context, shapes.trace),
    at,
  };
}

/** Identity and fingerprint under `model`; `after` and `detail` are still to come. */
export function keyFailure(
  observed: ObservedFailure,
  model: SchemaModel,
): { readonly facts: FailureFacts; readonly resolved: ResolvedTables } {
  const { context, statement, isNameRead } = observed;
  const isTableRead = isNameRead && observed.tables !== statement.tables;
  const tables = isTableRead ? realTables(observed.tables, statement.shape, model) : observed.tables;
  const resolved = model.resolve(tables, observed.searchPath, observed.user);
  const identity = {
    scope: observed.scope,
    backend: context.backend,
    engine: context.engine,
    shape: statement.shape,
    fingerprint: fingerprintOf(resolved, model),
    class: observed.class,
    code: observed.code,
    object: isNameRead ? realObject(observed.object, statement.shape, model) : observed.object,
  };
  // Written out: spreading this many fields is slow, and the error is held back meanwhile.
  const facts: FailureFacts = {
    id: recordId(identity),
    scope: identity.scope,
    backend: identity.backend,
    engine: identity.engine,
    shape: identity.shape,
    fingerprint: identity.fingerprint,
    class: identity.class,
    code: identity.code,
    object: identity.object,
    holes: statement.holes,
    isTruncated: statement.isTruncated,
    tables: resolved.names,
    verb: statement.verb,
    isStructural: observed.isStructural,
    detail: '',
    phase: observed.phase,
    after: 'unknown',
    evidence: observed.evidence,
  };
  return { facts, resolved };
}

/** What the gate compares, of tables resolved in `model`. */
export function fingerprintOf(resolved: ResolvedTables, model: SchemaModel): RecordFingerprint {
  return {
    tables: resolved.tablesFingerprint,
    constraints: resolved.constraintsFingerprint,
    database: model.fingerprint,
  };
}

function tokenOf(error: ServerError, text: string, context: SessionContext, shaper: Shaper) {
  if (error.position === undefined || error.isInternalPosition === true) return null;
  return shaper.tokenAt(text, context.lexical, error.position);
}

/** A text may hold fewer statements than were counted: triggers and rules complete some of their own. */
function failing(shapes: TextShape, index: number): StatementShape | undefined {
  return shapes.statements[Math.min(Math.max(index, 0), shapes.statements.length - 1)];
}

/** COMMIT names no table, but the constraint it fails on has one. A RAISE fills in what it likes. */
function tablesOf(
  statement: StatementShape,
  error: ServerError,
  failureClass: FailureClass,
): readonly TableName[] {
  if (statement.tables.length > 0 || error.table === undefined || failureClass === 'rule_raised') {
    return statement.tables;
  }
  return [{ schema: error.schema ?? null, name: error.table }];
}

/** Literals never name an object, and a name that needs quotes may be a value in the wrong quotes. */
function objectAt(token: ReturnType<Shaper['tokenAt']>, failureClass: FailureClass): NamedObject | null {
  if (token === null || !tokenNamesObject.has(failureClass) || token.text.length > maxTokenLength)
    return null;
  switch (token.kind) {
    case 'identifier':
      return plainToken.test(token.text) ? { kind: 'name', name: token.text } : null;
    case 'keyword':
    case 'operator':
      return { kind: 'token', name: token.text };
    default:
      return null;
  }
}

function detailOf(
  error: ServerError,
  statement: StatementShape,
  failureClass: FailureClass,
  { scope, object, tables }: Pick<MemoryRecord, 'scope' | 'object' | 'tables'>,
): string {
  const { message, nameRanges } = error;
  if (nameRanges === undefined) return redactDetail(message, knownNames(error, statement, failureClass));
  if (failureClass === 'rule_raised') return redactAround(message, []);
  const names = new Set([scope.database, object?.name ?? '', ...tables].flatMap((name) => name.split('.')));
  return redactAround(message, realRanges(message, nameRanges, statement.shape, names));
}

/** The fields of an error are names, unless a RAISE wrote them. */
function knownNames(error: ServerError, statement: StatementShape, failureClass: FailureClass): string[] {
  const names =
    failureClass === 'rule_raised'
      ? []
      : [error.constraint, error.schema, error.table, error.column, error.dataType];
  for (const table of statement.tables) names.push(table.name);
  return names.filter((name) => name !== undefined);
}

function evidenceOf(context: SessionContext, trace: string | null): Evidence {
  return {
    session: context.id,
    ...(context.application !== '' && { application: context.application }),
    ...(context.user !== '' && { user: context.user }),
    ...(trace !== null && { trace }),
  };
}
