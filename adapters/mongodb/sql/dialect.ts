/**
 * How shapes read the SQL of a document backend: PostgreSQL's quoting, parameters as `$1` and as `?`, and names that
 * keep their case, as those of collections and fields do.
 */
import type { Dialect } from '../../../src/core/shape/shape.js';
import { placedWords, reservedWords } from './keywords.js';

export const documentSqlDialect: Dialect = {
  name: 'mongodb',
  keywords: new Set([...reservedWords, ...placedWords]),
  reserved: reservedWords,
  restricted: new Set(),
  modifierTypes: new Set(['char', 'character', 'varchar', 'decimal', 'numeric', 'timestamp', 'timestamptz']),
  callableTypes: new Set(),
  hasDollarQuotes: true,
  hasEscapePrefixes: true,
  hasNestedComments: true,
  hasHashComments: false,
  hasCarriageReturnLines: true,
  executableComments: null,
  hasBackslashEscapes: false,
  hasBackslashNull: false,
  hasBacktickIdentifiers: false,
  hasNumericNames: false,
  charsetIntroducers: new Set(),
  hasQuestionMarkParameters: true,
  hasDollarParameters: true,
  hasCustomOperators: false,
  foldsNames: 'by option',
  maxNameBytes: 255,
  batches: 'atomic',
  grammar: 'postgresql',
  verbFamilies: {},
};
