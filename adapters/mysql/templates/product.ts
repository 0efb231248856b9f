/** What templates ask of a record: which product it is of, and what kind of statement it was. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';

/** MariaDB and MySQL share most of their language; where they differ a note says what this one takes. */
export function isMariadb({ record }: TemplateInput): boolean {
  return record.engine === 'mariadb';
}

/** The one that is right for the product of the record. */
export function forProduct(input: TemplateInput, onMysql: string, onMariadb: string): string {
  return isMariadb(input) ? onMariadb : onMysql;
}

/** Statements that declare things, for which rows and values are not the point. */
export function isSchemaChange(verb: string): boolean {
  return /^(?:create|alter|drop|rename|truncate|optimize|analyze|repair|grant|revoke)\b/.test(verb);
}

/** True where a unique index is made of rows that are there. */
export function buildsKey(verb: string): boolean {
  return verb === 'alter table' || /^create .*index$/.test(verb) || verb === 'optimize';
}
