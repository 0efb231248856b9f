/** Notes for names that are taken. There is no form of create that passes over what is there. */
import type { NoteTemplate } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';

export const duplicateObject: NoteTemplate = ({ record: { code, verb } }) => {
  switch (code) {
    case '48':
      if (verb === 'renameCollection') {
        return 'The target name is taken: choose another one, or pass dropTarget: true if what is there may go.';
      }
      return verb === 'aggregate'
        ? 'A view has the name that $out or $merge would write: choose another one.'
        : 'A collection or view of this name is there: use it as it is, change it with collMod, or drop it first if it may go. An insert makes a missing collection by itself.';
    case '68':
      return 'The index is there already under this name: leave the command out.';
    case '85':
      return 'An index with these keys is there under another name or with other options: use that one, or dropIndexes it first. listIndexes shows it.';
    case '86':
      return 'Another index has this name: choose another name, or dropIndexes that one first. listIndexes shows it.';
    case '13297':
      return 'A database whose name differs in upper and lower case alone is there: write the name as listDatabases shows it.';
    default:
      return (
        readErrorCode(code).wanted ??
        'An object of this name is there: use it, choose another name, or remove it first if it may go.'
      );
  }
};
