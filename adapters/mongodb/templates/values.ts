/** Notes for values of another type, out of bounds, or not allowed where they stand. */
import { columnTypes } from '../../../src/core/notes/listing.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';
import { operatorForm } from './operator-forms.js';

export const typeMismatch: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '28':
      return 'A part of the path holds a plain value, so nothing can be put below it: $set the whole parent to an object first, or filter on { parent: { $type: object } }.';
    case '53':
      return idType;
    case '171':
      return 'A compound index takes one field that holds an array: index one of the two, or keep one of them as a single value.';
    case '241':
      return 'A value cannot be converted: use $convert: { input: , to: , onError: , onNull: }, so that it gives a value of yours instead of failing.';
    case '2':
    case '14':
      return /^(?:The )?'?_id'? (?:field value|value)/.test(input.error?.message ?? '')
        ? idType
        : (storedType(input) ?? literalType(input));
    default:
      return (
        readErrorCode(code).wanted ??
        `A value has another type than its place needs: ${verb === 'aggregate' ? 'convert it with $convert and onError' : 'send it as that type'}.${columnTypes(input, () => true)}`
      );
  }
};

const idType =
  '_id may not be an array, a regular expression or undefined: use an ObjectId, a string, a number or an object, or leave it out.';

/** The document has something else at that path. */
function storedType({ shape, record: { verb }, error }: TemplateInput): string | null {
  if (verb !== 'update' && verb !== 'findAndModify' && verb !== 'bulkWrite') return null;
  if (/\$(?:inc|mul|bit)\b/.test(shape)) {
    return '$inc, $mul and $bit need a number, in the update and in the document: $set the field to a number first, or filter on { field: { $type: number } }.';
  }
  if (/\$(?:push|addToSet|pop|pull|pullAll)\b/.test(shape)) {
    return 'The field of the document holds no array: filter on { field: { $type: array } }, or $set it to an array first; a missing field is made by $push.';
  }
  return /^Cannot create field/.test(error?.message ?? '')
    ? 'A part of the path holds a plain value, so nothing can be put below it: $set the whole parent to an object first.'
    : null;
}

function literalType({ record: { verb } }: TemplateInput): string {
  return verb === 'aggregate'
    ? 'An operator or stage got a value of another type than it takes: convert fields with $convert and onError, and send numbers as numbers and dates as dates of the driver.'
    : 'A field of the command has a value of another type than it takes: the message names both; send numbers as numbers, lists as arrays and dates as dates of the driver.';
}

export const valueOutOfRange: NoteTemplate = ({ record: { code } }) =>
  readErrorCode(code).wanted ??
  'A number or date does not fit its type: use a 64-bit integer, Decimal128 or $toDecimal, or bound the value first.';

export const invalidArgument: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '16':
      return 'One command takes 1 to 100000 operations: split a larger batch, and send none for an empty one.';
    case '47':
    case '13113':
      return 'whenNotMatched: fail of $merge met a document without a partner: use insert or discard there, or $match such documents away first.';
    case '79':
    case '100':
      return 'The write was made, and this set cannot give the write concern: use w: majority or 1. Do not write it again, read it to make sure.';
    case '97':
      return 'A projection with $ needs a filter over that very array: name the array in the filter, or use $elemMatch or $filter.';
    case '22':
    case '357':
    case '378':
      return 'The document is not valid BSON: build it with the driver and not by hand, and check lengths and text in UTF-8.';
    case '207':
      return 'A UUID has 16 bytes in binary subtype 4: build it with the driver.';
    case '55':
      return 'A DBRef is { $ref: collection, $id: value } in this order, with $db last.';
    default:
      return readErrorCode(code).wanted ?? badValue(input, verb);
  }
};

function badValue(input: TemplateInput, verb: string): string {
  const { error, shape } = input;
  const message = error?.message ?? '';
  if (/zero/.test(message) && /divi|mod/i.test(message)) return readErrorCode('16608').wanted ?? otherAdvice;
  if (/[Rr]egular expression|PCRE/.test(message)) return readErrorCode('51091').wanted ?? otherAdvice;
  if (/collation|locale/.test(message)) {
    return 'A collation names a known locale and a strength of 1 to 5: { locale: en, strength: 2 }.';
  }
  if (/\blimit\b|\bskip\b|batchSize/i.test(message)) {
    return 'limit, skip and batchSize are whole numbers of 0 or more, and limit inside of deletes is 0 or 1.';
  }
  const form = operatorForm(input);
  if (form !== null) return form;
  if (/positional operator|\$\[/.test(message) || /\. ?\$ /.test(shape)) return positional;
  return verb === 'createUser' || verb === 'updateUser'
    ? 'createUser needs a name, pwd and roles: [ { role: , db: } ] with roles that are there.'
    : otherAdvice;
}

const positional =
  'field.$ stands for the element that the filter matched: name the array in the filter, as { field: { $elemMatch: { } } }, or use $[] for all and $[x] with arrayFilters.';

const otherAdvice =
  'A value is not allowed here: read in the message which one and what is, and change that value.';
