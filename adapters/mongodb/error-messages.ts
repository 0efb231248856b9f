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
  /^(?:(?:PlanExecutor error during|Executor error during|Error in \$?\w+|Failed to|Invalid \$?\w+|unable to|Plan executor error during)[^:\n]{0,200}(?: on namespace: [^\s:]{1,300})? ?:: caused by :: )+/;

export const messagePatterns: readonly RegExp[] = [
  // 11000: MongoDB from 4.2 on, before it (the index behind the namespace), DocumentDB.
  /^E1100[01] duplicate key error collection: (?<ns>\S+) index: (?<constraint>.+?) (?:collation: \{.*\} )?dup key: /,
  /^E1100[01] duplicate key error (?:index|collection): (?<ns>\S+?)\.\$(?<constraint>\S+) +dup key: /,
  /^Duplicate key violation on the requested collection: Index '(?<constraint>[^']+)'/,
  // 26, 48, 73: namespaces.
  /^(?:ns (?:not found|does not exist):?|Source collection|[Cc]ollection|Namespace|Target collection|a collection|a view|The namespace|namespace) '?(?<ns>[^\s'"]+\.[^\s'"]+?)'? (?:does not exist|already exists|does exist|is a view|refers to a view|doesn't exist|not found)/,
  /^ns (?:not found|does not exist):? (?<ns>[^\s'"]+\.[^\s'"]+)$/,
  /^Cannot (?:create|drop|rename) .{0,40}namespace '?(?<ns>[^\s'"]+\.[^\s'"]+?)'?(?:$|[ .,:])/,
  // 27, 85, 86, 68: indexes.
  /^(?:index not found with name|cannot find index) \[?(?<constraint>[^\s\]]+)\]?/,
  /^Index already exists with a different name: (?<constraint>\S+)$/,
  /^Identical index already exists: (?<constraint>\S+)$/,
  // 13.
  /^not authorized on (?<schema>[^\s.$]+) to execute command /,
  // 40415, 40414, 14 and others of the parser of commands.
  /^(?:The )?BSON field '(?<name>[\w$.-]+)' (?:is an unknown field|is not recognized|is missing|is the wrong type|is a duplicate|has an incorrect type|value must)/,
  /^(?:The field|Unrecognized field|unknown field|Unknown field|Field not recognized:|The specified field) '?(?<name>[A-Za-z][\w$.]*)'?(?:$| is)/,
  // 59.
  /^(?:no such (?:command|cmd)|[Cc]ommand not found|unknown command):? '?(?<name>[A-Za-z]\w*)'?/,
  // Operators, stages, expressions, accumulators, modifiers.
  /^(?:unknown (?:top level )?operator|unknown group operator|[Uu]nknown modifier|Unrecognized pipeline stage name|Unrecognized operator specified|Unrecognized window function):? '?(?<name>\$[A-Za-z_]\w*)'?/,
  /^(?:Unrecognized expression|unknown group operator|Unrecognized group operator|Unknown expression|Invalid operator)s? '?(?<name>\$[A-Za-z_]\w*)'?/,
  /^(?<name>\$\w+) (?:is not allowed|is only valid|may not be|is not supported|can only be|must be the|stage is only)/,
  /^Aggregation stage (?<name>\$\w+) is not supported/,
  /^Use of undefined variable(?: provided)?: (?<name>\w+)/,
  // 40, 66, 28, 2: updates.
  /^Updating the path '(?<column>[^']+)' would create a conflict at '(?<at>[^']+)'/,
  /^Update for path '(?<column>[^']+)' (?:would|creates|generates)/,
  /^Performing an update on the path '(?<column>[^']+)' would modify the immutable field '/,
  /^After applying the update, the \(immutable\) field '(?<column>[^']+)' was found/,
  /^Cannot modify '(?<column>_id)' field/,
  /^The field '(?<column>[^']+)' must be an array but is of type \w+/,
  /^Cannot apply (?<name>\$\w+) to a (?:value of non-numeric type|non-array)/,
  /^Cannot create field '(?<column>[^']+)' in element \{/,
  /^The dollar \(\$\) prefixed field '(?<name>\$[^']+)' in '/,
  /^FieldPath field names may not /,
  // 31253, 31254, 31249, 31250, 15951 and the rest of projections and groups.
  /^Cannot do (?:inclusion|exclusion) on field (?<column>\S+) in (?:inclusion|exclusion) projection/,
  /^Unable to perform (?:inclusion|exclusion) on the field (?<column>\S+) within the /,
  /^Path collision (?:at|detected at) (?<column>\S+?)(?: remaining portion .*)?$/,
  /^The field '(?<column>[^'.$]+)' must be an accumulator object/,
  // 10065, 291 and the like name nothing.
];
