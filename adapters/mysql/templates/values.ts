/** Notes for values and types: wrong form, out of range, not allowed as an argument. */
import { columnTypes, onlyTable } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import type { ColumnModel } from '../../../src/core/schema/model.js';
import { isMariadb } from './product.js';

const dates =
  'Write dates as YYYY-MM-DD and times as YYYY-MM-DD HH:MM:SS, of days that are there, without the letters T and Z; STR_TO_DATE(text, format) reads other forms.';
const numberInText =
  'A text is compared or computed with a number: compare text columns with text in quotes, concatenate with CONCAT(a, b), and CAST(x AS DECIMAL) only what holds a number.';
const isNumeric = ({ type }: ColumnModel) =>
  /^(?:tiny|small|medium|big)?int|^decimal|^float|^double/.test(type);

const isUnsigned = ({ type }: ColumnModel) => /\bunsigned\b/.test(type);

export const typeMismatch: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '1265':
      return truncated(input);
    case '1292':
      return wrongForm(input);
    case '1366':
      return wrongForField(input);
    case '1367':
    case '1525':
      return dates;
    case '1411':
      return 'The text is not in the form that the function reads: give STR_TO_DATE a format that fits the text, and functions of UUIDs and addresses a whole one.';
    case '1416':
    case '3516':
    case '4032':
      return 'The value is no geometry of the kind asked for: make it with ST_GeomFromText or ST_GeomFromGeoJSON, of the type and SRID of the column.';
    case '3513':
    case '3514':
      return 'Bit operations on binary strings need operands of one length: pad them, or convert numbers with CAST(x AS UNSIGNED).';
    case '3666':
    case '4178':
      return 'A scalar column of JSON_TABLE met an array or object: declare it as JSON, or give a path to a single value.';
    case '3147':
    case '3156':
    case '3903':
      return 'The JSON value is of another kind than the cast takes: take it out with JSON_UNQUOTE(JSON_EXTRACT(x, path)), look at JSON_TYPE, and cast that.';
    case '3812':
      return 'A CHECK needs a condition that is true or false: compare the expression with something.';
    case '6134':
    case '6135':
    case '6137':
      return 'A vector cannot be used here: keep it in a column of its own without a key, of the declared dimension, and compare it with DISTANCE().';
    case '1654':
      return 'The values of the partition must have the types of its columns: write each as a literal of that type.';
    case '4078':
    case '4079':
      return `The operation does not take these types: CAST one side to the type of the other, and compare rows with rows of as many columns.${columnTypes(input, () => true)}`;
    default:
      return verb.startsWith('create') || verb.startsWith('alter')
        ? 'The expression has another type than its place needs: CAST it, or declare the column with another type.'
        : `A value has another type than its place needs: convert it with CAST(x AS type), or send one of that type.${columnTypes(input, () => true)}`;
  }
};

/** 1265: an enum without such a label, a number with more behind it, or rows that a new definition does not take. */
function truncated(input: TemplateInput): string {
  const { verb, object } = input.record;
  if (verb.startsWith('alter')) {
    return 'Rows hold values that the new definition does not take, such as NULL where it is NOT NULL or longer texts: UPDATE them first, then ALTER.';
  }
  const name = object?.kind === 'column' ? object.name.slice(object.name.lastIndexOf('.') + 1) : '';
  const table = input.errorTable ?? input.target ?? onlyTable(input);
  const column = table?.columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (column !== undefined && table !== null && /^(?:enum|set)\b/.test(column.type)) {
    const where = isShownName(table.name) ? ` SHOW COLUMNS FROM ${table.name} lists them.` : '';
    return `${input.objectName ?? 'The column'} takes only the labels it was declared with: send one of those.${where}`;
  }
  return `The value has more in it than its column takes: a number with letters behind it, or a label that an enum does not have. Send the bare value.${columnTypes(input, isNumeric)}`;
}

/** What the message says before the value: the type's name in it is never translated. */
function typeWords({ error }: TemplateInput): string {
  const [before = ''] = (error?.message ?? '').split("'", 1);
  return before;
}

/** 1292: dates, or a text where a number is computed. */
function wrongForm(input: TemplateInput): string {
  const message = typeWords(input);
  if (/\b(?:DOUBLE|DECIMAL|INTEGER)\b/.test(message)) {
    if (/^update\b.* set (?:(?! where ).)* = \S+ and \S+ = /.test(input.shape)) {
      return 'Assignments in SET are separated by commas: SET a = 1, b = 2. AND makes one condition of them.';
    }
    return /\|\|/.test(input.shape)
      ? 'Concatenate with CONCAT(a, b): || is OR here unless sql_mode has PIPES_AS_CONCAT.'
      : numberInText;
  }
  if (/\b(?:date|datetime|time|timestamp)\b/i.test(message)) return dates;
  if (/\|\|/.test(input.shape))
    return 'Concatenate with CONCAT(a, b): || is OR here unless sql_mode has PIPES_AS_CONCAT.';
  return `A text is not in the form of its type: dates as YYYY-MM-DD, times as YYYY-MM-DD HH:MM:SS, digits only for numbers, and text columns compared with text in quotes.${columnTypes(input, () => true)}`;
}

/** 1366: a text that is no number, or one that the character set of the column does not have. */
function wrongForField(input: TemplateInput): string {
  if (/\bstring\b/.test(typeWords(input))) {
    return 'The character set of the column does not have these characters: convert the column to utf8mb4 with ALTER TABLE, or leave them out. Binary data goes into a BLOB.';
  }
  return `The value is not in the form of its column: digits only for numbers, without units, separators or an empty text; for no value send NULL.${columnTypes(input, isNumeric)}`;
}

export const valueOutOfRange: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '1406':
      return `The text is longer than its column: shorten it to the declared length, or widen the column.${columnTypes(input, ({ type }) => /char|binary/.test(type))}`;
    case '1264':
    case '3752':
      return `The number does not fit its column: use one in range, none below zero where it is unsigned, or widen the column.${columnTypes(input, isNumeric)}`;
    case '1690':
      return outOfRange(input);
    case '1441':
    case '6527':
      return 'The date that comes out is beyond the year 9999 or before 0: use a smaller interval, and check its unit.';
    case '1467':
      return 'The AUTO_INCREMENT column has reached the end of its type, and no form of the statement can change that. Its owner has to widen it to BIGINT UNSIGNED.';
    case '4084':
      return 'The sequence is used up, and no form of the statement can change that. Its owner has to ALTER SEQUENCE with a higher MAXVALUE or CYCLE.';
    case '1470':
    case '1648':
    case '1742':
    case '3907':
      return 'The text is longer than is allowed in this place: shorten it.';
    case '3155':
    case '3669':
    case '3904':
      return 'The JSON value does not fit the type it is taken out as: declare a wider type, or DECIMAL.';
    case '3616':
    case '3617':
    case '3731':
    case '3732':
      return 'A longitude or latitude is out of range: in SRID 4326 text has the latitude first, from -90 to 90, and the longitude second, from -180 to 180.';
    case '4103':
      return 'The fraction must be between 0 and 1.';
    default:
      return 'A value is out of the range of its type: use a value in range.';
  }
};

function outOfRange(input: TemplateInput): string {
  const type = typeWords(input);
  if (/\bDOUBLE\b/.test(type)) {
    return 'The result is too large for DOUBLE: use smaller arguments, or compute with DECIMAL.';
  }
  const large =
    'The result is too large for BIGINT: compute with CAST(a AS DECIMAL(40, 0)), or with smaller numbers.';
  const isOfUnsigned = /\bUNSIGNED\b/.test(type) || input.error === null;
  if (!isOfUnsigned || !/ - /.test(input.shape)) return large;
  return storesDifference(input)
    ? 'An unsigned column takes nothing below zero, with or without CAST: change only rows that hold enough, as WHERE stock >= n, and look at the count of changed rows.'
    : 'An unsigned number cannot go below zero: subtract as CAST(a AS SIGNED) - CAST(b AS SIGNED), or compare as a > b + n. What is too large computes as CAST(a AS DECIMAL(40, 0)).';
}

/** True where the difference is what a column gets: as a signed one it would be refused by the column (1264). */
function storesDifference({ record: { verb }, shape, target }: TemplateInput): boolean {
  if (verb === 'insert' || verb === 'replace') return target === null || target.columns.some(isUnsigned);
  if (verb !== 'update') return false;
  const [, set = ''] = /\bset (.*?)(?: where | order by | limit |$)/.exec(shape) ?? [];
  const assigned = set.split(' , ').find((assignment) => / - /.test(assignment));
  if (assigned === undefined) return false;
  const name = assigned.slice(0, assigned.indexOf(' '));
  const column = target?.columns.find((each) => each.name === name.slice(name.lastIndexOf('.') + 1));
  return column === undefined || isUnsigned(column);
}

export const invalidArgument: NoteTemplate = (input) => {
  const { code } = input.record;
  if (/^40(?:3[5-9]|4[0-68]|49|5[01]|76)$/.test(code) && isMariadb(input)) return jsonText(code);
  if (!isMariadb(input) && /^36(?:8[4-9]|9\d)$|^3887$|^3900$/.test(code)) return regularExpression;
  if (/^30(?:3[3-9]|4[0-3]|5[45])$|^3037$/.test(code)) return geometry;
  switch (code) {
    case '1':
      return 'The server cannot write this file: name one that is not there yet, in a folder that the server may write to (secure_file_priv), or fetch the rows with SELECT instead.';
    case '1210':
      return wrongArguments(input);
    case '1231':
      return settingValue(input);
    case '1298':
      return 'The server has no such time zone: use an offset such as +00:00, or have the zones loaded with mysql_tzinfo_to_sql.';
    case '3140':
    case '3141':
    case '3069':
      return jsonText(code);
    case '3143':
    case '3149':
    case '3153':
    case '3165':
      return jsonPath;
    default:
      return argumentAdvice[code] ?? otherArgument;
  }
};

const otherArgument =
  'An argument has a value that is not allowed here: read the message, and pass one that is.';
const jsonPath =
  'A JSON path begins with $: write $.name, $.a.b or $[0], with double quotes around names that are no plain words, and no wildcard where one value is asked for.';
const regularExpression =
  'The regular expression is not valid: balance its brackets, escape special characters that are meant as text, and double backslashes inside of a text.';
const geometry =
  'The geometry is not valid for this function: make it with ST_GeomFromText, with both arguments in one SRID, polygons closed, and no empty one.';

function jsonText(code: string): string {
  return /^404[1-5]$|^4051$/.test(code)
    ? jsonPath
    : 'The text is not valid JSON: build it with JSON_OBJECT, JSON_ARRAY or JSON_QUOTE, with double quotes around keys and texts and no comma at the end.';
}

function wrongArguments({ record: { verb }, shape, error }: TemplateInput): string {
  if (verb === 'execute' || /\bEXECUTE\b|stmt_execute/.test(error?.message ?? '')) {
    return 'Pass exactly as many values as the prepared statement has parameters.';
  }
  return /\bescape \?/.test(shape)
    ? 'The ESCAPE text must be one character or empty.'
    : 'A function or clause got a value it does not take, such as NULL, zero or a negative number: pass one that it takes.';
}

/** 1231; the setting is named before the value. */
function settingValue({ record: { object } }: TemplateInput): string {
  switch (object?.name.toLowerCase()) {
    case 'sql_mode':
      return 'sql_mode takes a list of modes that this version has: take NO_AUTO_CREATE_USER and others that were removed out of it, or CONCAT(@@sql_mode, one more).';
    case 'time_zone':
      return 'The server has no such time zone: use an offset such as +00:00.';
    case 'transaction_isolation':
    case 'tx_isolation':
      return 'Write SET TRANSACTION ISOLATION LEVEL READ COMMITTED, or one of the other three levels.';
    default:
      return 'The setting does not take this value: look at its present one with SHOW VARIABLES LIKE its name, and use one of that form.';
  }
}

const argumentAdvice: Readonly<Record<string, string>> = {
  '1139': regularExpression,
  '1232': 'The setting takes a value of another type: numbers without quotes, texts in quotes.',
  '1300':
    'The text holds bytes that are no characters of its character set: SET NAMES utf8mb4 if it is UTF-8, and send binary data as a parameter to a BLOB column.',
  '1339': 'A CASE in the routine has no branch for this value: pass one that it handles, or give it an ELSE.',
  '1365': 'Guard the divisor: divide by NULLIF(divisor, 0), or leave out the rows where it is zero.',
  '1542': 'The interval of the event must be positive: write EVERY 1 DAY or the like.',
  '1543': 'The event must end after it starts: correct STARTS and ENDS.',
  '1544': 'The time of the event is in the past: give one that is to come.',
  '1588': 'The time of the event is in the past: give one that is to come.',
  '1589': 'The time of the event is in the past: give one that is to come.',
  '1575': 'The text is not valid base64: send it whole, with its padding.',
  '1758': 'There is no condition of this number: GET DIAGNOSTICS CONDITION 1 is the first.',
  '1819':
    'The password does not meet the policy of the server: make it longer, with capitals, digits and special characters.',
  '1827': 'The hash is not one of the authentication plugin: use IDENTIFIED BY with the password itself.',
  '3020':
    'There is no logarithm of zero or less: leave out such rows, or use NULLIF and GREATEST around the argument.',
  '3057': 'The name of a lock must be a text of 1 to 64 characters.',
  '3144': 'JSON needs text in utf8mb4: convert it with CONVERT(x USING utf8mb4).',
  '3146': 'The function needs a JSON document: pass text that is JSON, or CAST(x AS JSON).',
  '3154': 'The second argument must be the text one or all.',
  '3158': 'A key of a JSON object must not be NULL: wrap it in COALESCE, or leave such rows out.',
  '3643': 'The geometry has another SRID than the column: make it with ST_GeomFromText(text, srid).',
  '3665': 'JSON_TABLE found no value for a column: add NULL ON EMPTY or DEFAULT ... ON EMPTY.',
  '3966': 'There is no value at this path: add NULL ON EMPTY or DEFAULT ... ON EMPTY.',
  '3967': 'The path gives several values: make it more exact, or take them with JSON_TABLE.',
  '3997': 'A time zone is written as an offset from -13:59 to +14:00, such as +02:00.',
  '4024': 'The argument of NTILE must be greater than zero.',
  '4107': 'LIMIT takes whole numbers that are zero or more.',
  '4163': 'The name of a lock must be a text of 1 to 64 characters.',
  '4203': 'Write a vector with VEC_FromText and a JSON array of numbers.',
  '4204': 'Write a vector with VEC_FromText and a JSON array of numbers.',
  '6107': 'The share of TABLESAMPLE must be between 0 and 100.',
  '6138': 'Write a vector with STRING_TO_VECTOR and a list of numbers in square brackets.',
};
