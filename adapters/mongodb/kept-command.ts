/** Reads again, for a verdict, what is kept of a request: its body, its operations, the statement that one of them is. */
import type { StatementText } from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { type CommandKind, commandKind, hasOperations } from './command-kind.js';
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

export class KeptCommand {
  readonly #kind: CommandKind;
  readonly #isTruncated: boolean;
  readonly #bytes: Buffer;
  /** The body; both 0 where nothing was kept. */
  readonly #start: number;
  readonly #end: number;
  readonly #sequences: readonly DocumentSequence[];
  readonly terms: RequestTerms;

  constructor(request: OwedRequest) {
    const { kind, bytes, isQuery, isTruncated } = request;
    this.#kind = kind;
    this.#isTruncated = isTruncated;
    this.#bytes = bytes;
    const { body, sequences } = isQuery ? readQuery(bytes) : readMessage(bytes);
    this.#start = body.start;
    this.#end = body.end;
    this.#sequences = sequences;
    this.terms = readRequestTerms(bytes, body.start, body.end);
  }

  /** The whole command, or one of its operations; null where that is not kept. */
  statement(operation: number | null): StatementText | null {
    if (this.#end === 0) return secretStatements[this.#kind] ?? null;
    const one = hasOperations(this.#kind) ? operation : null;
    if (one !== null && this.#isTruncated && !this.#isKeptWhole(one)) return null;
    return new Statement({
      ...{ body: this.#bytes, start: this.#start, end: this.#end },
      ...{ sequences: this.#sequences, operation: one },
      isTruncated: this.#isTruncated && one === null,
    });
  }

  /** Whether a request that was cut holds all of an operation. Arrays of a body that was cut are not read at all. */
  #isKeptWhole(operation: number): boolean {
    const key = operationsKey[this.#kind];
    const sequence = this.#sequences.find(({ identifier }) => identifier === key);
    if (sequence === undefined) return true;
    const cursor = new BsonCursor();
    let at = sequence.start;
    for (let index = 0; index <= operation; index += 1) {
      if (!cursor.open(sequence.bytes, at, sequence.end)) return false;
      at = cursor.end;
    }
    return true;
  }

  /** It writes its result to a collection. */
  get writesCollection(): boolean {
    const pipeline = new BsonCursor();
    if (!pipeline.open(this.#bytes, this.#start, this.#end)) return false;
    while (pipeline.next()) {
      if (!pipeline.isKey('pipeline') || !pipeline.isContainer) continue;
      return pipeline.enter(pipeline) && endsInWrite(pipeline);
    }
    return false;
  }
}

interface Parts {
  readonly body: { readonly start: number; readonly end: number };
  readonly sequences: readonly DocumentSequence[];
}

const noParts: Parts = { body: { start: 0, end: 0 }, sequences: [] };

function readMessage(bytes: Buffer): Parts {
  const message = new OpMsg();
  if (!message.read(bytes, 0, bytes.length)) return noParts;
  return { body: { start: message.bodyStart, end: message.bodyEnd }, sequences: message.sequences() };
}

function readQuery(bytes: Buffer): Parts {
  const command = readQueryCommand(bytes, 0, bytes.length);
  return command === null || command === 'query' ? noParts : { body: command, sequences: [] };
}

function endsInWrite(pipeline: BsonCursor): boolean {
  const stage = new BsonCursor();
  let isWrite = false;
  while (pipeline.next()) {
    isWrite = pipeline.isContainer && stage.enter(pipeline) && stage.next();
    isWrite &&= stage.isKey('$out') || stage.isKey('$merge');
  }
  return isWrite;
}
