/** 11000 and its kin: a document with this key is there already. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { keyFields } from './keys.js';

export const uniqueViolation: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  if (code === '359' || verb === 'collMod') {
    return 'Documents with equal keys are in the collection: find them with $group on the key and $match of n above 1, merge them, then make the index unique.';
  }
  const fields = keyFields(input);
  const ofKey = fields === null ? '' : ` (${fields})`;
  switch (verb) {
    case 'createIndexes':
      return `Documents with equal keys${ofKey} are in the collection already: find them with $group on the key and $match of n above 1, then merge or delete them.${nullKeys(fields)}`;
    case 'aggregate':
      return `$merge or $out met a key${ofKey} that is taken: set whenMatched of $merge to merge, replace or keepExisting, with on naming the key.`;
    case 'update':
    case 'findAndModify':
      return updated(input, fields);
    default:
      return `Use updateOne with the key${ofKey} in the filter, $setOnInsert or $set and upsert: true, or update the document that has it.${ownId(input)}`;
  }
};

function updated({ shape }: TemplateInput, fields: string | null): string {
  const ofKey = fields === null ? '' : ` (${fields})`;
  if (/\bupsert \?boolean\b/.test(shape) || /\bupsert true\b/.test(shape)) {
    return `The filter found no document, and the key${ofKey} of the new one is taken: put all fields of the key into the filter. Two upserts at once may collide so too: then run it once more.`;
  }
  return `Another document has this key${ofKey}: choose another value, or change or merge that document first.`;
}

function nullKeys(fields: string | null): string {
  return fields === null
    ? ''
    : ' Documents without the field count as null: leave them out with partialFilterExpression.';
}

/** Of the key that every collection has. */
function ownId({ record }: TemplateInput): string {
  return record.object?.name === '_id_'
    ? ' To add one more document leave _id out: the driver makes one.'
    : ' With many documents ordered: false lets the others in.';
}
