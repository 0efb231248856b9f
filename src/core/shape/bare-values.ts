/**
 * Values that stand without quotes where a grammar wants none or a client forgot them: passwords in statements that
 * manage users, and settings (setting-values.ts). They are hidden before a statement is written.
 *
 * Invariant: only statements that begin with CREATE, ALTER, SET, GRANT and the like are looked at; in all others a
 * column may well be called password.
 */
import { roles } from './roles.js';
import { isAssignment, isVariable, SettingValues } from './setting-values.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const starters = new Set(
  `grant revoke user role add drop rename change modify start clone install`.split(' '),
);
/** What is created has columns and bodies, where a word behind `password` is a type or an operator. */
const definitions = new Set(
  `index unique type domain trigger rule policy aggregate fulltext spatial definer event sequence package`.split(
    ' ',
  ),
);
const owners = new Set(['user', 'role', 'group', 'database', 'schema']);
/** Words that make PASSWORD the name of a rule and not of a secret: PASSWORD EXPIRE. */
const passwordRules = new Set(['expire', 'history', 'reuse', 'require']);

const plainSecret = /^"?(?:password|passwd|pwd)"?$/i;
const secret = /^"?(?:.*_)?(?:password|passwd|passphrase|passcode|pwd|pass|secret)"?$/i;
/** Says something of a value only with an equals sign or a colon. */
const namedLikeSecret = /(?:password|passwd|passphrase|pwd|secret|token|key|credentials?|^"?pw)"?$/i;
const mayAnnounce = /(?:[de]|s|secret|token|key|pw)"?$/i;
const identified = /^identified$/i;
const longestSecretWord = 32;

/** What may come next. */
const states = { none: 0, separator: 1, by: 2, value: 3, owner: 4 } as const;

/** True for a word that is followed by a secret. */
export function isSecretWord(tokens: Tokens, index: number): boolean {
  return isShortName(tokens, index) && secret.test(tokens.slice(index));
}

/** Index after what clings to the token at `start` without a gap; what closes or separates is left outside. */
export function clingingEnd(tokens: Tokens, start: number, to: number): number {
  let end = start + 1;
  while (end < to && tokens.start(end) === tokens.end(end - 1) && clings(tokens.kind(end))) end++;
  while (end > start + 1 && isTrailing(tokens.kind(end - 1))) end--;
  return end;
}

const clings = (kind: number): boolean =>
  kind !== kinds.semicolon && kind !== kinds.closeHint && kind !== kinds.openHint;
const isTrailing = (kind: number): boolean =>
  kind === kinds.comma || kind === kinds.closeParen || kind === kinds.closeBracket;

const isShortName = (tokens: Tokens, index: number): boolean =>
  tokens.isName(index) && tokens.end(index) - tokens.start(index) <= longestSecretWord;

export class BareValues {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly settings: SettingValues;
  private to = 0;
  private state: number = states.none;
  private isDefinition = false;
  /** The statement's first word is none that we know. */
  private isUnknown = false;
  private isOwnerSeen = false;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable) {
    this.tokens = tokens;
    this.words = words;
    this.settings = new SettingValues(dialect, tokens, words);
  }

  /** Hides the bare values of the statement [from, to). */
  hide(from: number, to: number): void {
    const { tokens } = this;
    let first = tokens.first(from, to);
    while (first < to && tokens.kind(first) === kinds.openHint) first = this.afterHint(first, to);
    if (!this.starts(first)) return;
    this.begin(first, to);
    for (let i = first; i < to; ) {
      i = tokens.kind(i) === kinds.openHint ? this.afterHint(i, to) : this.step(i);
    }
  }

  private starts(first: number): boolean {
    const { tokens } = this;
    const role = tokens.role(first);
    if (role !== roles.none) {
      return role === roles.create || role === roles.alter || role === roles.set || role === roles.password;
    }
    const entry = tokens.word(first);
    this.isUnknown = entry === 0;
    return entry === 0 ? tokens.isName(first) : starters.has(this.words.text(entry));
  }

  private begin(first: number, to: number): void {
    const { tokens } = this;
    const role = tokens.role(first);
    this.to = to;
    this.state = states.none;
    this.isUnknown = this.isUnknown && role === roles.none;
    this.settings.begin(first, to);
    this.isDefinition = false;
    if (role !== roles.create && role !== roles.alter) return;
    for (let i = first + 1; i < Math.min(to, first + 4); i++) {
      const text = this.text(i);
      if (text === 'foreign' || owners.has(text)) return;
      if (definitions.has(text) || definesRelation(tokens.role(i))) this.isDefinition = true;
    }
  }

  private step(i: number): number {
    const next = this.secretStep(i);
    return next > i ? next : this.settings.step(i);
  }

  /** Follows what stands behind a word like PASSWORD; returns `i` where it has not to do with it. */
  private secretStep(i: number): number {
    const { tokens } = this;
    switch (this.state) {
      case states.separator:
        this.state = isAssignment(tokens, i) ? states.value : states.none;
        if (this.state === states.value) return i;
        break;
      case states.by: {
        const role = tokens.role(i);
        if (role === roles.by || role === roles.as || role === roles.using) this.state = states.value;
        return i;
      }
      case states.owner:
        return this.owner(i);
      case states.value:
        return this.value(i);
      default:
    }
    this.look(i);
    return i;
  }

  /** Looks for a word that announces a secret. */
  private look(i: number): void {
    const { tokens } = this;
    if (!isShortName(tokens, i)) return;
    const entry = tokens.word(i);
    if (entry > 0 && (this.words.traits(entry) & wordTraits.announcesSecret) === 0) return;
    const text = tokens.slice(i);
    if (!mayAnnounce.test(text)) return;
    if (identified.test(text)) this.state = states.by;
    else if (owners.has(this.text(i - 1)) && !plainSecret.test(text)) return;
    else if (!this.isDefinition && secret.test(text)) this.state = states.value;
    else if (namedLikeSecret.test(text)) this.state = states.separator;
  }

  private value(i: number): number {
    const { tokens } = this;
    const role = tokens.role(i);
    switch (tokens.kind(i)) {
      case kinds.word:
      case kinds.quoted:
        if (this.isConnective(i, role)) return i;
        if (role === roles.null || role === roles.set || (this.isUnknown && tokens.word(i) > 0)) break;
        if (passwordRules.has(this.text(i))) break;
        return this.hideSpan(i);
      case kinds.number:
      case kinds.string:
      case kinds.binary:
        return this.hideSpan(i);
      case kinds.operator:
        if (tokens.text.charCodeAt(tokens.start(i)) === 0x3f) break;
        return i;
      case kinds.openParen:
      case kinds.openBracket:
      case kinds.dot:
      case kinds.other:
        return i;
      default:
    }
    this.state = states.none;
    return i;
  }

  /** A word between PASSWORD and the value. */
  private isConnective(i: number, role: number): boolean {
    if (i + 1 >= this.to) return false;
    if (role === roles.for) {
      this.state = states.owner;
      this.isOwnerSeen = false;
      return true;
    }
    if (role === roles.to || role === roles.by || role === roles.is || role === roles.as) return true;
    if (this.text(i) === 'random') return true;
    return plainSecret.test(this.tokens.slice(i)) && this.tokens.kind(i + 1) !== kinds.comma;
  }

  /** `FOR name = value`, and `FOR name value`. */
  private owner(i: number): number {
    const { tokens } = this;
    const kind = tokens.kind(i);
    if (kind === kinds.operator) {
      if (tokens.text.charCodeAt(tokens.start(i)) === 0x3f) this.state = states.none;
      else if (isAssignment(tokens, i)) this.state = states.value;
      else this.isOwnerSeen = false;
    } else if (tokens.isName(i)) {
      if (isVariable(tokens, i)) return i;
      if (tokens.role(i) === roles.to || tokens.role(i) === roles.by) this.state = states.value;
      else if (this.isOwnerSeen) return this.hideSpan(i);
      else this.isOwnerSeen = true;
    } else if (kind === kinds.dot) this.isOwnerSeen = false;
    else if (kind !== kinds.string) this.state = states.none;
    return i;
  }

  private hideSpan(start: number): number {
    const end = clingingEnd(this.tokens, start, this.to);
    const isLiteral = !this.tokens.isName(start) && end === start + 1;
    for (let i = start; i < end && !isLiteral; i++) this.tokens.hide(i);
    this.state = states.none;
    return end;
  }

  private text(index: number): string {
    return this.words.text(this.tokens.word(index));
  }

  private afterHint(open: number, to: number): number {
    let i = open;
    while (i < to && this.tokens.kind(i) !== kinds.closeHint) i++;
    return i + 1;
  }
}

const definesRelation = (role: number): boolean =>
  role === roles.table ||
  role === roles.view ||
  role === roles.materialized ||
  role === roles.temp ||
  role === roles.temporary ||
  role === roles.unlogged ||
  role === roles.function ||
  role === roles.procedure;
