/** The collection a statement works on, and what the numbered names and values of its syntax tree stand for. */
import type { Expr, ExprCall, ExprRef, PGNode, QName } from 'pgsql-ast-parser';
import type { Constant } from './constants.js';
import type { Prepared, PreparedName } from './pieces.js';
import { refuse, shownName } from './refusals.js';
import type { FieldValue } from './values.js';

export class Source {
  readonly collection: string;
  private readonly prepared: Prepared;
  /** What fields may be qualified with. */
  private readonly qualifier: string;

  constructor(prepared: Prepared, table: QName & { readonly alias?: string }) {
    this.prepared = prepared;
    const { parts, isWhole } = this.named(table.name, this.indexOf(table));
    if (parts.length > 1 && !isWhole) {
      refuse(
        'SQL_INVALID',
        'A collection is named alone: its database is that of the connection. Quote a name that has a dot.',
        this.indexOf(table),
      );
    }
    this.collection = parts.join('.');
    if (this.collection === '' || this.collection.includes('\0') || this.collection.startsWith('$')) {
      refuse('SQL_INVALID', 'No collection can have this name.', this.indexOf(table));
    }
    this.qualifier = table.alias === undefined ? this.collection : this.nameOf(table.alias);
  }

  indexOf(node: PGNode): number {
    return this.prepared.indexAt(node._location?.start ?? 0);
  }

  /** The whole name that a numbered one stands for. */
  nameOf(numbered: string): string {
    return this.prepared.names[numberOf(numbered)]?.parts.join('.') ?? numbered;
  }

  constantOf(node: Expr): Constant | null {
    if (node.type !== 'parameter') return null;
    return this.prepared.constants[Number(node.name.slice(1)) - 1] ?? null;
  }

  functionName(call: ExprCall): string {
    return this.nameOf(call.function.name).toLowerCase();
  }

  field(node: ExprRef): FieldValue {
    if (node.name === '*' || node.table !== undefined) {
      refuse('SQL_EXPRESSION', 'A star stands for all columns, and for nothing else.', this.indexOf(node));
    }
    return { form: 'field', path: this.path(node.name, this.indexOf(node)), kind: 'unknown' };
  }

  /** The path in documents that a name means, without the collection's own name before it. */
  path(numbered: string, index: number): string {
    const { parts, isWhole } = this.named(numbered, index);
    const isQualified = !isWhole && parts.length > 1 && parts[0] === this.qualifier;
    const path = isQualified ? parts.slice(1) : parts;
    const odd = path.find((part) => part === '' || part.startsWith('$') || part.includes('\0'));
    if (odd !== undefined) {
      refuse('SQL_EXPRESSION', 'A field that is empty or begins with a dollar sign cannot be named.', index);
    }
    return path.join('.');
  }

  /** The parser takes some words for names that are none unless quoted. */
  private named(numbered: string, index: number): PreparedName {
    const name = this.prepared.names[numberOf(numbered)];
    if (name !== undefined) return name;
    refuse(
      'SQL_SYNTAX',
      `${numbered.toUpperCase()} is a word of the grammar: quote it to name something.`,
      index,
    );
  }

  /** True for the star that stands for all columns, alone or behind the collection's name. */
  isStar(node: Expr): boolean {
    if (node.type !== 'ref' || node.name !== '*') return false;
    if (node.table === undefined || this.nameOf(node.table.name) === this.qualifier) return true;
    refuse(
      'SQL_EXPRESSION',
      `A star behind ${shownName(this.nameOf(node.table.name), 'a name')} stands for no columns.`,
      this.indexOf(node),
    );
  }

  /** Equal for expressions that read the same. */
  keyOf(node: Expr): string {
    return JSON.stringify(node, (key, value) => {
      if (key === '_location') return undefined;
      const isField = value?.type === 'ref' && value.name !== '*' && value.table === undefined;
      return isField ? { field: this.path(value.name, this.indexOf(value)) } : value;
    });
  }
}

/** `n12` is number 12; what is no name of ours is none. */
function numberOf(numbered: string): number {
  return Number(numbered.slice(1));
}
