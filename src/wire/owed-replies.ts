/**
 * The replies a session still owes, in order: a ring of small integers and subjects that grows by doubling, and lets go
 * of what it grew to once it is empty. Knows what all of it weighs, for the caller to bound.
 */

const initialCapacity = 16;
/** A ring of more than this is not kept when it is empty. */
const keptCapacity = 4_096;

/** `Kind` is a number below 65,536, of which 0 stands for "nothing is owed". */
export class OwedReplies<Kind extends number, Subject> {
  readonly #weightOf: (subject: Subject | null) => number;
  #kinds = new Uint16Array(initialCapacity);
  #subjects: (Subject | null)[] = new Array<Subject | null>(initialCapacity).fill(null);
  #head = 0;
  #size = 0;
  #bytes = 0;

  /** `weightOf` says what an entry with this subject takes, in bytes, roughly. */
  constructor(weightOf: (subject: Subject | null) => number) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  /** What the entries hold on to. */
  get bytes(): number {
    return this.#bytes;
  }

  push(kind: Kind, subject: Subject | null): void {
    if (this.#size === this.#kinds.length) this.#grow();
    const at = (this.#head + this.#size) & (this.#kinds.length - 1);
    this.#kinds[at] = kind;
    this.#subjects[at] = subject;
    this.#size += 1;
    this.#bytes += this.#weightOf(subject);
  }

  /** Kind of the oldest entry, 0 when nothing is owed. */
  headKind(): Kind {
    return (this.#size === 0 ? 0 : this.#kinds[this.#head]) as Kind;
  }

  headSubject(): Subject | null {
    return this.#size === 0 ? null : (this.#subjects[this.#head] ?? null);
  }

  /** Only when something is owed. */
  pop(): void {
    this.#bytes -= this.#weightOf(this.headSubject());
    this.#subjects[this.#head] = null;
    this.#head = (this.#head + 1) & (this.#kinds.length - 1);
    this.#size -= 1;
    if (this.#size === 0 && this.#kinds.length > keptCapacity) this.#letGo();
  }

  /** `index` counts from the head and is below `size`. */
  kindAt(index: number): Kind {
    return this.#kinds[(this.#head + index) & (this.#kinds.length - 1)] as Kind;
  }

  setKindAt(index: number, kind: Kind): void {
    this.#kinds[(this.#head + index) & (this.#kinds.length - 1)] = kind;
  }

  #letGo(): void {
    this.#kinds = new Uint16Array(initialCapacity);
    this.#subjects = new Array<Subject | null>(initialCapacity).fill(null);
    this.#head = 0;
  }

  #grow(): void {
    const old = this.#kinds.length;
    const kinds = new Uint16Array(old * 2);
    const subjects = new Array<Subject | null>(old * 2).fill(null);
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
