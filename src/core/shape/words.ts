/**
 * A dialect's keywords as a hash table read straight from the text: no substring is made to look a word up. Entry 0 is
 * "no keyword"; every entry carries what the passes ask of it as bits.
 */
import { roles } from './roles.js';
import type { Dialect } from './shape.js';

export const wordTraits = {
  /** Never a bare table or column name. */
  reserved: 1,
  /** Bare and quoted mean different things. */
  restricted: 2,
  /** An expression may start after it: a sign there is unary, NULL and TRUE are values. */
  startsExpression: 4,
  /** Parenthesised integers after it are part of a type. */
  hasModifier: 8,
  /** It has a modifier only where a type may stand: elsewhere it is a function. */
  isCallable: 16,
  /** A secret may follow. */
  announcesSecret: 32,
  /** Names the character set of the literal that follows. */
  introducesLiteral: 64,
  /** In the MySQL family it may be left out, or stand for another or before one that may (optional-words.ts). */
  mayBeOptional: 128,
} as const;

const secretAnnouncer = /^(?:identified|(?:[a-z_]+_)?password)$/;

const optionalWords = new Set(
  `asc delayed desc describe distinct explain high_priority ignore inner insert low_priority outer replace tables truncate
  work`.split(/\s+/),
);

const expressionStarters =
  `all and any array between binary both by case check collate default distinct distinctrow div do else elseif escape except
  fetch for forward from backward absolute relative having high_priority if ilike in increment intersect interval into is
  leading like limit maxvalue minvalue mod move not offset on or placing regexp return returning rlike select set similar
  some sql_big_result sql_buffer_result sql_cache sql_calc_found_rows sql_no_cache sql_small_result start straight_join
  restart symmetric then to trailing union until using values variadic when where while with xor`.split(
    /\s+/,
  );

/** One step of the hash; case of ASCII letters does not change it. */
export const hashStep = (hash: number, code: number): number => ((hash << 5) - hash + (code | 0x20)) | 0;

export class WordTable {
  private readonly texts: string[] = [''];
  private readonly traitBits: number[] = [0];
  private readonly roleOf: number[] = [roles.none];
  private readonly slots: Uint16Array;
  private readonly hashes: Int32Array;
  private readonly mask: number;

  constructor(dialect: Dialect) {
    // a quarter full at most, so that a miss, which is what most names are, ends at the first slot
    let size = 256;
    while (size < dialect.keywords.size * 4) size *= 2;
    this.mask = size - 1;
    this.slots = new Uint16Array(size);
    this.hashes = new Int32Array(size);
    const starters = new Set(expressionStarters);
    for (const text of dialect.keywords) {
      const traits =
        (dialect.reserved.has(text) ? wordTraits.reserved : 0) |
        (dialect.restricted.has(text) ? wordTraits.restricted : 0) |
        (starters.has(text) ? wordTraits.startsExpression : 0) |
        (dialect.modifierTypes.has(text) ? wordTraits.hasModifier : 0) |
        (dialect.callableTypes.has(text) ? wordTraits.isCallable : 0) |
        (secretAnnouncer.test(text) ? wordTraits.announcesSecret : 0) |
        (optionalWords.has(text) ? wordTraits.mayBeOptional : 0);
      this.add(text, traits);
    }
    // types and introducers need not be keywords
    for (const text of dialect.modifierTypes) {
      if (!dialect.keywords.has(text)) this.add(text, wordTraits.hasModifier);
    }
    for (const text of dialect.charsetIntroducers) this.add(text, wordTraits.introducesLiteral);
  }

  /** Entry for the word at [start, end) whose hash is given; 0 when it is no keyword. */
  find(text: string, start: number, end: number, hash: number): number {
    let slot = spread(hash) & this.mask;
    for (;;) {
      const entry = this.slots[slot] ?? 0;
      if (entry === 0) return 0;
      if (this.hashes[slot] === hash && this.equals(entry, text, start, end)) return entry;
      slot = (slot + 1) & this.mask;
    }
  }

  /** Entry of a word in lower case. */
  entryOf(word: string): number {
    let hash = 0;
    for (let i = 0; i < word.length; i++) hash = hashStep(hash, word.charCodeAt(i));
    return this.find(word, 0, word.length, hash);
  }

  text(entry: number): string {
    return this.texts[entry] ?? '';
  }

  traits(entry: number): number {
    return this.traitBits[entry] ?? 0;
  }

  role(entry: number): number {
    return this.roleOf[entry] ?? roles.none;
  }

  private add(text: string, traits: number): void {
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = hashStep(hash, text.charCodeAt(i));
    let slot = spread(hash) & this.mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
    this.slots[slot] = this.texts.length;
    this.hashes[slot] = hash;
    this.texts.push(text);
    this.traitBits.push(traits);
    this.roleOf.push(roleByWord.get(text) ?? roles.none);
  }

  private equals(entry: number, text: string, start: number, end: number): boolean {
    const word = this.texts[entry] ?? '';
    if (word.length !== end - start) return false;
    for (let i = 0; i < word.length; i++) {
      const code = text.charCodeAt(start + i);
      const folded = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
      if (folded !== word.charCodeAt(i)) return false;
    }
    return true;
  }
}

const roleByWord = new Map<string, number>(Object.entries(roles));

const spread = (hash: number): number => hash ^ (hash >>> 13);
