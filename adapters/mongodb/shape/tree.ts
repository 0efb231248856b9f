/** A command that was read from a text: nodes, and levels over them. */
import { limits } from '../../../src/core/limits.js';
import { bsonType } from '../bson/types.js';
import { isNumeric, type Level, pseudoType } from './level.js';

export interface TreeNode {
  readonly type: number;
  /** Of strings and bare words; null where it is a hole, or was not kept. */
  readonly text: string | null;
  /** Of numbers and booleans; NaN where it is a hole, or is not known. */
  readonly number: number;
  /** Of regular expressions. */
  readonly options: string;
  /** Null but for documents and arrays that were read into. */
  readonly entries: readonly TreeEntry[] | null;
}

export interface TreeEntry {
  readonly key: string;
  readonly node: TreeNode;
}

const nodeOf = (type: number, more: Partial<TreeNode> = {}): TreeNode => ({
  type,
  text: null,
  number: Number.NaN,
  options: '',
  entries: null,
  ...more,
});

/** A value of which the type is known and no more. */
export const holeNode = (type: number): TreeNode => nodeOf(type);
export const anyNode: TreeNode = nodeOf(pseudoType.any);
export const nullNode: TreeNode = nodeOf(bsonType.null);
export const textNode = (text: string): TreeNode => nodeOf(bsonType.string, { text });
export const wordNode = (text: string): TreeNode => nodeOf(pseudoType.word, { text });
export const numberNode = (number: number): TreeNode => nodeOf(bsonType.int32, { number });
export const booleanNode = (is: boolean): TreeNode => nodeOf(bsonType.boolean, { number: is ? 1 : 0 });
export const regexNode = (options: string): TreeNode => nodeOf(bsonType.regex, { options });
export const documentNode = (entries: readonly TreeEntry[]): TreeNode =>
  nodeOf(bsonType.document, { entries });
export const arrayNode = (nodes: readonly TreeNode[]): TreeNode =>
  nodeOf(bsonType.array, { entries: nodes.map((node) => ({ key: '', node })) });

/** A document of what is there: undefined is left out. */
export function documentFrom(fields: Readonly<Record<string, TreeNode | undefined>>): TreeNode {
  const entries: TreeEntry[] = [];
  for (const [key, node] of Object.entries(fields)) if (node !== undefined) entries.push({ key, node });
  return documentNode(entries);
}

/** The value of a key of a document; the last one where there are several, as in JavaScript. */
export function member(node: TreeNode | undefined, key: string): TreeNode | undefined {
  if (node?.type !== bsonType.document) return undefined;
  return node.entries?.findLast((entry) => entry.key === key)?.node;
}

export function items(node: TreeNode | undefined): readonly TreeNode[] {
  return node?.type === bsonType.array ? (node.entries ?? []).map((entry) => entry.node) : [];
}

export function isTrue(node: TreeNode | undefined): boolean {
  return node !== undefined && (node.type === bsonType.boolean || isNumeric(node.type)) && node.number !== 0;
}

export class TreeLevel implements Level {
  readonly #entries: readonly TreeEntry[];
  readonly #depth: number;
  #at = -1;

  constructor(entries: readonly TreeEntry[], depth = 0) {
    this.#entries = entries;
    this.#depth = depth;
  }

  get type(): number {
    return this.#node.type;
  }

  next(): boolean {
    this.#at += 1;
    return this.#at < this.#entries.length;
  }

  key(): string {
    return this.#entries[this.#at]?.key ?? '';
  }

  text(): string | null {
    return this.#node.text;
  }

  number(): number {
    return this.#node.number;
  }

  options(): string {
    return this.#node.options;
  }

  enter(): Level | null {
    const { entries } = this.#node;
    if (entries === null || this.#depth >= limits.maxCommandDepth) return null;
    return new TreeLevel(entries, this.#depth + 1);
  }

  get #node(): TreeNode {
    return this.#entries[this.#at]?.node ?? anyNode;
  }
}
