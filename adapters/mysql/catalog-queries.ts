/**
 * What the catalog reader asks of MySQL 8 and 9 and of MariaDB, as SQL and the rows it answers.
 *
 * Only information_schema is read, whose rows depend on the account's rights (catalog-rights.ts), and no column that
 * comes from statistics. Conditions are kept to what MariaDB answers from the tables' definitions; keys and checks it
 * only knows of a table it opens. Long texts come as their hash: enums of thousands of labels, bodies of triggers.
 */
import { limits } from '../../src/core/limits.js';
import type { Engine } from '../../src/core/verdict.js';

export type MysqlEngine = Extract<Engine, 'mysql' | 'mariadb'>;

/** Databases of the products themselves; the first two are found under names of any case. */
export const systemSchemas = ['information_schema', 'performance_schema', 'mysql', 'sys'] as const;

const systemList = systemSchemas.map((name) => `'${name}'`).join(', ');
/** A folder among the databases' that is none of theirs, such as lost+found, shows under such a name. */
const ofUsers = (column: string): string =>
  `${column} not in (${systemList}) and ${column} not like '#mysql50#%'`;

const maxTextLength = 2_000;
const shortened = (column: string): string =>
  `if(char_length(${column}) > ${maxTextLength}, sha2(${column}, 256), ${column})`;

/** Product, name case, sql_mode of sessions to come. */
export const selectServer = 'select version(), @@lower_case_table_names, @@global.sql_mode';

/** Settings of the session that what follows depends on; each is there on every version of its product. */
export function sessionSettings(engine: MysqlEngine): readonly string[] {
  const timeoutMs = limits.catalogStatementTimeoutMs;
  const common = `sql_mode = '', sql_select_limit = default, lock_wait_timeout = ${Math.ceil(timeoutMs / 1000)}`;
  const own =
    engine === 'mysql'
      ? `max_execution_time = ${timeoutMs}, information_schema_stats_expiry = 0`
      : `max_statement_time = ${timeoutMs / 1000}`;
  return [`set session ${common}, ${own}`, 'set session transaction read only'];
}

export const countTables = `select count(*) from information_schema.tables where ${ofUsers('table_schema')}`;

/** schema, name, type (`BASE TABLE`, `VIEW`, `SEQUENCE`, …), storage engine. */
export const selectTables = `
  select table_schema, table_name, table_type, engine
    from information_schema.tables
   where ${ofUsers('table_schema')}`;

/**
 * schema, table, place, name, type, nullable (`YES`), whether it has a default, extra, generation expression, collation,
 * spatial reference system (null on MariaDB).
 */
export function selectColumns(engine: MysqlEngine): string {
  return `
  select table_schema, table_name, ordinal_position, column_name, ${shortened('column_type')}, is_nullable,
         column_default is not null, extra, ${shortened('generation_expression')}, collation_name,
         ${engine === 'mysql' ? 'srs_id' : 'null'}
    from information_schema.columns
   where ${ofUsers('table_schema')}`;
}

/** schema, table, index, place in it, column (null: an expression), length of a prefix, expression (null on MariaDB). */
export function selectUniqueKeys(engine: MysqlEngine): string {
  return `
  select table_schema, table_name, index_name, seq_in_index, column_name, sub_part,
         ${engine === 'mysql' ? shortened('expression') : 'null'}
    from information_schema.statistics
   where non_unique = 0 and ${ofUsers('table_schema')}`;
}

/** schema, table, constraint, place in it, column, referenced schema, table and column. */
export const selectForeignKeys = `
  select table_schema, table_name, constraint_name, ordinal_position, column_name,
         referenced_table_schema, referenced_table_name, referenced_column_name
    from information_schema.key_column_usage
   where referenced_table_name is not null and ${ofUsers('table_schema')}`;

/** schema, table, constraint, action on delete, on update. */
export const selectReferentialActions = `
  select constraint_schema, table_name, constraint_name, delete_rule, update_rule
    from information_schema.referential_constraints
   where ${ofUsers('constraint_schema')}`;

/** schema, constraint, clause: all there is on MySQL, where the name of a check is one to a database. */
export const selectCheckClauses = `
  select constraint_schema, constraint_name, ${shortened('check_clause')}
    from information_schema.check_constraints
   where ${ofUsers('constraint_schema')}`;

/** schema, table, constraint, clause (null on MySQL, which takes minutes to join the two), whether enforced (`YES`). */
export function selectChecks(engine: MysqlEngine): string {
  return engine === 'mariadb'
    ? `
  select constraint_schema, table_name, constraint_name, ${shortened('check_clause')}, 'YES'
    from information_schema.check_constraints
   where ${ofUsers('constraint_schema')}`
    : `
  select table_schema, table_name, constraint_name, null, enforced
    from information_schema.table_constraints
   where constraint_type = 'CHECK' and ${ofUsers('table_schema')}`;
}

/**
 * schema, table, trigger, time, event, place among those of the same, sql_mode it was made under, hash of its body,
 * which on MySQL ends in the semicolon of the text it came in.
 */
export const selectTriggers = `
  select event_object_schema, event_object_table, trigger_name, action_timing, event_manipulation, action_order,
         sql_mode, sha2(rtrim(trim(trailing ';' from rtrim(action_statement))), 256)
    from information_schema.triggers
   where ${ofUsers('trigger_schema')}`;

/** One declared name a row: databases, routines. */
export const selectOtherNames = `
  select schema_name from information_schema.schemata where ${ofUsers('schema_name')}
   union select routine_name from information_schema.routines where ${ofUsers('routine_schema')}`;

/** Apart, because a server whose tables of events are damaged answers with an error. */
export const selectEvents = `
  select event_name from information_schema.events where ${ofUsers('event_schema')}`;

/** What the session may do, privileges of its roles among it. */
export const showGrants = 'show grants';
