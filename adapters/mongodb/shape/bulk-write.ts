/**
 * The command `bulkWrite`, which does in one what insert, update and delete do: each of its operations is the statement of the
 * command that does the same, so that what failed one way is known the other way.
 * https://www.mongodb.com/docs/manual/reference/command/bulkWrite/
 */
import { limits } from '../../../src/core/limits.js';
import { bsonType } from '../bson/types.js';
import { bracketed, type Canonical } from './canonical.js';
import { deleteOf, updateOf } from './commands.js';
import type { Level } from './level.js';
import { nameToken } from './names.js';
import { type Operations, readOperations } from './operations.js';
import type { DocumentPart, Part } from './part.js';

export interface BulkOperation {
  readonly verb: 'insert' | 'update' | 'delete';
  readonly text: string;
  readonly database: string | null;
  readonly collection: string;
}

interface Unplaced {
  readonly verb: 'insert' | 'update' | 'delete';
  /** Index in `nsInfo`. */
  readonly namespace: number;
  readonly text: string;
}

const lists = { insert: 'documents', update: 'updates', delete: 'deletes' } as const;
const renamed: Readonly<Record<string, string>> = { filter: 'q', updateMods: 'u', constants: 'c' };
const parts: Readonly<Record<'update' | 'delete', Part>> = { update: updateOf, delete: deleteOf };

/** `level` stands at the command's first element. */
export function readBulkWrite(level: Level, canonical: Canonical, wanted: Operations): BulkOperation[] {
  let operations: Unplaced[] | null = null;
  let namespaces: string[] = [];
  const isFull = () => canonical.findings.isFull;
  while (level.next()) {
    if (level.type !== bsonType.array) continue;
    const key = level.key();
    if (key === 'ops') {
      const read = (operation: Level) => readOperation(operation, canonical);
      operations = readOperations(level, wanted, isFull, read, (one) => `${one.namespace} ${one.text}`);
    } else if (key === 'nsInfo') namespaces = readNamespaces(level, operations);
  }
  return (operations ?? []).map(({ verb, namespace, text }) => {
    const name = namespaces[namespace] ?? '';
    const dot = name.indexOf('.');
    const collection = name.slice(dot + 1);
    return {
      verb,
      text: `{ ${verb} ${nameToken(collection)} ${lists[verb]} [ ${text} ] }`,
      database: dot < 0 ? null : name.slice(0, dot),
      collection,
    };
  });
}

/** Drivers send the operations first: of thousands of namespaces only theirs are read then. */
function readNamespaces(level: Level, operations: readonly Unplaced[] | null): string[] {
  const needed = operations === null ? null : new Set(operations.map(({ namespace }) => namespace));
  const found: string[] = [];
  const list = level.enter();
  while (list !== null && found.length < limits.maxBulkNamespaces && list.next()) {
    const isNeeded = needed === null || needed.has(found.length);
    const namespace = isNeeded ? list.enter() : null;
    let name = '';
    while (namespace?.next()) if (namespace.key() === 'ns') name = namespace.text() ?? '';
    found.push(name);
  }
  return found;
}

function readOperation(level: Level, canonical: Canonical): Unplaced | null {
  const operation = level.enter();
  if (operation === null || !operation.next()) return null;
  const verb = operation.key();
  if (verb !== 'insert' && verb !== 'update' && verb !== 'delete') return null;
  const namespace = operation.number();
  const { findings } = canonical;
  findings.room -= 24;
  if (verb === 'insert') {
    let text = '{ }';
    while (operation.next())
      if (operation.key() === 'document') text = canonical.write(operation, 'fields') ?? text;
    return { verb, namespace, text };
  }
  return { verb, namespace, text: readChange(operation, verb, canonical) };
}

/** Arguments of an update or delete under the names that the command of the one kind has for them. */
function readChange(operation: Level, verb: 'update' | 'delete', canonical: Canonical): string {
  const { keys } = parts[verb] as DocumentPart;
  const order = [...keys.keys()];
  const entries: [rank: number, text: string][] = [];
  let isMany = false;
  while (!canonical.findings.isFull && operation.next()) {
    const given = operation.key();
    const key = renamed[given] ?? given;
    if (key === 'multi' && verb === 'delete') {
      isMany = operation.number() === 1;
      continue;
    }
    const text = canonical.write(operation, keys.get(key) ?? 'value');
    if (text !== null)
      entries.push([rankIn(order, key), `${canonical.findings.take(canonical.key(key))} ${text}`]);
  }
  if (verb === 'delete') entries.push([rankIn(order, 'limit'), `limit ${isMany ? '0' : '1'}`]);
  entries.sort(([a, textOfA], [b, textOfB]) => a - b || (textOfA < textOfB ? -1 : 1));
  return bracketed(
    '{',
    entries.map(([, text]) => text),
    '}',
  );
}

function rankIn(order: readonly string[], key: string): number {
  const rank = order.indexOf(key);
  return rank < 0 ? order.length : rank;
}
