/** Habits of other databases in definitions of tables, columns and indexes. */
import { both, each, type Habit } from './habit.js';

const autoIncrement = 'Write BIGINT AUTO_INCREMENT PRIMARY KEY.';
const typeWord =
  '(?:(?:big|small|tiny)?int|integer|varchar|char|text|date|datetime|timestamp|decimal|boolean|json|float|double)';

/** Before those of any statement: their words mean other things there. */
const indexes: readonly Habit[] = [
  both(
    /^concurrently$|^[a-z_]\w*$/,
    /^create (?:unique )?index concurrently\b/,
    'Leave CONCURRENTLY out: reads and writes go on meanwhile as far as the server can.',
  ),
  both(/^where$/, /^create (?:\S+ )*?index\b/, 'An index has no WHERE: index the whole column.'),
  both(
    /^(?:include|\()$/,
    /^create (?:\S+ )*?index\b.* include \(/,
    'An index has no INCLUDE: add the columns at the end of the key.',
  ),
  both(/^nulls$/, /^create (?:\S+ )*?index\b/, 'Leave NULLS FIRST and NULLS LAST out of an index.'),
  both(
    /^(?:using|gin|gist|brin)$/,
    /\busing (?:gin|gist|brin)\b/,
    'Leave USING out: indexes are trees here; FULLTEXT and SPATIAL are kinds of their own.',
  ),
  each(
    null,
    /^create (?:unique )?index \S+ on \S+ \( [a-z_]\w* \( (?!\? \))/,
    'An expression in a key has brackets of its own: CREATE INDEX k ON t ((LOWER(c))), from 8.0.13 on.',
    'A key takes no expressions: add a column GENERATED ALWAYS AS (LOWER(c)), and index that.',
  ),
];

const tables: readonly Habit[] = [
  both(
    null,
    /\bcheck (?!\()[a-z_]\w* (?:[<>=!]|in\b|between\b|is\b|like\b)/,
    'CHECK has brackets around its condition: CHECK (price > 0).',
  ),
  both(
    null,
    new RegExp(`^alter table \\S+ add (?:column )?[a-z_]\\w* .* , [a-z_]\\w* ${typeWord}\\b`),
    'Write ADD before each column: ADD a INT, ADD b INT.',
  ),
  both(null, /\bauto increment\b/, 'Write AUTO_INCREMENT, as one word.'),
  both(
    /^foreign$/,
    /^(?:create|alter) .*\b(?!constraint )[a-z_]\w* foreign key references\b/,
    'Write FOREIGN KEY (c) REFERENCES t (id) behind the columns, as a part of its own.',
  ),
  both(
    /^(?:inherits|partition|of|with|\()$/,
    /^create table .*(?:\) inherits \(|\) with \(|^create table \S+ partition of\b)/,
    'Leave INHERITS, PARTITION OF and WITH (...) out: partitions are declared in the table by PARTITION BY.',
  ),
  both(
    /^cascade$|^constraints?$/,
    /^(?:drop|truncate)\b.* cascade\b/,
    'Leave CASCADE out: drop or empty what depends on it first, each by its own statement.',
  ),
  both(null, /^drop trigger (?:if exists )?\S+ on\b/, 'Write DROP TRIGGER name, without ON.'),
  both(/^\($/, /^drop (?:function|procedure)\b/, 'Write DROP FUNCTION or PROCEDURE name, without brackets.'),
  both(null, /^rename table \S+ (?!to\b)\S+$/, 'Write RENAME TABLE a TO b.'),
  both(
    null,
    /^create (?:temporary )?table$/,
    'A # begins a comment here: write CREATE TEMPORARY TABLE t (...), without it.',
  ),
];

const columns: readonly Habit[] = [
  both(/^(?:identity|generated|always)$/, /\bas identity\b/, autoIncrement),
  both(null, /\bidentity \( \d+ , \d+ \)|\bidentity \( \? , \? \)/, autoIncrement),
  both(null, /\bautoincrement\b/, autoIncrement),
  both(
    /^(?:type|data)$/,
    /\balter (?:column )?\S+ (?:set data )?type\b/,
    'Write ALTER TABLE t MODIFY c type, with NOT NULL and the default once more.',
  ),
  both(
    /^(?:not|null)$/,
    /\b(?:alter|modify) (?:column )?\S+ (?:set|drop) not null\b/,
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

export const definitions: readonly Habit[] = [...indexes, ...tables, ...columns];
