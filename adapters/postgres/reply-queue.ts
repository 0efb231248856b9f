/** The replies a PostgreSQL session still owes, in order: which kinds there are, and what each weighs. */
import { OwedReplies } from '../../src/wire/owed-replies.js';
import type { Names } from './prepared-statements.js';
import { Statement } from './statement.js';

/** What a message was about: a text, or names whose meaning is known once the server comes to them. */
export type Subject = Statement | Names | null;

/** What a client message makes the server owe. */
export const owed = {
  none: 0,
  query: 1,
  parse: 2,
  bind: 3,
  describe: 4,
  execute: 5,
  close: 6,
  functionCall: 7,
  sync: 8,
  /** Not a reply: marks where the client ended a COPY before the server had asked for its data. */
  copyDone: 9,
  copyFail: 10,
  /** A Sync sent before the end of COPY data, which the server swallows; should the COPY fail, it may not have. */
  swallowed: 11,
  /** What `copyDone` and `copyFail` become once the server has asked. */
  copyOver: 12,
} as const;

export type Owed = (typeof owed)[keyof typeof owed];

/** What an entry, an object with names and a statement's object take, roughly. */
const entryBytes = 16;
const namesBytes = 64;
const statementBytes = 128;

/** No reply, and nothing the server could have answered. */
export function isCopyMark(kind: Owed): boolean {
  return kind === owed.copyDone || kind === owed.copyFail || kind === owed.copyOver;
}

export class ReplyQueue extends OwedReplies<Owed, Statement | Names> {
  constructor() {
    super(weightOf);
  }
}

function weightOf(subject: Subject): number {
  if (subject === null) return entryBytes;
  if (subject instanceof Statement) return entryBytes + statementBytes + subject.byteLength;
  const nameLength = (subject.portal?.length ?? 0) + (subject.statement?.length ?? 0);
  // Those without a name are shared.
  return nameLength === 0 ? entryBytes : entryBytes + namesBytes + nameLength;
}
