/**
 * Which constraint a row broke, on which table, and whether that is the table the statement itself writes: a trigger or a
 * foreign key that cascades may have written another one. MySQL says the table of an index, MariaDB the name alone, and
 * every table has a PRIMARY.
 */
import { findConstraint } from '../../../src/core/notes/safe-name.js';
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import type { ConstraintModel, TableModel } from '../../../src/core/schema/model.js';

export interface ViolatedConstraint {
  readonly table: TableModel;
  readonly constraint: ConstraintModel;
}

/** The constraint the error names, on the error's own table; without one, on the table written, then on the only table that has it. */
export function violatedConstraint(input: TemplateInput): ViolatedConstraint | null {
  const { record, error, errorTable, tables, target } = input;
  if (record.object?.kind !== 'constraint') return null;
  const { name } = record.object;
  if (error?.table !== undefined) return errorTable === null ? null : findConstraint([errorTable], name);
  if (target !== null && !isElsewhere(input, target)) return findConstraint([target], name);
  return findConstraint(tables, name);
}

/** True unless the row that was refused may be one of another table than the statement names as its target. */
export function isOwnRow(input: TemplateInput): boolean {
  const { error, errorTable, target, targetName } = input;
  if (targetName === null) return false;
  if (error?.table === undefined) return target === null || !isElsewhere(input, target);
  if (errorTable !== null && target !== null) return errorTable === target;
  return targetName.slice(targetName.lastIndexOf('.') + 1) === error.table;
}

/** The error names no table, and a trigger of the one written may have written another. */
function isElsewhere({ record }: TemplateInput, target: TableModel): boolean {
  const name = record.object?.name;
  const hasKey = target.constraints.some((constraint) => constraint.name === name);
  return !hasKey || target.constraints.some(({ kind }) => kind === 'trigger');
}
