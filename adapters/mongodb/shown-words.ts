/**
 * Words of MongoDB's commands that may stand in a resolution a note shows: commands, their arguments, stages, operators,
 * closed words, and the holes that values leave. A name that is not here must be known to the catalog. The words of SQL are
 * among them, for statements over documents.
 */
import { sqlWords } from '../../src/core/notes/sql-words.js';
import { bsonTypeName } from './bson/types.js';

const commands = `
aggregate bulkWrite collMod collStats convertToCapped count create createIndexes currentOp dbStats delete distinct drop
dropDatabase dropIndexes endSessions explain find findAndModify getMore insert killCursors killOp listCollections
listDatabases listIndexes mapReduce renameCollection update validate abortTransaction commitTransaction
`;

const commandArguments = `
arrayFilters capped clusteredIndex collation collection c deletes documents dropTarget expireAfterSeconds fields filter hidden
hint index indexes key keyPattern let limit map max maxDistance min multi name new nsInfo ops ordered partialFilterExpression
pipeline projection q query reduce remove returnKey size skip sort sparse tailable timeseries to u unique updates upsert
validationAction validationLevel validator viewOn wildcardProjection
locale strength caseLevel numericOrdering normalization backwards
`;

const stages = `
$addFields $bucket $bucketAuto $changeStream $collStats $count $densify $documents $facet $fill $geoNear $graphLookup $group
$indexStats $limit $lookup $match $merge $out $project $redact $replaceRoot $replaceWith $sample $set $setWindowFields $skip
$sort $sortByCount $unionWith $unset $unwind
`;

const filterOperators = `
$all $and $bitsAllClear $bitsAllSet $bitsAnyClear $bitsAnySet $box $center $centerSphere $comment $elemMatch $eq $exists $expr
$geoIntersects $geoWithin $geometry $gt $gte $in $jsonSchema $lt $lte $maxDistance $minDistance $mod $ne $near $nearSphere $nin
$nor $not $options $or $polygon $regex $search $language $caseSensitive $diacriticSensitive $size $text $type
`;

const updateOperators = `
$addToSet $bit $currentDate $each $inc $max $min $mul $pop $position $pull $pullAll $push $rename $setOnInsert $slice
`;

const expressions = `
$abs $accumulator $acos $acosh $add $allElementsTrue $anyElementTrue $arrayElemAt $arrayToObject $asin $asinh $atan $atan2
$atanh $avg $binarySize $bottom $bottomN $bsonSize $ceil $cmp $concat $concatArrays $cond $convert $cos $cosh $covariancePop
$covarianceSamp $dateAdd $dateDiff $dateFromParts $dateFromString $dateSubtract $dateToParts $dateToString $dateTrunc
$dayOfMonth $dayOfWeek $dayOfYear $degreesToRadians $denseRank $derivative $divide $documentNumber $exp $expMovingAvg $filter
$first $firstN $floor $getField $hour $ifNull $indexOfArray $indexOfBytes $indexOfCP $integral $isArray $isNumber
$isoDayOfWeek $isoWeek $isoWeekYear $last $lastN $linearFill $literal $ln $locf $log $log10 $ltrim $maxN $median
$mergeObjects $meta $millisecond $minN $minute $month $multiply $objectToArray $percentile $pow $radiansToDegrees $rand
$range $rank $regexFind $regexFindAll $regexMatch $replaceAll $replaceOne $reverseArray $round $rtrim $second
$setDifference $setEquals $setField $setIntersection $setIsSubset $setUnion $shift $sin $sinh $sortArray $split $sqrt
$stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp $substrBytes $substrCP $subtract $sum $switch $tan $tanh $toBool
$toDate $toDecimal $toDouble $toInt $toLong $toLower $toObjectId $toString $toUpper $top $topN $trim $trunc $tsIncrement
$tsSecond $unsetField $week $year $zip $$ROOT $$CURRENT $$NOW $$REMOVE $$KEEP $$PRUNE $$DESCEND
`;

const stageArguments = `
as boundaries branches buckets case chars coll cond connectFromField connectToField date dateString db default defaults
depthField else endDate field find foreignField format from granularity groupBy if in includeArrayIndex initialValue input
inputs into localField maxDepth method n newRoot on onError onNull output partitionBy partitionByFields path
preserveNullAndEmptyArrays range regex replacement restrictSearchWithMatch sortBy startDate startOfWeek startWith step
then timezone unit amount binSize iso8601 useLongestLength value vars whenMatched whenNotMatched window bounds options
`;

const closedWords = `
keepExisting replace merge fail insert discard unbounded current textScore text 2d 2dsphere hashed strict moderate error warn
true false 0 1 -1 _id
array binData bool date decimal double int long missing null number object objectId regex string timestamp
year quarter month week day hour minute second millisecond
`;

/** What a value leaves of itself, with the types that have no byte of their own (shape/level.ts). */
const holes = [
  ...['?number', '?any', '?uuid', '?code', '?document', '?array'],
  ...Array.from({ length: 0x100 }, (_, type) => bsonTypeName(type)).flatMap((name) =>
    name === null ? [] : `?${name}`,
  ),
];

const groups = [
  commands,
  commandArguments,
  stages,
  filterOperators,
  updateOperators,
  expressions,
  stageArguments,
  closedWords,
];

export const shownWords: ReadonlySet<string> = new Set([
  ...sqlWords,
  ...holes,
  ...groups.flatMap((group) => group.split(/\s+/).filter((word) => word !== '')),
]);
