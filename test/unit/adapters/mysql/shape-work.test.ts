/** Work stays linear in the text, whatever the text. */
import { expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import { mariadb, mysql } from '../../core/shape/support.js';

const patterns = [
  ...[
    '`',
    '`a``b',
    '"',
    "'\\",
    "'a'and",
    'x"',
    '/*!',
    '/*!99999 ',
    '/*!99999 /*',
    '/*! */',
    '/*M!',
    '*/',
    '/*+ `',
  ],
  ...[
    '# ',
    '--\x7f',
    '1a',
    '1.',
    '.1',
    't.1.',
    'a.',
    'a.a@b.',
    'a@',
    '@',
    '@@a.',
    '@`',
    '$',
    '$a$',
    '$$',
    '\\N',
    '?+',
    '?+ ',
    '? ',
  ],
  ...[
    '_utf8 ',
    "_utf8'a' ",
    'values row(',
    'row(1),',
    'in (`a`,',
    'f(`a b`,',
    'set a = ',
    'set a=b,',
    'set statement for ',
  ],
  ...[
    'begin ',
    'case ',
    'if ',
    'end ',
    'while do ',
    'repeat until ',
    'then if ',
    'loop ',
    'l: ',
    'not atomic ',
  ],
  ...[
    'use index (',
    'use index ',
    'for system_time from ',
    'for portion of p from ',
    'insert ',
    'replace (',
    'delete using ',
  ],
  ...[
    'table a union ',
    'from a,',
    '{ oj ',
    'show columns from a from ',
    'password ',
    'identified by ',
    'password for a ',
  ],
];

const starts = [
  ['', mysql],
  ['set ', mariadb],
  ['create procedure p() ', mariadb],
] as const;

it.each(patterns)('is bounded for a text of %j over and over', (pattern) => {
  const size = limits.maxStatementBytes / 2;
  const before = process.cpuUsage();
  for (const [start, shaper] of starts) {
    const text = (start + pattern.repeat(Math.ceil(size / pattern.length))).slice(0, size);
    const { statements } = shaper.shape(text, defaultLexicalOptions, false);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.length).toBeLessThanOrEqual(limits.maxMultiStatements);
  }
  const { user, system } = process.cpuUsage(before);
  // quadratic work on 32 Ki characters takes several seconds
  expect((user + system) / 1e6).toBeLessThan(2);
});

it('is bounded for a text of 10 MB', () => {
  const text = `insert into t values ${"(1, 'x'), ".repeat(1_000_000)}(2, 'y')`;
  expect(mysql.shape(text, defaultLexicalOptions, false).statements).toMatchObject([
    { shape: 'insert into t values ( ? , ? )', isTruncated: true },
  ]);
});
