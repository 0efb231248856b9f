/** What holds for every text of MySQL and MariaDB, under every option that changes how it is read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Shaper } from '../../../../src/core/shape/shape.js';
import { defaultLexicalOptions, type LexicalOptions } from '../../../../src/core/verdict.js';
import { mariadb, marker, mysql, shapes } from '../../core/shape/support.js';
import * as cases from './shape-cases.js';
import { fill, holdsLiteral, literal, templates, wronglyQuoted } from './shape-support.js';

const { mysqlOnly, mariadbOnly, ...shared } = cases;
const sharedCases = Object.values(shared).flat();
const casesOf = new Map([
  [mysql, [...sharedCases, ...mysqlOnly]],
  [mariadb, [...sharedCases, ...mariadbOnly]],
]);
const template = fc.constantFrom(...templates);
const dialects = fc.constantFrom(mysql, mariadb);
const gap = fc.constantFrom(
  ' ',
  '  ',
  '\n',
  '\t\r\n',
  " /* it's /* a note */ ",
  ' -- it\'s "a\r b\n',
  ' # `a\n',
);
const someLiterals = fc.array(literal, { minLength: 1, maxLength: 8 });
const options = fc
  .record({ isAnsiQuotes: fc.boolean(), isBackslashLiteral: fc.boolean(), isNameCaseIgnored: fc.boolean() })
  .map((some): LexicalOptions => ({ ...defaultLexicalOptions, ...some }));

const shapesUnder = (sql: string, shaper: Shaper, lexical: LexicalOptions, isTruncated = false): string[] =>
  shaper.shape(sql, lexical, isTruncated).statements.map((statement) => statement.shape);

describe('idempotence', () => {
  for (const [shaper, all] of casesOf) {
    it.each(all.filter(([, shape]) => shape !== ''))(
      `${shaper === mysql ? 'MySQL' : 'MariaDB'}: %s`,
      (_sql, shape) => {
        expect(shapes(shape, shaper)).toEqual([shape]);
      },
    );
  }

  it('holds for any soup of fragments', () => {
    fc.assert(
      fc.property(
        fc.tuple(
          fc.constantFrom([], ['set'], ['alter user'], ['create'], ['values'], ['insert into'], ['show']),
          fc.array(fragment, { maxLength: 30 }),
        ),
        fc.constantFrom('', ' '),
        dialects,
        options,
        (parts, glue, shaper, lexical) => {
          for (const shape of shapesUnder(parts.flat().join(glue), shaper, lexical)) {
            // one that holds statements is split where it was not, its body being broken
            if (!shape.includes(';')) expect(shapesUnder(shape, shaper, lexical)).toEqual([shape]);
          }
        },
      ),
      { numRuns: 4000 },
    );
  });
});

describe('literals', () => {
  it('never come out', () => {
    fc.assert(
      fc.property(template, someLiterals, dialects, (tokens, values, shaper) => {
        const made = shapes(fill(tokens, values).join(' '), shaper);
        expect(made).toHaveLength(1);
        expect(made.some(holdsLiteral)).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  it('never come out, wherever the text is cut', () => {
    fc.assert(
      fc.property(
        template,
        someLiterals,
        fc.nat(),
        fc.boolean(),
        dialects,
        (tokens, values, at, isTruncated, shaper) => {
          const sql = fill(tokens, values).join(' ');
          const cut = sql.slice(0, at % (sql.length + 1));
          expect(shapes(cut, shaper, isTruncated).some(holdsLiteral)).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('never come out where a stray quote precedes them', () => {
    fc.assert(
      fc.property(
        template,
        fc.nat(),
        fc.constantFrom("'", '"', '`', '/*'),
        dialects,
        (tokens, at, stray, shaper) => {
          const sql = fill(tokens, [`'${marker}'`, `"a ${marker} b"`]);
          sql.splice(at % sql.length, 0, stray);
          expect(shapes(sql.join(' '), shaper).some(holdsLiteral)).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('never come out under options that are not the session’s', () => {
    const quoted = fc.constantFrom(
      `'${marker}'`,
      `'a ${marker} b'`,
      `'a\\\\${marker}\\\\'`,
      `'it''s ${marker}'`,
    );
    fc.assert(
      fc.property(
        template,
        fc.array(quoted, { minLength: 1, maxLength: 4 }),
        options,
        dialects,
        (tokens, values, lexical, shaper) => {
          const sql = fill(tokens, values).join(' ');
          expect(shapesUnder(sql, shaper, lexical).some(holdsLiteral)).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('never come out of the wrong quotes, or without any', () => {
    const places = [
      'select a from t where b = \0',
      'select a from t where b <=> \0 and c like \0 or d between \0 and \0',
      'update t set a = \0 , b = \0',
      'insert into t values ( \0 , \0 ) , ( \0 , \0 )',
      'select a from t where b in ( \0 , \0 )',
      'set password = \0',
    ].map((text) => text.split(' '));
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.array(wronglyQuoted, { minLength: 1, maxLength: 4 }),
        dialects,
        (tokens, values, shaper) => {
          const sql = fill(tokens, values).join(' ');
          expect(shapes(sql, shaper).some(holdsLiteral)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('blindness', () => {
  it('to literals, spacing, comments, the case of keywords and the semicolon', () => {
    fc.assert(
      fc.property(
        template,
        someLiterals,
        fc.array(gap, { minLength: 1, maxLength: 9 }),
        fc.boolean(),
        dialects,
        (tokens, values, gaps, isUpper, shaper) => {
          const plain = fill(tokens, ["'x'"]).join(' ');
          const written = fill(
            tokens.map((token) => (isUpper && token.length > 1 ? token.toUpperCase() : token)),
            values,
          );
          const sql = `${written.map((token, i) => token + (gaps[i % gaps.length] ?? ' ')).join('')};`;
          // a comment behind the last semicolon is answered by the server, one before it is not
          expect(shapes(sql, shaper)).toEqual(shapes(plain, shaper));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('to parameters in the place of literals', () => {
    for (const tokens of templates) {
      for (const shaper of [mysql, mariadb]) {
        expect(shapes(fill(tokens, ['?']).join(' '), shaper)).toEqual(
          shapes(fill(tokens, ["'x'"]).join(' '), shaper),
        );
      }
    }
  });

  it('to the length of lists and the number of rows', () => {
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1, maxLength: 40 }), (values) => {
        const list = values.join(', ');
        expect(shapes(`select 1 from t where a in (${list})`, mysql)).toEqual([
          'select ? from t where a in ( ?+ )',
        ]);
        const rows = values.map((value) => `(${value}, 1)`).join(',');
        expect(shapes(`insert into t values ${rows}`, mysql)).toEqual(['insert into t values ( ? , ? )']);
        const made = values.map((value) => `row (${value}, 1)`).join(',');
        expect(shapes(`values ${made}`, mysql)).toEqual(['values row ( ? , ? )']);
      }),
    );
  });

  it('to the case of names where the server is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sharedCases), dialects, ([sql], shaper) => {
        if (/[@'"\\$]|\/\*|--|#/.test(sql)) return;
        const lexical = { ...defaultLexicalOptions, isNameCaseIgnored: true };
        expect(shapesUnder(sql.toUpperCase(), shaper, lexical)).toEqual(shapesUnder(sql, shaper, lexical));
      }),
      { numRuns: 500 },
    );
  });
});

describe('any text', () => {
  it('gives statements without control characters, and one letter a hole', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom(...`'"$\`\\/*-+;()[],.:?!M5@#e0x_ aN\n\0\r\u2028\ud800`),
        maxLength: 200,
      }),
      fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(anything, fc.boolean(), dialects, options, (text, isTruncated, shaper, lexical) => {
        const { statements } = shaper.shape(text, lexical, isTruncated);
        expect(statements.length).toBeGreaterThan(0);
        for (const { shape, holes, start, end } of statements) {
          expect(shape).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
          expect(holes).toMatch(/^[snbzpxmv]*$/);
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives each statement the shape it has alone', () => {
    const broken = new Set(cases.broken.map(([sql]) => sql));
    for (const [shaper, all] of casesOf) {
      const sound = all.filter(
        ([sql, shape]) => shape !== '' && !broken.has(sql) && !/unterminated|\/\*!.*[^/]$/.test(sql),
      );
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...sound), { minLength: 1, maxLength: 6 }), (picked) => {
          const text = picked.map(([sql]) => sql.replace(/;$/, '')).join('\n;\n');
          expect(shapes(text, shaper)).toEqual(picked.map(([, shape]) => shape));
        }),
      );
    }
  });

  it('ends a list that was cut at its last whole item', () => {
    const sql = "select a from t where b in ('x', 'y\\'', 'z', _utf8 'w')";
    for (let cut = sql.indexOf("'y"); cut < sql.length; cut++) {
      expect(shapes(sql.slice(0, cut), mysql, true)).toEqual(['select a from t where b in ( ?+']);
    }
    const rows = "insert into t values (1, 'a\\\\'), (2, 'b'), (3, 'c')";
    for (let cut = rows.indexOf('(2') + 2; cut < rows.length; cut++) {
      expect(shapes(rows.slice(0, cut), mysql, true)).toEqual(['insert into t values ( ? , ? )']);
    }
  });
});

/** Pieces of SQL, sound and unsound, that meet in any order. */
const fragment: fc.Arbitrary<string> = fc.oneof(
  literal,
  wronglyQuoted,
  fc.constantFrom(
    ...[
      'select',
      'from',
      'where',
      'in',
      '(',
      ')',
      '[',
      ']',
      ',',
      ';',
      '.',
      'values',
      'row',
      'null',
      'true',
      '\\N',
    ],
    ...[
      'is',
      'not',
      'default',
      'order by',
      'group by',
      'limit',
      '1',
      '1a',
      't.1',
      '-',
      '+',
      '*',
      '||',
      '->>',
      ':',
      ':=',
    ],
    ...[
      'a',
      'B',
      '`C`',
      '`d e`',
      '`f@g`',
      '`h```',
      '"C"',
      '"d e"',
      't_1234567',
      'User',
      '`Id`',
      '`1a`',
      '0xg',
      '$a',
      '$$',
    ],
    ...[
      '/* x */',
      '-- y\n',
      '# z\n',
      '/*+ z(`q`) 1 */',
      '/*!',
      '*/',
      '/*!50000',
      '/*!99999 a */',
      '/*M!',
      '/*',
    ],
    ...[
      'password',
      'identified',
      'pwd',
      'alter user',
      'grant',
      'for',
      'to',
      'by',
      '=',
      'between',
      'and',
      'like',
      'master_password',
    ],
    ...[
      'cast',
      'f',
      'F(',
      'char',
      'year',
      '(5)',
      'convert',
      'if',
      'case',
      'then',
      'else',
      'end',
      'begin',
      'not atomic',
      'do',
    ],
    ...[
      'execute',
      'savepoint',
      'prepare',
      'drop',
      'handler',
      'create procedure p()',
      'loop',
      'while',
      'repeat',
      'until',
      'declare',
    ],
    ...[
      '@a',
      '@`b`',
      '@@c.D',
      '@',
      '@x.y',
      'u@h',
      'insert',
      'replace',
      'update',
      'delete',
      'using',
      'use index',
      'key',
      'on',
      'set',
    ],
    ...[
      'varchar',
      '_utf8mb4',
      '_latin1',
      'N',
      'x',
      'b',
      '!=',
      '<>',
      '<=>',
      '?',
      '?+',
      '\\',
      '{',
      '}',
      '\u0007',
      '\u00e9',
      '\u00c9',
    ],
    ...[
      'with',
      'as',
      'union',
      'table',
      'tables',
      'show',
      'columns',
      "'",
      '"',
      '`',
      '$$',
      '\u2018',
      'random',
      'expire',
      '!',
      '~',
    ],
  ),
);
