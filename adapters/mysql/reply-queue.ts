/** The answers a MySQL session still owes, in order: which kinds there are, how each is made up, what each weighs. */
import { OwedReplies } from '../../src/wire/owed-replies.js';
import type { ChangeUser } from './messages/change-user.js';
import { type Form, form } from './response.js';
import { Statement } from './statement.js';

/** What a command makes the server owe. */
export const owed = {
  none: 0,
  query: 1,
  execute: 2,
  fetch: 3,
  prepare: 4,
  /** Nothing is owed for it: marks where in the order the statement is gone. */
  closeStatement: 5,
  initDb: 6,
  fieldList: 7,
  processInfo: 8,
  statistics: 9,
  changeUser: 10,
  resetConnection: 11,
  /** Any other command that is answered by one OK, EOF or ERR packet. */
  acknowledgement: 12,
  /** COM_STMT_EXECUTE that asks for a cursor. */
  openCursor: 13,
} as const;

export type Owed = (typeof owed)[keyof typeof owed];

/** What a command was about: a text, the id of a prepared statement, or where COM_CHANGE_USER goes. */
export type Subject = Statement | ChangeUser | number;

const formOf: Readonly<Record<Owed, Form>> = {
  [owed.none]: form.anything,
  [owed.query]: form.results,
  [owed.execute]: form.results,
  [owed.fetch]: form.rows,
  [owed.prepare]: form.prepared,
  [owed.closeStatement]: form.anything,
  [owed.initDb]: form.single,
  [owed.fieldList]: form.rows,
  [owed.processInfo]: form.results,
  [owed.statistics]: form.anything,
  [owed.changeUser]: form.authentication,
  [owed.resetConnection]: form.single,
  [owed.acknowledgement]: form.single,
  [owed.openCursor]: form.cursor,
};

/** What an entry and a statement's object take, roughly. */
const entryBytes = 16;
const statementBytes = 160;
const kindMask = 0xff;

/** An entry's kind also carries, in its upper byte, the sequence number that the first packet of its answer has. */
export class ReplyQueue extends OwedReplies<number, Subject> {
  constructor() {
    super(weightOf);
  }

  owe(kind: Owed, sequence: number, subject: Subject | null): void {
    this.push(kind | (sequence << 8), subject);
  }

  get head(): Owed {
    return (this.headKind() & kindMask) as Owed;
  }

  get headForm(): Form {
    return formOf[this.head];
  }

  get headSequence(): number {
    return this.headKind() >> 8;
  }

  /** The last command goes on in a further packet. */
  setTailSequence(sequence: number): void {
    const tail = this.size - 1;
    if (tail >= 0) this.setKindAt(tail, (this.kindAt(tail) & kindMask) | (sequence << 8));
  }
}

function weightOf(subject: Subject | null): number {
  return subject instanceof Statement ? entryBytes + statementBytes + subject.byteLength : entryBytes;
}
