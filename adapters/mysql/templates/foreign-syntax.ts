/**
 * Habits of other databases, and of the other of the two products, told by the word at which the server stops reading
 * and by the form of the statement: most of these words are also names that anyone may use.
 */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { commands } from './foreign-commands.js';
import { definitions } from './foreign-definitions.js';
import { routineHabits } from './foreign-routines.js';
import { both, each, type Habit } from './habit.js';
import { isMariadb } from './product.js';

const anywhere = /(?:)/;
const noReturning = 'There is no RETURNING: LAST_INSERT_ID() gives a new id, and a SELECT by key the rest.';
const upsert = [
  'Write INSERT ... VALUES (...) AS new ON DUPLICATE KEY UPDATE c = new.c; to keep the old row set a column to itself there.',
  'Write INSERT ... VALUES (...) ON DUPLICATE KEY UPDATE c = VALUES(c); to keep the old row set a column to itself there.',
] as const;
export const fullJoin =
  'There is no FULL JOIN: write LEFT JOIN, UNION ALL, and RIGHT JOIN with WHERE the key of the left table IS NULL.';
export const noQualify =
  'Instead of QUALIFY write SELECT * FROM (SELECT t.*, ROW_NUMBER() OVER (...) AS rn FROM t) AS x WHERE rn = 1.';

const changes: readonly Habit[] = [
  both(
    /^(?:limit|order)$/,
    /^delete (?!from\b)\S+ from\b/,
    'DELETE with a name before FROM takes no ORDER BY and LIMIT: write DELETE FROM t WHERE ... LIMIT n.',
  ),
  each(
    /^output$/,
    /\boutput (?:inserted|deleted)\b/,
    noReturning,
    'Write RETURNING columns at the end instead of OUTPUT.',
  ),
  both(/^set$/, /\bon duplicate key update set\b/, 'Leave SET out behind ON DUPLICATE KEY UPDATE.'),
  both(/^\($/, /\bset \(/, 'SET assigns one column at a time: SET a = 1, b = 2.'),
  both(
    /^(?:all|first)$/,
    /^insert (?:all|first)\b/,
    'Write several rows in one VALUES (...), (...) instead of INSERT ALL.',
  ),
  both(
    null,
    /^(?:update|delete)\b.*\blimit \? (?:,|offset) \?$/,
    'UPDATE and DELETE take LIMIT n alone, without OFFSET.',
  ),
  both(null, /^(?:update|delete) top \(/, 'Write LIMIT n at the end instead of TOP (n).'),
  both(
    /^where$/,
    /^(?:replace|insert)\b(?!.*\bselect\b)/,
    'INSERT and REPLACE of values take no WHERE: UPDATE changes rows that are there.',
  ),
  both(null, /^load data\b.* into (?!table\b)\S+/, 'Write LOAD DATA ... INTO TABLE t.'),
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
  both(
    null,
    /\boffset \S+(?: rows?)? limit\b|\blimit \S+ , offset\b/,
    'Write LIMIT n OFFSET m, in this order and without a comma.',
  ),
  both(
    /^select$/,
    /(?:\b(?:in|exists|any|all|some)|[=<>]) select\b/,
    'A subquery stands in brackets: IN (SELECT ...), EXISTS (SELECT ...).',
  ),
  both(/^\[$/, /\bin \[/, 'Write IN (a, b, c), with round brackets.'),
  both(
    null,
    /\b(?:string_agg|array_agg|json_agg|jsonb_agg|listagg) \(/,
    'Write GROUP_CONCAT(x ORDER BY x SEPARATOR delimiter), or JSON_ARRAYAGG(x), instead of STRING_AGG and the like.',
  ),
  both(/^(?:dow|isodow|doy)$/, /\bextract \(/, 'Write DAYOFWEEK(x), WEEKDAY(x) or DAYOFYEAR(x).'),
  both(
    /^(?:second|minute|hour|day|week|month|year)s?$/,
    /[-+] \? (?:second|minute|hour|day|week|month|year)s?\b/,
    'Write INTERVAL 7 DAY, with INTERVAL before the number and the unit in the singular.',
  ),
  both(
    /^then$/,
    /\bcase (?!when\b)(?:(?!\bwhen\b).)* then\b/,
    'Write CASE WHEN condition THEN ... END, with WHEN.',
  ),
  both(/^\)$/, /\bif \( [^,]* , [^,()]* \)/, 'IF takes three arguments: IF(condition, x, y).'),
  each(
    /^apply$/,
    /\b(?:cross|outer) apply\b/,
    'Write JOIN LATERAL (SELECT ...) AS x ON TRUE instead of APPLY.',
    'There is no APPLY and no LATERAL here: join a derived table with GROUP BY or ROW_NUMBER().',
  ),
  each(
    /^(?:int|integer|text|varchar|bigint)$/,
    /\bjson_value \(.*\breturning\b/,
    'RETURNING takes SIGNED, UNSIGNED, DECIMAL(10, 2), CHAR(20), DATE and the like.',
    null,
  ),
  each(
    /^returning$/,
    /\bjson_value \(/,
    null,
    'JSON_VALUE takes no RETURNING here: write CAST(JSON_VALUE(doc, path) AS SIGNED).',
  ),
  both(
    null,
    /\bconnect by\b|\bstart with\b.*\bprior\b/,
    'Write WITH RECURSIVE x AS (start UNION ALL step) instead of CONNECT BY.',
  ),
  both(
    null,
    /\b(?:un)?pivot \(/,
    'Write SUM(CASE WHEN kind = a THEN 1 ELSE 0 END) for each column instead of PIVOT.',
  ),
  both(
    null,
    /\bgrouping sets \(/,
    'Write GROUP BY a WITH ROLLUP, or a UNION ALL of several GROUP BY, instead of GROUPING SETS.',
  ),
  both(/^all$/, /\bgroup by all\b/, 'Name the columns behind GROUP BY: there is no GROUP BY ALL.'),
  both(null, /\( \+ \)/, 'Write LEFT JOIN ... ON instead of (+).'),
  each(
    /^(?:ignore|respect)$/,
    /\b(?:ignore|respect) nulls\b/,
    'Leave IGNORE NULLS out: filter NULLs in a subquery first.',
    'Leave IGNORE NULLS out: filter NULLs in a subquery first.',
  ),
  both(
    null,
    /\binto$/,
    'A # begins a comment here: write CREATE TEMPORARY TABLE t AS SELECT ..., without it.',
  ),
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
    /^with$/,
    /\bwith \( (?:updlock|rowlock|holdlock|tablock|xlock|readpast)\b/,
    'Write FOR UPDATE at the end, with SKIP LOCKED to pass over locked rows, instead of WITH (UPDLOCK).',
  ),
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

const placeholders: readonly Habit[] = [
  both(
    null,
    /(?:^|[ (]): \w|%\s?\(?s\b|% s\b|[=(,] \$?\s?\{ ?\w+ ?\}/,
    'A placeholder of the client library came through: parameters are ?, and the values must be passed beside the text.',
  ),
];

const habits: readonly Habit[] = [
  ...routineHabits,
  ...changes,
  ...definitions,
  ...queries,
  ...commands,
  ...placeholders,
];

/** What this product has instead, where the statement is one of another database; else null. */
export function foreignSyntax(token: string, input: TemplateInput): string | null {
  const product = isMariadb(input) ? 'mariadb' : 'mysql';
  const habit = habits.find(
    (one) =>
      one[product] !== null && (one.token === null || one.token.test(token)) && one.shape.test(input.shape),
  );
  return habit?.[product] ?? null;
}
