/**
 * How MySQL and MariaDB read statement text: https://dev.mysql.com/doc/refman/9.7/en/language-structure.html and
 * https://mariadb.com/docs/server/reference/sql-structure/sql-language-structure. What the manuals leave open (digits of
 * versions in comments, empty statements, names that begin with digits) is as servers of 9.7 and 10.11 did it.
 */
import type { Dialect, VerbFamily } from '../../src/core/shape/shape.js';
import {
  characterSets,
  mariadbOtherKeywords,
  mariadbReservedKeywords,
  mysqlOtherKeywords,
  mysqlReservedKeywords,
  sharedOtherKeywords,
  sharedReservedKeywords,
  storageEngines,
} from './keywords.js';

const verbFamilies: Readonly<Record<string, VerbFamily>> = {
  // evaluates expressions, and calls nothing
  do: 'other',
  describe: 'read',
  handler: 'read',
  help: 'read',
  checksum: 'read',
  check: 'read',
  'load data': 'copy',
  'load xml': 'copy',
  'rename table': 'ddl',
  'rename user': 'ddl',
  // what they hold is run at once
  'begin not atomic': 'call',
  if: 'call',
  case: 'call',
  loop: 'call',
  repeat: 'call',
  while: 'call',
  for: 'call',
  // they touch no table's definition
  'alter instance': 'other',
  deallocate: 'other',
};

const callableTypes = ['binary', 'char', 'time', 'timestamp', 'year'];

const modifierTypes = [
  ...[
    'bit',
    'blob',
    'character',
    'datetime',
    'dec',
    'decimal',
    'double',
    'fixed',
    'float',
    'float4',
    'float8',
  ],
  ...[
    'bigint',
    'int',
    'int1',
    'int2',
    'int3',
    'int4',
    'int8',
    'integer',
    'mediumint',
    'middleint',
    'smallint',
  ],
  ...[
    'national',
    'nchar',
    'number',
    'numeric',
    'nvarchar',
    'precision',
    'real',
    'text',
    'tinyint',
    'unsigned',
  ],
  ...['varbinary', 'varchar', 'varchar2', 'varcharacter', 'varying', 'vector'],
];

/** Names of character sets and engines are in the grammar's sense no keywords; in any case they mean the same. */
const sharedKeywords = [
  ...sharedReservedKeywords,
  ...sharedOtherKeywords,
  ...characterSets,
  ...storageEngines,
];

/** What both read alike. */
const shared = {
  restricted: new Set<string>(),
  modifierTypes: new Set([...modifierTypes, ...callableTypes]),
  callableTypes: new Set(callableTypes),
  hasCustomOperators: false,
  hasEscapePrefixes: false,
  hasNestedComments: false,
  hasHashComments: true,
  hasCarriageReturnLines: false,
  hasBackslashEscapes: true,
  hasBacktickIdentifiers: true,
  hasNumericNames: true,
  charsetIntroducers: new Set(characterSets.map((name) => `_${name}`)),
  hasQuestionMarkParameters: true,
  hasDollarParameters: false,
  foldsNames: 'by option',
  // longer names are refused: 64 characters, 256 for an alias
  maxNameBytes: 1024,
  grammar: 'mysql',
  verbFamilies,
} as const;

const neverMysqlVersion = 99_999;

export const mysqlDialect: Dialect = {
  ...shared,
  name: 'mysql',
  keywords: new Set([...sharedKeywords, ...mysqlReservedKeywords, ...mysqlOtherKeywords]),
  reserved: new Set([...sharedReservedKeywords, ...mysqlReservedKeywords]),
  // bodies in other languages: AS $$ … $$
  hasDollarQuotes: true,
  executableComments: {
    letter: null,
    hasSpacedVersion: true,
    runs: (version) => version < neverMysqlVersion,
  },
  hasBackslashNull: false,
  batches: 'routines',
};

/** From here on a version without the letter M means a MySQL that MariaDB does not follow. */
const firstForeignVersion = 50_700;
const lastForeignVersion = 99_999;
const neverMariadbVersion = 200_000;

export const mariadbDialect: Dialect = {
  ...shared,
  name: 'mariadb',
  keywords: new Set([...sharedKeywords, ...mariadbReservedKeywords, ...mariadbOtherKeywords]),
  reserved: new Set([...sharedReservedKeywords, ...mariadbReservedKeywords]),
  hasDollarQuotes: false,
  executableComments: {
    letter: 0x4d,
    hasSpacedVersion: false,
    runs: (version, hasLetter) =>
      version < neverMariadbVersion &&
      (hasLetter || version < firstForeignVersion || version > lastForeignVersion),
  },
  hasBackslashNull: true,
  batches: 'blocks',
};
