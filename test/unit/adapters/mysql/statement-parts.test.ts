import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementKind } from '../../../../adapters/mysql/statement-kind.js';
import { splitStatements } from '../../../../adapters/mysql/statement-parts.js';
import { limits } from '../../../../src/core/limits.js';

const usual = { isBackslashLiteral: false, isAnsiQuotes: false };

function partsOf(text: string, options = usual): string[] {
  const bytes = Buffer.from(`;${text}; select`);
  const end = bytes.length - '; select'.length;
  return splitStatements(bytes, 1, end, options).map((part) =>
    bytes.toString('utf8', part.start, part.end).trim(),
  );
}

describe('statement parts', () => {
  it.each([
    ['select 1; select 2', ['select 1', 'select 2']],
    ['select 1;', ['select 1']],
    [' ; ;select 1;; /* nothing */ ; select 2', ['select 1', 'select 2']],
    ["select 'a;b'; select 2", ["select 'a;b'", 'select 2']],
    ["select 'a'';b'; select 2", ["select 'a'';b'", 'select 2']],
    ["select 'a\\';b'; select 2", ["select 'a\\';b'", 'select 2']],
    ['select "a;b"; select 2', ['select "a;b"', 'select 2']],
    ['select `a;\\`; select 2', ['select `a;\\`', 'select 2']],
    ['select 1 -- ;\n; select 2', ['select 1 -- ;\n', 'select 2'].map((one) => one.trim())],
    ['select 1 # ;\n; select 2', ['select 1 # ;', 'select 2']],
    ['select 1--;select 2', ['select 1--', 'select 2']],
    ['select 1 /* ; */; select 2', ['select 1 /* ; */', 'select 2']],
    ['/*!40101 set names utf8 */; select 2', ['/*!40101 set names utf8 */', 'select 2']],
    ["select 'never ends; select 2", ["select 'never ends; select 2"]],
    [
      'create procedure p() begin select 1; if a then select 2; end if; end; select 3',
      ['create procedure p() begin select 1; if a then select 2; end if; end', 'select 3'],
    ],
    [
      'create trigger t before insert on x for each row begin case a when 1 then set @b = case 1 when 1 then 2 end; end case; begin end; end; call p()',
      [
        'create trigger t before insert on x for each row begin case a when 1 then set @b = case 1 when 1 then 2 end; end case; begin end; end',
        'call p()',
      ],
    ],
    ['begin; select 1; end', ['begin', 'select 1', 'end']],
    ['begin not atomic select 1; end; select 2', ['begin not atomic select 1; end', 'select 2']],
    ['create table begin (a int); select 2', ['create table begin (a int)', 'select 2']],
  ])('%s', (text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });

  it('follows the modes of the session', () => {
    const literal = { ...usual, isBackslashLiteral: true };
    expect(partsOf("select 'a\\'; select 2", literal)).toEqual(["select 'a\\'", 'select 2']);
    const ansi = { ...usual, isAnsiQuotes: true };
    expect(partsOf('select "a\\"; select 2', ansi)).toEqual(['select "a\\"', 'select 2']);
  });

  it('knows the kind of each', () => {
    const bytes = Buffer.from('select 1; call p(); create table t (a int)');
    expect(splitStatements(bytes, 0, bytes.length, usual).map((part) => part.kind)).toEqual([
      statementKind.other,
      statementKind.compound,
      statementKind.ddl,
    ]);
  });

  it('ends at the bound', () => {
    const bytes = Buffer.from('select 1;'.repeat(1_000));
    expect(splitStatements(bytes, 0, bytes.length, usual).length).toBe(limits.maxMultiStatements);
  });

  it('never leaves its bounds and loses nothing, whatever the text', () => {
    const piece = fc.constantFrom(
      ...["'", '"', '`', '\\', ';', '/*', '*/', '/*!', '-- ', '#', '\n', 'begin', 'end', 'case', 'if', ' '],
      ...['create procedure p() ', 'begin not atomic ', 'é', 'x'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(''));
        let at = 0;
        for (const part of splitStatements(bytes, 0, bytes.length, usual)) {
          expect(part.start).toBeGreaterThanOrEqual(at);
          expect(part.end).toBeGreaterThan(part.start);
          expect(part.end).toBeLessThanOrEqual(bytes.length);
          at = part.end + 1;
        }
      }),
    );
  });
});
