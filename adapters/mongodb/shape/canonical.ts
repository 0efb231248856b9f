/**
 * Canonical text of any place in a command, from whatever the command is read of. One walk: what is structure is written as it
 * is, what is a value as its type, and what has no order in one order.
 *
 * Invariants: nothing of a value is written; what was written reads back to itself; work is linear but for sorting the
 * keys of a document, and bounded by the room in `Findings` and by the depth of a `Level`.
 */
import { limits } from '../../../src/core/limits.js';
import { bsonType } from '../bson/types.js';
import type { Findings } from './budget.js';
import { holeOf, isNumeric, type Level } from './level.js';
import { keyToken, nameToken, withoutIds } from './names.js';
import { condition, expression, projection, updateOperators } from './operators.js';
import { type DocumentPart, documentOf, type ListPart, listOf, type Part, type PlainPart } from './part.js';
import { scalarToken, valueHole } from './scalars.js';
import { pipeline } from './stages.js';

const data = documentOf({});
const dataList = listOf(() => 'value', 'set');
const expressionRun = listOf(() => 'expression', 'run');
const argumentList = listOf(() => 'expression', 'all');
const meta = documentOf({ $meta: 'known word' });

/** Where a place holds a document or an array after all: how that is read. */
const containers: Readonly<Partial<Record<PlainPart, { document?: Part; array?: Part }>>> = {
  condition: { document: condition },
  expression: { document: expression, array: expressionRun },
  arguments: { document: expression, array: argumentList },
  shown: { document: projection, array: expressionRun },
  direction: { document: meta },
  update: { array: pipeline },
};

const maxFieldDepth = 4;
const firstRank = 0x21;
const noRank = '\u007f';

export class Canonical {
  readonly #keyTokens = new Map<string, string>();
  findings: Findings;

  constructor(findings: Findings) {
    this.findings = findings;
  }

  /** The text of the current element; null where it is left out. */
  write(level: Level, part: Part): string | null {
    if (typeof part === 'string') return this.#plain(level, part);
    const { type } = level;
    switch (part.form) {
      case 'document':
        return type === bsonType.document ? this.#document(level, part) : this.write(level, part.otherwise);
      case 'list':
        return type === bsonType.array ? this.#list(level, part) : this.write(level, part.otherwise());
      case 'either':
        if (type === bsonType.document) return this.write(level, part.document());
        return this.write(level, type === bsonType.array ? part.array() : part.scalar);
    }
  }

  /** A key as a token, free of ids. */
  key(key: string): string {
    let token = this.#keyTokens.get(key);
    if (token !== undefined) return token;
    token = keyToken(withoutIds(key));
    if (this.#keyTokens.size >= limits.maxCachedKeyTokens) this.#keyTokens.clear();
    this.#keyTokens.set(key, token);
    return token;
  }

  #plain(level: Level, part: PlainPart): string | null {
    const { findings } = this;
    if (part === 'dropped') return null;
    const { type } = level;
    if (type === bsonType.document || type === bsonType.array) return this.#container(level, part);
    switch (part) {
      case 'collection':
        return this.#collection(level);
      case 'namespace':
        return this.#namespace(level);
      default: {
        const token = scalarToken(level, part);
        return token === null ? null : findings.take(token);
      }
    }
  }

  #container(level: Level, part: PlainPart): string {
    const isDocument = level.type === bsonType.document;
    if (part === 'type only') return this.findings.take(holeOf(level.type));
    if (part === 'collection elsewhere' && isDocument) return this.#elsewhere(level);
    if (part === 'fields' && isDocument) return this.#fields(level);
    if (part === 'update' && isDocument) {
      return hasOperators(level)
        ? this.#document(level, updateOperators as DocumentPart)
        : this.#fields(level);
    }
    const inner = containers[part];
    const wanted = isDocument ? inner?.document : inner?.array;
    if (wanted !== undefined) return this.write(level, wanted) ?? '';
    return isDocument ? this.#document(level, data) : this.#list(level, dataList);
  }

  #document(level: Level, part: DocumentPart): string {
    const { findings } = this;
    const inner = level.enter();
    if (inner === null) return findings.take(valueHole(level));
    findings.room -= 4;
    const entries: string[] = [];
    while (!findings.isFull && inner.next()) {
      const key = inner.key();
      const own = part.keys.get(key) ?? (key.startsWith('$') ? part.operators() : part.fields());
      if (own === 'dropped') continue;
      const token = findings.take(this.key(key));
      const text = this.write(inner, own);
      if (text === null) findings.room += token.length + 1;
      else entries.push(part.isOrdered ? `${token} ${text}` : `${rankOf(part, key)}${token} ${text}`);
    }
    return part.isOrdered ? bracketed('{', entries, '}') : bracketed('{', inOrder(entries), '}');
  }

  #list(level: Level, part: ListPart): string {
    const { findings } = this;
    const inner = level.enter();
    if (inner === null) return findings.take(valueHole(level));
    findings.room -= 4;
    const item = part.item();
    const items =
      part.keeps === 'set' ? this.#set(inner, item) : this.#run(inner, item, part.keeps === 'run');
    return bracketed('[', items, ']');
  }

  #run(inner: Level, item: Part, dropsEqual: boolean): string[] {
    const { findings } = this;
    const items: string[] = [];
    while (!findings.isFull && inner.next()) {
      const room = findings.room;
      const text = this.write(inner, item);
      if (text === null) continue;
      if (dropsEqual && text === items.at(-1)) findings.room = room;
      else items.push(text);
    }
    return items;
  }

  /** Long lists of values are of one type, mostly: those cost no more than being passed. */
  #set(inner: Level, item: Part): string[] {
    const { findings } = this;
    const items = new Set<string>();
    let lastValue = -1;
    while (!findings.isFull && items.size < limits.maxDistinctListItems && inner.next()) {
      const { type } = inner;
      if (item === 'value' && type === lastValue) continue;
      const room = findings.room;
      const text = this.write(inner, item);
      if (text === null) continue;
      if (type !== bsonType.document && type !== bsonType.array && type < 0x100) lastValue = type;
      if (items.has(text)) findings.room = room;
      else items.add(text);
    }
    return [...items].sort();
  }

  /** A document to be stored: which fields of which types it has. */
  #fields(level: Level): string {
    const found = new Set<string>();
    this.findings.room -= 4;
    if (!this.#collectFields(level, '', found, 0)) return this.findings.take(valueHole(level));
    return bracketed('{', [...found].sort(), '}');
  }

  /** False where the current value is no document that has fields or can be read. */
  #collectFields(level: Level, prefix: string, found: Set<string>, depth: number): boolean {
    const { findings } = this;
    const inner = level.type === bsonType.document && depth < maxFieldDepth ? level.enter() : null;
    if (inner === null) return false;
    let isEmpty = true;
    while (!findings.isFull && inner.next()) {
      isEmpty = false;
      const path = prefix + inner.key();
      // drivers add it where the client names none
      if (path === '_id' && inner.type === bsonType.objectId) continue;
      const isDocument = inner.type === bsonType.document;
      if (isDocument && this.#collectFields(inner, `${path}.`, found, depth + 1)) continue;
      const token = `${this.key(path)}:${valueHole(inner).slice(1)}`;
      if (!found.has(token)) found.add(findings.take(token));
    }
    return !isEmpty || depth === 0;
  }

  #collection(level: Level): string {
    const { findings } = this;
    const name = level.text();
    if (name !== null && name.length <= maxNamespaceLength) {
      findings.addTable(null, name);
      return findings.take(nameToken(name));
    }
    // an aggregate without a collection
    return findings.take(isNumeric(level.type) && level.number() === 1 ? '1' : valueHole(level));
  }

  #namespace(level: Level): string {
    const { findings } = this;
    const name = level.text();
    if (name === null || name.length > maxNamespaceLength) return findings.take(valueHole(level));
    const dot = name.indexOf('.');
    findings.addTable(dot < 0 ? null : name.slice(0, dot), name.slice(dot + 1));
    return findings.take(nameToken(name));
  }

  #elsewhere(level: Level): string {
    const inner = level.enter();
    if (inner === null) return this.findings.take(valueHole(level));
    let database: string | null = null;
    let collection = '';
    while (inner.next()) {
      const text = inner.text();
      if (text === null || text.length > maxNamespaceLength) continue;
      if (inner.key() === 'db') database = text;
      if (inner.key() === 'coll') collection = text;
    }
    const { findings } = this;
    findings.addTable(database, collection);
    const where = database === null ? [] : [`db ${findings.take(nameToken(database))}`];
    return bracketed('{', [...where, `coll ${findings.take(nameToken(collection))}`], '}');
  }
}

/** Longer ones no server takes. */
const maxNamespaceLength = 255;

export function bracketed(open: string, items: readonly string[], close: string): string {
  return items.length === 0 ? `${open} ${close}` : `${open} ${items.join(' ')} ${close}`;
}

/** A first character that sorts: listed keys in the order of their list, the others behind them. */
function rankOf(part: DocumentPart, key: string): string {
  let rank = ranks.get(part);
  if (rank === undefined) {
    rank = new Map(
      [...part.keys.keys()].map((name, index) => [name, String.fromCharCode(firstRank + index)]),
    );
    ranks.set(part, rank);
  }
  return rank.get(key) ?? noRank;
}

const ranks = new WeakMap<DocumentPart, ReadonlyMap<string, string>>();

/** Sorted, each once, without the character they were sorted by. */
function inOrder(entries: string[]): string[] {
  if (entries.length > 1) entries.sort();
  return entries.filter((entry, index) => entry !== entries[index - 1]).map((entry) => entry.slice(1));
}

/** Whether an update has operators: where it has none, it is the document that replaces the old one. */
function hasOperators(level: Level): boolean {
  const inner = level.enter();
  if (inner === null) return false;
  while (inner.next()) if (inner.key().startsWith('$')) return true;
  return false;
}
