/** Functions of other databases, and what PostgreSQL has in their place. Keys are names as the error gives them. */

const coalesce = 'COALESCE(x, y), or x IS NULL where it is a test';
const now = 'now()';
const addInterval = 'x + make_interval(days => 1)';
const subtractInterval = 'x - make_interval(days => 1)';
const difference = 'CAST(b AS date) - CAST(a AS date) for days, EXTRACT(EPOCH FROM (b - a)) for seconds';
const part = 'EXTRACT(YEAR FROM x), or MONTH, DAY, HOUR and so on';
const position = 'strpos(text, part), which takes the text first and the part second';
const branch = 'CASE WHEN x THEN y ELSE z END';
const aggregate = 'string_agg(CAST(x AS text), delimiter)';
const format = 'to_char(x, format), with a format such as YYYY-MM-DD';
const newUuid = 'gen_random_uuid()';
const cast = 'CAST(x AS type)';
const newKey = 'INSERT ... RETURNING id';
const json = 'x ->> key, or jsonb_path_query(x, path)';

const functions: ReadonlyMap<string, string> = new Map([
  ...(['ifnull', 'nvl', 'isnull'] as const).map((name) => [name, coalesce] as const),
  ...(['getdate', 'getutcdate', 'sysdate', 'sysdatetime', 'systimestamp', 'utc_timestamp'] as const).map(
    (name) => [name, now] as const,
  ),
  ...(['dateadd', 'date_add', 'adddate', 'timestampadd'] as const).map(
    (name) => [name, addInterval] as const,
  ),
  ...(['date_sub', 'subdate'] as const).map((name) => [name, subtractInterval] as const),
  ...(['datediff', 'timestampdiff'] as const).map((name) => [name, difference] as const),
  ...(['datepart', 'year', 'month', 'day', 'hour', 'minute', 'second', 'quarter', 'week'] as const).map(
    (name) => [name, part] as const,
  ),
  ...(['charindex', 'instr', 'locate'] as const).map((name) => [name, position] as const),
  ...(['iif', 'if'] as const).map((name) => [name, branch] as const),
  ...(['group_concat', 'listagg', 'wm_concat'] as const).map((name) => [name, aggregate] as const),
  ...(['date_format', 'strftime', 'datename'] as const).map((name) => [name, format] as const),
  ...(['newid', 'uuid', 'sys_guid', 'uuid_generate_v4'] as const).map((name) => [name, newUuid] as const),
  ...(['convert', 'try_convert', 'try_cast'] as const).map((name) => [name, cast] as const),
  ...(['last_insert_id', 'scope_identity', 'last_insert_rowid'] as const).map(
    (name) => [name, newKey] as const,
  ),
  ...(['json_extract', 'json_value', 'json_unquote'] as const).map((name) => [name, json] as const),
  ['nvl2', 'CASE WHEN x IS NOT NULL THEN y ELSE z END'],
  ['len', 'length(x)'],
  ['datalength', 'octet_length(x)'],
  ['curdate', 'CURRENT_DATE'],
  ['curtime', 'LOCALTIME'],
  ['str_to_date', 'to_date(x, format) or to_timestamp(x, format)'],
  ['from_unixtime', 'to_timestamp(x)'],
  ['unix_timestamp', 'EXTRACT(EPOCH FROM x)'],
  ['rand', 'random()'],
  ['substring_index', 'split_part(x, delimiter, n)'],
  ['ucase', 'upper(x)'],
  ['lcase', 'lower(x)'],
  ['replicate', 'repeat(x, n)'],
  ['database', 'current_database()'],
  ['find_in_set', 'x = ANY (string_to_array(list, delimiter))'],
]);

/** PostgreSQL has these, but not for the types that are mostly tried. */
const ownFunctions: ReadonlyMap<string, string> = new Map([
  ['round', 'To round to places the number must be numeric: round(CAST(x AS numeric), 2).'],
  ['sum', 'sum takes numbers and intervals: numbers kept as text need sum(CAST(x AS numeric)).'],
  ['avg', 'avg takes numbers and intervals: numbers kept as text need avg(CAST(x AS numeric)).'],
  ['to_char', 'to_char takes a value and a format: for the plain text of a value write CAST(x AS text).'],
  ['length', 'length takes text: write length(CAST(x AS text)) for other types.'],
]);

/** Words without brackets that other databases read as functions or columns of their own. */
const bareWords: ReadonlyMap<string, string> = new Map([
  ['rownum', 'LIMIT n, or row_number() OVER (ORDER BY key)'],
  ['rowid', 'the primary key'],
  ...(['sysdate', 'systimestamp'] as const).map((name) => [name, now] as const),
]);

const unitFunctions: ReadonlySet<string> = new Set(['date_trunc', 'date_part']);

/** The advice for a function that is not there under this name (42883); null where there is none. */
export function foreignFunction(name: string): string | null {
  const instead = functions.get(name);
  if (instead !== undefined) return `PostgreSQL has another form for this function: write ${instead}.`;
  return ownFunctions.get(name) ?? null;
}

/** The same for a column that is not there (42703): a unit or type as an argument, or a word without brackets. */
export function foreignWord(name: string, shape: string): string | null {
  const bare = bareWords.get(name);
  if (bare !== undefined) return `PostgreSQL has another form for this word: write ${bare}.`;
  const tokens = shape.split(' ', 4_000);
  for (let index = 2; index < tokens.length; index += 1) {
    if (tokens[index] !== name || tokens[index - 1] !== '(') continue;
    const called = tokens[index - 2] ?? '';
    if (unitFunctions.has(called)) return `${called} takes its unit as a text: put it in single quotes.`;
    const instead = functions.get(called);
    if (instead !== undefined && tokens[index + 1] === ',') {
      return `PostgreSQL has another form for this function: write ${instead}.`;
    }
  }
  return /^(?:signed|unsigned)$/.test(name) && /\bconvert \(/.test(shape)
    ? `CONVERT to a type is not of PostgreSQL: write ${cast}.`
    : null;
}
