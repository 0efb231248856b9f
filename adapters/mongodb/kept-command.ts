/** Reads again, for a verdict, what is kept of a request: its body, its operations, the statement that one of them is. */
import { limits } from '../../src/core/limits.js';
import type { StatementText } from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { type CommandKind, commandKind, hasOperations } from './command-kind.js';
import { decompress } from './compression.js';
import { headerBytes, opCode, opCodeOf } from './framing.js';
import { type DocumentSequence, OpMsg } from './messages/op-msg.js';
import type { OwedRequest } from './owed-requests.js';
import { readQueryCommand } from './query-command.js';
import { type RequestTerms, readRequestTerms } from './request-terms.js';
import { FixedStatement, Statement } from './statement.js';

/** Where a command's operations stand: as a sequence, or as an array of the body. */
const operationsKey: Readonly<Partial<Record<CommandKind, string>>> = {
  [commandKind.insert]: 'documents',
  [commandKind.update]: 'updates',
  [commandKind.delete]: 'deletes',
  [commandKind.bulkWrite]: 'ops',
};

/** Statements of commands whose bytes are not kept: the name of the command, and that it had a value. */
const secretStatements: Readonly<Partial<Record<CommandKind, StatementText>>> = {
  [commandKind.hello]: new FixedStatement('{ hello ?number }'),
  [commandKind.saslStart]: new FixedStatement('{ saslStart ?number }'),
  [commandKind.saslContinue]: new FixedStatement('{ saslContinue ?number }'),
  [commandKind.authenticate]: new FixedStatement('{ authenticate ?number }'),
};

/** Commands whose verb and collection are told before their text is made: those that a busy client sends. */
const frequent: ReadonlySet<string> = new Set(
  'find getMore aggregate count distinct insert update delete findAndModify'.split(' '),
);

/** What a command is about, as its shape will have it. */
export interface CommandSubject {
  readonly verb: string;
  readonly table: string;
}

export class KeptCommand {
  readonly #kind: CommandKind;
  readonly #isTruncated: boolean;
  readonly #bytes: Buffer;
  readonly #message: OpMsg | null;
  /** The body; both 0 where nothing was kept. */
  readonly #start: number;
  readonly #end: number;
  #sequences: readonly DocumentSequence[] | null = null;
  #terms: RequestTerms | null = null;
  /** Of the sequence of operations: the last one that was found, and where it lies. */
  #foundIndex = -1;
  #foundAt = 0;

  constructor({ kind, bytes: kept, isQuery, isTruncated }: OwedRequest) {
    const bytes = withoutCompression(kept);
    this.#kind = kind;
    this.#isTruncated = isTruncated;
    this.#bytes = bytes;
    this.#message = isQuery ? null : readMessage(bytes);
    const query = isQuery ? readQueryCommand(bytes, 0, bytes.length) : null;
    const body = query === 'query' ? null : query;
    this.#start = this.#message?.bodyStart ?? body?.start ?? 0;
    this.#end = this.#message?.bodyEnd ?? body?.end ?? 0;
  }

  get terms(): RequestTerms {
    this.#terms ??= readRequestTerms(this.#bytes, this.#start, this.#end);
    return this.#terms;
  }

  /** Null where only the text will tell. */
  get subject(): CommandSubject | null {
    const cursor = new BsonCursor();
    if (!this.#openBody(cursor) || !cursor.next()) return null;
    const verb = cursor.key();
    if (!frequent.has(verb)) return null;
    if (verb === 'getMore') while (!cursor.isKey('collection')) if (!cursor.next()) return null;
    return { verb, table: cursor.text() ?? '' };
  }

  /** The whole command, or one of its operations; null where that is not kept. */
  statement(operation: number | null): StatementText | null {
    if (this.#end === 0) return secretStatements[this.#kind] ?? null;
    const one = hasOperations(this.#kind) ? operation : null;
    const command = { body: this.#bytes, start: this.#start, end: this.#end };
    const isTruncated = this.#isTruncated && (one === null || this.#isBodyCut);
    const sequences = this.#sequencesOf();
    const operations = one === null ? undefined : sequences.find((each) => this.#isOfOperations(each));
    if (one === null || operations === undefined) {
      if (one !== null && this.#isTruncated && !this.#isKeptWhole(one)) return null;
      return new Statement({ ...command, sequences, operation: one, isTruncated });
    }
    const alone = this.#find(operations, one);
    if (alone === null) return null;
    const others = sequences.filter((each) => each !== operations);
    return new Statement({ ...command, sequences: [...others, alone], operation: 0, isTruncated });
  }

  #isOfOperations({ identifier }: DocumentSequence): boolean {
    return identifier === operationsKey[this.#kind];
  }

  /**
   * One document of a sequence, null where it is not kept whole. Failures come in the order of their operations, and each
   * search goes on where the last one ended: a reply may name many of a hundred thousand.
   */
  #find(sequence: DocumentSequence, index: number): DocumentSequence | null {
    const cursor = new BsonCursor();
    if (this.#foundIndex < 0 || index < this.#foundIndex) {
      this.#foundIndex = 0;
      this.#foundAt = sequence.start;
    }
    for (; ; this.#foundIndex += 1) {
      const at = this.#foundAt;
      if (!cursor.open(sequence.bytes, at, sequence.end)) return null;
      if (this.#foundIndex === index) return { ...sequence, start: at, end: cursor.end };
      this.#foundAt = cursor.end;
    }
  }

  get #isBodyCut(): boolean {
    return this.#bytes.readInt32LE(this.#start) > this.#end - this.#start;
  }

  #sequencesOf(): readonly DocumentSequence[] {
    this.#sequences ??= this.#message?.sequences() ?? [];
    return this.#sequences;
  }

  #openBody(cursor: BsonCursor): boolean {
    return cursor.open(this.#bytes, this.#start, this.#end, this.#isTruncated);
  }

  /** Whether a request that was cut holds all of an operation of its body. */
  #isKeptWhole(operation: number): boolean {
    const key = operationsKey[this.#kind] ?? '';
    const cursor = new BsonCursor();
    if (!this.#openBody(cursor)) return false;
    while (cursor.next()) {
      if (!cursor.isContainer || !cursor.isKey(key)) continue;
      return cursor.enter(cursor) && hasWhole(cursor, operation);
    }
    return false;
  }
}

/** It has been read before: what is a fault now was one then, and nothing of it was kept. */
function withoutCompression(kept: Buffer): Buffer {
  if (kept.length < headerBytes || opCodeOf(kept, 0) !== opCode.compressed) return kept;
  const message = decompress(kept, 0, kept.length, limits.maxKeptRequestBytes);
  return typeof message === 'string' ? Buffer.alloc(0) : message;
}

function readMessage(bytes: Buffer): OpMsg | null {
  const message = new OpMsg();
  return message.read(bytes, 0, bytes.length) ? message : null;
}

/** Whether the element with this index is there, and not cut. */
function hasWhole(array: BsonCursor, index: number): boolean {
  for (let at = 0; at <= index; at += 1) if (!array.next()) return false;
  return array.isContainer && array.bytes.readInt32LE(array.valueStart) === array.valueEnd - array.valueStart;
}
