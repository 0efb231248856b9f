/** Notes for names that are taken. IF NOT EXISTS and OR REPLACE are advised only where the product has them. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { forProduct } from './product.js';

export const duplicateObject: NoteTemplate = (input) => {
  const { code, verb, shape } = { ...input.record, shape: input.shape };
  if (/\brename\b/.test(shape) && code !== '1060' && code !== '1061') return nameTaken;
  switch (code) {
    case '1060':
      return duplicateColumn(input);
    case '1061':
    case '1831':
      return forProduct(
        input,
        'The table has an index of this name: look with SHOW INDEX, and use it or choose another name. There is no IF NOT EXISTS for an index.',
        'The table has an index of this name: use CREATE INDEX IF NOT EXISTS or ADD INDEX IF NOT EXISTS if it fits, or choose another name.',
      );
    case '1007':
      return 'A database of this name is there: use it, or write CREATE DATABASE IF NOT EXISTS.';
    case '1050':
      return tableIsThere(input);
    case '1304':
      return routineIsThere(input);
    case '1359':
      return forProduct(
        input,
        'A trigger of this name is there: DROP TRIGGER IF EXISTS it first, or choose another name.',
        'A trigger of this name is there: use CREATE OR REPLACE TRIGGER, or choose another name.',
      );
    case '1537':
      return 'An event of this name is there: use CREATE EVENT IF NOT EXISTS, or ALTER EVENT to change it.';
    case '1396':
    case '1973':
    case '1975':
    case '3163':
      return 'The account or role is there: use CREATE USER IF NOT EXISTS, or ALTER USER to change it.';
    case '1005':
    case '1826':
    case '3822':
    case '3939':
      return 'A constraint of this name is in the database already, for names of foreign keys and checks are unique there: choose another name, or leave it out.';
    case '1330':
    case '1331':
    case '1332':
    case '1333':
      return 'The routine declares this name twice in one block: rename one of them.';
    case '1517':
      return 'The table has a partition of this name: choose another name.';
    case '1813':
    case '1086':
      return 'A file of this name is on the server: choose another name, or have it taken away.';
    default:
      return verb.startsWith('create')
        ? 'An object of this name is there: use it or ALTER it, DROP it first if it may go, or choose another name.'
        : nameTaken;
  }
};

const nameTaken = 'The new name is taken: choose another name, or rename what holds it first.';

function duplicateColumn(input: TemplateInput): string {
  const { verb } = input.record;
  if (verb === 'alter table') {
    return forProduct(
      input,
      'The table has a column of this name: look with SHOW COLUMNS, and leave it or use MODIFY to change it. There is no ADD COLUMN IF NOT EXISTS.',
      'The table has a column of this name: use ADD COLUMN IF NOT EXISTS, or MODIFY to change it.',
    );
  }
  return /\bselect\b/.test(input.shape)
    ? 'Two columns of a subquery, view or new table would have one name: give each an alias with AS, and name columns instead of *.'
    : 'A column is declared twice: name each column once.';
}

function tableIsThere(input: TemplateInput): string {
  const { verb } = input.record;
  if (verb === 'create view') {
    return 'A table or view of this name is there: use CREATE OR REPLACE VIEW if it is a view, or choose another name.';
  }
  if (verb.startsWith('alter') || verb.startsWith('rename')) return nameTaken;
  return 'A table or view of this name is there: use CREATE TABLE IF NOT EXISTS if its definition fits, else ALTER it or choose another name.';
}

function routineIsThere(input: TemplateInput): string {
  const kind = /\b(procedure|function|package)\b/.exec(input.record.verb)?.[1]?.toUpperCase() ?? 'PROCEDURE';
  return forProduct(
    input,
    `A routine of this name is there: DROP ${kind} IF EXISTS it first, or choose another name. There is no OR REPLACE for it.`,
    `A routine of this name is there: use CREATE OR REPLACE ${kind}, or choose another name.`,
  );
}
