/**
 * Errors of the `mongodb` driver, read by their structure: no copy of the driver is told from another. Only what the
 * server said is a failure; what the driver says of connections, its own checks and time-outs is not.
 */
import type { ServerError } from '../../src/core/verdict.js';
import { serverError } from './error-fields.js';

/** A failure of the server within a driver's error. */
export interface DriverFailure {
  readonly error: ServerError;
  /** Which of the operations that were sent together; 0 where it was one. */
  readonly index: number;
}

interface Fields {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly codeName?: unknown;
  readonly errmsg?: unknown;
  readonly message?: unknown;
  readonly index?: unknown;
  readonly errorLabels?: unknown;
  readonly keyPattern?: unknown;
  readonly writeErrors?: unknown;
  readonly err?: unknown;
}

const serverErrors: ReadonlySet<unknown> = new Set([
  'MongoServerError',
  'MongoBulkWriteError',
  'MongoWriteConcernError',
]);

/** What the server refused, in the order it said so; empty where `error` is none of the server's. */
export function failuresOf(error: unknown): readonly DriverFailure[] {
  if (!isFields(error) || !serverErrors.has(error.name)) return [];
  const writes = Array.isArray(error.writeErrors) ? error.writeErrors.filter(isFields) : [];
  if (writes.length > 0)
    return writes.map((write) => failureOf(isFields(write.err) ? write.err : write, error));
  return [failureOf(error, error)];
}

function failureOf(fields: Fields, whole: Fields): DriverFailure {
  const { code, codeName, errmsg, message, index, keyPattern } = fields;
  const labels = [fields.errorLabels, whole.errorLabels].find(Array.isArray) ?? [];
  const error = serverError({
    code: typeof code === 'number' ? code : null,
    codeName: typeof codeName === 'string' ? codeName : null,
    errmsg: [errmsg, message].find((text) => typeof text === 'string') ?? '',
    labels: labels.filter((label): label is string => typeof label === 'string'),
    keyPattern: isFields(keyPattern) ? Object.keys(keyPattern) : [],
  });
  return { error, index: typeof index === 'number' ? index : 0 };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
