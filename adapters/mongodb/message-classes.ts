/**
 * What the text says where one code stands for many faults: BadValue, FailedToParse, TypeMismatch and a few more. Data
 * alone; read by classify.ts, first match first. A pattern is tried on the message behind what the server puts before
 * the cause of a failure, and begins where that does; texts are those of MongoDB and, reworded, of DocumentDB.
 */
import type { FailureClass, UnrecordedClass } from '../../src/core/failure/failure-class.js';
import type { Flag } from './error-codes-named.js';

export type Refinement = readonly [text: RegExp, verdict: FailureClass | UnrecordedClass, ...flags: Flag[]];

/** Operators, stages and options that nobody knows, and ones whose argument is of the wrong form. */
const unreadable: readonly Refinement[] = [
  [
    /^(?:unknown|Unknown|Unrecognized|unrecognized|Invalid|invalid) (?:top level |group |geo |query |update |window )?(?:operator|expression|modifier|stage|clause|argument|parameter|function|option|field|key|\$jsonSchema keyword)\b/,
    'syntax',
    'structural',
  ],
  [/^[\w$.'-]+ is (?:an? )?(?:unknown|unrecognized|not a recognized) field/, 'syntax', 'structural'],
  [
    /^(?:The )?BSON field '[\w$.-]+' (?:is an unknown field|is not recognized|is missing|is a duplicate)/,
    'syntax',
    'structural',
  ],
  [
    /^(?:Field not recognized|Required (?:element|field|variables?)|Missing expected field|The top level field name)/,
    'syntax',
    'structural',
  ],
  [
    /^(?:\$or|\$and|\$nor)\b.*(?:must be|need to be|needs|has to be|at least one entry)/,
    'syntax',
    'structural',
  ],
  [/^\$(?:and|or|nor)\/\$/, 'syntax', 'structural'],
  [
    /^(?:Expected '\w+' type for \$\w+$|Failed to parse \$\w+\. Expected an? (?:number|integer) in)/,
    'syntax',
    'structural',
  ],
  [
    /^\$(?:in|nin|all|not|elemMatch|size|type|mod|regex|options|exists|text|jsonSchema|expr|where|each|slice|sort|position|bit|pullAll|pushAll|pop|pull|geoWithin|geoIntersects|near|nearSphere|rename|unset|currentDate)\b[^:]{0,40}(?:needs|requires|must|has to|should|takes|expects|must contain)/,
    'syntax',
    'structural',
  ],
  [
    /^(?:cannot nest \$ under|no \$ expressions in \$all|\$all\/\$elemMatch|malformed mod|Can't have [Rr]eg[Ee]x as arg|Operator \$not must|The \$(?:search|bit) )/,
    'syntax',
    'structural',
  ],
  [
    /^(?:[Bb]ad sort|The \$sort (?:field|element|pattern|is)|Expected document for sort|Sort direction value|\$sort key ordering|Illegal key in \$sort)/,
    'syntax',
    'structural',
  ],
  [
    /^(?:Expected '[a-z]+' type for|Expected field |Expected value to contain|Invalid type: expected|elemMatch: Invalid argument|aggregation pipeline should be|Pipeline stage for|\$project should be|Update should be|\$bit should be)/,
    'type_mismatch',
    'structural',
  ],
  [/^Parameter \$\w+ needs/, 'syntax', 'structural'],
  [/^required parameter "\w+" (?:is missing|has type)/, 'syntax', 'structural'],
  [/^A path '[^']*' is empty/, 'invalid_statement', 'structural'],
  [
    /^Positional element|^Cannot use \$elemMatch projection|^Array filter identifier usage|^array filter identifier|^The array filter for identifier|^No array filter found|^The filter array for identifier/,
    'invalid_statement',
    'structural',
  ],
  [
    /^(?:The (?:source|destination|target) field (?:for|of)|Cannot specify|Specifying arrayFilters|multi update is not supported|multi=true|It is not (?:allowed|possible)|'?(?:remove|new|upsert|sort|hint)\b.{0,40}cannot|Either an update or remove|You must specify either)/,
    'invalid_statement',
    'structural',
  ],
];

/** A document has something else than the operator needs. */
const storedOtherwise: readonly Refinement[] = [
  [
    /^(?:The field '[^']+' (?:must be|is required to be) an array|Cannot apply \$\w+ to|Unable to (?:perform|use) \$\w+|\$(?:pull|pop|push|bit|addToSet) cannot be used|Operation \$\w+ cannot be performed|Cannot create field|Failed to create the field|Array updates cannot be applied|Path '[^']+' contains an element of non-array|The specified path '[^']+' within \$pop|Expected 'array' type for \$addToSet but field)/,
    'type_mismatch',
  ],
];

const tooLarge: readonly Refinement[] = [
  [/^(?:adding .{0,40}|Concat\w+ concatenating bson): failed due to/, 'resource_limit'],
  [
    /^(?:Sort (?:operation )?(?:exceeded memory|used more)|Exceeded memory limit|.{0,80}exceeded (?:the )?memory limit|.{0,60}Overflow sort stage|Size \d+ is larger than|.{0,40}too large|sort too large)/i,
    'resource_limit',
  ],
];

const indexNeeded: readonly Refinement[] = [
  [
    /^(?:(?:error processing query: |planner returned error ?:? ?).{0,400}(?:bad hint|hint provided|unable to find index|text index required)|bad hint|hint provided does not correspond|index specified by index hint is not|The index for filter path|unable to find index for|text index required|Similarity index was not|No query solutions|\$geoNear requires a|A text index is necessary)/s,
    'undefined_object',
    'structural',
    'drift',
  ],
];

const badValue: readonly Refinement[] = [
  [
    /^(?:Failed to apply \$\w+ operations|Unable to perform \$\w+ operators on the existing)/,
    'value_out_of_range',
  ],
  [/^(?:The '_id' field value must not be|_id value cannot be)/, 'type_mismatch'],
  ...storedOtherwise,
  ...tooLarge,
  ...indexNeeded,
  ...unreadable,
  [
    /^(?:Missing (?:required )?|'?\w+'? is a required field|The '\w+' (?:field|parameter|attribute) is (?:mandatory|required)|A .{1,40} is required)/,
    'syntax',
    'structural',
  ],
  [
    /^The (?:dollar|\$)[^']{0,40}prefixed field '|^FieldPath field names (?:may|cannot)|^Unset operator specification/,
    'invalid_statement',
    'structural',
  ],
  [
    /^\$\w+ (?:must appear as|can only be used as|is only valid as|may only be|can only be applied|cannot be used|is not allowed|queries cannot specify)/,
    'invalid_statement',
    'structural',
  ],
];

/** Texts of DocumentDB and of the PostgreSQL below it, which has no codes for them. */
const internal: readonly Refinement[] = [
  [
    /^(?:conflicting key value violates|could not create (?:exclusion constraint|unique index)|duplicate key value violates)/,
    'unique_violation',
  ],
  [/^deadlock detected/, 'deadlock'],
  [/^could not serialize access|^tuple concurrently (?:updated|deleted)/, 'write_conflict'],
  [/^canceling statement due to lock timeout|^could not obtain lock/, 'lock_timeout'],
  [/^canceling statement due to (?:statement )?timeout/, 'statement_timeout'],
  [/^(?:canceling statement due to user request|operation was interrupted)/, 'cancelled'],
  [/^permission denied/, 'permission', 'structural'],
  [/^cannot execute .{1,40} in a read-only transaction/, 'read_only'],
  [/^role "[^"]*" does not exist/, 'undefined_object', 'structural'],
  [/^role "[^"]*" already exists/, 'duplicate_object', 'structural'],
  [/^(?:out of memory|index row (?:size|requires)|stack depth limit|row is too big)/, 'resource_limit'],
  [
    /^(?:terminating connection|the database system is|.{0,40}connection refused|failed to connect|sorry, too many clients|conn closed)/,
    'unavailable',
  ],
  [
    /^.{0,80}\b(?:is|are) not (?:yet |currently )?(?:implemented|supported)\b/,
    'unsupported_feature',
    'structural',
  ],
  [/^Sort direction value/, 'syntax', 'structural'],
];

export const refinements: Readonly<Record<string, readonly Refinement[]>> = {
  // Servers before the codes: what they say of the primary is all there is.
  '': [[/^(?:not master|not primary|node is recovering)/i, 'unavailable']],
  1: internal,
  2: badValue,
  9: [
    [
      /^(?:multi update|multi=true|Cannot specify|It is not|sort option can not|Both |Cannot use an expression without|Multiple array filters|The array filter for identifier|The filter array for identifier|You must specify either|Either an update or remove)/,
      'invalid_statement',
      'structural',
    ],
    // The literal is of the right type and the wrong size.
    [
      /^(?:\$pop |A positive number|bit positions must be|Unable to store|Expected value of integer|.{0,60}(?:must|to) be (?:>|>=|positive|strictly|greater|non-?negative)|.{0,60}cannot be (?:negative|zero)|'N' cannot|Failed to parse number)/,
      'invalid_argument',
    ],
    ...indexNeeded,
  ],
  // Anybody who is not logged in yet.
  13: [[/requires authentication|^there are no users authenticated|^not authenticated/i, 'unavailable']],
  14: [
    ...storedOtherwise,
    [
      /^(?:The )?BSON field '[\w$.-]+' (?:is the wrong type|has an incorrect type)/,
      'type_mismatch',
      'structural',
    ],
    [
      /^(?:Expected (?:field|'|value|\w+ to be)|Field '?[\w.]+'? must be|[\w.$' -]{1,60} (?:must|has to|should|needs to) be (?:of type|an? |provided as|either)|Cannot increment with non-numeric|Increment should be|Every item within|wrong type for)/,
      'type_mismatch',
      'structural',
    ],
  ],
  20: [[/^Stage |is not (?:permitted|allowed)/, 'invalid_statement', 'structural']],
  72: [...indexNeeded, ...tooLarge],
  // DocumentDB has it for collections that are not there too.
  73: [
    [/^Collection (?:could not be found|'[^']*' does not exist)/, 'undefined_object', 'structural', 'drift'],
  ],
  96: tooLarge,
  // Interrupted for its time, on servers that have no code for it.
  11601: [[/exceeded time limit|time limit exceeded/i, 'statement_timeout']],
};
