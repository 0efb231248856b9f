import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatementKind, skipBlanks, statementKind } from '../../../../adapters/mysql/statement-kind.js';

const names = Object.fromEntries(Object.entries(statementKind).map(([name, value]) => [value, name]));

function kindOf(text: string): string | undefined {
  // Other text around it, as in a chunk of the network.
  const bytes = Buffer.from(`drop ${text} drop`);
  return names[readStatementKind(bytes, 5, bytes.length - 5)];
}

describe('statement kind', () => {
  it.each([
    ['select 1', 'other'],
    ['INSERT into t values (1)', 'write'],
    ['replace t values (1)', 'write'],
    ['repeat select 1; until 1 end repeat', 'compound'],
    ['delete from t', 'write'],
    ['deallocate prepare s', 'deallocate'],
    ['drop prepare s', 'deallocate'],
    ['drop table t', 'ddl'],
    ['drop temporary table t', 'other'],
    ['create/**/temporary/* x */table t (a int)', 'other'],
    ['create temporaries', 'ddl'],
    ['CREATE TABLE t (a int)', 'ddl'],
    ['creates', 'other'],
    ['creat', 'other'],
    ['alter\ntable t add a int', 'ddl'],
    ['truncate t', 'ddl'],
    ['rename table a to b', 'ddl'],
    ['grant all on *.* to a', 'implicitCommit'],
    ['set password = "x"', 'implicitCommit'],
    ['set passwords = 1', 'set'],
    ['set names utf8mb4', 'set'],
    ['SET@a=1', 'set'],
    ['setting', 'other'],
    ['use`db`', 'use'],
    ['prepare s from "x"', 'prepare'],
    ['execute s', 'execute'],
    ['call p()', 'compound'],
    ['begin', 'other'],
    ['begin work', 'other'],
    ['begin not atomic select 1; end', 'compound'],
    ['commit', 'commit'],
    ['/* insert */ update t set a = 1', 'write'],
    ['-- insert\nupdate t set a = 1', 'write'],
    ['--insert\nupdate t', 'other'],
    ['# insert\r\n  delete from t', 'write'],
    ['/*!50100 create */ table t (a int)', 'ddl'],
    ['/*! set names utf8 */', 'set'],
    ['/*M!100100 drop table t */', 'ddl'],
    ['(select 1) union (select 2)', 'other'],
    ['((insert', 'write'],
    ['/* never ends insert', 'other'],
    ['', 'other'],
    ['\0insert', 'write'],
    ['énsert', 'other'],
    ['1insert', 'other'],
  ])('%s: %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('stays within its bounds, whatever the bytes', () => {
    const piece = fc.constantFrom(
      '/*',
      '*/',
      '/*!',
      '--',
      '-- ',
      '#',
      '\n',
      'insert',
      'create',
      ' ',
      '(',
      '4',
      'M!',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 12 }), (parts) => {
        const bytes = Buffer.from(parts.join(''));
        for (let end = 0; end <= bytes.length; end += 1) {
          const at = skipBlanks(bytes, 0, end);
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(end);
          // What lies behind the end does not count.
          const alone = Buffer.from(bytes.subarray(0, end));
          expect(readStatementKind(bytes, 0, end)).toBe(readStatementKind(alone, 0, end));
        }
      }),
    );
  });
});
