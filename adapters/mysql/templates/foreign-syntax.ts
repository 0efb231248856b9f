/**
 * Habits of other databases, and of the other of the two products, told by the word at which the server stops reading
 * and by the form of the statement: most of these words are also names that anyone may use.
 */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { isMariadb } from './product.js';

interface Habit {
  /** The word the error points at; null where it points at a text, at several things or at the end. */
  readonly token: RegExp | null;
  /** What the canonical statement must be like. */
  readonly shape: RegExp;
  /** Null: this product takes it. */
  readonly mysql: string | null;
  readonly mariadb: string | null;
}

const anywhere = /(?:)/;

function both(token: RegExp | null, shape: RegExp, advice: string): Habit {
  return { token, shape, mysql: advice, mariadb: advice };
}

function each(token: RegExp | null, shape: RegExp, mysql: string | null, mariadb: string | null): Habit {
  return { token, shape, mysql, mariadb };
}

const autoIncrement = 'Write BIGINT AUTO_INCREMENT PRIMARY KEY.';
const noReturning = 'There is no RETURNING: LAST_INSERT_ID() gives a new id, and a SELECT by key the rest.';
const upsert = [
  'Write INSERT ... VALUES (...) AS new ON DUPLICATE KEY UPDATE c = new.c; to keep the old row set a column to itself there.',
  'Write INSERT ... VALUES (...) ON DUPLICATE KEY UPDATE c = VALUES(c); to keep the old row set a column to itself there.',
] as const;
export const fullJoin =
  'There is no FULL JOIN: write LEFT JOIN, UNION ALL, and RIGHT JOIN with WHERE the key of the left table IS NULL.';
export const noQualify =
  'Instead of QUALIFY write SELECT * FROM (SELECT t.*, ROW_NUMBER() OVER (...) AS rn FROM t) AS x WHERE rn = 1.';
export const triggerBody =
  'Write the body itself behind FOR EACH ROW: one statement, as SET NEW.c = value, or BEGIN ... END; there are no trigger functions.';
const onlyTables =
  'Write SHOW TABLES, SHOW COLUMNS FROM t or SHOW CREATE TABLE t: commands with a backslash belong to psql.';

const changes: readonly Habit[] = [
  each(
    /^as$/,
    /^insert\b.* as \w+ (?:\( [^()]* \) )?on duplicate key update\b/,
    null,
    'Write ON DUPLICATE KEY UPDATE c = VALUES(c): the new row takes no alias here.',
  ),
  both(
    /^or$/,
    /^(?:insert|update) or\b/,
    'Write REPLACE INTO for INSERT OR REPLACE; to keep a row that is there, INSERT ... ON DUPLICATE KEY UPDATE id = id.',
  ),
  both(
    null,
    /^delete from \S+ (?:(?:as )?[a-z_]\w* )??(?:,|(?:(?:inner|cross|left|right|outer|natural) )*join\b)/i,
    'Write DELETE a FROM a JOIN b ON ... WHERE ...: DELETE names the tables, or their aliases, that lose rows.',
  ),
  each(/^(?:conflict|on)$/, /\bon conflict\b/, ...upsert),
  each(/^merge$/, /^merge\b/, ...upsert),
  each(/^upsert$/, /^upsert\b/, ...upsert),
  each(
    /^returning$/,
    /^update\b/,
    noReturning,
    'RETURNING is for INSERT, REPLACE and DELETE here: SELECT the row by its key after an UPDATE.',
  ),
  each(/^returning$/, /\breturning\b/, noReturning, null),
  both(/^default$/, /^insert into \S+ default values\b/, 'Write INSERT INTO t () VALUES ().'),
  both(
    /^from$/,
    /^update (?:(?! set ).)* set .* from /,
    'Write UPDATE a JOIN b ON a.key = b.key SET a.x = b.x WHERE ... instead of UPDATE ... FROM.',
  ),
  both(
    /^insert$/,
    /^with\b/,
    'Write INSERT INTO t WITH x AS (...) SELECT ...: WITH stands before the SELECT.',
  ),
  each(
    /^(?:update|delete)$/,
    /^with\b/,
    null,
    'WITH does not stand before UPDATE and DELETE here: join a derived table, UPDATE t JOIN (SELECT ...) AS x ON ... SET ...',
  ),
  both(/^where$/, /^delete (?!from )/, 'Write DELETE FROM t WHERE ...'),
  both(null, /^delete \* from\b/, 'Write DELETE FROM t WHERE ..., without the star.'),
  each(
    null,
    /^delete from \S+ (?:as )?\w+ where\b/,
    null,
    'DELETE of one table takes no alias here: write the name of the table, or DELETE a FROM t AS a WHERE ...',
  ),
  both(/^=$/, /^update \S+ (?!set )(?:(?! set ).)*$/, 'Write UPDATE t SET column = value: SET is missing.'),
  both(null, /^truncate table \S+ ,/, 'TRUNCATE takes one table: send one statement for each.'),
  both(
    /^restart$/,
    /^truncate\b/,
    'TRUNCATE starts AUTO_INCREMENT anew by itself: leave RESTART IDENTITY out.',
  ),
  both(
    null,
    /\bin \( \)/,
    'IN takes no empty list: leave the condition out, or write IN (NULL), which is true for no row.',
  ),
];

const plainCount =
  'LIMIT and OFFSET take plain numbers: compute the number before, or bind it to ? as an integer.';
const noMedian =
  'MEDIAN and PERCENTILE_CONT are window functions: write SELECT DISTINCT MEDIAN(x) OVER () FROM t, or OVER (PARTITION BY key).';

const queries: readonly Habit[] = [
  both(null, /\b(?:limit|offset) (?:\? , |\? offset )?(?:@\S|\(|\? [-+*/%] )/, plainCount),
  both(
    /^(?:microseconds|seconds|minutes|hours|days|weeks|months|quarters|years)$/,
    /\binterval\b|\b(?:timestampdiff|timestampadd|extract|date_add|date_sub|adddate|subdate) \(/,
    'Units are in the singular: INTERVAL 7 DAY, TIMESTAMPDIFF(MONTH, a, b), EXTRACT(YEAR FROM x).',
  ),
  both(
    null,
    /\bdate_(?:add|sub) \((?!.*\binterval\b)/,
    'Write DATE_ADD(x, INTERVAL 7 DAY) or DATE_SUB(x, INTERVAL 7 DAY), with INTERVAL and a unit.',
  ),
  each(null, /\bqualify\b/, null, noQualify),
  each(
    /^json$/,
    /\b(?:cast \(.* as|convert \(.* ,) json \)/,
    null,
    'There is no CAST to JSON here, where JSON is text: leave the CAST out, or write JSON_COMPACT(x) for a part of JSON_OBJECT or JSON_ARRAY.',
  ),
  each(
    /^\)$/,
    /\bcast \(.* as (?:var)?char(?:acter)? ?(?:varying )?\)|\bcast \(.* as n?varchar \)/,
    null,
    'VARCHAR needs a length in CAST: write CAST(x AS CHAR), or CAST(x AS VARCHAR(255)).',
  ),
  each(null, /\b(?:median|percentile_cont|percentile_disc) \((?!.*\bover\b)/, null, noMedian),
  each(
    null,
    /\bwithin group \(/,
    'There is no WITHIN GROUP: GROUP_CONCAT(x ORDER BY x) makes a list; for a median number the rows with ROW_NUMBER() OVER (ORDER BY x) and pick the middle.',
    'WITHIN GROUP is for PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) OVER (); a list is GROUP_CONCAT(x ORDER BY x).',
  ),
  both(null, /= (?:any|some|all) \( (?!select\b|with\b|\()/, 'ANY takes a subquery: write x IN (a, b, c).'),
  both(null, /\brandom \( \)/, 'Write RAND() instead of RANDOM().'),
  both(null, /::/, 'Write CAST(x AS CHAR), SIGNED, DECIMAL(10, 2), DATE or DATETIME instead of x::type.'),
  both(/^(?:full|outer|join)$/, /\bfull (?:outer )?join\b/, fullJoin),
  both(
    /^ilike$/,
    /\bilike\b/,
    'Write LIKE: with the default collation it compares without case. Else LOWER(x) LIKE LOWER(y).',
  ),
  both(/^similar$/, /\bsimilar to\b/, 'Write x REGEXP pattern instead of SIMILAR TO.'),
  both(/^[!~*]+$/, /~/, 'Write x REGEXP pattern, or NOT REGEXP, instead of ~.'),
  both(/^all$/, /\blimit all\b/, 'Leave LIMIT ALL out.'),
  both(
    null,
    /(?<!\blimit \? )\boffset \?(?! \S* ?rows?\b)/,
    'OFFSET needs a LIMIT before it: LIMIT 18446744073709551615 OFFSET n for all rows.',
  ),
  each(
    /^(?:offset|fetch)$/,
    /\bfetch (?:first|next)\b/,
    'Write LIMIT n OFFSET m at the end instead of FETCH.',
    null,
  ),
  both(
    /^nulls$/,
    /\bnulls (?:first|last)\b/,
    'Write ORDER BY x IS NULL, x for NULLs last: here they come first by themselves.',
  ),
  both(
    /^on$/,
    /\bdistinct on \(/,
    'Write ROW_NUMBER() OVER (PARTITION BY key ORDER BY ...) in a subquery and keep 1, instead of DISTINCT ON.',
  ),
  both(null, /\bselect (?:distinct |all )?top (?:\?|\( \? \))/, 'Write LIMIT n at the end instead of TOP n.'),
  both(/^\[$/, /\[ [a-z_]\w* \]/i, 'Names that need quotes go in backticks, not in square brackets.'),
  both(
    /^(?:\[|array)$/,
    /\barray \[/,
    'There are no arrays: use JSON_ARRAY(...), JSON_TABLE, or a table of their own.',
  ),
  both(
    null,
    /\bfilter \( where\b/,
    'Write SUM(CASE WHEN condition THEN 1 ELSE 0 END) instead of FILTER (WHERE condition).',
  ),
  both(
    /^distinct$/,
    /\bis (?:not )?distinct from\b/,
    'Write x <=> y for IS NOT DISTINCT FROM, and NOT x <=> y for IS DISTINCT FROM.',
  ),
  both(/^(?:time|zone)$/, /\bat time zone\b/, 'Write CONVERT_TZ(x, from, to) instead of AT TIME ZONE.'),
  both(
    /^epoch$/,
    /\bextract \( epoch\b/,
    'Write UNIX_TIMESTAMP(x), or TIMESTAMPDIFF(SECOND, a, b), instead of EXTRACT(EPOCH FROM x).',
  ),
  both(
    null,
    /\binterval \?(?! (?:microsecond|second|minute|hour|day|week|month|quarter|year))/,
    'Write INTERVAL 7 DAY: the number and the unit are not one text.',
  ),
  each(
    null,
    / ->>? \?/,
    null,
    'There are no -> and ->> here: write JSON_VALUE(doc, path) for a value, JSON_EXTRACT(doc, path) for JSON.',
  ),
  each(
    /^>+$/,
    / - >|->/,
    null,
    'There are no -> and ->> here: write JSON_VALUE(doc, path) for a value, JSON_EXTRACT(doc, path) for JSON.',
  ),
  both(null, / @ > /, 'Write JSON_CONTAINS(doc, part) instead of @>.'),
  both(/^=+$/, / = = /, 'Equality is written = and not ==.'),
  each(
    /^(?:share|of)$/,
    /\bfor (?:share|update of)\b/,
    null,
    'Write LOCK IN SHARE MODE for FOR SHARE, and FOR UPDATE without OF.',
  ),
  each(
    /^wait$/,
    /\bfor update wait\b/,
    'Write FOR UPDATE NOWAIT, or SET innodb_lock_wait_timeout: there is no WAIT n.',
    null,
  ),
  both(
    /^(?:no|key)$/,
    /\bfor (?:no )?key\b/,
    'Write FOR UPDATE or FOR SHARE: there are no weaker row locks.',
  ),
  each(
    null,
    /\blateral \(/,
    null,
    'There is no LATERAL here: write a subquery for one column, or join a derived table with GROUP BY or ROW_NUMBER().',
  ),
  both(
    /^minus$|^select$/,
    /\bminus select\b/,
    'Write EXCEPT instead of MINUS; in MySQL it is there from 8.0.31 on.',
  ),
  each(
    /^(?:except|intersect)$/,
    anywhere,
    'EXCEPT and INTERSECT are there from MySQL 8.0.31 on: write NOT EXISTS or EXISTS with a subquery.',
    null,
  ),
  both(
    /^\($/,
    /\b(?:generate_series|unnest) \(/,
    'A function gives no rows here: use JSON_TABLE(...), or WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10).',
  ),
  both(/^with$/, /\bwith \( nolock \)/, 'Leave WITH (NOLOCK) out: reads take no locks here.'),
  both(
    /^(?:try_cast|int|integer|text|varchar|bigint|string|float|boolean|as)$/,
    /\btry_cast \(/,
    'Write CAST(x AS SIGNED), DECIMAL(10, 2), CHAR or DATETIME: there is no TRY_CAST.',
  ),
  both(
    /^(?:int\d?|integer|(?:big|small|tiny)int|n?varchar|(?:long|medium|tiny)?text|string|bool(?:ean)?|bit|timestamp|timestamptz|numeric|number|money|varchar2|uuid|jsonb|blob)$/,
    /\b(?:cast|convert) \(/,
    'CAST takes SIGNED, UNSIGNED, DECIMAL(10, 2), CHAR, BINARY, DATE, DATETIME, TIME and DOUBLE: CAST(x AS SIGNED) for integers, AS CHAR for texts.',
  ),
  both(
    null,
    /(?<![(,.] )\b(?:order|group) (?!by\b|\()[a-z_]\w*(?: |$)/,
    'Write ORDER BY and GROUP BY, with BY.',
  ),
  both(
    /^(?:from|where|\)|set|values)$/,
    / , (?:from|where|\)|set|values)(?: |$)/,
    'Take the comma out before FROM, WHERE or the closing bracket.',
  ),
];

const definitions: readonly Habit[] = [
  both(/^(?:identity|generated|always)$/, /\bas identity\b/, autoIncrement),
  both(null, /\bidentity \( \d+ , \d+ \)|\bidentity \( \? , \? \)/, autoIncrement),
  both(null, /\bautoincrement\b/, autoIncrement),
  both(
    /^type$/,
    /\balter (?:column )?\S+ type\b/,
    'Write ALTER TABLE t MODIFY c type, with NOT NULL and the default once more.',
  ),
  both(
    /^(?:not|null)$/,
    /\balter (?:column )?\S+ (?:set|drop) not null\b/,
    'Write ALTER TABLE t MODIFY c type NOT NULL, or type NULL, with the whole definition.',
  ),
  each(
    /^(?:if|exists|not)$/,
    /^(?:create|drop) (?:\S+ )*?index if\b/,
    'An index has no IF [NOT] EXISTS here: look with SHOW INDEX FROM t first.',
    null,
  ),
  each(
    /^(?:if|exists|not)$/,
    /^alter table .*\b(?:add|drop|modify|change) (?:column |index |key )?if\b/,
    'ALTER TABLE has no IF [NOT] EXISTS here: look with SHOW COLUMNS or SHOW INDEX first.',
    null,
  ),
  each(
    /^(?:table|procedure|function|trigger|event|user|role|database|schema)$/,
    /^create or replace (?!view)/,
    'OR REPLACE is for views here: DROP ... IF EXISTS first, then CREATE.',
    null,
  ),
  both(/^exist$/, /\bif (?:not )?exist\b/, 'Write IF NOT EXISTS and IF EXISTS, with an s.'),
  both(null, /^drop index \S+$/, 'Write DROP INDEX name ON table.'),
  both(
    /^sequence$/,
    /^(?:create|alter|drop) sequence\b/,
    'There are no sequences in MySQL: use an AUTO_INCREMENT column, or a table with a counter and LAST_INSERT_ID(n + 1).',
  ),
  both(
    /^type$/,
    /^create type\b/,
    'There is no CREATE TYPE: write ENUM of the labels as the type of the column.',
  ),
  both(
    /^domain$/,
    /^create domain\b/,
    'There is no CREATE DOMAIN: write the type and a CHECK at each column.',
  ),
  both(/^extension$/, /^(?:create|drop) extension\b/, 'There are no extensions: leave this out.'),
  both(
    /^materialized$/,
    /\bmaterialized view\b/,
    'There are no materialized views in this form: CREATE TABLE t AS SELECT ..., and fill it anew by an EVENT.',
  ),
  both(/^temp$/, /^create (?:or replace )?temp\b/, 'Write CREATE TEMPORARY TABLE.'),
  both(/^unlogged$/, /^create unlogged\b/, 'Leave UNLOGGED out.'),
  both(
    /^(?:comment|on)$/,
    /^comment on\b/,
    'Write ALTER TABLE t COMMENT = text, and COMMENT text in the definition of a column.',
  ),
  both(/^not$|^valid$/, /\bnot valid\b/, 'Leave NOT VALID out: a constraint is checked when it is added.'),
  both(/^\[$/, /\[ \]/, 'There are no array types: use JSON, or a table of its own.'),
  both(
    /^with$/,
    /\btimestamp (?:\( \d \) )?with(?:out)? time zone\b/,
    'Write DATETIME, or TIMESTAMP, which is kept in UTC: neither takes WITH TIME ZONE.',
  ),
  both(
    null,
    /(?<!\bas |, )\bvarchar(?: (?:,|\)|not|null|default|primary|unique))/,
    'VARCHAR needs a length: VARCHAR(255), or TEXT.',
  ),
  both(/^max$/, /\(\s*max \)/, 'There is no length MAX: write LONGTEXT or LONGBLOB.'),
  both(/^now$/, /\bdefault now\b(?! \()/, 'Write DEFAULT CURRENT_TIMESTAMP, or NOW() with its brackets.'),
  both(
    /^password$/,
    /^(?:create|alter) (?:user|role)\b.*\bpassword\b/,
    'Write IDENTIFIED BY instead of WITH PASSWORD.',
  ),
  each(
    /^identified$/,
    /^grant\b/,
    'GRANT creates no accounts and sets no passwords here: CREATE USER ... IDENTIFIED BY first.',
    null,
  ),
  each(/^\($/, /\bvarchar2 \(/, null, 'There is no VARCHAR2 here: write VARCHAR(255).'),
  each(/^\($/, /\bnumber \(/, null, 'There is no NUMBER here: write DECIMAL(10, 2), INT or BIGINT.'),
];

const commands: readonly Habit[] = [
  both(
    /^(?:function|procedure)$/,
    /\btrigger\b.* for each row execute (?:function|procedure)\b/,
    triggerBody,
  ),
  both(
    /^declare$/,
    /^create\b.*\bbegin\b/,
    'DECLARE stands first in its BEGIN ... END, before any other statement: variables, then cursors, then handlers.',
  ),
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
    /^create (?:or replace )?(?:function|procedure)\b.* as (?:\?|\$\$)/,
    'Write the body itself: CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC BEGIN ... END, without AS, quotes and LANGUAGE.',
  ),
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
  each(/^table$/, /^desc(?:ribe)? table\b/, null, 'Write DESCRIBE t, without TABLE.'),
  each(
    null,
    /\bnextval \( \?/,
    null,
    'NEXTVAL(s) takes the name of the sequence without quotes, as NEXT VALUE FOR s does.',
  ),
];

const placeholders: readonly Habit[] = [
  both(
    null,
    /(?:^|[ (]): \w|%\s?\(?s\b|% s\b/,
    'A placeholder of the client library came through: parameters are ?, and the values must be passed beside the text.',
  ),
];

const habits: readonly Habit[] = [...changes, ...definitions, ...queries, ...commands, ...placeholders];

/** What this product has instead, where the statement is one of another database; else null. */
export function foreignSyntax(token: string, input: TemplateInput): string | null {
  const product = isMariadb(input) ? 'mariadb' : 'mysql';
  const habit = habits.find(
    (one) =>
      one[product] !== null && (one.token === null || one.token.test(token)) && one.shape.test(input.shape),
  );
  return habit?.[product] ?? null;
}
