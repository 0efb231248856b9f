/** Names read out of messages, which a user of the server may have written: only declared or written ones are kept. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/mysql/classify.js';
import { mysqlDialect } from '../../../../adapters/mysql/dialect.js';
import { readErrorFields } from '../../../../adapters/mysql/error-fields.js';
import { isRecorded } from '../../../../src/core/failure/failure-class.js';
import { buildSchema } from '../../../../src/core/schema/schema.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import { keyFailure, observeFailure } from '../../../../src/core/sink/observed-failure.js';
import { realObject } from '../../../../src/core/sink/read-names.js';
import { testSession } from '../../../support/session-context.js';
import { users } from './fixture.js';

const shaper = createShaper(mysqlDialect);
const session = testSession({ engine: 'mysql', searchPath: ['shop'] });
const model = buildSchema({ tables: [{ ...users, schema: 'shop' }], defaultSearchPath: ['shop'] }, 1);

/** What a record says of this error, and what it shows of its message. */
function keyed(sql: string, code: number, message: string) {
  const fields = readErrorFields(String(code), message, 'mysql');
  const error = { code: String(code), sqlState: 'HY000', message, ...fields };
  const failure = {
    ...{ statement: { text: () => sql, isTruncated: false }, completedBefore: 0, error },
    ...({ phase: 'execute', before: 'idle', isCancelRequested: false } as const),
  };
  const classification = classify(failure, 'mysql');
  if (!isRecorded(classification.class)) throw new Error(`Not recorded: ${classification.class}`);
  const observed = observeFailure(
    failure,
    { ...classification, class: classification.class },
    session,
    shaper,
    0,
  );
  if (observed === null) throw new Error('Nothing observed');
  const { facts } = keyFailure(observed, model);
  return { object: facts.object, tables: facts.tables, detail: observed.detail(facts) };
}

describe('a name in a message', () => {
  it('counts where the schema declares it', () => {
    const message = "Duplicate entry 'x' for key 'users.users_email_key'";
    for (const sql of ["insert into users (email) values ('x')", "call add_user('x')"]) {
      expect(keyed(sql, 1062, message)).toMatchObject({
        object: { kind: 'constraint', name: 'users_email_key' },
        detail: 'Duplicate entry ? for key "users"."users_email_key"',
      });
    }
  });

  it('counts where the statement writes it', () => {
    const sql = 'select Nope, u.gone from users u';
    expect(keyed(sql, 1054, "Unknown column 'nope' in 'field list'").object?.name).toBe('nope');
    expect(keyed(sql, 1054, "Unknown column 'u.gone' in 'field list'").object?.name).toBe('u.gone');
    expect(keyed('select * from persons', 1146, "Table 'shop.persons' doesn't exist")).toMatchObject({
      object: { kind: 'table', name: 'persons' },
      tables: ['persons'],
      detail: 'Table "shop"."persons" does not exist',
    });
  });

  it('is a value where it is neither, whatever raised it', () => {
    const asKey = "Duplicate entry 'x' for key 'hunter2'";
    for (const sql of [
      `signal sqlstate '23000' set mysql_errno = 1062, message_text = "${asKey}"`,
      "call pretends('hunter2')",
      "insert into users (email) values ('hunter2')",
      'insert into users (email, hunter2x, xhunter2) values (?, ?, ?)',
    ]) {
      const { object, detail } = keyed(sql, 1062, asKey);
      expect({ object, detail }, sql).toEqual({ object: null, detail: 'Duplicate entry ?' });
    }
    expect(keyed("select f('hunter2')", 1054, "Unknown column 'hunter2' in 'field list'").object).toBeNull();
    expect(keyed("call f('hunter2')", 1146, "Table 'shop.hunter2' doesn't exist")).toMatchObject({
      object: null,
      tables: [],
      detail: 'Table ? does not exist',
    });
  });

  it('counts where it is declared with its dots', () => {
    const dotted = { kind: 'constraint', name: 'address.zip_1' } as const;
    expect(realObject(dotted, '', { knows: (name) => name === 'address.zip_1' })).toBe(dotted);
    expect(realObject(dotted, '', { knows: (name) => name === 'address' })).toBeNull();
  });
});
