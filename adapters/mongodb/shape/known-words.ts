/** Words with a meaning in the language where a value stands: closed lists, so that no value passes for one. */

export const knownWords: ReadonlySet<string> = new Set(
  // $meta
  (
    'textScore indexKey sortKey recordId searchScore searchHighlights searchScoreDetails vectorSearchScore geoNearDistance ' +
    'geoNearPoint randVal timeseriesBucketMinTime timeseriesBucketMaxTime ' +
    // kinds of indexes
    'text 2d 2dsphere 2dsphere_bucket hashed geoHaystack ' +
    // collation
    'upper lower off non-ignorable shifted punct space ' +
    // validation, $merge, windows, time series, read
    'strict moderate error warn errorAndLog replace keepExisting merge fail insert discard unbounded current ' +
    'seconds minutes hours queryPlanner executionStats allPlansExecution'
  ).split(' '),
);

/** Aliases of BSON types, as `$type`, `bsonType` and `$convert` have them. */
export const typeAliases: ReadonlySet<string> = new Set(
  (
    'double string object array binData undefined objectId bool date null regex dbPointer javascript symbol ' +
    'javascriptWithScope int timestamp long decimal minKey maxKey number boolean integer missing'
  ).split(' '),
);

/** `fr`, `fr_CA`, `zh_Hant_TW`, `de@collation=phonebook`, `simple`. */
export const locale = /^(?:simple|[a-z]{2,3}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?(?:@collation=[a-z]{1,12})?)$/;

export const regexOptions = /^[imsxlugy]{1,8}$/;
