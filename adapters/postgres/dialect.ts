/** How PostgreSQL reads statement text: https://www.postgresql.org/docs/current/sql-syntax-lexical.html. */
import type { Dialect } from '../../src/core/shape/shape.js';
import {
  columnNameKeywords,
  functionOrTypeKeywords,
  reservedKeywords,
  unreservedKeywords,
} from './keywords.js';

export const postgresDialect: Dialect = {
  name: 'postgresql',
  keywords: new Set([
    ...reservedKeywords,
    ...functionOrTypeKeywords,
    ...columnNameKeywords,
    ...unreservedKeywords,
  ]),
  reserved: new Set([...reservedKeywords, ...functionOrTypeKeywords]),
  restricted: new Set(columnNameKeywords),
  modifierTypes: new Set([
    ...['bit', 'char', 'character', 'varchar', 'varying', 'nchar', 'bpchar', 'varbit'],
    ...['dec', 'decimal', 'numeric', 'float', 'interval', 'time', 'timestamp', 'timetz', 'timestamptz'],
    ...['vector', 'halfvec', 'sparsevec'],
  ]),
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
  hasQuestionMarkParameters: false,
  hasDollarParameters: true,
  hasCustomOperators: true,
  foldsNames: 'unquoted',
  maxNameBytes: 63,
  batches: 'atomic',
  grammar: 'postgresql',
  verbFamilies: {},
};
