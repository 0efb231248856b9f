/** Functions and words of other databases, and what MySQL and MariaDB have in their place. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { isMariadb } from './product.js';

/** What to write instead: one text for both products, or one each. */
type Instead = string | readonly [mysql: string, mariadb: string];

const ifNull = 'IFNULL(x, y), or x IS NULL where it is a test';
const now = 'NOW()';
const addDate = 'DATE_ADD(x, INTERVAL 1 DAY)';
const aggregate = 'GROUP_CONCAT(x ORDER BY x SEPARATOR delimiter)';
const json = 'JSON_OBJECT(key, value, ...)';
const jsonList = 'JSON_ARRAYAGG(x)';
const format = 'DATE_FORMAT(x, format), or CAST(x AS CHAR) for a number';
const parse = 'STR_TO_DATE(text, format)';
const newUuid = 'UUID()';
const cast = 'CAST(x AS SIGNED), DECIMAL(10, 2), CHAR or DATETIME';
const newKey = 'LAST_INSERT_ID()';
const numbers: Instead = [
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)',
  'SELECT seq FROM seq_1_to_10',
];
const lastOf: Instead = [
  'a table with an AUTO_INCREMENT column, and LAST_INSERT_ID()',
  'NEXT VALUE FOR s or NEXTVAL(s), with the name of the sequence not in quotes',
];

function all(names: string, instead: Instead): readonly (readonly [string, Instead])[] {
  return names.split(' ').map((name) => [name, instead] as const);
}

const functions: ReadonlyMap<string, Instead> = new Map([
  ...all('nvl isnull', ifNull),
  ...all('getdate getutcdate sysdatetime systimestamp clock_timestamp statement_timestamp', now),
  ...all('dateadd make_interval', addDate),
  ...all('string_agg listagg wm_concat array_to_string', aggregate),
  ...all('array_agg json_agg jsonb_agg', jsonList),
  ...all('json_build_object jsonb_build_object json_object_agg to_json to_jsonb row_to_json', json),
  ...all(
    'jsonb_array_elements json_array_elements jsonb_each json_each unnest openjson',
    'JSON_TABLE(doc, path COLUMNS (...)) AS t',
  ),
  ...all(
    'json_extract_path json_extract_path_text jsonb_path_query',
    'JSON_EXTRACT(doc, path), with JSON_UNQUOTE around it for text',
  ),
  ...all('to_char datename strftime format_date', format),
  ...all('to_date to_timestamp to_number parse_date', parse),
  ...all('gen_random_uuid newid uuid_generate_v4 sys_guid', newUuid),
  ...all('strpos charindex position', 'LOCATE(part, text), which takes the part first'),
  ...all('try_convert try_cast', cast),
  ...all('scope_identity currval lastval last_insert_rowid', newKey),
  ...all('generate_series', numbers),
  ...all('nextval setval', lastOf),
  ...all('jsonb_set jsonb_insert', 'JSON_SET(doc, path, value), with a path such as $.a in quotes'),
  ...all('json_build_array jsonb_build_array', 'JSON_ARRAY(x, y)'),
  ...all('json_object_keys jsonb_object_keys', 'JSON_KEYS(doc)'),
  ...all('json_typeof jsonb_typeof', 'JSON_TYPE(doc)'),
  ...all('btrim', 'TRIM(x)'),
  ...all('chr', 'CHAR(n USING utf8mb4)'),
  ...all('add_months', 'DATE_ADD(x, INTERVAL n MONTH)'),
  ...all('months_between', 'TIMESTAMPDIFF(MONTH, a, b)'),
  ...all('date_diff', 'DATEDIFF(a, b) for days, TIMESTAMPDIFF(unit, from, to) for others'),
  ...all('julianday', 'TO_DAYS(x)'),
  ...all('eomonth', 'LAST_DAY(x)'),
  ...all('datefromparts make_date', 'STR_TO_DATE(CONCAT_WS(delimiter, y, m, d), format)'),
  ...all(
    'string_split string_to_array regexp_split_to_table',
    'JSON_TABLE(doc, path COLUMNS (...)) AS t over a JSON array',
  ),
  ...all('rollup', 'GROUP BY a, b WITH ROLLUP'),
  ...all('cube', 'a UNION ALL of several GROUP BY ... WITH ROLLUP'),
  ...all('countif count_if', 'SUM(condition)'),
  ...all('len', 'CHAR_LENGTH(x)'),
  ...all('datalength octet_count', 'LENGTH(x), which counts bytes'),
  ...all('iif', 'IF(x, y, z) or CASE'),
  ...all('decode', 'CASE x WHEN a THEN b ELSE c END'),
  ...all('random', 'RAND()'),
  ...all(
    'date_trunc trunc',
    'DATE(x) for the day, DATE_FORMAT(x, format) for others; TRUNCATE(x, n) for numbers',
  ),
  ...all('date_part datepart', 'EXTRACT(YEAR FROM x), or MONTH, DAY, HOUR and so on'),
  ...all('split_part', 'SUBSTRING_INDEX(SUBSTRING_INDEX(x, delimiter, n), delimiter, -1)'),
  ...all('age', 'TIMESTAMPDIFF(DAY, a, b)'),
  ...all('initcap', 'CONCAT(UPPER(LEFT(x, 1)), LOWER(SUBSTRING(x, 2)))'),
  ...all('replicate', 'REPEAT(x, n)'),
  ...all('stuff', 'INSERT(text, position, length, new)'),
  ...all('bool_and every', 'MIN(x)'),
  ...all('bool_or', 'MAX(x)'),
  ...all('median percentile_cont percentile_disc', [
    'a subquery with ROW_NUMBER() OVER (ORDER BY x) that picks the middle row',
    'MEDIAN(x) OVER ()',
  ]),
  ...all('any_value', 'MIN(x), which is one of the values'),
  ...all('current_database db_name', 'DATABASE()'),
  ...all('top', 'LIMIT n at the end'),
  ...all('md5', ['SHA2(x, 256)', 'MD5(x)']),
  ...all('uuid_to_bin', [
    'UUID_TO_BIN(x)',
    'UNHEX(REPLACE(x, dash, empty text)), or a column of type UUID (10.7 on)',
  ]),
  ...all('regexp_matches regexp_match', 'REGEXP_SUBSTR(text, pattern)'),
  ...all('json_array_length jsonb_array_length', 'JSON_LENGTH(doc)'),
  ...all('pg_sleep', 'SLEEP(seconds)'),
  ...all('quote_literal', 'QUOTE(x)'),
  ...all('changes', 'ROW_COUNT()'),
]);

/** Words without brackets that other databases read as functions or columns of their own. */
const bareWords: ReadonlyMap<string, string> = new Map([
  ['rownum', 'LIMIT n, or ROW_NUMBER() OVER (ORDER BY key)'],
  ['rowid', 'the primary key'],
  ['ctid', 'the primary key'],
  ['sysdate', now],
  ['systimestamp', now],
  ['getdate', now],
  ['now', 'NOW(), with its brackets'],
  ['excluded', 'VALUES(column)'],
]);

/** What the product has for a function that is not there under this name (1305); null where nothing is known. */
export function foreignFunction(name: string, input: TemplateInput): string | null {
  const instead = functions.get(name.toLowerCase());
  if (instead === undefined) return null;
  const text = typeof instead === 'string' ? instead : instead[isMariadb(input) ? 1 : 0];
  return `There is no such function here: write ${text}.`;
}

/** The same for a column that is not there (1054): a word that is read as one elsewhere. */
export function foreignWord(name: string): string | null {
  const instead = bareWords.get(name.toLowerCase());
  return instead === undefined ? null : `There is no such word here: write ${instead}.`;
}

/** Functions that are there and take other arguments than they do elsewhere (1582). */
export function foreignArguments(name: string): string | null {
  switch (name.toLowerCase()) {
    case 'isnull':
      return 'ISNULL(x) is a test with one argument: write IFNULL(x, y) for a replacement.';
    case 'datediff':
      return 'DATEDIFF(a, b) takes two dates and gives days: write TIMESTAMPDIFF(unit, from, to) for other units.';
    case 'ifnull':
    case 'nullif':
      return 'IFNULL and NULLIF take two arguments: write COALESCE(x, y, ...) for more.';
    case 'log':
      return 'LOG takes a number, or the base first and the number second.';
    case 'json_object':
      return 'JSON_OBJECT takes a key and a value each: give both for every pair.';
    default:
      return null;
  }
}
