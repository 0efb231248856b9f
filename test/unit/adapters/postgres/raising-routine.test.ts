import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { raisingRoutine } from '../../../../adapters/postgres/raising-routine.js';

describe('raisingRoutine', () => {
  it.each([
    ['PL/pgSQL function check_overdraft() line 5 at RAISE', 'check_overdraft:5'],
    ['PL/pgSQL function public.check_overdraft() line 5 at RAISE', 'check_overdraft:5'],
    ['PL/pgSQL function transfer(integer,integer,numeric) line 12 at RAISE', 'transfer:12'],
    ['PL/pgSQL function f2(text) line 7 at RAISE', 'f2:7'],
    ['PL/pgSQL function "Audit"."Check"(int4) line 3 at RAISE', 'Check:3'],
    ['PL/pgSQL-Funktion check_overdraft() Zeile 5 bei RAISE', 'check_overdraft:5'],
    ['fonction PL/pgSQL check_overdraft(), ligne 5 \u00e0 RAISE', 'check_overdraft:5'],
    ['funci\u00f3n PL/pgSQL check_overdraft() en la l\u00ednea 5 en RAISE', 'check_overdraft:5'],
    ['PL/pgSQL\u95a2\u6570check_overdraft()\u306e5\u884c\u76ee - RAISE', 'check_overdraft:5'],
    ['\u5728RAISE\u7684\u7b2c5\u884c\u7684PL/pgSQL\u51fd\u6570check_overdraft()', 'check_overdraft:5'],
    ['PL/pgSQL function inline_code_block line 2 at RAISE', 'inline_code_block:2'],
    ['PL/Python function "charge"', 'charge'],
    [
      'PL/pgSQL function inner() line 4 at RAISE\nSQL statement "select outer(1)"\nPL/pgSQL function outer() line 9',
      'inner:4',
    ],
    ['SQL statement "insert into t values (7)"', null],
    ['PL/pgSQL function "odd name"() line 3 at RAISE', null],
    ['COPY users, line 3, column age: "x"', null],
    ['', null],
  ] as const)('%j: %s', (context, expected) => {
    expect(raisingRoutine(context)).toBe(expected);
  });

  it('answers a plain name and a line, or nothing, to any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (context) => {
        expect(raisingRoutine(context) ?? 'none').toMatch(/^[A-Za-z_][A-Za-z0-9_$]{0,62}(?::\d{1,6})?$/);
      }),
    );
  });
});
