/** Functions of dates, all in UTC; weeks begin on Monday, as ISO has it and PostgreSQL too. */
import { constantOf, nullConstant } from './constants.js';
import { startOfDay } from './dates.js';
import { refuse } from './refusals.js';
import { type Call, computed, expressionOf, type KnownFunction, named, type Value } from './values.js';

const parts: Readonly<Record<string, (date: unknown) => unknown>> = {
  year: (date) => ({ $year: date }),
  month: (date) => ({ $month: date }),
  day: (date) => ({ $dayOfMonth: date }),
  hour: (date) => ({ $hour: date }),
  minute: (date) => ({ $minute: date }),
  second: (date) => ({ $add: [{ $second: date }, { $divide: [{ $millisecond: date }, 1000] }] }),
  // Sunday is 0
  dow: (date) => ({ $subtract: [{ $dayOfWeek: date }, 1] }),
  isodow: (date) => ({ $isoDayOfWeek: date }),
  doy: (date) => ({ $dayOfYear: date }),
  week: (date) => ({ $isoWeek: date }),
  isoyear: (date) => ({ $isoWeekYear: date }),
  quarter: (date) => ({ $ceil: { $divide: [{ $month: date }, 3] } }),
  epoch: (date) => ({ $divide: [{ $toLong: date }, 1000] }),
};
const monthParts = ['year', 'month'];
const dayParts = [...monthParts, 'day'];
/** What of a date is kept; $dateTrunc is not asked, since DocumentDB is a day off for days and years before 2000. */
const keptParts: Readonly<Record<string, readonly string[]>> = {
  year: ['year'],
  quarter: ['year'],
  month: monthParts,
  week: [],
  day: dayParts,
  hour: [...dayParts, 'hour'],
  minute: [...dayParts, 'hour', 'minute'],
  second: [...dayParts, 'hour', 'minute'],
};

export const dateFunctions: Readonly<Record<string, KnownFunction>> = {
  now: present(),
  current_timestamp: present(),
  transaction_timestamp: present(),
  statement_timestamp: present(),
  current_date: { arity: [0, 0], make: ({ now }) => constantOf('date', startOfDay(now)) },
  date_trunc: { arity: [2, 2], make: truncated },
  date_part: {
    arity: [2, 2],
    make: ({ args, index }) => partOfDate(textOf(args[0], index), args[1] as Value, index),
  },
};

/** EXTRACT(part FROM date). */
export function partOfDate(part: string, date: Value, index: number): Value {
  const make = Object.hasOwn(parts, part.toLowerCase()) ? parts[part.toLowerCase()] : undefined;
  if (make === undefined) refuse('SQL_FUNCTION', 'EXTRACT does not know this part of a date.', index);
  return date.kind === 'null' ? nullConstant : computed(make(expressionOf(date)), 'number');
}

function present(): KnownFunction {
  return { arity: [0, 0], make: ({ now }) => constantOf('date', now) };
}

function truncated({ args, index }: Call): Value {
  const unit = textOf(args[0], index).toLowerCase();
  if (!Object.hasOwn(keptParts, unit)) refuse('SQL_FUNCTION', 'DATE_TRUNC does not know this unit.', index);
  return startOf(unit, args[1] as Value);
}

/** The beginning of the unit of time that a date lies in; null for null. */
export function startOf(unit: string, date: Value): Value {
  if (date.kind === 'null') return nullConstant;
  return computed(
    named({ d: date }, ({ d }) => {
      const kept = (keptParts[unit] ?? []).map((part) => [part, parts[part]?.(d)]);
      return { $dateFromParts: { ...Object.fromEntries(kept), ...extraParts(unit, d) } };
    }),
    'date',
  );
}

function extraParts(unit: string, date: unknown): object {
  switch (unit) {
    case 'week':
      return { isoWeekYear: { $isoWeekYear: date }, isoWeek: { $isoWeek: date } };
    case 'quarter':
      return { month: { $subtract: [{ $multiply: [{ $ceil: { $divide: [{ $month: date }, 3] } }, 3] }, 2] } };
    case 'second':
      return { second: { $second: date } };
    default:
      return {};
  }
}

function textOf(value: Value | undefined, index: number): string {
  if (value?.form !== 'value' || typeof value.value !== 'string') {
    refuse('SQL_EXPRESSION', 'The unit of a date function is a text.', index);
  }
  return value.value;
}
