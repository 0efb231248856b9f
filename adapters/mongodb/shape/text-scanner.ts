/** Characters of a command's text: space and comments, quoted text, words. Never throws; stops at the end. */

const controlUnits = 0x20;

/** What ends a word. */
const delimiters = new Set([...'{}[]()"\'`,:;#\\/'].map((mark) => mark.charCodeAt(0)));
const isSpace = (unit: number): boolean => unit <= controlUnits || unit === 0xa0 || unit === 0xfeff;

export class TextScanner {
  readonly text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The next character behind space and comments; '' at the end. */
  peek(): string {
    this.skipSpace();
    return this.text[this.at] ?? '';
  }

  /** Passes `mark` where it comes next. */
  takes(mark: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  skipSpace(): void {
    const { text } = this;
    while (this.at < text.length) {
      if (isSpace(text.charCodeAt(this.at))) this.at += 1;
      else if (text.startsWith('//', this.at)) this.#skipTo('\n');
      else if (text.startsWith('/*', this.at)) this.#skipTo('*/');
      // Python's, and no mark of anything else
      else if (text[this.at] === '#') this.#skipTo('\n');
      else return;
    }
  }

  /** A run of characters that are no delimiter; '' where there is none. */
  word(): string {
    const { text } = this;
    const start = this.at;
    let { at } = this;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (delimiters.has(unit) || isSpace(unit)) break;
      at += 1;
    }
    this.at = at;
    return text.slice(start, at);
  }

  /** Text in quotes, the scanner standing at the first of them. */
  quoted(): string {
    const { text } = this;
    const quote = text[this.at];
    let at = this.at + 1;
    let run = at;
    let content = '';
    while (at < text.length && text[at] !== quote) {
      if (text[at] !== '\\') {
        at += 1;
        continue;
      }
      content += text.slice(run, at);
      const { character, end } = readEscape(text, at);
      content += character;
      at = end;
      run = end;
    }
    this.at = Math.min(at + 1, text.length);
    return content + text.slice(run, at);
  }

  /** `/pattern/flags`, the scanner standing at the first slash: the flags. A pattern ends with its line. */
  regexFlags(): string {
    const { text } = this;
    let at = this.at + 1;
    let isInClass = false;
    while (at < text.length && text[at] !== '\n' && (isInClass || text[at] !== '/')) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '[') isInClass = true;
      else if (text[at] === ']') isInClass = false;
      at += 1;
    }
    const start = Math.min(at + 1, text.length);
    at = start;
    while (at < text.length && /[a-z]/.test(text[at] as string)) at += 1;
    this.at = at;
    return text.slice(start, at);
  }

  /** Passes a bracket and all up to the one that closes it. */
  skipBrackets(): void {
    let depth = 0;
    while (!this.isAtEnd) {
      const mark = this.peek();
      if (mark === '"' || mark === "'" || mark === '`') {
        this.quoted();
        continue;
      }
      this.at += 1;
      if ('{[('.includes(mark)) depth += 1;
      else if ('}])'.includes(mark)) depth -= 1;
      if (depth <= 0) return;
    }
  }

  #skipTo(end: string): void {
    const found = this.text.indexOf(end, this.at + 1);
    this.at = found < 0 ? this.text.length : found + end.length;
  }
}

const shortEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
};

function readEscape(text: string, at: number): { character: string; end: number } {
  const mark = text[at + 1] ?? '';
  const digits = mark === 'u' ? 4 : mark === 'x' ? 2 : 0;
  if (digits > 0) {
    const hex = text.slice(at + 2, at + 2 + digits);
    if (hex.length === digits && /^[0-9a-f]+$/i.test(hex)) {
      return { character: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 2 + digits };
    }
  }
  return { character: shortEscapes[mark] ?? (mark === '\n' ? '' : mark), end: Math.min(at + 2, text.length) };
}
