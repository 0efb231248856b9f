/**
 * The canonical text of a command as it came on the wire: names and operators kept, values gone, made where the bytes
 * lie (docs/shapes-mongodb.md). What `createMongoShaper` makes of that text is the text itself.
 */
import { limits } from '../../src/core/limits.js';
import type { DocumentSequence } from './messages/op-msg.js';
import { CommandLevel } from './shape/bson-level.js';
import { CommandShaper } from './shape/command-shape.js';

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
  /** At most `limits.maxStatementBytes` units; a command with several operations is several commands with one. */
  readonly text: string;
  readonly isTruncated: boolean;
  /** Where the operation names a database of its own (`bulkWrite`), that one; else null: the command's `$db`. */
  readonly database: string | null;
}

/** What is written after the room is used up: the last token, and the brackets that are open. */
const reserveUnits = 2 * 1024;

const level = new CommandLevel();
const shaper = new CommandShaper();

/** Never throws, whatever the bytes. */
export function commandText(command: CommandBytes): CommandText {
  const { body, start, end, sequences, operation, isTruncated } = command;
  level.open(body, start, end, sequences, isTruncated);
  const room = limits.maxStatementBytes - reserveUnits;
  const { statements, isCut } = shaper.shape(level, operation ?? 'distinct', room);
  level.release();
  let text = statements[0]?.text ?? '{ }';
  let isLong = false;
  for (const { text: more } of statements.slice(1)) {
    isLong = text.length + more.length >= limits.maxStatementBytes;
    if (isLong) break;
    text = `${text} ${more}`;
  }
  return { text, isTruncated: isTruncated || isCut || isLong, database: statements[0]?.database ?? null };
}
