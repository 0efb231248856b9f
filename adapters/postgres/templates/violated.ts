/**
 * Which constraint a row broke, on which table, and whether that is the table the statement itself writes: a trigger,
 * a CTE or a function may have written another one, and two tables may have constraints of one name.
 */
import { findConstraint } from '../../../src/core/notes/safe-name.js';
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { isNameOf, lastPart } from '../../../src/core/notes/written-table.js';
import type { ConstraintModel, TableModel } from '../../../src/core/schema/model.js';

export interface ViolatedConstraint {
  readonly table: TableModel;
  readonly constraint: ConstraintModel;
}

/** The constraint the error names, on the error's own table; without an error, on the only table that has it. */
export function violatedConstraint(input: TemplateInput): ViolatedConstraint | null {
  const { record, error, errorTable, tables } = input;
  if (record.object?.kind !== 'constraint') return null;
  if (error?.table === undefined) return findConstraint(tables, record.object.name);
  return errorTable === null ? null : findConstraint([errorTable], record.object.name);
}

/** True unless the row that was refused is known to be one of another table than the statement names as its target. */
export function isOwnRow(input: TemplateInput): boolean {
  const { error, errorTable, target, targetName } = input;
  if (error === null) {
    const found = violatedConstraint(input);
    return found === null || target === null || found.table === target;
  }
  if (error.table === undefined) return true;
  if (targetName === null) return false;
  // A partition is declared as the table it is part of.
  if (errorTable !== null) return target === null ? isNameOf(targetName, errorTable) : target === errorTable;
  return lastPart(targetName) === error.table;
}

export function isDeferrable({ definition }: ConstraintModel): boolean {
  return /(?<!NOT )\bDEFERRABLE\b/i.test(definition);
}

/** One such key is enough for PostgreSQL to refuse ON CONFLICT without a target on the table. */
export function hasDeferrableKey(table: TableModel | null): boolean {
  return (table?.constraints ?? []).some(
    (constraint) => /^(?:primary_key|unique|exclusion)$/.test(constraint.kind) && isDeferrable(constraint),
  );
}
