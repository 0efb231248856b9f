/**
 * The fields that a validator declares: those of its `$jsonSchema`, with the names that lead to them, and the names that its
 * other conditions are about. What it asks of them beyond their type is in the validator's own text.
 */
import { limits } from '../../src/core/limits.js';
import type { ColumnInput } from '../../src/core/schema/schema.js';
import { isPlain } from './catalog-definition.js';

type Document = Readonly<Record<string, unknown>>;

/** Sorted by name: the order of properties says nothing. */
export function declaredFields(validator: Document): readonly ColumnInput[] {
  const fields = new Map<string, ColumnInput>();
  for (const schema of schemasOf(validator)) addFields(schema, '', fields, 1);
  return [...fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names in query conditions, such as `{ age: { $gte: 0 } }`. */
export function conditionNames(validator: Document): readonly string[] {
  return conditionsOf(validator, 1).flatMap((condition) =>
    Object.keys(condition).filter((key) => !key.startsWith('$')),
  );
}

function schemasOf(validator: Document): Document[] {
  return conditionsOf(validator, 1)
    .map((condition) => condition['$jsonSchema'])
    .filter(isPlain);
}

/** The validator and what it joins by $and. */
function conditionsOf(validator: Document, depth: number): Document[] {
  const joined = validator['$and'];
  if (!Array.isArray(joined) || depth > limits.maxCatalogSchemaDepth) return [validator];
  return [validator, ...joined.filter(isPlain).flatMap((each) => conditionsOf(each, depth + 1))];
}

function addFields(schema: Document, path: string, fields: Map<string, ColumnInput>, depth: number): void {
  const { properties, required } = schema;
  if (!isPlain(properties) || depth > limits.maxCatalogSchemaDepth) return;
  const wanted = new Set(Array.isArray(required) ? required : []);
  for (const [key, property] of Object.entries(properties)) {
    if (fields.size >= limits.maxCatalogSchemaFields) return;
    if (!isPlain(property)) continue;
    const name = path + key;
    fields.set(name, { name, type: typeOf(property), isNotNull: wanted.has(key) });
    addFields(property, `${name}.`, fields, depth + 1);
    // A path goes through an array without naming its places.
    if (isPlain(property['items'])) addFields(property['items'], `${name}.`, fields, depth + 1);
  }
}

function typeOf(property: Document): string {
  const declared = property['bsonType'] ?? property['type'] ?? 'any';
  const types = Array.isArray(declared) ? declared : [declared];
  return types
    .filter((type) => typeof type === 'string')
    .sort()
    .join('|');
}
