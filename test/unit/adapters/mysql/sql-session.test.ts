import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasAnsiQuotes, readSet, readUse, type Setting } from '../../../../adapters/mysql/sql-session.js';

const names = (characterSet: string | null): Setting => ({ kind: 'names', characterSet });
const sqlMode = (isAnsiQuotes: boolean | 'default' | 'kept'): Setting => ({ kind: 'sql_mode', isAnsiQuotes });

describe('SET', () => {
  it.each([
    ['set names utf8mb4', [names('utf8mb4')]],
    ["SET NAMES 'latin1' COLLATE 'latin1_bin'", [names('latin1')]],
    ['set names "gbk"', [names('gbk')]],
    ['set names default', [names(null)]],
    ['set character set latin1', [names('latin1')]],
    ['set charset latin1', [names('latin1')]],
    ['set names latin1 */', [names('latin1')]],
    ['set character_set_client = latin1', [{ kind: 'client', characterSet: 'latin1' }]],
    ['set @@character_set_client := latin1', [{ kind: 'client', characterSet: 'latin1' }]],
    ["set @@session.character_set_results='utf16'", [{ kind: 'results', characterSet: 'utf16' }]],
    ['set character_set_results = null', [{ kind: 'results', characterSet: 'utf8mb4' }]],
    ['set character_set_client = @old', [{ kind: 'client', characterSet: null }]],
    ['set local `character_set_client` = latin1', [{ kind: 'client', characterSet: 'latin1' }]],
    ['set global character_set_client = latin1', []],
    ['set @@global.character_set_client = latin1', []],
    ['set persist character_set_client = latin1', []],
    ['set global a = 1, character_set_client = latin1', []],
    ['set global a = 1, session character_set_client = latin1', [{ kind: 'client', characterSet: 'latin1' }]],
    ["set @a = 'x, names latin1', names latin2", [names('latin2')]],
    ['set @a = f(1, 2), names latin2 -- names latin5\n', [names('latin2')]],
    ['set /* names latin1 */ names latin2; set names latin5', [names('latin2')]],
    ['set autocommit = 0', []],
    ['set session transaction isolation level serializable', []],
    ['set role default', []],
    ["set statement sql_mode = 'ansi' for select 1", []],
    ['set', []],
    ['set names', []],
    ['set names ,', []],
    ['select names latin1', []],
    ['setnames latin1', []],
    ["set sql_mode = ''", [sqlMode(false)]],
    ["set sql_mode = ' ANSI , X'", [sqlMode(true)]],
    ['set sql_mode = "ANSI_QUOTES"', [sqlMode(true)]],
    ['set sql_mode = ansi_quotes', [sqlMode(true)]],
    ["set sql_mode = 'ANSI_QUOTES_NOT'", [sqlMode(false)]],
    ['set sql_mode = 4', [sqlMode(true)]],
    ['set sql_mode = 1048578', [sqlMode(false)]],
    ['set sql_mode = default', [sqlMode('default')]],
    ['set sql_mode = @@global.sql_mode', [sqlMode('default')]],
    ['set sql_mode = @@sql_mode', [sqlMode('kept')]],
    ['set sql_mode = @@session.sql_mode', [sqlMode('kept')]],
    ['set sql_mode = @saved', [sqlMode(false)]],
    ["set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')", [sqlMode(true)]],
    ["set sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')", [sqlMode('kept')]],
    ["set sql_mode = concat_ws(',', @@sql_mode, 'ANSI')", [sqlMode(true)]],
    ["set sql_mode = concat(@saved, ',ANSI_QUOTES')", [sqlMode(false)]],
    ["set sql_mode = replace(@@sql_mode, 'ANSI_QUOTES', '')", [sqlMode(false)]],
    ["set sql_mode = replace(@@sql_mode, 'ONLY_FULL_GROUP_BY', '')", [sqlMode('kept')]],
    ["set sql_mode = (select replace(@@sql_mode, 'X', ''))", [sqlMode(false)]],
    ["set sql_mode = sys.list_add(@@sql_mode, 'ANSI_QUOTES')", [sqlMode(false)]],
  ] as readonly (readonly [string, readonly Setting[]])[])('%s', (text, settings) => {
    expect(readSet(text, false)).toEqual(settings);
  });

  it('reads a backslash as the session does', () => {
    const text = String.raw`set @a = '\', names latin1, @b = ' '`;
    expect(readSet(text, true)).toEqual([names('latin1')]);
    expect(readSet(text, false)).toEqual([]);
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      'names',
      'sql_mode',
      '=',
      "'",
      '"',
      '`',
      '\\',
      ',',
      '(',
      ')',
      '@@',
      ' ',
      '/*',
      '--',
      ';',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 30 }), (pieces) => {
        for (const isBackslashLiteral of [true, false])
          expect(Array.isArray(readSet(`set ${pieces.join('')}`, isBackslashLiteral))).toBe(true);
      }),
    );
  });
});

describe('USE', () => {
  it.each([
    ['use shop', 'shop'],
    ['USE `sh``op`;', 'sh`op'],
    ['use\nshop ; -- x', 'shop'],
    ['use shop*/', 'shop'],
    ['use', null],
    ['useshop', null],
    ['update t', null],
  ])('%s', (text, database) => {
    expect(readUse(text)).toBe(database);
  });
});

it.each([
  ['', false],
  ['ANSI', true],
  ['REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI', true],
  ['STRICT_TRANS_TABLES', false],
])('sql_mode %s', (modes, isAnsiQuotes) => {
  expect(hasAnsiQuotes(modes)).toBe(isAnsiQuotes);
});
