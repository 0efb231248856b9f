/**
 * Texts that are compared with `_id`: 24 hexadecimal digits stand for the text and for the ObjectId, since a statement
 * has no other way to write one, and a collection has the one or the other.
 */
import { ObjectId } from 'bson';
import { constantOf, type ValueConstant } from './constants.js';
import type { Value } from './values.js';

/** The constants that are meant: one, or two for an id. */
export function meantBy(field: Value, constant: ValueConstant): readonly ValueConstant[] {
  const isId = field.form === 'field' && field.path === '_id' && constant.kind === 'string';
  if (!isId || !/^[0-9a-fA-F]{24}$/.test(constant.value as string)) return [constant];
  return [constant, constantOf('objectId', new ObjectId(constant.value as string))];
}
