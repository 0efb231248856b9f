/** CAST and `::`, in the types that MongoDB converts between; what cannot be converted is the server's error. */
import { ObjectId } from 'bson';
import type { DataTypeDef } from 'pgsql-ast-parser';
import { constantOf, nullConstant, numberOf, type ValueConstant } from './constants.js';
import { startOf } from './date-functions.js';
import { readDate, startOfDay } from './dates.js';
import { refuse, shownName } from './refusals.js';
import { computed, expressionOf, named, type Value, whenPresent } from './values.js';

const targets: Readonly<
  Record<string, 'int' | 'long' | 'double' | 'decimal' | 'string' | 'bool' | 'date' | 'day' | 'objectId'>
> = {
  int: 'int',
  integer: 'int',
  int4: 'int',
  smallint: 'int',
  int2: 'int',
  bigint: 'long',
  int8: 'long',
  float: 'double',
  float8: 'double',
  real: 'double',
  double: 'double',
  'double precision': 'double',
  numeric: 'decimal',
  decimal: 'decimal',
  text: 'string',
  varchar: 'string',
  'character varying': 'string',
  string: 'string',
  bool: 'bool',
  boolean: 'bool',
  timestamp: 'date',
  timestamptz: 'date',
  'timestamp with time zone': 'date',
  'timestamp without time zone': 'date',
  date: 'day',
  objectid: 'objectId',
};
const trueWords = ['t', 'true', 'y', 'yes', 'on', '1'];
const falseWords = ['f', 'false', 'n', 'no', 'off', '0'];

export function castOf(value: Value, type: DataTypeDef, index: number): Value {
  const name = type.kind === 'array' ? 'array' : type.name;
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target === undefined || type.kind === 'array') {
    refuse('SQL_EXPRESSION', `There is no cast to ${shownName(name, 'this type')}.`, index);
  }
  if ((type.config ?? []).length > 0) {
    refuse('SQL_EXPRESSION', `A cast to ${name} takes no length or precision.`, index);
  }
  if (value.kind === 'null') return nullConstant;
  const known = value.form === 'value' ? castNow(value, target, index) : null;
  if (known !== null) return known;
  return castLater(value, target);
}

/** Casts of texts that are written down, which need no server; null for the others. */
function castNow(value: ValueConstant, target: string, index: number): ValueConstant | null {
  if (typeof value.value !== 'string') return null;
  switch (target) {
    case 'string':
      return value;
    case 'date':
    case 'day': {
      const date = readDate(value.value, target === 'day');
      return date === null ? unreadable(index) : constantOf('date', date);
    }
    case 'bool': {
      const word = value.value.trim().toLowerCase();
      if (trueWords.includes(word)) return constantOf('boolean', true);
      return falseWords.includes(word) ? constantOf('boolean', false) : unreadable(index);
    }
    case 'objectId':
      if (!/^[0-9a-fA-F]{24}$/.test(value.value)) unreadable(index);
      return constantOf('objectId', new ObjectId(value.value));
    case 'int':
    case 'long':
    case 'double':
      return numberNow(value.value, target, index);
    default:
      return null;
  }
}

function numberNow(text: string, target: string, index: number): ValueConstant {
  const found = /^\s*([+-]?)(\d+|\d*\.\d+(?:[eE][+-]?\d+)?|\d+\.?(?:[eE][+-]?\d+)?)\s*$/.exec(text);
  if (found === null) unreadable(index);
  const number = numberOf(found[2] as string, found[1] === '-', index);
  if (target === 'double') return constantOf('number', Number(number.value));
  const isWhole = /^\d+$/.test(found[2] as string);
  return isWhole && (target === 'long' || typeof number.value === 'number') ? number : unreadable(index);
}

function unreadable(index: number): never {
  refuse('SQL_INVALID', 'The text cannot be read as the type of its cast.', index);
}

function castLater(value: Value, target: string): Value {
  const expression = expressionOf(value);
  switch (target) {
    case 'int':
    case 'long':
      return computed({ [target === 'int' ? '$toInt' : '$toLong']: rounded(value) }, 'number');
    case 'double':
      return computed({ $toDouble: expression }, 'number');
    case 'decimal':
      return computed({ $toDecimal: expression }, 'number');
    case 'string':
      return computed({ $toString: expression }, 'string');
    case 'objectId':
      return computed({ $toObjectId: expression }, 'objectId');
    case 'bool':
      return toBoolean(value);
    default:
      return toDate(value, target === 'day');
  }
}

/** SQL rounds to the nearest whole number where MongoDB cuts. */
function rounded(value: Value): unknown {
  if (value.kind === 'number') return { $round: [expressionOf(value), 0] };
  if (value.kind !== 'unknown') return expressionOf(value);
  return named({ v: value }, ({ v }) => ({ $cond: [{ $isNumber: v }, { $round: [v, 0] }, v] }));
}

/** MongoDB takes every text for true: the words are read here, and for any other the server is to fail. */
function toBoolean(value: Value): Value {
  return whenPresent(
    value,
    (v) => {
      const word = { $toLower: { $trim: { input: v } } };
      const read = {
        $cond: [
          { $in: [word, trueWords] },
          true,
          { $cond: [{ $in: [word, falseWords] }, false, { $toBool: { $toInt: v } }] },
        ],
      };
      return { $cond: [{ $eq: [{ $type: v }, 'string'] }, read, { $toBool: v }] };
    },
    'boolean',
  );
}

function toDate(value: Value, isDay: boolean): Value {
  if (value.form === 'value' && value.value instanceof Date) {
    return isDay ? constantOf('date', startOfDay(value.value)) : value;
  }
  const date = computed({ $toDate: expressionOf(value) }, 'date');
  return isDay ? startOf('day', date) : date;
}
