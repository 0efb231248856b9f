/**
 * Reads a value as people and programs write it: JSON, Extended JSON, literals of JavaScript and Python with their
 * constructors, and canonical text, in which neither colons nor commas stand. Never throws, and always moves on: what makes no sense is a value.
 */
import { limits } from '../../../src/core/limits.js';
import { bsonType } from '../bson/types.js';
import { pseudoType, typeOfHole } from './level.js';
import { typedByCall, typedByKeys } from './literals.js';
import { TextScanner } from './text-scanner.js';
import {
  anyNode,
  arrayNode,
  booleanNode,
  documentNode,
  holeNode,
  nullNode,
  numberNode,
  regexNode,
  type TreeEntry,
  type TreeNode,
  textNode,
  wordNode,
} from './tree.js';

const numberPattern = /^[+-]?(?:0x[0-9a-f]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)n?$/i;
/** `60*1000`, of which only the type is known. */
const sumPattern = /^[\d._]+(?:[*+-][\d._]+)+$/;
const passedWord = /(?:new|await|typeof|void)(?=\s)/y;
const fixedWords: ReadonlyMap<string, TreeNode> = new Map([
  ['true', booleanNode(true)],
  ['True', booleanNode(true)],
  ['false', booleanNode(false)],
  ['False', booleanNode(false)],
  ['null', nullNode],
  ['None', nullNode],
  ['undefined', holeNode(bsonType.undefined)],
  ['NaN', numberNode(Number.NaN)],
  ['Infinity', numberNode(Number.NaN)],
  ['-Infinity', numberNode(Number.NaN)],
  ['MinKey', holeNode(bsonType.minKey)],
  ['MaxKey', holeNode(bsonType.maxKey)],
]);
const code = holeNode(bsonType.code);
/** Documents as deep as a walk goes, and what Extended JSON puts below. */
const maxTextDepth = limits.maxCommandDepth + 4;

export class TextReader {
  readonly scanner: TextScanner;
  #depth = 0;

  constructor(text: string, at = 0) {
    this.scanner = new TextScanner(text, at);
  }

  /** The value that comes next, with what is added to it. */
  value(): TreeNode {
    const first = this.#operand();
    if (!this.#passOperator()) return first;
    let { type } = first;
    // 60 * 1000, 'a' + b: of the type they have in common
    do {
      const next = this.#operand();
      if (next.type !== type) type = pseudoType.any;
    } while (this.#passOperator());
    return type === pseudoType.word ? anyNode : holeNode(type);
  }

  /** Values in parentheses, the scanner standing at the first of those. */
  callArguments(): TreeNode[] {
    this.scanner.takes('(');
    return this.#until(')');
  }

  #operand(): TreeNode {
    const { scanner } = this;
    switch (this.#peekBehindWords()) {
      case '':
        return anyNode;
      case '{':
      case '[':
      case '(':
        return this.#bracketed();
      case '"':
      case "'":
      case '`':
        return this.#suffixed(textNode(scanner.quoted()));
      case '/':
        return this.#suffixed(regexNode(scanner.regexFlags()));
      default:
        return this.#word();
    }
  }

  /** What comes next, but for `new` and the like. */
  #peekBehindWords(): string {
    const { scanner } = this;
    for (;;) {
      const mark = scanner.peek();
      passedWord.lastIndex = scanner.at;
      if (!passedWord.test(scanner.text)) return mark;
      scanner.at = passedWord.lastIndex;
    }
  }

  #bracketed(): TreeNode {
    const { scanner } = this;
    const mark = scanner.peek();
    if (this.#depth >= maxTextDepth) {
      scanner.skipBrackets();
      return holeNode(mark === '{' ? bsonType.document : mark === '[' ? bsonType.array : pseudoType.any);
    }
    this.#depth += 1;
    scanner.at += 1;
    const node = mark === '{' ? this.#document() : mark === '[' ? this.#array() : this.#parenthesised();
    this.#depth -= 1;
    return node;
  }

  #array(): TreeNode {
    return this.#suffixed(arrayNode(this.#until(']')));
  }

  #document(): TreeNode {
    const { scanner } = this;
    const entries: TreeEntry[] = [];
    let colons = 0;
    while (!scanner.isAtEnd && !scanner.takes('}')) {
      const before = scanner.at;
      const mark = scanner.peek();
      if (mark === ',' || mark === ';' || mark === ':') scanner.at += 1;
      else if (mark === ']' || mark === ')') break;
      else if (scanner.takes('...')) this.value();
      else {
        const key = this.#key(mark);
        const hasColon = scanner.takes(':');
        if (hasColon) colons += 1;
        entries.push({ key, node: this.#valueOf(hasColon) });
      }
      if (scanner.at === before) scanner.at += 1;
    }
    // in canonical text, without colons, these keys are what a client sent
    return (colons === entries.length ? typedByKeys(entries) : null) ?? documentNode(entries);
  }

  #key(mark: string): string {
    const { scanner } = this;
    if (mark === '"' || mark === "'" || mark === '`') return scanner.quoted();
    if (mark !== '[' && mark !== '(' && mark !== '{') return scanner.word();
    // computed
    scanner.skipBrackets();
    return '?';
  }

  #valueOf(hasColon: boolean): TreeNode {
    const { scanner } = this;
    const next = scanner.peek();
    // { name } in JavaScript
    if (!hasColon && (next === ',' || next === '}' || next === '')) return anyNode;
    if (hasColon || next !== '(') return this.value();
    // { name() { … } }
    scanner.skipBrackets();
    if (scanner.peek() === '{') scanner.skipBrackets();
    return code;
  }

  #until(close: string): TreeNode[] {
    const { scanner } = this;
    const nodes: TreeNode[] = [];
    while (!scanner.isAtEnd && !scanner.takes(close)) {
      const before = scanner.at;
      const mark = scanner.peek();
      if (mark === ',' || mark === ';' || mark === ':') scanner.at += 1;
      else if (mark === '}' || mark === ']' || mark === ')') break;
      else if (scanner.takes('...')) this.value();
      else nodes.push(this.value());
      if (scanner.at === before) scanner.at += 1;
    }
    return nodes;
  }

  /** `( value )`, or the parameters of an arrow function. */
  #parenthesised(): TreeNode {
    const inside = this.#until(')');
    if (this.scanner.takes('=>')) return this.#functionBody();
    return this.#suffixed(inside.length === 1 ? (inside[0] ?? anyNode) : anyNode);
  }

  /** A block, or an expression: another function at times. */
  #functionBody(): TreeNode {
    const { scanner } = this;
    if (scanner.peek() === '{') scanner.skipBrackets();
    else if (this.#depth < maxTextDepth) {
      this.#depth += 1;
      this.value();
      this.#depth -= 1;
    }
    return code;
  }

  #word(): TreeNode {
    const { scanner } = this;
    const word = scanner.word();
    if (word === '') {
      scanner.at += 1;
      return anyNode;
    }
    if (word === 'async' || word === 'function') return this.#function();
    if (word.startsWith('?')) return holeNode(typeOfHole(word.slice(1)) ?? pseudoType.any);
    const fixed = fixedWords.get(word);
    if (scanner.text[scanner.at] === '(') return this.#suffixed(typedByCall(word, this.#nestedArguments()));
    if (fixed !== undefined) return fixed;
    if (numberPattern.test(word)) return numberNode(Number(word.replaceAll('_', '').replace(/n$/, '')));
    if (sumPattern.test(word)) return numberNode(Number.NaN);
    if (scanner.takes('=>')) return this.#functionBody();
    return wordNode(word);
  }

  #function(): TreeNode {
    const { scanner } = this;
    if (scanner.peek() !== '(') scanner.word();
    if (scanner.peek() === '(') scanner.skipBrackets();
    if (scanner.takes('=>')) return this.#functionBody();
    if (scanner.peek() === '{') scanner.skipBrackets();
    return code;
  }

  #nestedArguments(): TreeNode[] {
    const { scanner } = this;
    if (this.#depth >= maxTextDepth) {
      scanner.skipBrackets();
      return [];
    }
    this.#depth += 1;
    const given = this.callArguments();
    this.#depth -= 1;
    return given;
  }

  /** `.toString()`, `[0]`: what comes of a value is another one. */
  #suffixed(node: TreeNode): TreeNode {
    const { scanner } = this;
    let result = node;
    while (scanner.text[scanner.at] === '.') {
      scanner.word();
      if (scanner.text[scanner.at] === '(') this.#nestedArguments();
      result = anyNode;
    }
    return result;
  }

  /** An operator between two values; a sign belongs to what follows it, and to none it is an operator. */
  #passOperator(): boolean {
    const { scanner } = this;
    const mark = scanner.peek();
    if (mark === '' || !'+-*/%'.includes(mark)) return false;
    const next = scanner.text[scanner.at + 1] ?? '';
    if (mark === '-' && !/\s/.test(next)) return false;
    if (mark === '/' && !/[\s\w(]/.test(next)) return false;
    scanner.at += 1;
    return true;
  }
}
