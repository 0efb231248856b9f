/** Notes for values and types: wrong form, out of range, not allowed as an argument. */
import { columnTypes } from '../../../src/core/notes/listing.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';

export const typeMismatch: NoteTemplate = (input) => {
  const types = columnTypes(input, () => true);
  switch (input.record.code) {
    case '42883':
      return noOperator(input, types);
    case '42804':
      return otherType(input, types);
    case '42846':
      return 'There is no cast between these two types: compute the value instead, as EXTRACT(EPOCH FROM x) from a time or CASE WHEN x THEN 1 ELSE 0 END from a boolean.';
    case '22023':
      return 'The JSON value is of another kind than the cast takes: look at jsonb_typeof(x), take text out with ->> or x #>> ARRAY[]::text[], and cast that.';
    case '42725':
      return 'Several functions or operators fit: cast the arguments with CAST(x AS type) so that exactly one fits.';
    case '42P18':
      return 'The type of a parameter or NULL cannot be told: write it, for example CAST($1 AS integer).';
    case '42P08':
      return 'One parameter is used with two types: cast each use, for example CAST($1 AS text), or use two parameters.';
    case '22P02':
      if (input.error?.routine === 'enum_in') {
        return 'The enum has no such label: use one that SELECT enumtypid::regtype, enumlabel FROM pg_enum lists for its type.';
      }
      return `A text is not in the form of its type: send digits only for numbers, a whole uuid, true or false, a declared enum label, or valid JSON.${types}`;
    case '22P03':
      return 'A binary parameter has another layout than its type: send it as text, or in the type the statement expects.';
    case '22007':
      return 'Write dates as YYYY-MM-DD and times as HH:MM:SS. Other forms go through to_date or to_timestamp with a format.';
    default:
      return `A value has another type than its place needs: convert it with CAST(x AS type), or send one of that type.${types}`;
  }
};

/** Operators of other languages, of one meaning there whatever stands beside them. */
const operators: ReadonlyMap<string, string> = new Map([
  ['==', 'Equality is written = and not ==.'],
  ['===', 'Equality is written = and not ===.'],
  ['!==', 'Inequality is written <> and not !==.'],
  ['=~', 'A regular expression is matched with x ~ pattern.'],
  ['<=>', 'Equality that takes NULL is written IS NOT DISTINCT FROM.'],
]);

const booleanOperators: ReadonlyMap<string, string> = new Map([
  ['&&', 'Conditions are joined with AND, not with &&.'],
  ['||', 'Conditions are joined with OR: || is for text, arrays and JSON.'],
  ['!', 'A condition is negated with NOT, not with !.'],
]);

const textOperand =
  /: ?(?:(?:text|character varying|character) \+|.+ \+ (?:text|character varying|character)$)/;

/** The types in the message are never translated; times take no numbers, whatever is cast. */
function noOperator({ record: { object }, error }: TemplateInput, types: string): string {
  const operator = object?.name ?? '';
  const message = error?.message ?? '';
  const foreign =
    operators.get(operator) ?? (/\bboolean\b/.test(message) ? booleanOperators.get(operator) : undefined);
  if (foreign !== undefined) return foreign;
  if (/^(?:like|ilike)$/.test(operator)) {
    return `LIKE and ILIKE take text on both sides: write CAST(x AS text) LIKE pattern.${types}`;
  }
  if (operator === '+' && (textOperand.test(message) || error === null)) {
    return `Text is concatenated with a || b, not with +; numbers kept as text need CAST(x AS integer) first, and a time takes make_interval(days => 1).${types}`;
  }
  return /^[+-]$/.test(operator)
    ? `No operator takes these two types: to a time add an interval, as make_interval(days => 1); numbers kept as text need CAST(x AS integer).${types}`
    : `No operator takes these two types: cast one side to the type of the other where there is such a cast, for example CAST(x AS integer).${types}`;
}

/** 42804 in a definition is mostly about columns, where no expression can be cast. */
function otherType({ record: { verb }, error, tables }: TemplateInput, types: string): string {
  const routine = error?.routine;
  const isSchemaChange = verb === 'alter table' || verb === 'create table';
  if (routine === 'ATAddForeignKeyConstraint') {
    return 'A foreign key column and the column it refers to must have comparable types: declare it with the type of the column it refers to.';
  }
  if (routine === 'ATPrepAlterColumnType') {
    return 'The column is not converted by itself: write ALTER COLUMN c TYPE t USING expression, for example USING CAST(c AS t).';
  }
  if (routine === 'ATExecAlterColumnType') {
    return 'The default of the column does not convert to the new type: ALTER COLUMN c DROP DEFAULT first, and SET DEFAULT after.';
  }
  if (isSchemaChange && routine === undefined) {
    return 'Types do not fit: ALTER COLUMN c TYPE t needs USING expression, a foreign key the type of the column it refers to, a default the type of its column.';
  }
  const hasJson = tables.some(({ columns }) => columns.some(({ type }) => /^jsonb?$/.test(type)));
  const json = hasJson ? ', to_jsonb(x) for a JSON column' : '';
  return `The expression has another type than its place needs: give a value of that type${json}, or CAST(x AS type) where there is such a cast.${types}`;
}

export const valueOutOfRange: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '22001':
      return `The text is longer than its type allows: shorten it to the declared length.${columnTypes(input, ({ type }) => /char.*\(/.test(type))}`;
    case '22026':
      return 'The bit string has another length than its type: make it exactly that long.';
    case '22003':
    case '22P01':
      return `The number does not fit its type: use one in range, or compute in a wider type with CAST(x AS numeric).${columnTypes(input, ({ type }) => /^(?:smallint|integer|bigint|numeric|real)/.test(type))}`;
    case '22008':
      return 'There is no such date or time: use a real date, written YYYY-MM-DD, with month 1 to 12 and a day of that month.';
    case '22015':
      return 'The interval is out of range: use a smaller one, or other units, as in make_interval(days => 1).';
    case '2202E':
      return 'The array has another shape or bound than this needs: check its dimensions and subscripts, which count from 1.';
    case '2200H':
      return 'The sequence is used up, and no form of the statement can change that. Its owner has to raise MAXVALUE or widen the column.';
    default:
      return 'A value is out of the range of its type: use a value in range.';
  }
};

export const invalidArgument: NoteTemplate = ({ record: { code } }) => {
  if (/^2200[LMNST]$/.test(code)) {
    return 'The text is not well-formed XML of the kind asked for: correct it, or parse it with XMLPARSE(CONTENT ...).';
  }
  if (/^22(?:03[0-9]|03[A-Z])$/.test(code)) {
    return 'The JSON or the path into it has another structure than this needs: look at the value with jsonb_typeof, and use a lax path or a filter.';
  }
  return (
    argumentAdvice[code] ??
    'An argument has a value that is not allowed here: read the message, and pass one that is.'
  );
};

const argumentAdvice: Readonly<Record<string, string>> = {
  '08P01': 'Pass exactly as many parameter values as the statement has placeholders.',
  '20000': 'A CASE in a function has no branch for this value: pass one that it handles, or give it an ELSE.',
  '22004': 'An argument is NULL where none is allowed: pass a value.',
  '22009': 'There is no such time zone offset: use a name of pg_timezone_names, or an offset up to 15 hours.',
  '2200F': 'An empty text is not allowed here: pass one character or more, or leave it out.',
  '22011': 'The length of a substring is negative: pass zero or more.',
  '22012': 'Guard the divisor: divide by NULLIF(divisor, 0), or leave out the rows where it is zero.',
  '22013': 'The offset of a window frame must be zero or more and not NULL.',
  '22014': 'The argument of ntile must be greater than zero.',
  '22016': 'The argument of nth_value must be greater than zero.',
  '22019': 'The ESCAPE text must be one character or empty.',
  '2201B':
    'The regular expression is not valid: balance its brackets, and escape special characters that are meant as text.',
  '2201E':
    'There is no logarithm of zero or less: leave out such rows, or use NULLIF and GREATEST around the argument.',
  '2201F':
    'There is no such power: zero takes no negative exponent, and a negative base takes whole exponents only.',
  '2201G': 'The arguments of width_bucket must have a count above zero and two different, finite bounds.',
  '2201W': 'LIMIT must be zero or more: check how the page size is computed.',
  '2201X': 'OFFSET must be zero or more: check how the page is computed.',
  '22021': 'The text holds bytes that its encoding does not have: send valid UTF-8 without zero bytes.',
  '22023':
    'An argument or setting has a value that is not allowed: read the message, and use one that the documentation lists.',
  '22025': 'An escape sequence is not complete: double the escape character where it is meant as text.',
  '2202G': 'The REPEATABLE value of TABLESAMPLE must not be NULL.',
  '2202H': 'The share of TABLESAMPLE must be between 0 and 100.',
  '22P04':
    'A line of the COPY data does not fit: give each line exactly the listed columns, with the delimiter, header and NULL mark that COPY names.',
  '22P05':
    'A character cannot be stored in this encoding: take it out, as the zero character in JSON text, or store bytea.',
  '55P02':
    'This setting cannot be changed from a session at this point: leave it, or have it set in the configuration of the server.',
};
