/**
 * Where the names stand in the messages of servers that speak MongoDB's protocol: an error element has no fields for
 * them. Data alone; read by error-fields.ts. Most codes have several texts and most texts several codes, so the text
 * itself tells: each pattern begins where the message does, and nothing a client wrote stands before its first name.
 *
 * Groups: `ns` is a namespace, database first; `schema` a database; `table` a collection; `constraint` an index;
 * `column` a path of fields; `name` an operator, stage, command, variable or option that a client wrote.
 */

/** What a server puts before the message of what it was doing. */
export const causes =
  /^(?:Can't canonicalize query: (?:BadValue|FailedToParse):? |(?:PlanExecutor error during|Executor error during|Error in \$?\w+|Failed to|Invalid \$?\w+|unable to|Plan executor error during)[^:\n]{0,200}(?: on namespace: [^\s:]{1,300})? ?:: caused by :: )+/;

export const messagePatterns: readonly RegExp[] = [
  // 11000: MongoDB from 4.2 on, before it (the index behind the namespace), DocumentDB.
  /^E1100[01] duplicate key error collection: (?<ns>\S+) index: (?<constraint>.+?) (?:collation: \{.*\} )?dup key: /,
  /^E1100[01] duplicate key error (?:index|collection): (?<ns>\S+?)\.\$(?<constraint>\S+) +dup key: /,
  /^Duplicate key violation on the requested collection: Index '(?<constraint>[^']+)'/,
  // 26, 48, 73: namespaces.
  /^(?:ns|[Ss]ource collection|[Tt]arget collection|(?:The |a )?[Cc]ollection|a view|(?:The )?[Nn]amespace) '?(?<ns>[^\s'"]+\.[^\s'"]+?)'? (?:does not exist|already exists|doesn't exist|is a view|is already present|refers to a view|is identified as a view|could not be located|cannot be validated|not found)/,
  /^(?:ns (?:not found|does not exist)|Namespace does not currently exist):? (?<ns>[^\s'"]+\.[^\s'"]+)$/,
  // 27, 85, 86, 68: indexes.
  /^index not found with name \[(?<constraint>[^\]]+)\]/,
  /^cannot find index (?<constraint>\S+) for ns (?<ns>[^\s'"]+\.[^\s'"]+)/,
  /^(?:Index already exists with a different name|Identical index already exists): (?<constraint>\S+)$/,
  // 13.
  /^not authorized on (?<schema>[^\s.$]+) to execute command /,
  // 2: fields of documents.
  /^The field '(?<column>[^']+)' (?:must be|is required to be) an array(?: but is|, however it is)/,
  /^Expected 'array' type for \$addToSet but field '(?<column>[^']+)' has '/,
  /^(?:Cannot create field|Failed to create the field) '(?<column>[^']+)' (?:in element|within the element)/,
  // 40, 66.
  /^(?:Updating the path|Modifying the path) '(?<column>[^']+)' (?:would create|will result in) a conflict (?:occurring )?at '(?<at>[^']+)'/,
  /^(?:Performing an update on|Updating) the path '(?<column>[^']+)' (?:would modify|is not allowed because)/,
  /^After applying the update, the \(immutable\) field '(?<column>[^']+)' was found/,
  /^Cannot modify '(?<column>_id)' field/,
  // 52 and 2.
  /^The dollar \(\$\) prefixed field '(?<name>\$[^']+)' in '/,
  /^Field '(?<name>\$[^']+)' in path '/,
  // 31249 to 31254, 40234, 40238: projections and groups.
  /^Cannot do (?:inclusion|exclusion) on field (?<column>\S+) in (?:inclusion|exclusion) projection/,
  /^(?:inclusion|exclusion) cannot be applied to field (?<column>\S+) within the /,
  /^(?:Path collision at|Collision detected in specified path) (?<column>\S+)(?:$| remaining portion )/,
  /^The field '(?<name>[^'.$]+)' (?:must be an|is required to be an|is required to define|must specify one) accumulator/,
  // Options: of 40415, 40414, 14 and 2.
  /^(?:The )?(?:required )?BSON field '(?<name>[\w$.-]+)' (?:is an unknown|is not recognized|is missing|is the wrong type|is a duplicated|has an incorrect type|value must|is not present|is required)/,
  /^The field '(?<name>[\w$.-]+)' (?:specified is not recognized|is not valid|cannot be used)/,
  /^(?:Unrecognized field|unknown field|Unknown field|Field not recognized:) '?(?<name>[A-Za-z][\w$.]*)'?(?:$|[ .])/,
  /^'?(?<name>[A-Za-z][\w.]*)'? is (?:an unknown|an unrecognized|not a recognized) field/,
  // 59.
  /^(?:no such (?:command|cmd)|[Cc]ommand not found|unknown command):? '?(?<name>[A-Za-z]\w*)'?/,
  /^Command (?<name>[A-Za-z]\w*) is not implemented/,
  // Operators, stages, expressions, accumulators, modifiers.
  /^(?:unknown (?:top level |group )?operator|Unknown modifier|unknown modifier|Unrecognized pipeline stage name|Pipeline stage name not recognized|Unrecognized (?:group )?operator(?: specified)?|Unrecognized window function|Unrecognized expression(?: format)?|Unknown expression|Unrecognized clause in \$push|Invalid aggregation pipeline operator for update)[:,]? '?(?<name>\$[A-Za-z_]\w*)'?/,
  /^(?<name>\$\w+) (?:is not allowed to be used|is only valid|may only be|must be the|can only be used as|must appear|usage is prohibited|is prohibited|stage is only|stage must be)/,
  /^(?:Aggregation stage|Stage|Operator) (?<name>\$\w+) is (?:not|currently not) supported/,
  /^(?:Use of undefined|Attempting to use an undefined) variable: (?<name>\w+)/,
];
