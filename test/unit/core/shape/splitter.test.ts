import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mariadbDialect, mysqlDialect } from '../../../../adapters/mysql/dialect.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import { createSplitter } from '../../../../src/core/shape/splitter.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';

const split = createSplitter(mysqlDialect);

function partsOf(text: string, options = defaultLexicalOptions): string[] {
  return split(text, options).map(({ start, end }) => text.slice(start, end));
}

describe('statements of a text', () => {
  it.each([
    ['select 1; select 2', ['select 1', 'select 2']],
    ['/* a */ select 1;', ['select 1']],
    ["select 'a;b'; /* c */ select 2 -- d", ["select 'a;b'", 'select 2']],
    [
      'create procedure p() if a then select 1; end if; select 3',
      ['create procedure p() if a then select 1; end if', 'select 3'],
    ],
    [
      'create table t (event int, begin int); select 2',
      ['create table t (event int, begin int)', 'select 2'],
    ],
    ['select 1; -- answered by an OK', ['select 1', '']],
    ['', []],
  ])('%s', (text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });

  it('follows the modes of the session', () => {
    const literal = { ...defaultLexicalOptions, isBackslashLiteral: true };
    expect(partsOf("select 'a\\'; select 2", literal)).toEqual(["select 'a\\'", 'select 2']);
  });

  it.each([mysqlDialect, mariadbDialect])('are those of the shaper ($name)', (dialect) => {
    const splitter = createSplitter(dialect);
    const shaper = createShaper(dialect);
    const piece = fc.constantFrom(
      ...["'", '"', '`', '\\', ';', '/*', '*/', '/*!', '-- ', '#', '\n', 'begin', 'end', 'case', 'if', ' '],
      ...['create procedure p() ', 'begin not atomic ', 'select 1', 'x'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const text = pieces.join('');
        const shaped = shaper.shape(text, defaultLexicalOptions, false).statements;
        const bounds = splitter(text, defaultLexicalOptions);
        if (bounds.length === 0) expect(shaped.map(({ shape }) => shape)).toEqual(['']);
        else expect(bounds).toEqual(shaped.map(({ start, end }) => ({ start, end })));
      }),
    );
  });
});
