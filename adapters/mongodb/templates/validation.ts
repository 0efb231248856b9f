/**
 * Notes for what a validator refuses, and for the classes that no server of this protocol raises by itself: foreign keys,
 * NOT NULL and rules. They stay whole, for a failure of another engine is never read with these templates.
 */
import { listNames } from '../../../src/core/notes/listing.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { collectionName } from './keys.js';

export const checkViolation: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  if (code === '51132' || code === '51185') {
    return 'Each document that $merge writes needs the fields of on, neither null nor arrays: $match or $set them in a stage before.';
  }
  const name = collectionName(input);
  const read = name === null ? 'listCollections' : `listCollections with filter name: ${name}`;
  const change = verb === 'update' || verb === 'findAndModify' ? 'update' : 'document';
  return `Change the ${change} so that the validator of the collection holds: errInfo.details names the rule, and ${read} shows it.${requiredFields(input)}`;
};

function requiredFields({ tables }: TemplateInput): string {
  const [table] = tables;
  if (table === undefined) return '';
  const required = table.columns.filter((column) => column.isNotNull && column.name !== '_id');
  const list = listNames(
    required.map((column) => column.name),
    90,
    10,
  );
  return list === null ? '' : ` Required fields: ${list}.`;
}

export const notNullViolation: NoteTemplate = (input) =>
  `A field that must have a value is missing or null: give it one.${requiredFields(input)}`;

export const foreignKeyViolation: NoteTemplate = () =>
  'The document refers to another one that is not there: insert that one first, or use a key that is there.';

export const ruleRaised: NoteTemplate = () =>
  'A rule of the database refuses this: read its message, and change the values so that the rule holds.';
