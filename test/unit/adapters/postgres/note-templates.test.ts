import { describe, expect, it } from 'vitest';
import { errorCodes, readErrorCode } from '../../../../adapters/postgres/error-codes.js';
import { noteTemplates } from '../../../../adapters/postgres/note-templates.js';
import { type FailureClass, failureClasses, isRecorded } from '../../../../src/core/failure/failure-class.js';
import { limits } from '../../../../src/core/limits.js';
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import { renderNote } from '../../../../src/core/notes/render.js';
import type { TableModel } from '../../../../src/core/schema/model.js';
import { constraintOf, inputOf, orders, seats, tableOf, users } from '../../core/notes/note-fixtures.js';

type Case = readonly [facts: Partial<MemoryRecord>, expected: string, tables?: readonly TableModel[]];

const constraint = (name: string) => ({ kind: 'constraint', name }) as const;
const token = (name: string) => ({ kind: 'token', name }) as const;
const named = (name: string) => ({ kind: 'name', name }) as const;

function instructionOf(
  facts: Partial<MemoryRecord>,
  tables: readonly TableModel[] = [users],
  isInTransaction = false,
): string {
  const input = inputOf(facts, tables, { isInTransaction, otherNames: ['check_overdraft'] });
  return noteTemplates[input.record.class](input);
}

function check(failureClass: FailureClass, cases: readonly Case[]): void {
  describe(failureClass, () => {
    it.each(cases.map((each) => ({ each })))('$each', ({ each: [facts, expected, tables] }) => {
      expect(instructionOf({ class: failureClass, object: null, ...facts }, tables)).toContain(expected);
    });
  });
}

check('unique_violation', [
  [
    { object: constraint('users_email_key') },
    'Use INSERT ... ON CONFLICT (email) DO NOTHING or DO UPDATE, or update the existing row.',
  ],
  [
    { object: constraint('users_pkey') },
    'ON CONFLICT (id) DO NOTHING or DO UPDATE, or update the existing row. Leave id out if it has a default.',
  ],
  [
    { object: constraint('users_lower_name') },
    'Use INSERT ... ON CONFLICT DO NOTHING, or update the existing row.',
  ],
  [
    { object: constraint('users_live_email') },
    'Use INSERT ... ON CONFLICT DO NOTHING, or update the existing row.',
  ],
  [
    { object: constraint('seats_place_late') },
    'The constraint is deferrable, so ON CONFLICT cannot name it.',
    [seats],
  ],
  [{ object: null }, 'Use INSERT ... ON CONFLICT DO NOTHING, or update the existing row.'],
  [
    { object: constraint('users_email_key'), verb: 'update' },
    'Another row holds this key (email): choose another value',
  ],
  [
    { object: constraint('users_email_key'), verb: 'copy' },
    'INSERT ... SELECT ... ON CONFLICT (email) DO NOTHING from it.',
  ],
  [{ object: constraint('users_email_key'), verb: 'merge' }, 'use INSERT ... ON CONFLICT (email) DO UPDATE.'],
  [{ verb: 'create unique index' }, 'GROUP BY ... HAVING count(*) > 1'],
  [{ verb: 'alter table' }, 'GROUP BY ... HAVING count(*) > 1'],
  [{ verb: 'create table' }, 'IF NOT EXISTS'],
  [{ code: '23P01' }, 'overlaps an existing one'],
  [{ code: '23P01', verb: 'update' }, 'change the existing row first'],
]);

describe('unique_violation, names that need quotes', () => {
  const quoted = tableOf(
    'users',
    ['userId', 'order'],
    [
      constraintOf('unique', 'users_key', ['userId'], 'UNIQUE ("userId")'),
      constraintOf('unique', 'users_order', ['order'], 'UNIQUE ("order")'),
    ],
  );
  it.each(['users_key', 'users_order'])('writes none of them into an example (%s)', (name) => {
    const instruction = instructionOf({ object: constraint(name) }, [quoted]);
    expect(instruction).toBe('Use INSERT ... ON CONFLICT DO NOTHING, or update the existing row.');
  });
});

check('foreign_key_violation', [
  [
    { code: '23503', object: constraint('orders_user_id_fkey'), shape: 'insert into orders values ( ? )' },
    '(user_id) must match a row of users: insert that row first, or use a key that is there.',
    [orders],
  ],
  [
    { code: '23503', object: constraint('orders_user_id_fkey'), verb: 'delete', shape: 'delete from users' },
    'Other rows still refer to this row: delete them or point them elsewhere first',
    [users, orders],
  ],
  [
    { code: '23503', object: constraint('orders_user_id_fkey'), verb: 'delete', shape: 'delete from users' },
    'must match a row of the table it refers to: insert that row first; or, if a row that goes away',
    [users],
  ],
  [
    {
      code: '23503',
      object: constraint('orders_user_id_fkey'),
      verb: 'update',
      shape: 'update orders set x = ?',
    },
    '(user_id) must match a row of users: insert that row first, or use a key that is there.',
    [orders],
  ],
  [{ code: '23001', verb: 'delete' }, 'Other rows still refer to this row'],
  [{ code: '23503', verb: 'alter table' }, 'NOT VALID'],
  [
    {
      code: '23503',
      phase: 'commit',
      object: constraint('orders_user_id_fkey'),
      shape: 'insert into orders values ( ? )',
    },
    'The check ran at COMMIT',
    [orders],
  ],
  [{ code: '23503' }, 'The foreign key must match a row of the table it refers to'],
]);

check('not_null_violation', [
  [
    { code: '23502', object: { kind: 'column', name: 'users.email' } },
    'Give users.email a value that is not NULL; leave it out only if it has a default. NOT NULL columns of users: id, email.',
  ],
  [
    { code: '23502', object: { kind: 'column', name: 'users.secret' } },
    'Give the column the error names a value',
  ],
  [
    { code: '23502', verb: 'alter table', object: { kind: 'column', name: 'users.age' } },
    'Rows with a NULL in users.age are in the table',
  ],
  [{ code: '22004' }, 'A NULL was passed where none is allowed'],
]);

check('check_violation', [
  [
    { code: '23514', object: constraint('users_age_check') },
    'Change the values so that users_age_check holds.',
  ],
  [{ code: '23514', object: constraint('unheard_of') }, 'Change the values so that the check holds.'],
  [{ code: '23514', object: { kind: 'table', name: 'users' } }, 'No partition accepts this row'],
  [{ code: '23514', verb: 'alter table' }, 'NOT VALID'],
  [{ code: '44000' }, 'WITH CHECK OPTION'],
]);

check('rule_raised', [
  [
    { code: 'P0001', object: { kind: 'routine', name: 'check_overdraft:5' } },
    'The rule in function check_overdraft (line 5) refuses this: read its message, and change the values so that the rule holds.',
  ],
  [
    { code: 'P0001', object: { kind: 'routine', name: 'check_overdraft' } },
    'The rule in function check_overdraft refuses this',
  ],
  [
    { code: 'P0001', object: { kind: 'routine', name: 'unheard_of:5' } },
    'A rule in a trigger or function refuses this',
  ],
  [{ code: 'P0002' }, 'found no row'],
  [{ code: 'P0003' }, 'found several rows'],
  [{ code: 'P0004' }, 'refuses this'],
  [{ code: '27000' }, 'BEFORE trigger'],
]);

check('type_mismatch', [
  [{ code: '42883' }, 'No operator takes these two types: cast one side'],
  [{ code: '42883' }, 'Types in users: id integer, email character varying(120), name text, age integer.'],
  [{ code: '42883' }, 'No operator takes these two types: cast one side', [users, orders]],
  [{ code: '42804' }, 'CAST(x AS type) where there is such a cast'],
  [{ code: '42846' }, 'EXTRACT(EPOCH FROM x) from a time or CASE WHEN x THEN 1 ELSE 0 END from a boolean'],
  [{ code: '22023' }, 'take text out with ->> or x #>> ARRAY[]::text[]'],
  [{ code: '42725' }, 'exactly one fits'],
  [{ code: '42P18' }, 'CAST($1 AS integer)'],
  [{ code: '42P08' }, 'two types'],
  [{ code: '22P02' }, 'a declared enum label'],
  [{ code: '22P03' }, 'send it as text'],
  [{ code: '22007' }, 'YYYY-MM-DD'],
  [{ code: '22018' }, 'convert it'],
]);

check('value_out_of_range', [
  [{ code: '22001' }, 'shorten it to the declared length. Types in users: email character varying(120).'],
  [{ code: '22003' }, 'CAST(x AS numeric)'],
  [{ code: '22008' }, 'a real date'],
  [{ code: '22015' }, 'interval'],
  [{ code: '2202E' }, 'subscripts'],
  [{ code: '2200H' }, 'no form of the statement can change that'],
  [{ code: '22026' }, 'bit string'],
  [{ code: '22999' }, 'use a value in range'],
]);

check('invalid_argument', [
  [{ code: '22012' }, 'NULLIF(divisor, 0)'],
  [{ code: '2201B' }, 'regular expression'],
  [{ code: '2201W' }, 'LIMIT must be zero or more'],
  [{ code: '22021' }, 'valid UTF-8'],
  [{ code: '22P04' }, 'COPY data'],
  [{ code: '22P05' }, 'zero character'],
  [{ code: '2200M' }, 'XML'],
  [{ code: '22030' }, 'JSON'],
  [{ code: '2203A' }, 'JSON'],
  [{ code: '08P01' }, 'as many parameter values'],
  [{ code: '55P02' }, 'cannot be changed from a session'],
  [{ code: '20000' }, 'CASE'],
  [{ code: '22999' }, 'read the message'],
]);

check('syntax', [
  [{ code: '42601', object: token('fruit') }, 'Correct the statement at the position that the error gives'],
  [
    { code: '42601', verb: 'insert' },
    'it needs exactly one value for each column it names. Columns of users: id, email, name, age.',
  ],
  [{ code: '42601', verb: 'insert', object: token('fruit') }, 'Correct the statement at the position'],
  [
    { code: '42601', object: token('AUTO_INCREMENT'), shape: 'create table t ( id int auto_increment )' },
    'GENERATED BY DEFAULT AS IDENTITY',
  ],
  [
    {
      code: '42601',
      object: token('duplicate'),
      shape: 'insert into t values ( ? ) on duplicate key update a = ?',
    },
    'ON CONFLICT (key) DO UPDATE',
  ],
  [{ code: '42601', object: token('limit'), verb: 'delete' }, 'take no LIMIT'],
  [{ code: '42601', object: token('order'), verb: 'create table' }, 'reserved word'],
  [{ code: '42602' }, 'schema.name'],
]);

check('undefined_object', [
  [
    { code: '42703', object: named('emial') },
    'There is no such column: use an existing one. Close names: email.',
  ],
  [
    { code: '42703', object: named('zzz') },
    'There is no such column: users has id, email, name, age. Text values go in single quotes',
  ],
  [{ code: '42703', object: named('zzz') }, 'look it up in information_schema.columns', [users, orders]],
  [
    { code: '42703', object: named('userid') },
    'Close names: userId (names with capitals and reserved words need double quotes).',
    [tableOf('t', ['userId'])],
  ],
  [
    { code: '42P01', object: named('user'), tables: ['user'] },
    'There is no such table or view here: use an existing one. Close names: users.',
    [],
  ],
  [{ code: '42P01', object: named('o.id') }, 'write the alias exactly as FROM gives it'],
  [
    { code: '42P01', object: named('zzz'), tables: ['zzz'] },
    'check the name and its schema in pg_tables',
    [],
  ],
  [{ code: '42P01', verb: 'drop table', tables: ['zzz'] }, 'DROP ... IF EXISTS', []],
  [{ code: '42883' }, 'cast each argument'],
  [{ code: '42P02' }, 'one value for each'],
  [{ code: '3F000' }, 'CREATE SCHEMA'],
  [{ code: '3D000' }, 'pg_database'],
  [{ code: '0P000' }, 'pg_roles'],
  [{ code: '58P01', verb: 'copy' }, 'COPY ... FROM STDIN'],
  [{ code: '58P01', verb: 'load' }, 'no such file or library'],
  [{ code: '42704', verb: 'drop owned' }, 'There is no such role: check the name in pg_roles.'],
  [{ code: '42704' }, 'CREATE it first'],
]);

check('duplicate_object', [
  [{ code: '42701', verb: 'alter table' }, 'ADD COLUMN IF NOT EXISTS'],
  [{ code: '42701', verb: 'insert' }, 'name each column once'],
  [{ code: '42P07', verb: 'create table' }, 'CREATE TABLE IF NOT EXISTS'],
  [{ code: '42P07', verb: 'create materialized view' }, 'CREATE MATERIALIZED VIEW IF NOT EXISTS'],
  [{ code: '42P07', verb: 'create view' }, 'use CREATE OR REPLACE VIEW'],
  [{ code: '42710', verb: 'create trigger' }, 'use CREATE OR REPLACE TRIGGER'],
  [
    { code: '42710', verb: 'create trigger', shape: 'create constraint trigger t' },
    'DROP it first if it may go',
  ],
  [{ code: '42710', verb: 'create policy' }, 'DROP it first if it may go'],
  [{ code: '42710', verb: 'create type' }, 'DROP it first if it may go'],
  [{ code: '42P07', verb: 'select' }, 'choose another name'],
  [
    { code: '42701', verb: 'alter table', shape: 'alter table t rename column v to id' },
    'The new name is taken',
  ],
  [
    { code: '42723', verb: 'alter function', shape: 'alter function f ( int ) rename to g' },
    'The new name is taken',
  ],
  [{ code: '42P07', verb: 'alter table' }, 'choose another name'],
  [{ code: '42723', verb: 'create function' }, 'CREATE OR REPLACE FUNCTION.'],
  [{ code: '42723', verb: 'create procedure' }, 'CREATE OR REPLACE PROCEDURE.'],
  [{ code: '42P06' }, 'CREATE SCHEMA IF NOT EXISTS'],
  [{ code: '42P04' }, 'use it'],
  [{ code: '42P05' }, 'DEALLOCATE'],
  [{ code: '42P03' }, 'CLOSE'],
  [{ code: '58P02' }, 'choose another name'],
  [{ code: '42710' }, 'use or ALTER it'],
]);

check('invalid_statement', [
  [{ code: '42803' }, 'GROUP BY'],
  [
    { code: '42702' },
    'write alias.column wherever it is read, not where SET assigns it. The tables share: id.',
    [users, orders],
  ],
  [{ code: '42702' }, 'write alias.column wherever it is read', []],
  [
    { code: '42P10', verb: 'insert', shape: 'insert into users values ( ? ) on conflict ( age ) do nothing' },
    'Unique keys of users: (id), (email).',
  ],
  [
    {
      code: '42P10',
      verb: 'insert',
      shape:
        'with x as ( select id from orders ) insert into users select * from x on conflict ( age ) do nothing',
    },
    'Unique keys of users: (id), (email).',
    [orders, users],
  ],
  [
    { code: '42P10', verb: 'insert', shape: 'insert into users select distinct id from orders order by age' },
    'SELECT DISTINCT',
  ],
  [
    {
      code: '42702',
      verb: 'insert',
      shape: 'insert into users values ( ? ) on conflict ( id ) do update set age = age + ?',
    },
    'write table.column or excluded.column. The column that SET assigns stays without a table.',
  ],
  [{ code: '42803', verb: 'delete' }, 'HAVING count(*) > 1'],
  [
    { code: '42P13', verb: 'create function', shape: 'create or replace function f' },
    'DROP FUNCTION name(types) first',
  ],
  [{ code: '42P13', verb: 'create function', shape: 'create function f' }, 'contradicts itself'],
  [{ code: '42P10', verb: 'select' }, 'SELECT DISTINCT'],
  [{ code: '428C9' }, 'leave it out of the column list'],
  [{ code: '2BP01', verb: 'drop table' }, 'CASCADE only if all of them may go'],
  [{ code: '2BP01', verb: 'drop role' }, 'REASSIGN OWNED'],
  [{ code: '21000', verb: 'insert' }, 'A subquery in the place of a value'],
  [{ code: '21000', verb: 'select' }, 'more than one row'],
  [{ code: '42P20' }, 'Window functions'],
  [{ code: '42P19' }, 'WITH RECURSIVE'],
  [{ code: '42712' }, 'its own alias'],
  [{ code: '42830' }, 'UNIQUE'],
  [{ code: '55000' }, 'cannot be written to'],
  [{ code: '42P15' }, 'rewrite the part it names'],
]);

check('permission', [
  [{ code: '42501', isStructural: true }, 'no form of the statement can change that'],
  [{ code: '42501', isStructural: false }, 'row-level security'],
  [{ code: '28000' }, 'valid credentials'],
  [{ code: '0LP01' }, 'WITH GRANT OPTION'],
]);

check('resource_limit', [
  [{ code: '53100' }, 'no form of the statement can change that'],
  [{ code: '53200' }, 'smaller batches'],
  [{ code: '54001' }, 'ANY($1)'],
  [{ code: '54011' }, '1600'],
  [{ code: '54023' }, '65535'],
  [{ code: '42622' }, '63 bytes'],
  [{ code: '2203D' }, 'split it'],
  [{ code: '54000' }, 'there is no other way'],
]);

check('session_state', [
  [{ code: '25001', verb: 'vacuum' }, 'outside of a transaction block'],
  [{ code: '25001', verb: 'set' }, 'before its first query'],
  [{ code: '25P01' }, 'send BEGIN first'],
  [{ code: '26000' }, 'PREPARE it here first'],
  [{ code: '34000' }, 'WITH HOLD'],
  [{ code: '24000' }, 'FETCH a row first'],
  [{ code: '3B001' }, 'SAVEPOINT it first'],
  [{ code: '2D000' }, 'CALL the procedure'],
  [{ code: '55000', verb: 'select' }, 'nextval before currval'],
  [{ code: '55000', verb: 'alter table' }, 'bring it into that state'],
  [{ code: '55006' }, 'This session itself'],
  [{ code: '55P04' }, 'COMMIT the ALTER TYPE'],
  [{ code: '25000' }, 'end the open transaction'],
]);

check('statement_timeout', [
  [{ code: '57014', verb: 'select' }, 'page by key'],
  [{ code: '57014', verb: 'update' }, 'in batches'],
  [{ code: '57014', verb: 'create index' }, 'SET statement_timeout higher'],
  [{ code: '25P04' }, 'transaction_timeout'],
]);
check('read_only', [[{ code: '25006' }, 'no form of the statement can change that']]);
check('unsupported_feature', [
  [{ code: '0A000' }, 'no other spelling of it will pass'],
  [{ code: '0A000', verb: 'truncate' }, 'together with the tables that refer to it'],
  [{ code: '0A000', verb: 'refresh materialized view' }, 'without CONCURRENTLY'],
  [{ code: '0A000', verb: 'alter table' }, 'drop those first'],
]);
check('unsupported_translation', [[{ code: '0A000' }, 'cannot be translated']]);
check('unclassified', [[{ code: '1234F' }, 'Read the message']]);
check('internal', [
  [{ code: 'XX000' }, 'failed by itself'],
  [{ code: 'XX001' }, 'damaged data'],
  [{ code: '58030' }, 'its files'],
  [{ code: '38000' }, 'A function called here failed'],
  [{ code: 'HV00R' }, 'foreign table'],
]);

describe('retryable classes say what is to be run again', () => {
  const cases = [
    ['deadlock', '40P01'],
    ['write_conflict', '40001'],
    ['write_conflict', 'XX000'],
    ['write_conflict', '72000'],
    ['lock_timeout', '55P03'],
    ['lock_timeout', '55006'],
  ] as const;
  it.each(cases)(
    '%s %s: the whole transaction inside a block, the statement outside',
    (failureClass, code) => {
      const facts = { class: failureClass, code, object: null, verb: 'update' };
      expect(instructionOf(facts, [users], true)).toMatch(
        /send ROLLBACK, then re-run (?:it|the whole transaction) from its first statement/,
      );
      const alone = instructionOf(facts, [users], false);
      expect(alone).toContain('re-run');
      expect(alone).not.toMatch(/whole transaction|ROLLBACK/);
    },
  );

  it('in which order to lock, and how to make it smaller', () => {
    const instruction = instructionOf({ class: 'deadlock', code: '40P01' }, [users], true);
    expect(instruction).toContain('ORDER BY the primary key');
    expect(instruction).toContain('fewer rows');
  });
});

describe('inside a block', () => {
  it('a failure of any other class asks for ROLLBACK, at the end', () => {
    expect(instructionOf({}, [users], true)).toMatch(/existing row\. Send ROLLBACK first: [^.]*\.$/);
    expect(instructionOf({}, [users], false)).not.toContain('ROLLBACK');
  });

  it('a refused COMMIT leaves nothing to roll back', () => {
    expect(instructionOf({ phase: 'commit' }, [users], true)).not.toContain('Send ROLLBACK');
  });
});

/** Every note there is: all codes that are recorded, all kinds of statement, in and out of a block. */
function* everyInput() {
  const classesByCode = new Map<string, readonly FailureClass[]>([
    ['42883', ['undefined_object', 'type_mismatch']],
    ['55000', ['session_state', 'invalid_statement']],
    ['55006', ['lock_timeout', 'session_state']],
    ['XX000', ['internal', 'write_conflict']],
    ['08P01', ['invalid_argument', 'unclassified']],
    ['22023', ['invalid_argument', 'type_mismatch']],
    ['0A000', ['unsupported_feature', 'unsupported_translation']],
  ]);
  const verbs = [
    'insert',
    'update',
    'delete',
    'select',
    'copy',
    'merge',
    'alter table',
    'create index',
    'create table',
    'drop table',
    'drop role',
    'truncate',
    'refresh',
    'set',
    'commit',
    '',
  ];
  const objects = [
    null,
    constraint('users_email_key'),
    constraint('orders_user_id_fkey'),
    { kind: 'column', name: 'users.email' } as const,
    { kind: 'routine', name: 'check_overdraft:5' } as const,
    named('emial'),
    token('limit'),
  ];
  for (const code of [...errorCodes, 'HV00R', '1234F']) {
    const own = readErrorCode(code).class;
    for (const failureClass of classesByCode.get(code) ?? (isRecorded(own) ? [own] : [])) {
      // Verb and object decide together only where a constraint or a name is at stake.
      const isCrossed = /^(?:23|42703|42P01|42601|42P10|21000)/.test(code);
      for (const [verb, object] of isCrossed ? pairs(verbs, objects) : alongside(verbs, objects)) {
        for (const isInTransaction of [false, true]) {
          for (const tables of [[users], [users, orders], []]) {
            yield inputOf({ class: failureClass, code, verb, object }, tables, {
              isInTransaction,
              otherNames: ['check_overdraft'],
            });
          }
        }
      }
    }
  }
}

function pairs<A, B>(a: readonly A[], b: readonly B[]): (readonly [A, B])[] {
  return a.flatMap((left) => b.map((right) => [left, right] as const));
}

/** Every element of both, without every combination. */
function alongside<A, B>(a: readonly A[], b: readonly B[]): (readonly [A, B])[] {
  return [...pairs(a, b.slice(0, 1)), ...pairs(a.slice(0, 1), b)];
}

describe('every note', () => {
  const notes = new Map<
    string,
    { instruction: string; short: string; long: string; failureClass: FailureClass }
  >();
  for (const input of everyInput()) {
    const template = noteTemplates[input.record.class];
    const instruction = template(input);
    const { short, long } = renderNote(template, input);
    notes.set(instruction + long, { instruction, short, long, failureClass: input.record.class });
  }
  const all = [...notes.values()];

  it('has a template for each class', () => {
    expect(Object.keys(noteTemplates).sort()).toEqual([...failureClasses].sort());
    expect(new Set(all.map(({ failureClass }) => failureClass)).size).toBe(failureClasses.length);
  });

  it('is made of safe characters before it is cleaned', () => {
    for (const { instruction } of all) expect(instruction).toMatch(/^(?:(?!["'`\\%])[\x20-\x7e])+\.$/);
  });

  it('fits, with its first sentence whole in both forms', () => {
    for (const { instruction, short, long } of all) {
      const [first = ''] = instruction.split(/(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/);
      expect.soft(short, instruction).toContain(first);
      expect.soft(long, instruction).toContain(first);
      expect(short.length).toBeLessThanOrEqual(limits.maxShortNoteBytes);
      expect(long.length).toBeLessThanOrEqual(limits.maxLongNoteBytes);
      expect(`${short}${long}`).not.toMatch(/ {2}|\.\. \.|\.\.\. Do not/);
    }
  });

  it('holds no phrase that drivers, pools and frameworks act on', () => {
    const phrases =
      /retry|retri|not master|node is recovering|does not exist|already exists|duplicate key|connection|terminating|closed|shut ?down|starting up|could not|recovery|deadlock detected|serialize|current transaction|cached plan|timeout expired|timed out|too many|read.only|server has gone|lost|broken pipe|not primary|syntax error|violates|permission denied|prepared statement "|SSL/i;
    expect(all.map(({ instruction }) => instruction).filter((text) => phrases.test(text))).toEqual([]);
  });

  it('fits and stays whole words where every name is as long as it may be', () => {
    const long = (start: string) => start.padEnd(63, 'x');
    const table = tableOf(
      long('t'),
      [long('a'), long('b')],
      [constraintOf('unique', long('k'), [long('a'), long('b')])],
    );
    for (const failureClass of failureClasses) {
      const input = inputOf({ class: failureClass, object: constraint(long('k')) }, [table], {
        isInTransaction: true,
      });
      const note = renderNote(noteTemplates[failureClass], input);
      expect(note.short.length).toBeLessThanOrEqual(limits.maxShortNoteBytes);
      expect(note.long.length).toBeLessThanOrEqual(limits.maxLongNoteBytes);
      for (const [name] of `${note.short} ${note.long}`.matchAll(/[a-z]x{2,}/g))
        expect(name).toHaveLength(63);
    }
  });

  it('says no more than two or three things', () => {
    for (const { instruction } of all) {
      expect(instruction.split(/(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/).length).toBeLessThanOrEqual(4);
    }
  });
});
