/** A dialect with the traits of the MySQL family, to hold the lexer to them before an adapter has one. */
import type { Dialect } from '../../../../src/core/shape/shape.js';

const keywords =
  `add all alter and any as asc between by call case create cross delete desc distinct drop duplicate
  else end exists false fields for from group having ignore in index inner insert int interval into is join key left like limit
  not null offset on or order outer primary replace select set show straight_join table then to true union update use
  using values varchar when where with`.split(/\s+/);

export const mysqlTraits: Dialect = {
  name: 'mysql',
  keywords: new Set(keywords),
  reserved: new Set(keywords.filter((word) => word !== 'duplicate' && word !== 'offset')),
  restricted: new Set(),
  modifierTypes: new Set(['varchar', 'int', 'decimal', 'datetime']),
  hasDollarQuotes: false,
  hasNestedComments: false,
  hasHashComments: true,
  hasExecutableComments: true,
  hasBackslashEscapes: true,
  hasBacktickIdentifiers: true,
  hasCharsetIntroducers: true,
  hasQuestionMarkParameters: true,
  hasDollarParameters: false,
  hasCustomOperators: false,
  foldsIdentifiers: false,
  maxNameBytes: 256,
};
