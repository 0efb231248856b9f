/** What is taken from an error and its statement before the schema is known: names, and nothing that may be a value. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/postgres/classify.js';
import { postgresDialect } from '../../../../adapters/postgres/dialect.js';
import { isRecorded } from '../../../../src/core/failure/failure-class.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import { type ObservedFailure, observeFailure } from '../../../../src/core/sink/observed-failure.js';
import type { ServerError, StatementFailure, StatementText } from '../../../../src/core/verdict.js';

import { testSession } from '../../../support/session-context.js';

const shaper = createShaper(postgresDialect);

const context = testSession({ user: 'bob' });

function observe(sql: string, error: ServerError): ObservedFailure {
  const failure: StatementFailure & { statement: StatementText } = {
    statement: { text: () => sql, isTruncated: false },
    completedBefore: 0,
    phase: 'execute',
    error,
    before: 'idle',
    isCancelRequested: false,
  };
  const classification = classify(failure);
  if (!isRecorded(classification.class)) throw new Error(`Not recorded: ${classification.class}`);
  const made = observeFailure(
    failure,
    { ...classification, class: classification.class },
    context,
    shaper,
    0,
  );
  if (made === null) throw new Error('Nothing observed');
  return made;
}

describe('the fields a RAISE fills in', () => {
  const raised = {
    code: '23505',
    routine: 'exec_stmt_raise',
    message: 'account "A" denied "B"',
    column: 'A',
    constraint: 'B',
    table: 'T',
    schema: 'S',
    dataType: 'D',
  };

  it('vouch for no word of its message', () => {
    const none = { scope: context.scope, object: null, tables: [] };
    expect(observe('select f()', raised).detail(none)).not.toMatch(/"?[AB]"/);
    const real = observe('select f()', { ...raised, routine: '_bt_check_unique' });
    expect(real.detail(none)).toMatch(/"A".*"B"/);
  });

  it('name no table of the statement and no object', () => {
    expect(observe('select f()', raised)).toMatchObject({ class: 'rule_raised', tables: [], object: null });
    expect(observe('commit', { ...raised, routine: '_bt_check_unique' }).tables).toEqual([
      { schema: 'S', name: 'T' },
    ]);
  });
});

describe('the object of an undefined column', () => {
  const object = (sql: string, needle: string) =>
    observe(sql, {
      code: '42703',
      message: 'column "hunter2" does not exist',
      position: sql.indexOf(needle) + 1,
    }).object;

  it('is the name the error points at', () => {
    expect(object('select nope from t', 'nope')).toEqual({ kind: 'name', name: 'nope' });
  });

  it('is none where the name stands for a value', () => {
    expect(object('select a from t where n = \u201chunter2\u201d', '\u201chunter2')).toBeNull();
    expect(object('select a from t where n like "%hunter2"', '"%hunter2')).toBeNull();
  });
});
