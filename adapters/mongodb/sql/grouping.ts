/** GROUP BY and aggregates: which stage groups the documents, and what stands for an expression behind it. */
import type { Expr } from 'pgsql-ast-parser';
import { Aggregates, isAggregate } from './aggregates.js';
import type { SqlDocument } from './compiled.js';
import type { Expressions } from './contract.js';
import type { Replacement } from './expressions.js';
import { refuse, shownName } from './refusals.js';
import type { Source } from './source.js';
import { computed, expressionOf, type Value } from './values.js';

export class Grouping {
  private readonly source: Source;
  /** Of the documents that are grouped. */
  private readonly ungrouped: Expressions;
  private readonly aggregates = new Aggregates();
  private readonly keys: unknown[] = [];
  private readonly valuesOfKeys = new Map<string, Value>();
  private readonly keyTypes = new Set<string>();

  constructor(source: Source, ungrouped: Expressions) {
    this.source = source;
    this.ungrouped = ungrouped;
  }

  addKey(node: Expr): void {
    const key = this.source.keyOf(node);
    if (this.valuesOfKeys.has(key)) return;
    const value = this.ungrouped.value(node);
    const name = `g${this.keys.length}`;
    // a missing field is in the group of null
    this.keys.push({ $ifNull: [expressionOf(value), null] });
    this.valuesOfKeys.set(key, computed(`$_id.${name}`, value.kind));
    this.keyTypes.add(node.type);
  }

  /** What stands for a node behind the grouping; `aliased` may know a name that is no key. */
  replacement(aliased: (node: Expr) => Value | null): Replacement {
    return (node) => {
      const key = this.keyTypes.has(node.type) ? this.valuesOfKeys.get(this.source.keyOf(node)) : undefined;
      if (key !== undefined) return key;
      if (node.type === 'call') {
        const name = this.source.functionName(node);
        return isAggregate(name) ? this.aggregates.add(node, name, this.ungrouped) : null;
      }
      if (node.type !== 'ref') return null;
      const value = aliased(node);
      if (value !== null) return value;
      const { path } = this.source.field(node);
      refuse(
        'SQL_INVALID',
        `${shownName(path, 'A column')} must stand in GROUP BY or within an aggregate.`,
        this.source.indexOf(node),
      );
    };
  }

  /** To be called when all expressions behind the grouping have been worked out. */
  stages(): SqlDocument[] {
    const accumulators = Object.fromEntries(this.aggregates.accumulators);
    if (this.keys.length > 0) {
      const id = Object.fromEntries(this.keys.map((key, at) => [`g${at}`, key]));
      return [{ $group: { _id: id, ...accumulators } }];
    }
    // without GROUP BY there is one row, whether or not there are documents
    const whenEmpty = Object.fromEntries(this.aggregates.whenEmpty);
    return [
      { $facet: { rows: [{ $group: { _id: null, ...accumulators } }] } },
      {
        $replaceRoot: {
          newRoot: { $ifNull: [{ $arrayElemAt: ['$rows', 0] }, { $literal: { _id: null, ...whenEmpty } }] },
        },
      },
    ];
  }
}
