/** Notes for commands that can be read and make no sense as written. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';

export const invalidStatement: NoteTemplate = (input) => {
  const { code } = input.record;
  switch (code) {
    case 'SQL_INVALID':
      return sqlAdvice(input);
    case '40':
      return 'Two operators of the update write one path, or a path and its parent: keep one of them, or send two updates, or use an array of stages.';
    case '66':
      return '_id and shard keys do not change: leave them out of the update, or insert a copy with the new _id and delete the old document.';
    case '52':
      return dollarKey(input);
    case '56':
    case '57':
      return 'Field names here may not be empty or hold a dot: nest the document instead, as { a: { b: 1 } }, and rename what comes from a client.';
    case '5':
    case '182':
      return 'The view refers to itself or has a pipeline that views may not have: view over collections, without $out and $merge.';
    case '61':
      return 'A single write on a sharded collection names the whole shard key in its filter: add those fields, or use multi: true.';
    case '67':
    case '197':
    case '201':
      return indexAdvice(input);
    case '72':
      return optionsAdvice(input);
    case '73':
      return namespaceAdvice(input);
    case '139':
    case '142':
    case '271':
      return 'The JavaScript of the command threw: guard fields that may be missing in it, or write it with operators inside of $expr, which do not throw so.';
    case '181':
      return 'Several indexes have these keys: name the index by its name, as listIndexes shows it.';
    case '370':
      return 'The index serves the shard key: keep it, or make another index that begins with the shard key first.';
    case '162':
      return 'The collection has no document that this could be based on: insert one first.';
    default:
      return readErrorCode(code).wanted ?? updateAdvice(input) ?? otherAdvice;
  }
};

/** What our own compiler can read and cannot make sense of. */
function sqlAdvice({ shape }: TemplateInput): string {
  if (/^insert into [^(]+ values\b/.test(shape)) {
    return 'INSERT names its columns here: INSERT INTO c (a, b) VALUES (...), each row with as many values.';
  }
  if (/^[^(]*\b(?:from|into|update) [^ ]+\.[^ ]/.test(shape)) {
    return 'A collection is named alone, without its database: quote a name that has a dot of its own.';
  }
  const general =
    'The SQL can be read but makes no sense as written: correct the part that the message names.';
  return /\bgroup by\b|\b(?:count|sum|avg|min|max) \(/.test(shape)
    ? `${general} Select only what GROUP BY names and aggregates.`
    : general;
}

const otherAdvice =
  'The command can be read but makes no sense as written: read the message, and rewrite the part that it names.';

/** Only renameCollection and the stages that write elsewhere name the database too. */
function namespaceAdvice({ record: { verb } }: TemplateInput): string {
  const name =
    'a collection is not empty, has no $ and no dot at either end, and does not begin with system., which is for the server';
  return verb === 'renameCollection'
    ? `Both names are written database.collection; the name of ${name}.`
    : `The name cannot be one of a collection: that of ${name}.`;
}

function dollarKey({ record: { verb }, shape }: TemplateInput): string {
  if (verb === 'insert') {
    return 'Field names of a stored document do not begin with $: insert plain fields, and use operators such as $set in an update.';
  }
  const keys = keysOfUpdate(shape);
  return keys.some((key) => key.startsWith('$')) && keys.some((key) => !key.startsWith('$'))
    ? 'Operators and plain fields do not mix in one update: put all fields into $set, as { $set: { a: 1 }, $inc: { n: 1 } }.'
    : 'A replacement has no operators: use updateOne for { $set: { field: value } }, or replaceOne with plain fields alone.';
}

/** The keys of the update document, of a shape in which keys and values take turns. */
function keysOfUpdate(shape: string): string[] {
  const tokens = shape.split(' ');
  const start = tokens.findIndex((token, index) => /^(?:u|update)$/.test(token) && tokens[index + 1] === '{');
  const keys: string[] = [];
  if (start < 0) return keys;
  let depth = 0;
  let isKey = true;
  for (const token of tokens.slice(start + 2)) {
    if (/^[{[]$/.test(token)) depth += 1;
    else if (/^[}\]]$/.test(token)) depth -= 1;
    else if (depth === 0 && isKey) keys.push(token);
    if (depth < 0) break;
    if (depth === 0) isKey = !isKey;
  }
  return keys;
}

function indexAdvice({ record: { verb }, shape }: TemplateInput): string {
  if (/\bexpireAfterSeconds\b/.test(shape)) {
    return 'A TTL index has one field that is not _id, and expireAfterSeconds as a number of 0 or more.';
  }
  if (/\bwildcardProjection\b|\$\*\*/.test(shape)) {
    return 'A wildcard index has a field that ends in $** and is neither unique nor TTL; wildcardProjection goes with $** alone.';
  }
  if (/\bpartialFilterExpression\b/.test(shape)) {
    return 'partialFilterExpression takes equality, $gt, $gte, $lt, $lte, $type and a top-level $and, and does not go with sparse.';
  }
  return verb === 'createIndexes'
    ? 'An index is { key: { field: 1 or -1 }, name: }, each value 1, -1, text, 2dsphere or hashed, and options that are documented for it.'
    : otherAdvice;
}

function optionsAdvice({ record: { verb }, shape }: TemplateInput): string {
  switch (verb) {
    case 'create':
      return /\bcapped\b/.test(shape)
        ? 'A capped collection needs size in bytes, and max only beside it.'
        : 'The options of create do not go together: viewOn goes with pipeline, size and max with capped, expireAfterSeconds with timeseries or clusteredIndex.';
    case 'collMod':
      return 'collMod changes one thing at a time: index by name or keyPattern with expireAfterSeconds, hidden or unique; or validator; or viewOn with pipeline.';
    case 'dropIndexes':
      return 'The index of _id stays: drop another one, or the collection.';
    case 'update':
    case 'findAndModify':
      return 'An update made of stages takes $set, $addFields, $unset, $project and $replaceWith alone: compute the rest in the expressions of $set.';
    default:
      return 'Two options of the command do not go together, or one is of another command: leave out the one that the message names.';
  }
}

const arrayFilters =
  'Each $[x] of the update needs one entry of arrayFilters that begins with x, as [ { x.a: { $gt: 1 } } ], and each entry needs its $[x].';

/** Combinations that the codes 2 and 9 stand for. */
function updateAdvice(input: TemplateInput): string | null {
  const { error, record } = input;
  const { verb } = record;
  const message = error?.message ?? '';
  if (/prefixed field/.test(message)) return dollarKey(input);
  if (/[Aa]rray ?[Ff]ilter|filter array/.test(message)) return arrayFilters;
  if (/[Pp]ositional element/.test(message)) {
    return 'A path does not begin with $: write field.$ for the element that the filter matched, or field.$[] for all.';
  }
  if (/multi/.test(message)) {
    return 'A replacement is for one document: use multi: true with operators such as $set, and sort only without it.';
  }
  if (/rename/.test(message))
    return '$rename moves between plain paths, outside of arrays: use an array of stages with $set and $unset for more.';
  if (verb === 'findAndModify') {
    return 'findAndModify either removes or updates: remove: true stands without update, new and upsert.';
  }
  return /FieldPath/.test(message) ? (readErrorCode('16410').wanted ?? null) : null;
}
