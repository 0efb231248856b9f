/** SELECT: a find where the documents come out as they are and MongoDB's own order is asked for, else a pipeline. */
import type { Expr, LimitStatement, OrderByStatement, SelectFromStatement } from 'pgsql-ast-parser';
import { isAggregate } from './aggregates.js';
import { type Column, labelled, projection } from './columns.js';
import type { SqlCommand, SqlDocument } from './compiled.js';
import type { Expressions } from './contract.js';
import { StatementExpressions } from './expressions.js';
import { filterOf } from './filter.js';
import { Grouping } from './grouping.js';
import { fullSort, plainSort, type SortKey } from './ordering.js';
import type { Prepared } from './pieces.js';
import { refuse } from './refusals.js';
import { Source } from './source.js';
import type { Value } from './values.js';

export function compileSelect(statement: SelectFromStatement, prepared: Prepared, now: Date): SqlCommand {
  return new Select(statement, sourceOf(statement, prepared), now).compile();
}

function sourceOf(statement: SelectFromStatement, prepared: Prepared): Source {
  const [from] = statement.from ?? [];
  const index = prepared.indexAt(statement._location?.start ?? 0);
  if (from === undefined) refuse('SQL_CLAUSE', 'A SELECT without FROM asks no collection.', index);
  const at = prepared.indexAt(from._location?.start ?? 0);
  if (from.type === 'call') refuse('SQL_FUNCTION', 'A function cannot stand in FROM.', at);
  if (from.type === 'statement') refuse('SQL_SUBQUERY', 'A query cannot stand in FROM.', at);
  if (from.name.columnNames) refuse('SQL_CLAUSE', 'Columns cannot be renamed in FROM.', at);
  return new Source(prepared, from.name);
}

class Select {
  private readonly statement: SelectFromStatement;
  private readonly source: Source;
  private readonly columns: readonly Column[];
  private readonly hasStar: boolean;
  private readonly ungrouped: StatementExpressions;
  private readonly now: Date;

  constructor(statement: SelectFromStatement, source: Source, now: Date) {
    this.statement = statement;
    this.source = source;
    this.now = now;
    const selected = statement.columns ?? [];
    if (selected.length === 0) {
      refuse('SQL_INVALID', 'SELECT names no columns.', source.indexOf(statement));
    }
    this.columns = labelled(selected, source);
    this.hasStar = selected.some(({ expr }) => source.isStar(expr));
    this.ungrouped = new StatementExpressions(source, now);
  }

  compile(): SqlCommand {
    const { where, groupBy } = this.statement;
    const filter = where ? filterOf(this.ungrouped.predicate(where)) : {};
    const isGrouped = (groupBy?.length ?? 0) > 0 || this.hasAggregate();
    return isGrouped ? this.grouped(filter) : this.plain(filter);
  }

  private plain(filter: SqlDocument): SqlCommand {
    const values = this.columns.map(({ node }) => this.ungrouped.value(node));
    const keys = this.sortKeys(this.ungrouped, values);
    const { skip, limit } = this.bounds();
    const collection = this.source.collection;
    const sort = plainSort(keys);
    if (this.hasStar && values.length === 0 && sort !== null) {
      return {
        kind: 'command',
        operation: 'find',
        collection,
        columns: null,
        filter: limit === 0 ? { $expr: false } : filter,
        sort: keys.length === 0 ? null : sort,
        skip,
        limit: limit === 0 ? null : limit,
      };
    }
    return this.pipeline(matching(filter), keys, values);
  }

  private grouped(filter: SqlDocument): SqlCommand {
    if (this.hasStar) {
      refuse(
        'SQL_INVALID',
        'A star cannot stand beside GROUP BY or an aggregate.',
        this.source.indexOf(this.statement),
      );
    }
    const grouping = new Grouping(this.source, this.ungrouped);
    for (const node of this.statement.groupBy ?? []) grouping.addKey(this.groupKey(node));
    const strict = new StatementExpressions(
      this.source,
      this.now,
      grouping.replacement(() => null),
    );
    const values = this.columns.map(({ node }) => strict.value(node));
    const lenient = new StatementExpressions(
      this.source,
      this.now,
      grouping.replacement((node) => this.aliased(node, values)),
    );
    const { having } = this.statement;
    const rows = having ? filterOf(lenient.predicate(having)) : {};
    const keys = this.sortKeys(lenient, values);
    return this.pipeline([...matching(filter), ...grouping.stages(), ...matching(rows)], keys, values);
  }

  private pipeline(
    stages: readonly SqlDocument[],
    keys: readonly SortKey[],
    values: readonly Value[],
  ): SqlCommand {
    const labels = this.columns.map(({ label }) => label);
    const project = projection(
      labels.map((label, at) => [label, values[at] as Value]),
      this.hasStar,
    );
    const { skip, limit } = this.bounds();
    const bounds: SqlDocument[] = [];
    if (skip !== null) bounds.push({ $skip: skip });
    if (limit !== null) bounds.push(limit === 0 ? { $match: { $expr: false } } : { $limit: limit });
    const sort = plainSort(keys);
    const sorted =
      sort === null ? fullSort(keys, bounds) : [...(keys.length > 0 ? [{ $sort: sort }] : []), ...bounds];
    return {
      kind: 'command',
      operation: 'aggregate',
      collection: this.source.collection,
      columns: this.hasStar ? null : labels,
      pipeline: [...stages, ...sorted, ...(project === null ? [] : [project])],
    };
  }

  /** A key by its place, by the alias of a column, or an expression. */
  private groupKey(node: Expr): Expr {
    const place = this.place(node, 'GROUP BY');
    if (place !== null) return (this.columns[place] as Column).node;
    const name = this.nameOf(node);
    const column = this.columns.find(({ label, isAliased }) => isAliased && label === name);
    // an alias that is made of the field of that name leaves the name to the field
    return column === undefined || name === null || this.mentions(column.node, name) ? node : column.node;
  }

  private sortKeys(expressions: Expressions, values: readonly Value[]): SortKey[] {
    return (this.statement.orderBy ?? []).map(({ by, order, nulls }: OrderByStatement) => {
      const isDescending = order === 'DESC';
      const isNullFirst = nulls ? nulls === 'FIRST' : isDescending;
      const place = this.place(by, 'ORDER BY');
      const value = place === null ? this.aliased(by, values) : (values[place] ?? null);
      return { value: value ?? expressions.value(by), isDescending, isNullFirst };
    });
  }

  /** Index of the column that a whole number stands for; null for an expression. */
  private place(node: Expr, clause: string): number | null {
    const constant = this.source.constantOf(node);
    if (constant === null) return null;
    const place = constant.form === 'value' ? constant.value : null;
    if (typeof place === 'number' && Number.isInteger(place) && !this.hasStar) {
      if (place >= 1 && place <= this.columns.length) return place - 1;
    }
    refuse('SQL_INVALID', `${clause} names a column that is not there.`, this.source.indexOf(node));
  }

  private aliased(node: Expr, values: readonly Value[]): Value | null {
    const name = this.nameOf(node);
    const at = name === null ? -1 : this.columns.findIndex(({ label }) => label === name);
    return values[at] ?? null;
  }

  /** A name without a dot. */
  private nameOf(node: Expr): string | null {
    return node.type === 'ref' && node.name !== '*' ? this.source.nameOf(node.name) : null;
  }

  private mentions(node: Expr, name: string): boolean {
    return some(node, (inner) => inner.type === 'ref' && this.nameOf(inner) === name);
  }

  private hasAggregate(): boolean {
    const nodes = [
      ...this.columns.map(({ node }) => node),
      ...(this.statement.orderBy ?? []).map(({ by }) => by),
    ];
    return nodes.some((node) =>
      some(node, (inner) => inner.type === 'call' && isAggregate(this.source.functionName(inner))),
    );
  }

  private bounds(): { readonly skip: number | null; readonly limit: number | null } {
    const clause: LimitStatement | null = this.statement.limit ?? null;
    const skip = this.bound(clause?.offset ?? null, 'OFFSET');
    return { skip: skip === 0 ? null : skip, limit: this.bound(clause?.limit ?? null, 'LIMIT') };
  }

  private bound(node: Expr | null, clause: string): number | null {
    if (node === null) return null;
    const constant = this.source.constantOf(node);
    if (constant?.form !== 'value') {
      refuse('SQL_EXPRESSION', `${clause} takes a number or a parameter.`, this.source.indexOf(node));
    }
    if (constant.kind === 'null') return null;
    const number = typeof constant.value === 'bigint' ? Number(constant.value) : constant.value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
      refuse(
        'SQL_INVALID',
        `${clause} takes a whole number that is not negative.`,
        this.source.indexOf(node),
      );
    }
    return number;
  }
}

function matching(filter: SqlDocument): SqlDocument[] {
  return Object.keys(filter).length === 0 ? [] : [{ $match: filter }];
}

/** True where a node of the tree passes. */
function some(node: unknown, test: (node: Expr) => boolean): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('type' in node && test(node as Expr)) return true;
  return Object.values(node).some((inner) => some(inner, test));
}
