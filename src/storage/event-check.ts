/**
 * Tells an event of the memory from anything else that JSON can hold, by hand: it runs once a line at every start.
 *
 * Only what the rest of the program relies on is checked. Unknown fields pass. An event, a schema version, a class or an
 * engine of a newer version is `unknown`: it is kept where it stands and left out of what is read.
 */
import { failureClasses } from '../core/failure/failure-class.js';
import type { FailureEvent, MemoryEvent } from '../core/memory/record.js';

export type CheckedEvent =
  | { readonly kind: 'event'; readonly event: MemoryEvent }
  /** `reason` names the field and what was expected, never a value. */
  | { readonly kind: 'unknown' | 'invalid'; readonly reason: string };

type Fields = Readonly<Record<string, unknown>>;

const classes: ReadonlySet<unknown> = new Set(failureClasses);
const engines: ReadonlySet<unknown> = new Set(['postgresql', 'mysql', 'mariadb', 'mongodb']);
const backends: ReadonlySet<unknown> = new Set(['relational', 'document']);
const feedbackKinds: ReadonlySet<unknown> = new Set(['ignored', 'confirmed', 'contradicted']);
const idPattern = /^[0-9a-f]{16}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Judges one parsed JSON value. An event is returned as it came, with the fields that may be left out filled in. */
export function checkEvent(value: unknown): CheckedEvent {
  if (!isFields(value)) return invalid('expected a JSON object');
  if (value['v'] !== 1) {
    return typeof value['v'] === 'number'
      ? { kind: 'unknown', reason: 'v: a schema version this program does not know' }
      : invalid('v: expected 1');
  }
  const { event, id, at } = value;
  if (typeof event !== 'string') return invalid('event: expected a string');
  const check = Object.hasOwn(checks, event) ? checks[event] : undefined;
  if (check === undefined) return { kind: 'unknown', reason: 'event: a kind this program does not know' };
  if (typeof id !== 'string' || !idPattern.test(id)) return invalid('id: expected 16 lower-case hex digits');
  if (typeof at !== 'string' || !timePattern.test(at)) return invalid('at: expected an RFC 3339 time in UTC');
  return check(value) ?? { kind: 'event', event: value as unknown as MemoryEvent };
}

const checks: Readonly<Record<string, (fields: Fields) => CheckedEvent | null>> = {
  failure: checkFailure,
  observed: ({ count, successes }) => {
    if (!isCount(count)) return invalid('count: expected a number of occurrences');
    return successes === undefined || isCount(successes)
      ? null
      : invalid('successes: expected a number of successes');
  },
  resolved: ({ resolution }) =>
    isFields(resolution) && typeof resolution['shape'] === 'string' && isStrings(resolution['tables'])
      ? null
      : invalid('resolution: expected a shape and its tables'),
  feedback: ({ kind, count }) => {
    if (!feedbackKinds.has(kind)) return invalid('kind: expected ignored, confirmed or contradicted');
    return isCount(count) ? null : invalid('count: expected a number');
  },
  retracted: checkReason,
  superseded: ({ by }) => (typeof by === 'string' ? null : invalid('by: expected the id of a record')),
  reviewed: ({ verdict, author, reviewBy }) => {
    if (verdict !== 'keep' && verdict !== 'under_review') {
      return invalid('verdict: expected keep or under_review');
    }
    if (reviewBy !== undefined && (typeof reviewBy !== 'string' || !timePattern.test(reviewBy))) {
      return invalid('reviewBy: expected an RFC 3339 time in UTC');
    }
    return typeof author === 'string' ? null : invalid('author: expected a string');
  },
  deleted: checkReason,
  restored: checkReason,
};

function checkReason({ reason, author }: Fields): CheckedEvent | null {
  if (typeof reason !== 'string') return invalid('reason: expected a string');
  return typeof author === 'string' ? null : invalid('author: expected a string');
}

const failureTexts = ['shape', 'holes', 'code', 'detail', 'phase', 'after'] as const;

function checkFailure(fields: Fields): CheckedEvent | null {
  const { scope, fingerprint, object, evidence } = fields;
  for (const name of failureTexts) {
    if (typeof fields[name] !== 'string') return invalid(`${name}: expected a string`);
  }
  if (!isFields(scope) || typeof scope['upstream'] !== 'string' || typeof scope['database'] !== 'string') {
    return invalid('scope: expected an upstream and a database');
  }
  if (
    !isFields(fingerprint) ||
    typeof fingerprint['tables'] !== 'string' ||
    typeof fingerprint['constraints'] !== 'string' ||
    typeof fingerprint['database'] !== 'string'
  ) {
    return invalid('fingerprint: expected tables, constraints and database');
  }
  if (!isStrings(fields['tables'])) return invalid('tables: expected a list of names');
  if (
    object !== null &&
    (!isFields(object) || typeof object['kind'] !== 'string' || typeof object['name'] !== 'string')
  ) {
    return invalid('object: expected a kind and a name, or null');
  }
  if (!isFields(evidence)) return invalid('evidence: expected an object');
  const closed = checkClosedSets(fields);
  if (closed !== null) return closed;
  return fields['verb'] === undefined || fields['isStructural'] === undefined
    ? complete(fields)
    : checkDerived(fields);
}

function checkClosedSets({ class: failureClass, engine, backend }: Fields): CheckedEvent | null {
  if (typeof failureClass !== 'string') return invalid('class: expected a class of failure');
  if (typeof engine !== 'string') return invalid('engine: expected an engine');
  if (typeof backend !== 'string') return invalid('backend: expected relational or document');
  if (!classes.has(failureClass)) return { kind: 'unknown', reason: 'class: not known to this program' };
  if (!engines.has(engine)) return { kind: 'unknown', reason: 'engine: not known to this program' };
  if (!backends.has(backend)) return { kind: 'unknown', reason: 'backend: not known to this program' };
  return null;
}

function checkDerived({ verb, isStructural, isTruncated }: Fields): CheckedEvent | null {
  if (typeof verb !== 'string') return invalid('verb: expected a string');
  if (typeof isStructural !== 'boolean') return invalid('isStructural: expected true or false');
  if (isTruncated !== undefined && typeof isTruncated !== 'boolean') {
    return invalid('isTruncated: expected true or false');
  }
  return null;
}

/** Hand-written events may leave out what follows from the rest. */
function complete(fields: Fields): CheckedEvent {
  const failure = fields as unknown as FailureEvent;
  const filled = {
    ...failure,
    verb: failure.verb ?? failure.shape.split(' ', 1)[0] ?? '',
    isStructural: failure.isStructural ?? (failure.engine === 'postgresql' && failure.code.startsWith('42')),
  };
  return checkDerived(filled as unknown as Fields) ?? { kind: 'event', event: filled };
}

function invalid(reason: string): CheckedEvent {
  return { kind: 'invalid', reason };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
