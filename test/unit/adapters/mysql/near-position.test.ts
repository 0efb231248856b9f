import { describe, expect, it } from 'vitest';
import { positionOfNear } from '../../../../adapters/mysql/near-position.js';

const english = (fragment: string, line = 1) =>
  `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '${fragment}' at line ${line}`;

/** What stands at the position, by characters. */
function found(message: string, text: string): string | undefined {
  const position = positionOfNear(message, text);
  return position === undefined ? undefined : [...text].slice(position - 1).join('');
}

const long = `where ${'x'.repeat(60)} ${'y'.repeat(60)}`;

describe('positionOfNear', () => {
  it.each([
    ['select * form users', 'users', 'users'],
    ['  selec 1', 'selec 1', 'selec 1'],
    ['selec 1 ;\n', 'selec 1', 'selec 1 ;\n'],
    ["select 'it''s' selec 'a''b' q", "'a''b' q", "'a''b' q"],
    ["select 1 limit 'a'", "'a'", "'a'"],
    ['select 1 limit 1 1', '1', '1'],
    ['select "\u{1f600}" form t', 't', 't'],
    ['select 1,\r\n\tfrom dual', 'from dual', 'from dual'],
  ])('%j near %j', (text, fragment, expected) => {
    expect(found(english(fragment), text)).toBe(expected);
  });

  it('finds a fragment that was cut, as either server cuts it', () => {
    const text = `select 1 from\n\n ${long}`;
    expect(found(english(long.slice(0, 80), 3), text)).toBe(long);
    expect(found(english(`${long.slice(0, 77)}...`, 3), text)).toBe(long);
    const accented = `selec '${'\u00e9'.repeat(80)}'`;
    expect(found(english(`selec '${'\u00e9'.repeat(36)}\u00c3`), accented)).toBe(accented);
    expect(found(english(`selec '${'\u00e9'.repeat(35)}...`), accented)).toBe(accented);
  });

  it('tells equal fragments apart by their line, and says nothing where it cannot', () => {
    const twice = `${long}\n${long}`;
    expect(positionOfNear(english(long.slice(0, 80), 2), twice)).toBe(long.length + 2);
    expect(positionOfNear(english(long.slice(0, 80), 1), twice)).toBe(1);
    expect(positionOfNear(english(long.slice(0, 80), 3), twice)).toBeUndefined();
    expect(positionOfNear(english(long.slice(0, 80)), `${long} ${long}`)).toBeUndefined();
    // Behind a semicolon the lines begin anew.
    expect(positionOfNear(english(long.slice(0, 80)), `${long};\n${long}`)).toBeUndefined();
  });

  it('finds the place in any statement of a text', () => {
    expect(found(english('selec 3; select 4'), 'select 1;\nselect 2;\n\nselec 3; select 4')).toBe(
      'selec 3; select 4',
    );
  });

  it.each([
    ['the end of the statement', english(''), 'select * from'],
    ['another text, as of PREPARE', english('nonsense'), "prepare s from 'nonsense'"],
    ['a character that the message could not hold', english("selec '??' x"), "selec '\u{1f600}' x"],
    ['no place at all', "Table 'shop.t' doesn't exist", 'select 1 from t'],
    ['a line that is not one', english('t').replace('at line 1', 'at line ?'), 'select 1 form t'],
    ['', '', ''],
  ])('has no place for %s', (_, message, text) => {
    expect(positionOfNear(message, text)).toBeUndefined();
  });

  it.each([
    "Erreur de syntaxe près de 'users' à la ligne 1",
    "Fehler in der SQL-Syntax. Bitte die korrekte Syntax im Handbuch nachschlagen bei 'users' in Zeile 1",
    "SQL構文エラーです。 : 'users' 付近 1 行目",
    "'SQL 구문에 오류가 있습니다.' 에러 같읍니다. ('users' 명령어 라인 1)",
    "L'istruzione e' sbagliata vicino a 'users' linea 1",
  ])('reads %s', (message) => {
    expect(found(message, 'select * form users')).toBe('users');
  });

  it('takes no longer for hostile text', () => {
    const text = "'".repeat(64 * 1024);
    const started = performance.now();
    positionOfNear(english("'".repeat(300)), text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
