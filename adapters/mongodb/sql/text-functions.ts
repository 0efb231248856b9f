/** Functions of texts. MongoDB's take null for the empty text: theirs is asked for first. */
import { asText } from './arithmetic.js';
import { constantOf } from './constants.js';
import { refuse } from './refusals.js';
import {
  type Call,
  computed,
  expressionOf,
  type KnownFunction,
  literal,
  type Value,
  whenPresent,
} from './values.js';

export const textFunctions: Readonly<Record<string, KnownFunction>> = {
  lower: ofText('$toLower', 'string'),
  upper: ofText('$toUpper', 'string'),
  length: ofText('$strLenCP', 'number'),
  char_length: ofText('$strLenCP', 'number'),
  character_length: ofText('$strLenCP', 'number'),
  trim: trimming('$trim'),
  btrim: trimming('$trim'),
  ltrim: trimming('$ltrim'),
  rtrim: trimming('$rtrim'),
  concat: { arity: [1, 100], make: ({ args }) => concatenated(args) },
  substring: { arity: [2, 3], make: partOf },
  substr: { arity: [2, 3], make: partOf },
  replace: { arity: [3, 3], make: replaced },
  strpos: { arity: [2, 2], make: ({ args }) => positionOf(args) },
};

function ofText(operator: string, kind: 'string' | 'number'): KnownFunction {
  return {
    arity: [1, 1],
    make: ({ args }) => whenPresent(args[0] as Value, (text) => ({ [operator]: text }), kind),
  };
}

function trimming(operator: string): KnownFunction {
  return {
    arity: [1, 2],
    make: ({ args }) => {
      const [text, characters] = args as [Value, Value | undefined];
      const chars = characters === undefined ? ' ' : expressionOf(characters);
      return computed({ [operator]: { input: expressionOf(text), chars } }, 'string');
    },
  };
}

/** CONCAT passes nulls over. */
function concatenated(args: readonly Value[]): Value {
  return computed({ $concat: args.map((arg) => ({ $ifNull: [asText(arg), ''] })) }, 'string');
}

/** The first character is 1; what lies before it counts towards the length. */
function partOf({ args, index }: Call): Value {
  const [text, from, length] = args as [Value, Value, Value | undefined];
  const first = wholeNumber(from, index);
  const count = length === undefined ? null : wholeNumber(length, index);
  if (count !== null && count < 0) {
    refuse('SQL_INVALID', 'The length of a part of a text is not negative.', index);
  }
  const start = Math.max(first, 1) - 1;
  const size = count === null ? null : Math.max(first + count - 1 - start, 0);
  return whenPresent(
    text,
    (expression) => ({ $substrCP: [expression, start, size ?? { $strLenCP: expression }] }),
    'string',
  );
}

function wholeNumber(value: Value, index: number): number {
  const number = value.form === 'value' ? value.value : null;
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    refuse(
      'SQL_EXPRESSION',
      'The place and the length of a part of a text are whole numbers or parameters.',
      index,
    );
  }
  return number;
}

function replaced({ args, index }: Call): Value {
  const [text, find, replacement] = args as [Value, Value, Value];
  if (find.form !== 'value' || find.kind !== 'string' || find.value === '') {
    refuse('SQL_EXPRESSION', 'What REPLACE looks for is a text that is not empty.', index);
  }
  return computed(
    {
      $replaceAll: {
        input: expressionOf(text),
        find: literal(find.value),
        replacement: expressionOf(replacement),
      },
    },
    'string',
  );
}

/** 0 where it is nowhere. */
function positionOf(args: readonly Value[]): Value {
  const [text, part] = args as [Value, Value];
  if (part.kind === 'null') return constantOf('null', null);
  return computed({ $add: [{ $indexOfCP: [expressionOf(text), expressionOf(part)] }, 1] }, 'number');
}
