/** Operators of queries, expressions, updates and projections that hold something else than data. */
import { documentOf, either, listOf, type Part } from './part.js';

// https://www.mongodb.com/docs/manual/reference/operator/query/
const conditions = {
  $not: 'condition',
  $elemMatch: either({ document: () => filter }),
  $regex: 'regex',
  $options: 'regex options',
  $type: listOf(() => 'bson type', 'set'),
  $jsonSchema: either({ document: () => schema }),
} as const;

const conjunction = listOf(
  () => filter,
  'set',
  () => 'value',
);

/** A query: the order of its fields means nothing. */
export const filter: Part = documentOf(
  {
    ...conditions,
    $and: conjunction,
    $or: conjunction,
    $nor: conjunction,
    $expr: 'expression',
    $where: 'code',
    $comment: 'dropped',
  },
  { fields: () => 'condition' },
);

export const condition: Part = documentOf(conditions);

const schemas = listOf(() => schema, 'set');

/** https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/ */
const schema: Part = documentOf(
  {
    bsonType: listOf(() => 'bson type', 'set'),
    type: listOf(() => 'bson type', 'set'),
    required: listOf(() => 'name', 'set'),
    properties: documentOf({}, { fields: () => schema }),
    patternProperties: 'value',
    additionalProperties: either({ document: () => schema, scalar: 'kept boolean' }),
    items: either({ document: () => schema, array: () => schemas }),
    additionalItems: either({ document: () => schema, scalar: 'kept boolean' }),
    uniqueItems: 'kept boolean',
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: either({ document: () => schema }),
    title: 'dropped',
    description: 'dropped',
  },
  {},
);

export const directions: Part = documentOf(
  {},
  { operators: () => 'direction', fields: () => 'direction', isOrdered: true },
);

const sortedBy = documentOf({ sortBy: directions }, { fields: () => 'expression' });
const named = documentOf({ as: 'name' }, { fields: () => 'expression', otherwise: 'arguments' });
const withCode = documentOf(
  {
    body: 'code',
    init: 'code',
    accumulate: 'code',
    merge: 'code',
    finalize: 'code',
    lang: 'dropped',
  },
  { fields: () => 'arguments' },
);
const windowed = documentOf({ window: documentOf({}, { fields: () => listOf(() => 'known word', 'all') }) });

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/ */
const expressions = {
  $literal: 'value',
  $const: 'value',
  $meta: 'known word',
  $getField: documentOf({ field: 'name' }, { fields: () => 'expression', otherwise: 'name' }),
  $setField: documentOf({ field: 'name' }, { fields: () => 'expression' }),
  $unsetField: documentOf({ field: 'name' }, { fields: () => 'expression' }),
  $convert: documentOf({ to: 'bson type' }, { fields: () => 'expression' }),
  $sortArray: sortedBy,
  $top: sortedBy,
  $topN: sortedBy,
  $bottom: sortedBy,
  $bottomN: sortedBy,
  $map: named,
  $filter: named,
  $function: withCode,
  $accumulator: withCode,
  $expr: 'expression',
} as const;

export const expression: Part = documentOf(expressions, {
  operators: () => 'arguments',
  fields: () => 'expression',
});

/** An accumulator and its window, beside it. */
export const windowFields: Part = documentOf(
  {},
  {
    fields: () =>
      documentOf(
        { ...expressions, ...Object.fromEntries(windowed.keys) },
        { operators: () => 'arguments', fields: () => 'expression' },
      ),
  },
);

/** https://www.mongodb.com/docs/manual/reference/operator/projection/ */
export const projection: Part = documentOf(
  { ...expressions, $slice: 'arguments', $elemMatch: either({ document: () => filter }) },
  { operators: () => 'arguments', fields: () => 'shown' },
);

const pushed = documentOf(
  {},
  { fields: () => documentOf({ $sort: either({ document: () => directions, scalar: 'direction' }) }) },
);

/** https://www.mongodb.com/docs/manual/reference/operator/update/ */
export const updateOperators: Part = documentOf({
  $push: pushed,
  $pull: filter,
  $rename: documentOf({}, { fields: () => 'name' }),
  $currentDate: documentOf({}, { fields: () => documentOf({ $type: 'bson type' }) }),
});
