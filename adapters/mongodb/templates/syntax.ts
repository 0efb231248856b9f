/**
 * Notes for commands that cannot be read: an operator, stage or option that is not there, or one that is not written as it
 * has to be. Where the name is one that another database has, the note says what it is called here.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';
import { insteadOf, placesOf } from './habit.js';

export const syntax: NoteTemplate = (input) => {
  const { code } = input.record;
  switch (code) {
    case 'SQL_SYNTAX':
      return 'The SQL cannot be read: correct it at the place that the message names. Quote text with single quotes and names with double ones.';
    case '40324':
      return stageAdvice(input);
    case '168':
    case '31325':
    case '15952':
      return (
        insteadOf(input, placesOf.expression) ??
        `${unknownExpression} ${readErrorCode(code).wanted ?? ''}`.trim()
      );
    case '40415':
    case '4662500':
      return optionAdvice(input);
    case '40414':
      return 'A field that the command needs is missing: add the one that the message names.';
    case '40413':
      return 'A field is given twice in the command: give it once.';
    case '2':
      return filterAdvice(input);
    case '9':
      return parseAdvice(input);
    default:
      return readErrorCode(code).wanted ?? otherAdvice;
  }
};

const otherAdvice =
  'The command cannot be read: correct the part that the message names, against the documentation of its operator.';

const unknownExpression =
  'There is no such operator in an expression: check its spelling, and that it is an expression and not a stage or an operator of filters.';

function stageAdvice(input: TemplateInput): string {
  const advice = insteadOf(input, placesOf.stage);
  return advice ?? readErrorCode('40324').wanted ?? otherAdvice;
}

function optionAdvice(input: TemplateInput): string {
  const advice = insteadOf(input, placesOf.option);
  return (
    advice ??
    'The command has no such field: leave it out or correct its name, and look whether it belongs one level deeper or to another version.'
  );
}

const quoted = { array: 'an array', object: 'an object' } as const;

/** What the operators of filters and updates take, by the words of the server's own message. */
const operatorForms: readonly (readonly [text: RegExp, advice: string])[] = [
  [
    /^\$?\(?\$(?:and|or|nor)\b|^\$or\/\$and/,
    `$and, $or and $nor take ${quoted.array} of conditions, not empty: { $or: [ { a: 1 }, { b: 2 } ] }.`,
  ],
  [
    /^(?:\$in|\$nin)\b|cannot nest \$ under|for \$in\b/,
    `$in and $nin take ${quoted.array} of plain values: { field: { $in: [ values ] } }, even for one value.`,
  ],
  [
    /^\$not\b|Operator \$not/,
    '$not takes conditions or a regular expression: { field: { $not: { $gt: 5 } } }; for a value use $ne.',
  ],
  [
    /^\$elemMatch\b|elemMatch/,
    `$elemMatch takes ${quoted.object} of conditions: { field: { $elemMatch: { a: 1 } } }.`,
  ],
  [/^\$all\b|\$all/, `$all takes ${quoted.array} of values: { field: { $all: [ values ] } }.`],
  [
    /^\$size\b|\$size/,
    '$size takes one whole number of 0 or more; compare lengths with $expr and { $size: <path> }.',
  ],
  [
    /^\$regex\b|\$options|[Rr]eg[Ee]x/,
    '$regex takes a string or a regular expression, $options stands beside it, and $ne and $in have none of it: use $not.',
  ],
  [/^\$mod\b|malformed mod/, '$mod takes two numbers: { field: { $mod: [ divisor, rest ] } }.'],
  [
    /^\$type\b|type alias|type code/,
    '$type takes a documented name such as string, int, double, date, objectId, array or null, or its number.',
  ],
  [
    /^\$(?:each|position|slice|sort)\b/,
    '$push takes { field: { $each: [ values ], $slice: , $sort: , $position: } }, the last three as documented.',
  ],
  [/[Bb]ad sort|\$sort/, 'sort takes an object of fields with 1 or -1: { field: 1, other: -1 }.'],
  [
    /^\$(?:text|search)\b|\$search/,
    '$text takes { $search: words, $language: , $caseSensitive: } at the top of the filter.',
  ],
];

function byMessage({ error }: TemplateInput): string | null {
  const message = error?.message ?? '';
  return operatorForms.find(([text]) => text.test(message))?.[1] ?? null;
}

function filterAdvice(input: TemplateInput): string {
  const advice = insteadOf(input, placesOf.filter) ?? byMessage(input);
  if (advice !== null) return advice;
  return /^unknown top level operator/.test(input.error?.message ?? '')
    ? 'At the top of a filter stand fields and $and, $or, $nor, $expr, $text, $where, $jsonSchema and $comment: write { field: { $operator: value } }.'
    : 'There is no such operator in a filter: check its spelling. Expressions such as $add or $toInt go inside of $expr, stages into aggregate.';
}

function parseAdvice(input: TemplateInput): string {
  const { verb } = input.record;
  const message = input.error?.message ?? '';
  if (
    /^(?:Unknown|unknown) modifier|^Modifiers (?:operate|work)/.test(message) ||
    input.record.object?.name.startsWith('$') === true
  ) {
    return insteadOf(input, placesOf.modifier) ?? modifierAdvice;
  }
  if (/'cursor' option/.test(message))
    return 'aggregate needs cursor: {} beside pipeline; drivers add it by themselves.';
  if (/\$lookup|lookup argument/.test(message)) return readErrorCode('40319').wanted ?? otherAdvice;
  if (verb === 'update' || verb === 'findAndModify') return byMessage(input) ?? modifierAdvice;
  return byMessage(input) ?? otherAdvice;
}

const modifierAdvice =
  'An update takes operators with an object of fields each, as { $set: { field: value }, $inc: { n: 1 } }, or an array of stages, or a whole document without any $.';
