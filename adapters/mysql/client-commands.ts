/**
 * What a command of the client makes the server owe, and what it is about: one payload in, one entry in the queue of owed
 * answers. Knows which commands get no answer and which ones end the following of a session.
 */
import { limits } from '../../src/core/limits.js';
import type { Decoder } from '../../src/wire/text-decoders.js';
import { capability } from './capabilities.js';
import { type WantedBytes, wantedBytes } from './framing.js';
import { decodeChangeUser } from './messages/change-user.js';
import { command } from './messages/command.js';
import { queryTextStart } from './messages/query.js';
import { type Owed, owed } from './reply-queue.js';
import type { SessionState } from './session.js';
import { Statement } from './statement.js';

/** What became of a command; `unknown` ones, and replication, are relayed and not followed. */
export type Command = 'followed' | 'over limit' | 'malformed' | 'not followed';

/** Commands answered by one OK, EOF or ERR packet, about nothing that has a text. */
const acknowledged: ReadonlySet<number> = new Set([
  command.createDb,
  command.dropDb,
  command.refresh,
  command.shutdown,
  command.debug,
  command.ping,
  command.registerReplica,
  command.setOption,
]);

/** Command byte and statement id; COM_STMT_EXECUTE has its flags behind them. */
const idBytes = 5;
/** CURSOR_TYPE_READ_ONLY, the only one that the servers open a cursor for. */
const readOnlyCursor = 1;
const smallBytes = 16;

/** How much of each command is looked at. */
export function wantedOfCommands(capabilities: number): WantedBytes {
  const wanted = wantedBytes(smallBytes);
  const attributes = (capabilities & capability.queryAttributes) === 0 ? 0 : limits.maxQueryAttributeBytes;
  wanted[command.query] = 1 + limits.maxStatementBytes + attributes;
  wanted[command.stmtPrepare] = 1 + limits.maxStatementBytes;
  wanted[command.initDb] = limits.maxNameBytes;
  wanted[command.fieldList] = limits.maxNameBytes;
  wanted[command.changeUser] = limits.maxNameBytes;
  return wanted;
}

/** While a file is sent nothing of it is looked at; the empty payload at its end is always seen. */
export const nothingWanted = wantedBytes(-1);

export class ClientCommands {
  readonly #state: SessionState;
  readonly #hasAttributes: boolean;
  readonly #decoder: () => Decoder;

  /** `decoder` gives the character set that the session's texts are in now. */
  constructor(state: SessionState, capabilities: number, decoder: () => Decoder) {
    this.#state = state;
    this.#hasAttributes = (capabilities & capability.queryAttributes) !== 0;
    this.#decoder = decoder;
  }

  /** `bytes[start, end)` is what is wanted of the payload's first packet, `length` all of that packet. */
  received(bytes: Buffer, start: number, end: number, length: number, sequence: number): Command {
    const code = bytes[start] as number;
    switch (code) {
      case command.query:
        return this.#owe(owed.query, sequence, this.#query(bytes, start, end, length));
      case command.stmtPrepare: {
        const cut = Math.min(end, start + 1 + limits.maxStatementBytes);
        const isTruncated = cut - start < length;
        const text = Statement.prepared(bytes, start + 1, cut, isTruncated, this.#decoder());
        return this.#owe(owed.prepare, sequence, text);
      }
      case command.stmtExecute: {
        const isCursorAsked =
          end - start > idBytes && ((bytes[start + idBytes] as number) & readOnlyCursor) !== 0;
        const kind = isCursorAsked ? owed.openCursor : owed.execute;
        return this.#aboutPrepared(kind, bytes, start, end, sequence);
      }
      case command.stmtBulkExecute:
        return this.#aboutPrepared(owed.execute, bytes, start, end, sequence);
      case command.stmtFetch:
        return this.#aboutPrepared(owed.fetch, bytes, start, end, sequence);
      case command.stmtReset:
        return this.#aboutPrepared(owed.acknowledgement, bytes, start, end, sequence);
      case command.stmtClose:
        return this.#aboutPrepared(owed.closeStatement, bytes, start, end, sequence);
      case command.quit:
      case command.stmtSendLongData:
        this.#state.unanswered();
        return 'followed';
      default:
        return this.#other(code, bytes, start, end, sequence);
    }
  }

  #other(code: number, bytes: Buffer, start: number, end: number, sequence: number): Command {
    switch (code) {
      case command.initDb: {
        const name = this.#decoder().decode(bytes, start + 1, end);
        return this.#owe(owed.initDb, sequence, Statement.synthetic(`use ${quoted(name)}`));
      }
      case command.fieldList: {
        const nul = bytes.indexOf(0, start + 1);
        const name = this.#decoder().decode(bytes, start + 1, nul < 0 || nul > end ? end : nul);
        return this.#owe(owed.fieldList, sequence, Statement.synthetic(`show columns from ${quoted(name)}`));
      }
      case command.processKill: {
        if (end - start < idBytes) return 'malformed';
        const text = `kill ${bytes.readUInt32LE(start + 1)}`;
        return this.#owe(owed.acknowledgement, sequence, Statement.synthetic(text));
      }
      case command.changeUser: {
        const change = decodeChangeUser(bytes, start, end);
        return change === null ? 'malformed' : this.#owe(owed.changeUser, sequence, change);
      }
      case command.statistics:
        return this.#owe(owed.statistics, sequence, null);
      case command.processInfo:
        return this.#owe(owed.processInfo, sequence, null);
      case command.resetConnection:
        return this.#owe(owed.resetConnection, sequence, null);
      default:
        return acknowledged.has(code) ? this.#owe(owed.acknowledgement, sequence, null) : 'not followed';
    }
  }

  #query(bytes: Buffer, start: number, end: number, length: number): Statement | null {
    const text = queryTextStart(bytes, start, end, this.#hasAttributes);
    if (text < 0) return null;
    const cut = Math.min(end, text + limits.maxStatementBytes);
    return Statement.ofQuery(bytes, text, cut, cut - start < length, this.#decoder());
  }

  #aboutPrepared(kind: Owed, bytes: Buffer, start: number, end: number, sequence: number): Command {
    if (end - start < idBytes) return 'malformed';
    return this.#owe(kind, sequence, bytes.readUInt32LE(start + 1));
  }

  #owe(kind: Owed, sequence: number, subject: Parameters<SessionState['command']>[2]): Command {
    return this.#state.command(kind, sequence, subject) ? 'followed' : 'over limit';
  }
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
