/** Habits of other databases in statements that are neither queries nor changes nor definitions. */
import { both, each, type Habit } from './habit.js';

const onlyTables =
  'Write SHOW TABLES, SHOW COLUMNS FROM t or SHOW CREATE TABLE t: commands with a backslash belong to psql.';

export const commands: readonly Habit[] = [
  both(
    null,
    /^show (?:index|indexes|keys|columns|fields) (?!from\b|in\b)\S+$/,
    'Write SHOW INDEX FROM t and SHOW COLUMNS FROM t.',
  ),
  both(
    null,
    /^show tables (?:in|from) (?:schema|database) \S+/,
    'Write SHOW TABLES FROM name, without SCHEMA.',
  ),
  both(null, /^show \S+ like [^?]/, 'LIKE takes a text in quotes.'),
  both(null, /^explain query plan\b/, 'Write EXPLAIN SELECT ..., without QUERY PLAN.'),
  both(null, /^\./, onlyTables.replace(/:.*$/, ' instead of commands with a dot.')),
  both(null, /^use (?:database|schema) \S+/, 'Write USE name, without DATABASE.'),
  both(
    null,
    /^set (?:session |global |local )?(?!names\b|transaction\b|character\b|charset\b|password\b|role\b|default\b|statement\b|session\b|global\b|resource\b)[a-z_]\w* (?:on|off|true|false|to|\?)(?: |$)/,
    'Write SET name = value, with =.',
  ),
  both(/^deferrable$|^not$/, /\bdeferrable\b/, 'Leave DEFERRABLE out: constraints are checked at once.'),
  each(
    /^(?:if|while|begin|select|print)$/,
    /^(?:if|while)\b/,
    'IF and WHILE stand in the body of a routine only: CREATE PROCEDURE p() BEGIN IF ... THEN ...; END IF; END.',
    'Write IF ... THEN ...; END IF, and WHILE ... DO ...; END WHILE.',
  ),
  both(
    null,
    /^(?:grant|revoke)\b.* on (?:database|schema) \S+/,
    'Privileges are granted ON database.* or ON database.table, without DATABASE and SCHEMA.',
  ),
  both(null, /^(?:create|alter) user \S+ identified \?/, 'Write IDENTIFIED BY.'),
  both(
    /^tran(?:saction)?$|^work$/,
    /^(?:commit|rollback|end) (?:tran(?:saction)?|work)\b/,
    'Write COMMIT or ROLLBACK alone.',
  ),
  both(
    /^(?:tran|deferred|immediate|exclusive|isolation|read)$/,
    /^begin (?:tran|deferred|immediate|exclusive|read)\b/,
    'Write START TRANSACTION, or BEGIN alone.',
  ),
  both(/^(?:end|abort)$/, /^(?:end|abort)$/, 'Write COMMIT or ROLLBACK.'),
  both(
    null,
    /\bisolation level (?!(?:read (?:un)?committed|repeatable read|serializable)\b)/,
    'The levels are READ UNCOMMITTED, READ COMMITTED, REPEATABLE READ and SERIALIZABLE, each of plain words.',
  ),
  both(
    /^delimiter$/,
    /^delimiter\b/,
    'DELIMITER is a command of the command-line client: send the body of the routine as one statement, without it.',
  ),
  both(/^transaction$/, /^begin transaction\b/, 'Write START TRANSACTION, or BEGIN alone.'),
  both(
    /^isolation$/,
    /^(?:begin|start transaction) isolation\b/,
    'Write SET TRANSACTION ISOLATION LEVEL ... first, then START TRANSACTION.',
  ),
  both(null, /^release (?!savepoint)/, 'Write RELEASE SAVEPOINT name.'),
  both(null, /^\\/, onlyTables),
  each(
    /^analyze$|^\($/,
    /^explain \(|^explain analyze\b/,
    'Write EXPLAIN ANALYZE SELECT ..., or EXPLAIN FORMAT=JSON, without brackets.',
    'Write ANALYZE SELECT ..., or ANALYZE FORMAT=JSON SELECT ..., instead of EXPLAIN ANALYZE.',
  ),
  both(
    /^(?:vacuum|reindex|cluster)$/,
    /^(?:vacuum|reindex|cluster)\b/,
    'Write OPTIMIZE TABLE t, or ANALYZE TABLE t for statistics.',
  ),
  both(
    null,
    /^analyze (?!table|local|no_write|format|select|update|insert|delete)/,
    'Write ANALYZE TABLE t.',
  ),
  both(
    /^copy$/,
    /^copy\b/,
    'Write LOAD DATA LOCAL INFILE ... INTO TABLE t, or INSERT with many rows, instead of COPY.',
  ),
  both(
    /^(?:listen|notify|unlisten)$/,
    /^(?:listen|notify|unlisten)\b/,
    'There is no LISTEN and NOTIFY: poll a table.',
  ),
  both(/^pragma$/, /^pragma\b/, onlyTables.replace(/:.*$/, ' instead of PRAGMA.')),
  both(/^(?:exec|execute)$/, /^exec(?:ute)? \S+ /, 'Write CALL procedure(...) instead of EXEC.'),
  both(null, /^call \S+ (?!\()/, 'Write CALL procedure(...), with the arguments in brackets.'),
  both(/^print$/, /^print\b/, 'Write SELECT instead of PRINT.'),
  both(/^declare$/, /^declare\b/, 'DECLARE is for the start of a routine: outside write SET @name = value.'),
  both(/^go$/, /(?:^| )go$/, 'End statements with a semicolon instead of GO.'),
  both(
    null,
    /^do \?|\$\$/,
    'There are no DO blocks and no $$ quotes: CREATE PROCEDURE p() BEGIN ... END, then CALL it.',
  ),
  both(
    null,
    /^show (?:all|search_path|server_version|timezone|transaction isolation level)\b/,
    'SHOW VARIABLES LIKE a name shows settings, SELECT DATABASE() the database.',
  ),
  both(null, /^lock tables? (?!.*\b(?:read|write)\b)/, 'Write LOCK TABLES t READ, or WRITE, for each table.'),
  both(null, /^set session authorization\b/, 'A session keeps its account: log in as the other one.'),
  each(/^table$/, /^(?:desc(?:ribe)?|explain) table\b/, null, 'Write DESCRIBE t, without TABLE.'),
  each(
    null,
    /\bnextval \( \?/,
    null,
    'NEXTVAL(s) takes the name of the sequence without quotes, as NEXT VALUE FOR s does.',
  ),
];
