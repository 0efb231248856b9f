/** Stages of aggregation pipelines: https://www.mongodb.com/docs/manual/reference/operator/aggregation-pipeline/ */
import { directions, expression, filter, projection, windowFields } from './operators.js';
import { documentOf, either, listOf, type Part } from './part.js';

const names: Part = listOf(() => 'name', 'set');
const expressionsByName: Part = documentOf({}, { fields: () => 'expression' });
const elsewhere: Part = either({ document: () => 'collection elsewhere', scalar: 'collection' });

/** An update by pipeline looks the same. */
export const pipeline: Part = listOf(
  () => stage,
  'all',
  () => 'value',
);

/** One key; a stage with more is an error, in which the order is the client's. */
const stage: Part = documentOf(
  {
    $addFields: expression,
    $set: expression,
    $bucket: documentOf({ groupBy: 'expression', output: expressionsByName }),
    $bucketAuto: documentOf({ groupBy: 'expression', output: expressionsByName }),
    $count: 'name',
    $densify: documentOf({ field: 'name', partitionByFields: names }),
    $documents: 'expression',
    $facet: documentOf({}, { fields: () => pipeline }),
    $fill: documentOf({ sortBy: directions, partitionBy: 'expression', partitionByFields: names }),
    $geoNear: documentOf({
      distanceField: 'name',
      includeLocs: 'name',
      key: 'name',
      query: filter,
      spherical: 'kept boolean',
    }),
    $graphLookup: documentOf({
      from: elsewhere,
      startWith: 'expression',
      connectFromField: 'name',
      connectToField: 'name',
      as: 'name',
      depthField: 'name',
      restrictSearchWithMatch: filter,
    }),
    $group: expression,
    $lookup: documentOf({
      from: elsewhere,
      localField: 'name',
      foreignField: 'name',
      as: 'name',
      let: expressionsByName,
      pipeline: either({ array: () => pipeline }),
    }),
    $match: filter,
    $merge: documentOf(
      {
        into: elsewhere,
        on: names,
        let: expressionsByName,
        whenMatched: either({ array: () => pipeline, scalar: 'known word' }),
        whenNotMatched: 'known word',
      },
      { otherwise: 'collection' },
    ),
    $out: elsewhere,
    $project: projection,
    $redact: 'expression',
    $replaceRoot: documentOf({ newRoot: 'expression' }),
    $replaceWith: 'expression',
    $search: documentOf({ index: 'name' }),
    $searchMeta: documentOf({ index: 'name' }),
    $setWindowFields: documentOf({ partitionBy: 'expression', sortBy: directions, output: windowFields }),
    $sort: directions,
    $sortByCount: 'expression',
    $unionWith: documentOf(
      { coll: 'collection', pipeline: either({ array: () => pipeline }) },
      { otherwise: 'collection' },
    ),
    $unset: names,
    $unwind: documentOf(
      { path: 'expression', includeArrayIndex: 'name', preserveNullAndEmptyArrays: 'flag' },
      { otherwise: 'expression' },
    ),
    $vectorSearch: documentOf({ index: 'name', path: 'name', filter }),
  },
  { isOrdered: true },
);
