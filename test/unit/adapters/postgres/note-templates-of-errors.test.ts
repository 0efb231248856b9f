/** Notes that depend on the present error: its table, its routine, its English, and the statement it came from. */
import { describe, expect, it } from 'vitest';
import { noteTemplates } from '../../../../adapters/postgres/note-templates.js';
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import type { ErrorFacts } from '../../../../src/core/notes/templates.js';
import type { TableModel } from '../../../../src/core/schema/model.js';
import { constraintOf, inputOf, orders, seats, tableOf, users } from '../../core/notes/note-fixtures.js';

type Facts = Partial<MemoryRecord> & Pick<MemoryRecord, 'class' | 'code'>;

function noteFor(facts: Facts, error: Partial<ErrorFacts> | null, tables: readonly TableModel[]): string {
  const occasion = error === null ? {} : { error: { message: '', ...error } };
  const input = inputOf({ object: null, ...facts }, tables, { occasion });
  return noteTemplates[input.record.class](input);
}

const constraint = (name: string) => ({ kind: 'constraint', name }) as const;
const token = (name: string) => ({ kind: 'token', name }) as const;
const onTable = (table: string, message = '') => ({ schema: 'public', table, message });

const archive = tableOf('archive', ['id integer']);
const a1 = tableOf('a1', ['x'], [constraintOf('unique', 'dup_uq', ['x'], 'UNIQUE (x)')]);
const b1 = {
  ...tableOf('b1', ['q'], [constraintOf('unique', 'dup_uq', ['q'], 'UNIQUE (q)')]),
  schema: 's2',
};
const audit = tableOf('audit', ['k'], [constraintOf('unique', 'audit_k', ['k'], 'UNIQUE (k)')]);
const rooms = tableOf(
  'rooms',
  ['during tsrange'],
  [
    constraintOf(
      'exclusion',
      'rooms_during_excl',
      ['during'],
      'EXCLUDE USING gist (during WITH &&) DEFERRABLE',
    ),
  ],
);
const halls = tableOf(
  'halls',
  ['during'],
  [constraintOf('exclusion', 'halls_excl', ['during'], 'EXCLUDE (x)')],
);
const tree = tableOf(
  'tree',
  ['id', 'up'],
  [constraintOf('foreign_key', 'tree_up_fkey', ['up'], '', 'public.tree')],
);

describe('which way a foreign key was broken', () => {
  const stillReferenced =
    'update or delete on table "users" violates foreign key constraint "x" on table "orders"';
  const missing = 'insert or update on table "orders" violates foreign key constraint "x"';
  const facts = {
    class: 'foreign_key_violation',
    code: '23503',
    object: constraint('orders_user_id_fkey'),
  } as const;
  const referrersFirst = /^Other rows still refer/;
  const parentFirst = /^\(user_id\) must match a row of users: insert that row first, or use/;
  const bothWays = /^\(user_id\) must match a row of users: insert that row first; or, .* referrers first\.$/;

  it.each([
    [
      'with m as ( delete from users returning * ) insert into archive select * from m',
      [users, archive],
      bothWays,
    ],
    ['select purge ( ? )', [], bothWays],
    ['do ?', [], bothWays],
    ['insert into users values ( ? ) on conflict ( id ) do update set id = ?', [users], referrersFirst],
    ['merge into users using orders on true when matched then delete', [users, orders], referrersFirst],
  ] as const)('%s', (shape, tables, elsewhere) => {
    const verb = /insert|merge|select|do/.exec(shape)?.[0] ?? '';
    const note = (message: string) => noteFor({ ...facts, shape, verb }, onTable('orders', message), tables);
    expect(note(stillReferenced)).toMatch(referrersFirst);
    expect(note(missing)).toMatch(parentFirst);
    expect(note('in einer anderen Sprache')).toMatch(elsewhere);
  });

  it('is told by the tables where the language is another', () => {
    const note = (shape: string, verb: string) =>
      noteFor({ ...facts, shape, verb }, onTable('orders', 'anders'), [users, orders]);
    expect(note('delete from users', 'delete')).toMatch(referrersFirst);
    expect(note('insert into orders values ( ? )', 'insert')).toMatch(parentFirst);
  });

  it('is left open in a table that refers to itself', () => {
    const self = {
      ...facts,
      object: constraint('tree_up_fkey'),
      verb: 'update',
      shape: 'update tree set id = ?',
    };
    expect(noteFor(self, onTable('tree', 'anders'), [tree])).toContain('insert that row first; or,');
  });

  it('at COMMIT', () => {
    const atCommit = { ...facts, verb: 'commit', shape: 'commit', phase: 'commit' } as const;
    expect(noteFor(atCommit, onTable('orders', stillReferenced), [orders])).toContain(
      'delete them or point them',
    );
    expect(noteFor(atCommit, onTable('orders', missing), [orders])).toContain(
      'insert that row before COMMIT',
    );
    expect(noteFor(atCommit, onTable('orders', 'anders'), [orders])).toContain(
      'or delete its referrers, before',
    );
  });

  it('of partitions that are taken off', () => {
    const detach = { ...facts, verb: 'alter table', shape: 'alter table users detach partition p' };
    const message = 'removing partition "p" violates foreign key constraint "x"';
    expect(noteFor(detach, onTable('orders', message), [users])).toMatch(referrersFirst);
  });
});

describe('the key that is taken, and how far ON CONFLICT helps', () => {
  const facts = { class: 'unique_violation', code: '23505' } as const;
  const insert = (name: string) => ({ ...facts, verb: 'insert', shape: `insert into ${name} values ( ? )` });

  it.each([
    [
      'a materialized view',
      {
        ...facts,
        verb: 'refresh',
        shape: 'refresh materialized view users',
        object: constraint('users_pkey'),
      },
      onTable('users'),
      [users],
      'The query of the materialized view gives two rows with one key (id)',
    ],
    [
      'a namesake on another table, from a trigger',
      { ...insert('a1'), object: constraint('dup_uq') },
      { schema: 's2', table: 'b1' },
      [a1],
      'A row has this key already: use another key',
    ],
    [
      'a namesake that the statement names too',
      { ...insert('a1'), object: constraint('dup_uq') },
      { schema: 's2', table: 'b1' },
      [a1, b1],
      'A row of b1 has this key (q) already: use another key',
    ],
    [
      'a CTE that writes another table',
      {
        ...facts,
        verb: 'insert',
        shape: 'with a as ( insert into audit values ( ? ) ) insert into users values ( ? )',
        object: constraint('audit_k'),
      },
      onTable('audit'),
      [audit, users],
      'A row of audit has this key (k) already: use another key',
    ],
    [
      'an ON CONFLICT for another key',
      {
        ...facts,
        verb: 'insert',
        shape: 'insert into users values ( ? ) on conflict ( id ) do nothing',
        object: constraint('users_email_key'),
      },
      onTable('users'),
      [users],
      'The ON CONFLICT of this INSERT does not cover this key (email)',
    ],
    [
      'a function',
      { ...facts, verb: 'select', shape: 'select f ( ? )', object: constraint('users_email_key') },
      onTable('users'),
      [],
      'A row of users has this key (email) already',
    ],
    [
      'a catalog of the server',
      { ...facts, verb: 'alter table', shape: 'alter table users rename to x' },
      { schema: 'pg_catalog', table: 'pg_class' },
      [users],
      'Another session created the same name',
    ],
    [
      'a key beside a deferrable one',
      { ...insert('seats'), object: constraint('seats_pkey') },
      onTable('seats'),
      [seats],
      'Use INSERT ... ON CONFLICT (id) DO NOTHING or DO UPDATE',
    ],
    [
      'COPY and a deferrable key',
      { ...facts, verb: 'copy', shape: 'copy seats from stdin', object: constraint('seats_place_late') },
      onTable('seats'),
      [seats],
      'SELECT DISTINCT ON (key) ... WHERE NOT EXISTS',
    ],
    [
      'MERGE and a deferrable key',
      {
        ...facts,
        verb: 'merge',
        shape: 'merge into seats using users on true',
        object: constraint('seats_place_late'),
      },
      onTable('seats'),
      [seats, users],
      'bring the same key (place): give MERGE one source row for each key',
    ],
  ] as const)('%s', (_what, record, error, tables, expected) => {
    const note = noteFor(record, error, tables);
    expect(note).toContain(expected);
    if (!expected.includes('ON CONFLICT')) expect(note).not.toContain('ON CONFLICT');
  });

  it('says DO UPDATE only where it can name the key', () => {
    const note = noteFor({ ...insert('users'), object: constraint('users_live_email') }, onTable('users'), [
      users,
    ]);
    expect(note).toContain('ON CONFLICT DO NOTHING, or update the existing row.');
  });

  it('exclusion constraints take ON CONFLICT unless they are deferrable', () => {
    const overlap = { class: 'unique_violation', code: '23P01' } as const;
    const note = (table: TableModel, name: string) =>
      noteFor(
        { ...overlap, ...{ ...insert(table.name), ...overlap }, object: constraint(name) },
        onTable(table.name),
        [table],
      );
    expect(inputOf({ shape: 'insert into halls values ( ? )' }, [halls]).target).toBe(halls);
    expect(note(halls, 'halls_excl')).toContain('ON CONFLICT DO NOTHING');
    expect(note(rooms, 'rooms_during_excl')).not.toContain('ON CONFLICT');
  });
});

describe('one code for several things', () => {
  it.each([
    [
      '21000',
      'insert',
      'insert into archive values ( ( select id from users ) )',
      'ExecSetParamPlan',
      'A subquery',
    ],
    [
      '21000',
      'insert',
      'insert into t select ? on conflict ( id ) do update',
      'ExecOnConflictUpdate',
      'One INSERT',
    ],
    [
      '21000',
      'insert',
      'insert into t select ? on conflict ( id ) do update',
      undefined,
      'Source rows repeat a key, or',
    ],
    ['21000', 'insert', 'insert into archive select ?', undefined, 'A subquery'],
    ['21000', 'merge', 'merge into users using orders', 'ExecMergeMatched', 'Two source rows of MERGE'],
    ['21000', 'merge', 'merge into users using orders', 'ExecScanSubPlan', 'A subquery'],
    ['21000', 'merge', 'merge into users using orders', undefined, 'Source rows repeat a key, or'],
    [
      '21000',
      'refresh',
      'refresh materialized view concurrently v',
      'refresh_by_match_merge',
      'The new rows of the',
    ],
  ] as const)('%s %s %s (%s)', (code, verb, shape, routine, expected) => {
    const error = routine === undefined ? {} : { routine };
    expect(noteFor({ class: 'invalid_statement', code, verb, shape }, error, [])).toContain(expected);
  });

  it.each([
    ['insert', 'ExecPartitionCheckEmitError', 'write to the parent table, which finds the right partition'],
    ['insert', 'ExecFindPartition', 'create the partition for it first'],
    ['insert', undefined, 'write to the parent table, change the value'],
    ['create table', 'check_default_partition_contents', 'The default partition holds rows'],
    ['alter table', 'ATRewriteTable', 'Rows lie outside of the bounds given'],
    ['alter table', 'check_default_partition_contents', 'The default partition holds rows'],
  ] as const)('23514 of a partition: %s, %s', (verb, routine, expected) => {
    const object = { kind: 'table', name: 'users' } as const;
    const error = routine === undefined ? {} : { routine };
    expect(noteFor({ class: 'check_violation', code: '23514', verb, object }, error, [users])).toContain(
      expected,
    );
  });

  it.each([
    ['alter table', 'ATAddForeignKeyConstraint', 'must have comparable types'],
    ['alter table', 'ATPrepAlterColumnType', 'USING CAST(c AS t)'],
    ['alter table', 'ATExecAlterColumnType', 'DROP DEFAULT first'],
    ['alter table', undefined, 'needs USING expression, a foreign key the type of the column it refers to'],
    ['create table', 'cookDefault', 'give a value of that type'],
    ['update', 'transformAssignedExpr', 'to_jsonb(x) for a JSON column'],
  ] as const)('42804: %s, %s', (verb, routine, expected) => {
    const json = tableOf('js', ['j json']);
    const error = routine === undefined ? {} : { routine };
    expect(noteFor({ class: 'type_mismatch', code: '42804', verb }, error, [json])).toContain(expected);
  });

  it('42883 of a time and a number asks for an interval', () => {
    const facts = { class: 'type_mismatch', code: '42883' } as const;
    expect(noteFor({ ...facts, object: token('-') }, {}, [])).toContain('make_interval(days => 1)');
    expect(noteFor({ ...facts, object: token('=') }, {}, [])).not.toContain('interval');
  });

  it.each([
    [
      'create table dd ( desc text )',
      'create table',
      token('desc'),
      'scanner_yyerror',
      'put the word in double quotes',
    ],
    ['desc users', 'desc', token('desc'), 'scanner_yyerror', 'instead of DESC.'],
    ['create table t ( use int )', 'create table', token('use'), 'scanner_yyerror', 'Correct the statement'],
    ['select top ? * from users', 'select', null, 'scanner_yyerror', 'LIMIT n at the end instead of TOP n'],
    ['select top ( ? ) * from users', 'select', token('from'), 'scanner_yyerror', 'instead of TOP n'],
    ['select a b top from users', 'select', token('top'), 'scanner_yyerror', 'Correct the statement'],
    [
      'select ? where ? in ( select id , age from users )',
      'select',
      token('in'),
      'transformSubLink',
      'x IN (SELECT one',
    ],
    [
      'insert into users values ( ? ) on conflict do update set age = ?',
      'insert',
      token('on'),
      'transformOnConflictArbiter',
      'must name a key: write ON CONFLICT (columns of one unique key) DO UPDATE. Unique keys of users: (id), (email).',
    ],
    ['insert into users values ( ? )', 'insert', null, 'transformInsertRow', 'Columns of users'],
    ['select ?', 'select', null, 'transformSomethingElse', 'breaks a rule of its form'],
  ] as const)('42601: %s', (shape, verb, object, routine, expected) => {
    const facts = { class: 'syntax', code: '42601', shape, verb, object } as const;
    expect(noteFor(facts, { routine }, [users])).toContain(expected);
  });

  it.each([
    ['42803', 'select', 'check_agglevels_and_constraints', 'conditions on aggregates go in HAVING'],
    ['42803', 'select', 'substitute_grouped_columns_mutator', 'into GROUP BY'],
    ['42702', 'select', 'findTargetlistEntrySQL92', 'twice'],
    ['42P13', 'create procedure', 'ProcedureCreate', 'DROP PROCEDURE name(types) first'],
    ['42P13', 'create function', 'check_sql_stmt_retval', 'contradicts itself'],
  ] as const)('%s %s (%s)', (code, verb, routine, expected) => {
    expect(noteFor({ class: 'invalid_statement', code, verb }, { routine }, [users])).toContain(expected);
  });

  it('a domain names no column', () => {
    const object = { kind: 'type', name: 'dn' } as const;
    const facts = { class: 'not_null_violation', code: '23502', object } as const;
    expect(noteFor(facts, { dataType: 'dn' }, [])).toContain('A domain takes no NULL');
    expect(noteFor({ ...facts, verb: 'alter domain' }, { dataType: 'dn' }, [])).toContain('fill them first');
    const column = { kind: 'column', name: 'users.age' } as const;
    expect(noteFor({ ...facts, verb: 'alter domain', object: column }, {}, [users])).toContain(
      'fill them first',
    );
  });

  it('an index built CONCURRENTLY that ran out of time is to be dropped', () => {
    const facts = { class: 'statement_timeout', code: '57014', verb: 'create index' } as const;
    expect(noteFor({ ...facts, shape: 'create index concurrently on t ( id )' }, {}, [])).toContain(
      'DROP the index',
    );
    expect(noteFor({ ...facts, shape: 'create index on t ( id )' }, {}, [])).not.toMatch(/DROP|CONCURRENTLY/);
  });
});

describe('habits of other databases', () => {
  const column = { class: 'undefined_object', code: '42703' } as const;
  const routine = { class: 'undefined_object', code: '42883', verb: 'select' } as const;
  const other = { class: 'undefined_object', code: '42704' } as const;
  const operator = { class: 'type_mismatch', code: '42883', verb: 'select' } as const;
  const syntax = { class: 'syntax', code: '42601' } as const;
  const named = (name: string) => ({ kind: 'name', name }) as const;
  const scanned = { routine: 'scanner_yyerror' };

  it.each([
    [
      { ...column, object: named('u.name'), verb: 'update', shape: 'update users u set u.name = ?' },
      { routine: 'transformUpdateTargetList' },
      'take no alias or table name',
    ],
    [
      { ...column, object: named('o.name'), verb: 'select', shape: 'select o.name from users' },
      { routine: 'errorMissingColumn' },
      'write the alias of the table that has it',
    ],
    [
      { ...column, object: named('x'), verb: 'select', shape: 'select id as x from users where x = ?' },
      { routine: 'errorMissingColumn' },
      'repeat the expression there',
    ],
    [
      { ...column, object: named('day'), verb: 'select', shape: 'select dateadd ( day , ? , now ( ) )' },
      { routine: 'errorMissingColumn' },
      'x + make_interval(days => 1)',
    ],
    [
      { ...column, object: named('day'), verb: 'select', shape: 'select date_trunc ( day , now ( ) )' },
      { routine: 'errorMissingColumn' },
      'date_trunc takes its unit as a text',
    ],
    [
      { ...column, object: named('sysdate'), verb: 'select', shape: 'select sysdate' },
      { routine: 'errorMissingColumn' },
      'write now()',
    ],
    [{ ...routine, object: named('ifnull') }, {}, 'write COALESCE(x, y)'],
    [{ ...routine, object: named('dbo.len') }, {}, 'write length(x)'],
    [{ ...routine, object: named('group_concat') }, {}, 'write string_agg('],
    [{ ...routine, object: named('round') }, {}, 'round(CAST(x AS numeric), 2)'],
    [{ ...routine, object: named('frobnicate') }, {}, 'check its name in pg_proc'],
    [
      { ...other, verb: 'show', shape: 'show tables' },
      { routine: 'find_option' },
      'information_schema.tables',
    ],
    [{ ...other, verb: 'set', shape: 'set frob = ?' }, { routine: 'find_option' }, 'pg_settings'],
    [
      { ...syntax, verb: 'show', shape: 'show columns from users', object: token('from') },
      scanned,
      'information_schema.columns',
    ],
    [{ ...other, object: named('datetime') }, { routine: 'typenameType' }, 'write timestamp.'],
    [{ ...other, object: named('double') }, null, 'write double precision.'],
    [{ ...other, object: named('citext') }, { routine: 'typenameType' }, 'CREATE EXTENSION citext'],
    [
      { ...other, object: named('frob') },
      { routine: 'typenameType' },
      'check its name and schema in pg_type',
    ],
    [
      { ...other, object: named('datetime') },
      { routine: 'get_object_address' },
      'check its name and schema in',
    ],
    [
      { class: 'undefined_object', code: '42P01', verb: 'select', shape: 'select nextval ( ? )' },
      { routine: 'regclassin' },
      'pg_sequences',
    ],
    [
      { class: 'permission', code: '42501', isStructural: true, verb: 'copy', shape: 'copy users to ?' },
      { routine: 'DoCopy' },
      'COPY ... TO STDOUT',
    ],
    [
      { class: 'permission', code: '42501', isStructural: true, verb: 'copy', shape: 'copy users to ?' },
      { routine: 'aclcheck_error' },
      'Ask the owner for a GRANT',
    ],
    [
      { ...operator, object: token('+') },
      { message: 'operator does not exist: text + integer' },
      'concatenated with a || b',
    ],
    [
      { ...operator, object: token('+') },
      { message: 'operator does not exist: unknown + text' },
      'concatenated with a || b',
    ],
    [{ ...operator, object: token('==') }, {}, 'Equality is written ='],
    [{ ...operator, object: token('&&') }, { message: 'x: boolean && boolean' }, 'joined with AND'],
    [{ ...operator, object: token('&&') }, { message: 'x: integer[] && text[]' }, 'cast one side'],
    [{ ...operator, object: token('like') }, { message: 'x: integer ~~ unknown' }, 'CAST(x AS text) LIKE'],
    [
      { class: 'type_mismatch', code: '22P02', verb: 'select' },
      { routine: 'enum_in' },
      'enumlabel FROM pg_enum',
    ],
    [{ ...syntax, shape: 'select ` id ` from users', object: token('from') }, scanned, 'not with backticks'],
    [
      { ...syntax, verb: 'update', shape: 'update a join b on a.x = b.x set y = ?', object: token('join') },
      scanned,
      'UPDATE a SET ... FROM b WHERE',
    ],
    [
      { ...syntax, verb: 'update', shape: 'update a set y = ? from b join', object: null },
      scanned,
      'Correct the statement',
    ],
    [
      { ...syntax, shape: 'select * from users limit ? , ?', object: token('limit') },
      { routine: 'base_yyparse' },
      'LIMIT count OFFSET start',
    ],
    [
      { ...syntax, shape: 'select * from ( select ? )', object: token('(') },
      { routine: 'base_yyparse' },
      'an alias',
    ],
    [
      { ...syntax, shape: 'select ?', object: null },
      { routine: 'base_yyparse' },
      'breaks a rule of its form',
    ],
    [{ ...syntax, shape: 'select ? where ? in ( )', object: token(')') }, scanned, 'IN takes no empty list'],
    [
      { ...syntax, shape: 'alter table t modify c int', object: named('modify') },
      scanned,
      'ALTER COLUMN c TYPE',
    ],
    [{ ...syntax, shape: 'select now ( ) - interval ? day', object: null }, scanned, 'in single quotes'],
    [{ ...syntax, shape: 'create table t ( a int ( ? ) )', object: token('(') }, scanned, 'take no length'],
    [
      { class: 'rule_raised', code: 'P0001' },
      {},
      'SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname is the function',
    ],
    [{ class: 'check_violation', code: '23514' }, {}, 'pg_get_constraintdef(oid) FROM pg_constraint'],
  ] as const)('%o %o', (facts, error, expected) => {
    expect(noteFor({ verb: 'select', ...facts }, error, [users])).toContain(expected);
  });
});
