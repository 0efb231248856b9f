/** What an adapter gives to make notes: one template a class. Rendering, bounds and escaping are in render.ts. */
import type { FailureClass } from '../failure/failure-class.js';
import type { MemoryRecord } from '../memory/record.js';
import type { SchemaModel, TableModel } from '../schema/model.js';

/** What a template may use. All names in it have passed the plain-identifier and known-to-catalog checks. */
export interface TemplateInput {
  readonly record: MemoryRecord;
  /** Tables of the statement that exist. */
  readonly tables: readonly TableModel[];
  readonly schema: SchemaModel | null;
  /** Constraint, column or table named by the error, if plain and known; else null. */
  readonly objectName: string | null;
  /** Columns behind the violated constraint, if known. */
  readonly constraintColumns: readonly string[];
  /** Closest existing names for an undefined object, at most `limits.maxSuggestedNames`. */
  readonly suggestions: readonly string[];
  /** What the suggestions are names of; null where there are none. */
  readonly suggestionKind: 'table' | 'column' | null;
  /** The failure happened inside a transaction block that is now aborted. */
  readonly isInTransaction: boolean;
}

/** Returns the instruction alone, without prefix or counts: one or two ASCII sentences, most important first. */
export type NoteTemplate = (input: TemplateInput) => string;

export type NoteTemplates = Readonly<Record<FailureClass, NoteTemplate>>;
