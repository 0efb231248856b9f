import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import * as cases from './cases.js';
import { holdsLiteral, literal, postgres, templates } from './support.js';

const tokenAt = (text: string, position: number) => postgres.tokenAt(text, defaultLexicalOptions, position);
/** The token at the first `needle`, counted in characters as the server does. */
const at = (text: string, needle: string) =>
  tokenAt(text, [...text.slice(0, text.indexOf(needle))].length + 1);

describe('tokenAt', () => {
  it.each([
    ['select Nope from t', 'Nope', 'identifier', 'nope', 0],
    ['select 1 from public."Users" u', 'public', 'identifier', 'public."Users"', 0],
    ['select 1 from public."Users" u', '"Users"', 'identifier', 'public."Users"', 0],
    ['select name from t', 'name', 'identifier', 'name', 0],
    ['select from where', 'from', 'keyword', 'from', 0],
    ['select a @> b', '@>', 'operator', '@>', 0],
    ['select a != b', '!=', 'operator', '<>', 0],
    ['select f(a', '(', 'operator', '(', 0],
    ["select 'secret'", "'secret'", 'literal', '', 0],
    ['select 4711', '4711', 'literal', '', 0],
    ['select $1', '$1', 'literal', '', 0],
    ["select '\u{1f600}\u{1f600}' || nope", 'nope', 'identifier', 'nope', 0],
    ['select \u00e9, \u{20000}x from t', '\u{20000}x', 'identifier', '\u{20000}x', 0],
    ['select 1; select 2 /* x */ from nope', 'nope', 'identifier', 'nope', 1],
    ['select 1; ; select nope', 'nope', 'identifier', 'nope', 1],
    ['select a from t where b = "x@secret"', '"x@', 'literal', '', 0],
    ['select a from t where b = "secret"', '"secret"', 'literal', '', 0],
    ['select f("a secret", "secret")', '"secret"', 'literal', '', 0],
    ['select a from t where b = \u201csecret x\u201d', 'x\u201d', 'literal', '', 0],
    ['alter user app password = secret', 'secret', 'literal', '', 0],
    ['set a = secret', 'secret', 'literal', '', 0],
    ['rollback to savepoint s1', 's1', 'literal', '', 0],
    ["select 'it's secret'", 'secret', 'literal', '', 0],
    ['select  /* here */ x', '/*', 'identifier', 'x', 0],
  ])('%s at %s', (text, needle, kind, token, statement) => {
    expect(at(text, needle)).toEqual({ kind, text: token, statement });
  });

  it('knows the end of the text and what lies outside', () => {
    expect(tokenAt('select', 7)).toEqual({ kind: 'end', text: '', statement: 0 });
    expect(tokenAt('select 1; select ', 18)).toEqual({ kind: 'end', text: '', statement: 1 });
    for (const position of [0, -1, 8, 1.5, Number.NaN, 1e12]) expect(tokenAt('select', position)).toBeNull();
  });

  it('gives a token at every position of every case', () => {
    for (const [text] of [...cases.tables, ...cases.words, ...cases.broken]) {
      for (let position = 1; position <= [...text].length + 1; position++) {
        expect(tokenAt(text, position)).not.toBeNull();
      }
    }
  });

  it('never hands out a byte of a literal', () => {
    fc.assert(
      fc.property(fc.constantFrom(...templates), literal, (tokens, value) => {
        const text = tokens.map((token) => (token === '\0' ? value : token)).join(' ');
        for (let position = 1; position <= [...text].length; position++) {
          expect(holdsLiteral(tokenAt(text, position)?.text ?? '')).toBe(false);
        }
      }),
    );
  });
});
