/** Notes for names that are not there: collections, indexes, variables, users and roles. */
import { listNames } from '../../../src/core/notes/listing.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';
import { collectionName } from './keys.js';

export const undefinedObject: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '26':
    case '73':
      return missingCollection(input);
    case '27':
      return missingIndex(input);
    case '2':
    case '9':
    case '72':
    case '291':
      return unusableIndex(input);
    case '11':
      return 'There is no such user in this database: usersInfo lists them; a user belongs to the database it was created in, mostly admin.';
    case '31':
    case '33':
      return 'There is no such role or privilege: rolesInfo with showBuiltInRoles: true lists what there is; name it as { role: , db: }.';
    case '70':
    case '71':
    case '118':
      return 'There is no such shard, replica set or sharded collection: listShards and getShardMap say what there is.';
    case '4':
    case '29':
      return 'The key or path is not there: read the document first, and name a path that it has.';
    default:
      return (
        readErrorCode(code).wanted ??
        `There is nothing of this name: ${verb === 'aggregate' ? 'correct the name in its stage' : 'correct the name, or create it first'}.`
      );
  }
};

function closeNames({ suggestions, suggestionKind }: TemplateInput): string {
  const list = suggestionKind === null ? null : listNames(suggestions, 90, 5);
  return list === null ? '' : ` Close names: ${list}.`;
}

function missingCollection(input: TemplateInput): string {
  const { verb } = input.record;
  const close = closeNames(input);
  switch (verb) {
    case 'drop':
      return `There is no such collection to drop: take that as done, or correct the name.${close}`;
    case 'renameCollection':
      return `There is no such collection to rename: name it as database.collection, and correct the name.${close}`;
    case 'aggregate':
      return `A collection that the pipeline names is not there: create it first, or correct the name.${close}`;
    case 'listIndexes':
    case 'collMod':
    case 'dropIndexes':
    case 'collStats':
    case 'validate':
    case 'compact':
      return `There is no such collection: create it first, or correct the name.${close}`;
    default:
      return `There is no such collection: correct the name, or create it first; names count upper and lower case.${close}`;
  }
}

function missingIndex(input: TemplateInput): string {
  const { verb, shape } = { ...input.record, shape: input.shape };
  if (/\$text\b/.test(shape)) {
    return '$text needs a text index: createIndexes with key { field: text } first, or ask with $regex.';
  }
  if (verb === 'dropIndexes') {
    return `The collection has no such index: ${readIndexes(input)}, and drop it by the name or the key shown there.${indexNames(input)}`;
  }
  return `The collection has no such index: ${readIndexes(input)}, and name one of those.${indexNames(input)}`;
}

function unusableIndex(input: TemplateInput): string {
  const { shape } = input;
  if (/\$text\b/.test(shape)) {
    return '$text needs a text index: createIndexes with key { field: text } first, or ask with $regex.';
  }
  if (/\$(?:near|nearSphere|geoNear)\b/.test(shape)) {
    return '$near and $geoNear need a 2dsphere or 2d index on the field: createIndexes first, or use $geoWithin, which needs none.';
  }
  return `hint must be an index of the collection, by its name or its exact key: leave hint out, or ${readIndexes(input)} first.${indexNames(input)}`;
}

function readIndexes(input: TemplateInput): string {
  const name = collectionName(input);
  return name === null ? 'look with listIndexes' : `look with listIndexes of ${name}`;
}

/** Those the catalog keeps: unique ones. */
function indexNames({ tables, errorTable }: TemplateInput): string {
  const table = errorTable ?? tables[0];
  const list = listNames(table?.constraints.map(({ name }) => name) ?? [], 80, 6);
  return list === null ? '' : ` Unique ones: ${list}.`;
}
