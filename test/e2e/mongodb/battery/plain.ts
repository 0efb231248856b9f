/** What clients print, as plain data that can be compared: without what varies from run to run, and without notes. */
import { stripNotes } from '../../battery/notes.js';
import type { Entry } from '../../battery/transcript.js';

/** Fields of replies whose presence is told and whose value is not. */
const varying = new Set([
  '$clusterTime',
  'clusterTime',
  'operationTime',
  'localTime',
  'topologyVersion',
  'connectionId',
  'electionId',
  // Where the proxy stands in for the server (topology.test.ts).
  'hosts',
  'me',
  'primary',
  'lastWrite',
  'uuid',
  'opTime',
  'elapsed',
  'payload',
  'conversationId',
  'resumeToken',
  'postBatchResumeToken',
  'queryPlanner',
  'executionStats',
  'serverInfo',
]);

/** FerretDB names tables of PostgreSQL, numbered, in some of its errors. */
const tableNumber = /(documents_(?:rum_index_)?)\d+/g;

/** Replaces what varies by nature. `value` is JSON. */
export function withoutVarying(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(tableNumber, '$1<n>');
  if (Array.isArray(value)) return value.map(withoutVarying);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (varying.has(key)) return [key, '<varies>'];
      if (key === 'cursor' && isDocument(inner)) return [key, cursorWithoutId(inner)];
      if (key === 'cursorsKilled' && Array.isArray(inner)) return [key, inner.map(() => '<open>')];
      return [key, withoutVarying(inner)];
    }),
  );
}

/** Whether a cursor is left open is told, and not its number; what is listed by name has no order of its own. */
function cursorWithoutId(cursor: Record<string, unknown>): unknown {
  const { id, ns, firstBatch } = cursor;
  const isOpen = id !== 0 && JSON.stringify(id) !== '{"$numberLong":"0"}';
  const plain = { ...(withoutVarying(cursor) as object), id: isOpen ? '<open>' : 0 };
  if (!Array.isArray(firstBatch) || !/\.\$cmd\.list/i.test(String(ns))) return plain;
  const listed = (withoutVarying(firstBatch) as { name?: unknown }[]).toSorted((one, other) =>
    String(one.name).localeCompare(String(other.name)),
  );
  return { ...plain, firstBatch: listed };
}

/** Entries without their notes: the field `note`, and the rest of a text from its marker on. */
export function withoutMongoNotes(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => withoutNoteFields(stripNotes(entry)) as Entry);
}

/** A field `note` that was only a note is empty by now; no client and no server has one of its own. */
function withoutNoteFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoteFields);
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'note' && inner === ''))
      .map(([key, inner]) => [key, withoutNoteFields(inner)]),
  );
}

function isDocument(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
