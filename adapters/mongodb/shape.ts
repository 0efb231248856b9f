/**
 * The shaper of engine mongodb: commands as documents, as calls of the shell or of a program, and as canonical text, which is
 * its own shape; anything else is SQL of the surface over documents. One text stands for a statement per operation.
 *
 * Work is linear in the text and nothing throws, whatever the text. Owns the cache, of the same bounds as that of SQL shapers.
 */
import { limits } from '../../src/core/limits.js';
import type { Shaper, StatementShape, TextShape, TokenAt } from '../../src/core/shape/shape.js';
import { createShapeCache } from '../../src/core/shape/shape-cache.js';
import { createShaper } from '../../src/core/shape/shaper.js';
import type { LexicalOptions } from '../../src/core/verdict.js';
import { CommandShaper } from './shape/command-shape.js';
import { findChain, readChains } from './shape/shell.js';
import { TextReader } from './shape/text-reader.js';
import { TreeLevel, type TreeNode } from './shape/tree.js';
import { documentSqlDialect } from './sql/dialect.js';

/** One serves all sessions: it keeps a cache. */
export function createMongoShaper(): Shaper {
  return new MongoShaper();
}

class MongoShaper implements Shaper {
  readonly #sql = createShaper(documentSqlDialect);
  readonly #commands = new CommandShaper();
  readonly #cache = createShapeCache();

  shape(text: string, options: LexicalOptions, isTruncated: boolean): TextShape {
    const known = isTruncated ? undefined : this.#cache.get(text);
    if (known !== undefined) return known;
    const language = languageOf(text);
    if (language === 'sql') return this.#sql.shape(text, options, isTruncated);
    const made = this.#compute(text, language, isTruncated);
    if (!isTruncated && text.length <= limits.maxCachedShapeTextBytes) this.#cache.set(text, made);
    return made;
  }

  tokenAt(text: string, options: LexicalOptions, position: number): TokenAt | null {
    return languageOf(text) === 'sql' ? this.#sql.tokenAt(text, options, position) : null;
  }

  #compute(text: string, language: 'document' | 'calls', isTruncated: boolean): TextShape {
    const isLong = text.length > limits.maxStatementBytes;
    const read = isLong ? text.slice(0, limits.maxStatementBytes) : text;
    const commands = language === 'document' ? readDocuments(read) : readChains(read).flat();
    const statements: StatementShape[] = [];
    let room = limits.maxStatementBytes - reserveUnits;
    for (const command of commands) {
      if (statements.length >= limits.maxMultiStatements || room <= 0) break;
      const { statements: made, isCut } = this.#commands.shape(
        new TreeLevel(command.entries ?? []),
        'each',
        room,
      );
      for (const one of made) {
        room -= one.text.length + 1;
        statements.push({
          shape: one.text,
          holes: '',
          verb: one.verb,
          verbFamily: one.family,
          tables: one.tables,
          isTruncated: isTruncated || isLong || isCut,
          start: 0,
          end: text.length,
        });
      }
    }
    if (statements.length === 0) statements.push(emptyStatement(isTruncated || isLong, text.length));
    return { statements, trace: null };
  }
}

/** What the last token may be too long by; less than is left free in text made from BSON, which is never cut again. */
const reserveUnits = 1024;

type Language = 'document' | 'calls' | 'sql';

/** A text that begins with a bracket is a document or nothing: SQL would take what it has in double quotes for names. */
function languageOf(text: string): Language {
  const first = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(text.slice(0, maxLeadUnits))?.[0].length ?? 0;
  if (text[first] === '{' || text[first] === '[') return 'document';
  return findChain(text, 0) >= 0 ? 'calls' : 'sql';
}

const maxLeadUnits = 2_000;

/** The documents that stand side by side at the start of a text. */
function readDocuments(text: string): TreeNode[] {
  const reader = new TextReader(text);
  const found: TreeNode[] = [];
  while (found.length < limits.maxMultiStatements) {
    while (reader.scanner.takes(';') || reader.scanner.takes(','));
    if (reader.scanner.peek() !== '{') break;
    found.push(reader.value());
  }
  return found;
}

/** What is no command is known by being none. */
const emptyStatement = (isTruncated: boolean, end: number): StatementShape => ({
  shape: '{ }',
  holes: '',
  verb: '',
  verbFamily: 'other',
  tables: [],
  isTruncated,
  start: 0,
  end,
});
