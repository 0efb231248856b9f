/**
 * A declaration as one text: validators, partial filters, collations, pipelines of views. Invariant: the same
 * declaration gives the same text on every server, whichever number type a client sent it in and whatever the server adds of
 * its own. Never shown: it may hold values.
 */
import { hash } from 'node:crypto';
import { limits } from '../../src/core/limits.js';

/** Deeper than servers nest documents. */
const maxDepth = 200;

/** `value` as the driver decoded it, numbers promoted; keys in their order. */
export function definitionText(value: unknown): string {
  const text = write(value, 0);
  return text.length <= limits.maxCatalogDefinitionLength ? text : `sha256 ${hash('sha256', text)}`;
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (typeof value === 'bigint') return String(value);
  if (!isPlain(value)) return scalar(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${write(item, depth + 1)}`,
  );
  return `{${members.join(',')}}`;
}

/** What BSON has beyond JSON comes as an object of the driver's, which knows its extended JSON. */
function scalar(value: unknown): string {
  const special = value as { toExtendedJSON?: (options: { relaxed: boolean }) => unknown } | null | undefined;
  if (typeof special?.toExtendedJSON !== 'function') return JSON.stringify(value) ?? 'undefined';
  return JSON.stringify(special.toExtendedJSON({ relaxed: false }));
}

/** True for a document, false for a value, be it an object of the driver's. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('_bsontype' in value)
    ? !(value instanceof Date || value instanceof RegExp || ArrayBuffer.isView(value))
    : false;
}
