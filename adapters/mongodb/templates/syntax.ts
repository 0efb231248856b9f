/**
 * Notes for commands that cannot be read: an operator, stage or option that is not there, or one that is not written as it
 * has to be. Where the name is one that another database has, the note says what it is called here.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';
import { insteadOf, placesOf } from './habit.js';
import { operatorForm } from './operator-forms.js';

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
    case '1':
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

/** Those that only some servers have. */
const topOperators: ReadonlySet<string> = new Set(['$expr', '$text', '$where', '$jsonSchema', '$comment']);

const absentOperator =
  'This server has no such operator, or not at this place: say the same with operators on fields, or with $expr, or do that part in the client.';

function filterAdvice(input: TemplateInput): string {
  const message = input.error?.message ?? '';
  if (/is (?:an? )?(?:unknown|unrecognized|not a recognized) field/.test(message)) {
    return optionAdvice(input);
  }
  const advice = operatorForm(input) ?? insteadOf(input, placesOf.filter);
  if (advice !== null) return advice;
  if (topOperators.has(input.record.object?.name ?? '')) return absentOperator;
  return /^unknown top level operator/.test(message)
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
  if (verb === 'delete' && /\blimit\b/.test(message))
    return 'limit inside of deletes is 0 or 1: 0 deletes all that match, 1 the first.';
  if (/\$lookup|lookup argument/.test(message)) return readErrorCode('40319').wanted ?? otherAdvice;
  if (verb === 'update' || verb === 'findAndModify') return operatorForm(input) ?? modifierAdvice;
  return operatorForm(input) ?? otherAdvice;
}

const modifierAdvice =
  'An update takes operators with an object of fields each, as { $set: { field: value }, $inc: { n: 1 } }, or an array of stages, or a whole document without any $.';
