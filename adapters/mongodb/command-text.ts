/**
 * The canonical text of a command as it came on the wire: names and operators kept, values gone, made where the bytes
 * lie (docs/fingerprints.md, "Shapes of MongoDB"). What `createMongoShaper` makes of that text is the text itself.
 */
import { limits } from '../../src/core/limits.js';

/** One kind 1 section of an OP_MSG: documents one after the other. */
export interface DocumentSequence {
  /** `documents`, `updates`, `deletes`, `ops`, `nsInfo`. */
  readonly identifier: string;
  readonly bytes: Buffer;
  /** Where the first document begins and the last one ends (or the kept bytes do). */
  readonly start: number;
  readonly end: number;
}

/** What is kept of a command. The buffers are read, never kept. */
export interface CommandBytes {
  /** Holds the kind 0 document at [start, end). */
  readonly body: Buffer;
  readonly start: number;
  readonly end: number;
  readonly sequences: readonly DocumentSequence[];
  /** The document or statement that failed, from 0; null for all: equal ones stand once then. */
  readonly operation: number | null;
  /** Bytes at the end of the body or of a sequence were not kept. */
  readonly isTruncated: boolean;
}

export interface CommandText {
  /** At most `limits.maxStatementBytes` units. */
  readonly text: string;
  readonly isTruncated: boolean;
  /** Where the operation names a database of its own (`bulkWrite`), that one; else null: the command's `$db`. */
  readonly database: string | null;
}

/** Never throws, whatever the bytes. */
export function commandText(command: CommandBytes): CommandText {
  return {
    text: '{ }',
    isTruncated: command.isTruncated || command.end - command.start > limits.maxStatementBytes,
    database: null,
  };
}
