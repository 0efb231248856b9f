/**
 * The replies a session still owes, in order: a ring of small integers and subjects that grows by doubling, and lets go
 * of what it grew to once it is empty. Knows what all of it weighs, for the caller to bound.
 */
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

const initialCapacity = 16;
/** A ring of more than this is not kept when it is empty. */
const keptCapacity = 4_096;

/** What an entry, an object with names and a statement's object take, roughly. */
const entryBytes = 16;
const namesBytes = 64;
const statementBytes = 128;

/** No reply, and nothing the server could have answered. */
export function isCopyMark(kind: Owed): boolean {
  return kind === owed.copyDone || kind === owed.copyFail || kind === owed.copyOver;
}

export class ReplyQueue {
  #kinds = new Uint8Array(initialCapacity);
  #subjects: Subject[] = new Array<Subject>(initialCapacity).fill(null);
  #head = 0;
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  /** What the entries hold on to, texts included. */
  get bytes(): number {
    return this.#bytes;
  }

  push(kind: Owed, subject: Subject): void {
    if (this.#size === this.#kinds.length) this.#grow();
    const at = (this.#head + this.#size) & (this.#kinds.length - 1);
    this.#kinds[at] = kind;
    this.#subjects[at] = subject;
    this.#size += 1;
    this.#bytes += weightOf(subject);
  }

  /** Kind of the oldest entry, `owed.none` when nothing is owed. */
  headKind(): Owed {
    return this.#size === 0 ? owed.none : (this.#kinds[this.#head] as Owed);
  }

  headSubject(): Subject {
    return this.#size === 0 ? null : (this.#subjects[this.#head] ?? null);
  }

  pop(): void {
    this.#bytes -= weightOf(this.headSubject());
    this.#subjects[this.#head] = null;
    this.#head = (this.#head + 1) & (this.#kinds.length - 1);
    this.#size -= 1;
    if (this.#size === 0 && this.#kinds.length > keptCapacity) this.#letGo();
  }

  kindAt(index: number): Owed {
    return this.#kinds[(this.#head + index) & (this.#kinds.length - 1)] as Owed;
  }

  setKindAt(index: number, kind: Owed): void {
    this.#kinds[(this.#head + index) & (this.#kinds.length - 1)] = kind;
  }

  clear(): void {
    while (this.#size > 0) this.pop();
  }

  #letGo(): void {
    this.#kinds = new Uint8Array(initialCapacity);
    this.#subjects = new Array<Subject>(initialCapacity).fill(null);
    this.#head = 0;
  }

  #grow(): void {
    const old = this.#kinds.length;
    const kinds = new Uint8Array(old * 2);
    const subjects = new Array<Subject>(old * 2).fill(null);
    for (let index = 0; index < this.#size; index += 1) {
      const at = (this.#head + index) & (old - 1);
      kinds[index] = this.#kinds[at] as number;
      subjects[index] = this.#subjects[at] ?? null;
    }
    this.#kinds = kinds;
    this.#subjects = subjects;
    this.#head = 0;
  }
}

function weightOf(subject: Subject): number {
  if (subject === null) return entryBytes;
  if (subject instanceof Statement) return entryBytes + statementBytes + subject.byteLength;
  const nameLength = (subject.portal?.length ?? 0) + (subject.statement?.length ?? 0);
  // Those without a name are shared.
  return nameLength === 0 ? entryBytes : entryBytes + namesBytes + nameLength;
}
