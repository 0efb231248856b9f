/** Values of settings that stand without quotes: `SET name = value, value`, and in ALTER of what has settings. */
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const settingOwners = new Set([
  'user',
  'role',
  'group',
  'database',
  'system',
  'function',
  'procedure',
  'routine',
]);
const keptSettings = new Set(['default', 'on', 'off', 'local']);
/** Words before the name of a setting that is not the first. */
const settingScopes = new Set(['global', 'session', 'local', 'persist', 'persist_only']);

const atCode = 0x40;

const settings = { none: 0, name: 1, values: 2 } as const;

/** `=`, `:`, `:=` or `=>`. */
export function isAssignment(tokens: Tokens, index: number): boolean {
  if (tokens.kind(index) !== kinds.operator) return false;
  const text = tokens.slice(index);
  return text === '=' || text === ':' || text === ':=' || text === '=>';
}

/** `@name`, `@@name`, or the host of an account. */
export const isVariable = (tokens: Tokens, index: number): boolean =>
  tokens.kind(index) === kinds.word && tokens.text.charCodeAt(tokens.start(index)) === atCode;

export class SettingValues {
  /** SET takes expressions. */
  private readonly hasExpressions: boolean;
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private to = 0;
  private setting: number = settings.none;
  private hasSettings = false;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable) {
    this.hasExpressions = dialect.grammar === 'mysql';
    this.tokens = tokens;
    this.words = words;
  }

  /** Begins the statement whose first word is at `first`. */
  begin(first: number, to: number): void {
    const role = this.tokens.role(first);
    this.to = to;
    this.setting = role === roles.set ? settings.name : settings.none;
    this.hasSettings = role === roles.alter && settingOwners.has(this.text(first + 1));
  }

  /** Follows the settings to the token at `i`; returns the next. */
  step(i: number): number {
    const { tokens } = this;
    const role = tokens.role(i);
    if (this.setting === settings.none) {
      if (this.hasSettings && role === roles.set) this.setting = settings.name;
    } else if (this.setting === settings.name) {
      if (role === roles.to || isAssignment(tokens, i)) this.setting = settings.values;
    } else if (role === roles.select || (role === roles.for && this.hasExpressions)) {
      this.setting = settings.none;
    } else if (tokens.isName(i)) {
      return this.value(i);
    }
    return i + 1;
  }

  private value(start: number): number {
    const { tokens } = this;
    if (isAssignment(tokens, start + 1) && tokens.kind(start - 1) === kinds.comma) {
      this.setting = settings.name;
      return start + 1;
    }
    const role = tokens.role(start);
    if (role === roles.null || role === roles.true || role === roles.false) return start + 1;
    let end = start + 1;
    while (end < this.to && (tokens.kind(end) === kinds.dot || tokens.kind(end - 1) === kinds.dot)) {
      if (tokens.kind(end) !== kinds.dot && !tokens.isName(end)) break;
      end++;
    }
    if (this.hasExpressions && this.isOperand(start, end)) return end;
    if (end === start + 1 && keptSettings.has(this.text(start))) return end;
    for (let i = start; i < end; i++) tokens.hideName(i);
    return end;
  }

  /** What stands in an expression or names another setting, and is no value without quotes. */
  private isOperand(start: number, end: number): boolean {
    const { tokens, words } = this;
    if (isVariable(tokens, start) || settingScopes.has(this.text(start))) {
      const name = isVariable(tokens, start) ? end : end + 1;
      if (isAssignment(tokens, name)) this.setting = settings.name;
      return isVariable(tokens, start) || this.setting === settings.name;
    }
    if (tokens.kind(end) === kinds.openParen) return true;
    const kept = wordTraits.reserved | wordTraits.introducesLiteral;
    return (words.traits(tokens.word(start)) & kept) !== 0 && !keptSettings.has(this.text(start));
  }

  private text(index: number): string {
    return this.words.text(this.tokens.word(index));
  }
}
