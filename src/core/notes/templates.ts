/** What an adapter gives to make notes: one template a class. Rendering, bounds and escaping are in render.ts. */
import type { FailureClass } from '../failure/failure-class.js';
import type { MemoryRecord } from '../memory/record.js';
import type { SchemaModel, TableModel } from '../schema/model.js';
import type { ServerError } from '../verdict.js';

/** The error a note is for. To be looked at and never shown: whatever it holds may be a value of a client. */
export type ErrorFacts = Pick<
  ServerError,
  'message' | 'schema' | 'table' | 'column' | 'dataType' | 'routine' | 'labels'
>;

/** What a template may use. All names in it have passed the plain-identifier and known-to-catalog checks. */
export interface TemplateInput {
  readonly record: MemoryRecord;
  /** Tables of the statement that exist. */
  readonly tables: readonly TableModel[];
  readonly schema: SchemaModel | null;
  /** Constraint, column or table named by the error, if plain and known; else null. */
  readonly objectName: string | null;
  /** How the record was found: where it is `similar`, the history it tells is that of another statement. */
  readonly recalledHow: 'exact' | 'similar';
  /** The error the note is put into; null where nothing failed yet. */
  readonly error: ErrorFacts | null;
  /** The failing statement in canonical form, that of the record where no other is known. To be looked at only. */
  readonly shape: string;
  /** The table that the statement's main INSERT, UPDATE, DELETE, MERGE or COPY writes, as it names it. To be looked at only. */
  readonly targetName: string | null;
  /** The same table, where it is one of `tables`. */
  readonly target: TableModel | null;
  /** The table of the error's own fields, where the catalog has it. */
  readonly errorTable: TableModel | null;
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
