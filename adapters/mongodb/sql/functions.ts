/**
 * The functions that are known, with what MongoDB has for them. One that differs from SQL's in a value it gives is not
 * here, and docs/sql-on-documents.md names the limits of those that are.
 */
import { nullConstant, type ValueKind } from './constants.js';
import { dateFunctions } from './date-functions.js';
import { refuse, shownName } from './refusals.js';
import { textFunctions } from './text-functions.js';
import { truthOf } from './truth.js';
import { type Call, computed, expressionOf, type KnownFunction, named, type Value } from './values.js';

const functions: Readonly<Record<string, KnownFunction>> = {
  abs: ofNumber('$abs'),
  ceil: ofNumber('$ceil'),
  ceiling: ofNumber('$ceil'),
  floor: ofNumber('$floor'),
  sqrt: ofNumber('$sqrt'),
  exp: ofNumber('$exp'),
  ln: ofNumber('$ln'),
  log10: ofNumber('$log10'),
  round: { arity: [1, 2], make: (call) => toPlaces('$round', call) },
  trunc: { arity: [1, 2], make: (call) => toPlaces('$trunc', call) },
  power: ofTwoNumbers('$pow'),
  pow: ofTwoNumbers('$pow'),
  mod: ofTwoNumbers('$mod'),
  coalesce: { arity: [1, 100], make: ({ args }) => coalesced(args) },
  nullif: { arity: [2, 2], make: ({ args }) => nullIf(args[0] as Value, args[1] as Value) },
  greatest: { arity: [1, 100], make: ({ args }) => extreme('$max', args) },
  least: { arity: [1, 100], make: ({ args }) => extreme('$min', args) },
  ...textFunctions,
  ...dateFunctions,
};

export function callOf(name: string, call: Call): Value {
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (known === undefined) {
    refuse(
      'SQL_FUNCTION',
      `The function ${shownName(name, 'that is called')} is not known here.`,
      call.index,
    );
  }
  const [fewest, most] = known.arity;
  if (call.args.length < fewest || call.args.length > most) {
    refuse('SQL_INVALID', `The function ${name} is called with the wrong number of arguments.`, call.index);
  }
  return known.make(call);
}

function ofNumber(operator: string): KnownFunction {
  return {
    arity: [1, 1],
    make: ({ args }) => computed({ [operator]: expressionOf(args[0] as Value) }, 'number'),
  };
}

function ofTwoNumbers(operator: string): KnownFunction {
  return { arity: [2, 2], make: ({ args }) => computed({ [operator]: args.map(expressionOf) }, 'number') };
}

function toPlaces(operator: string, { args }: Call): Value {
  const [value, places] = args as [Value, Value | undefined];
  return computed(
    { [operator]: [expressionOf(value), places === undefined ? 0 : expressionOf(places)] },
    'number',
  );
}

function coalesced(args: readonly Value[]): Value {
  const present = args.filter((arg) => arg.kind !== 'null');
  const [first] = present;
  if (first === undefined) return nullConstant;
  if (first.form === 'value') return first;
  // the last is null where nothing else is there
  return computed({ $ifNull: [...present.map(expressionOf), null] }, kindOf(present));
}

function nullIf(value: Value, other: Value): Value {
  if (value.kind === 'null' || other.kind === 'null') return value;
  const isEqual = (left: Value): unknown => truthOf({ form: 'compare', op: 'eq', left, right: other });
  return computed(
    named({ v: value }, ({ v }) => ({
      $cond: [{ $eq: [isEqual(value.form === 'computed' ? computed(v, value.kind) : value), true] }, null, v],
    })),
    value.kind,
  );
}

function extreme(operator: string, args: readonly Value[]): Value {
  const present = args.filter((arg) => arg.kind !== 'null');
  if (present.length === 0) return nullConstant;
  // nulls are passed over
  return computed({ [operator]: present.map(expressionOf) }, kindOf(present));
}

function kindOf(values: readonly Value[]): ValueKind | 'unknown' {
  const [first, ...rest] = values;
  const kind = first?.kind ?? 'unknown';
  return rest.every((value) => value.kind === kind) ? kind : 'unknown';
}
