/**
 * From what listCollections and listIndexes answer to what a fingerprint is made of (docs/fingerprints.md): what is
 * declared and decides whether a command succeeds. Pure. A document that is not what it should be counts as one that
 * declares nothing.
 */
import type { ColumnInput, ConstraintInput, TableInput } from '../../src/core/schema/schema.js';
import { definitionText, isPlain } from './catalog-definition.js';
import { conditionNames, declaredFields } from './catalog-fields.js';

type Document = Readonly<Record<string, unknown>>;

/** One collection or view. */
export interface ListedCollection {
  readonly name: string;
  readonly kind: 'collection' | 'view';
  readonly columns: readonly ColumnInput[];
  readonly validator: ConstraintInput | null;
  /** What its options say of it as a whole; empty where that is nothing. */
  readonly options: string;
  /** Names in it that are not columns. */
  readonly names: readonly string[];
}

/** The indexes of one collection. */
export interface ListedIndexes {
  readonly constraints: readonly ConstraintInput[];
  /** Keys of those that some operators need, and that some values do not fit into: text, geographic, hashed. */
  readonly special: readonly string[];
  /** Of all indexes and of the fields in their keys. */
  readonly names: readonly string[];
}

export const noIndexes: ListedIndexes = { constraints: [], special: [], names: [] };

/** Null for the server's own, and for those that $out and mapReduce keep while they run. */
export function listedCollection(document: Document): ListedCollection | null {
  const { name, type } = document;
  const options = isPlain(document['options']) ? document['options'] : {};
  if (typeof name !== 'string' || name === '' || name.startsWith('system.') || options['temp'] === true) {
    return null;
  }
  const kind = type === 'view' ? 'view' : 'collection';
  const { validator } = options;
  const isValidated = isPlain(validator) && Object.keys(validator).length > 0;
  return {
    name,
    kind,
    columns: isValidated ? declaredFields(validator) : [],
    validator: isValidated ? validatorOf(validator, options) : null,
    options: optionsOf(options),
    names: isValidated ? conditionNames(validator) : [],
  };
}

/** A value that is new when a collection was dropped and made again. */
export function incarnationOf(document: Document): string {
  const { info } = document;
  return isPlain(info) ? definitionText(info['uuid']) : '';
}

export function listedIndexes(documents: readonly Document[]): ListedIndexes {
  const constraints: ConstraintInput[] = [];
  const special: string[] = [];
  const names: string[] = [];
  for (const document of documents) {
    const { name, key } = document;
    if (typeof name !== 'string' || !isPlain(key)) continue;
    names.push(name, ...Object.keys(key));
    if (Object.values(key).some((direction) => typeof direction === 'string'))
      special.push(definitionText(key));
    const constraint = constraintOf(name, key, document);
    if (constraint !== null) constraints.push(constraint);
  }
  return { constraints, special: special.sort(), names };
}

export function tableOf(database: string, collection: ListedCollection, indexes: ListedIndexes): TableInput {
  const { name, kind, columns, validator, options } = collection;
  const detail = [options, ...indexes.special].join(' ').trim();
  return {
    schema: database,
    name,
    kind,
    columns,
    constraints: validator === null ? indexes.constraints : [validator, ...indexes.constraints],
    ...(detail !== '' && { detail }),
  };
}

function validatorOf(validator: Document, options: Document): ConstraintInput {
  const { validationLevel = 'strict', validationAction = 'error' } = options;
  const definition = definitionText({ validator, validationLevel, validationAction });
  return { kind: 'check', name: 'validator', columns: [], definition };
}

/** What is left out decides nothing (sizes, storage, expiry) or differs where the same was declared (uuid, key ids). */
function optionsOf(options: Document): string {
  const { capped, clusteredIndex, collation, encryptedFields, pipeline, timeseries, viewOn } = options;
  const declared: Record<string, unknown> = {};
  if (capped === true) declared['capped'] = true;
  if (clusteredIndex !== undefined) declared['clustered'] = true;
  if (isPlain(collation)) declared['collation'] = plainCollation(collation);
  if (encryptedFields !== undefined) declared['encrypted'] = true;
  if (isPlain(timeseries)) {
    declared['timeseries'] = [timeseries['timeField'], timeseries['metaField'] ?? null];
  }
  if (viewOn !== undefined) declared['view'] = [viewOn, pipeline ?? []];
  return Object.keys(declared).length === 0 ? '' : definitionText(declared);
}

function constraintOf(name: string, key: Document, index: Document): ConstraintInput | null {
  const columns = Object.keys(key);
  if (name === '_id_' || index['clustered'] === true) {
    return { kind: 'primary_key', name, columns, definition: definitionText({ key }) };
  }
  const { unique, prepareUnique, sparse, partialFilterExpression: only, collation } = index;
  if (unique !== true && prepareUnique !== true) return null;
  const definition = definitionText({
    key,
    ...(sparse === true && { sparse }),
    ...(only !== undefined && { only }),
    ...(isPlain(collation) && { collation: plainCollation(collation) }),
  });
  return { kind: 'unique_index', name, columns, definition };
}

/** The version is that of the server's library. */
function plainCollation({ version: _version, ...collation }: Document): Document {
  return collation;
}
