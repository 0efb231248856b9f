import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/mongodb/classify.js';
import { serverError } from '../../../../adapters/mongodb/error-fields.js';
import { sqlRefusalCodes } from '../../../../adapters/mongodb/sql/refusals.js';

function read(code: number | null, errmsg: string) {
  const error = serverError({ code, codeName: null, errmsg, labels: [], keyPattern: [] });
  return classify({ error, phase: 'execute', isCancelRequested: false });
}

function summary(code: number | null, errmsg: string): string {
  const { class: verdict, isStructural, suggestsDrift } = read(code, errmsg);
  return [verdict, ...(isStructural ? ['structural'] : []), ...(suggestsDrift ? ['drift'] : [])].join(' ');
}

/** What MongoDB says, and what DocumentDB makes of it. */
describe('BadValue', () => {
  it.each([
    ['unknown operator: $like', 'syntax structural'],
    ['unknown top level operator: $foo. If you have a field name that starts with a $', 'syntax structural'],
    ['Unrecognized operator specified: $foo', 'syntax structural'],
    ['$in needs an array', 'syntax structural'],
    ["Expected 'array' type for $in", 'syntax structural'],
    ['$or must be an array', 'syntax structural'],
    ['$and/$or/$nor must be a nonempty array', 'syntax structural'],
    ['$or/$and/$nor entries need to be full objects', 'syntax structural'],
    ['$not needs a regex or a document', 'syntax structural'],
    ['$elemMatch needs an Object', 'syntax structural'],
    ['$regex has to be a string', 'syntax structural'],
    ['malformed mod, not enough elements', 'syntax structural'],
    ['cannot nest $ under $in', 'syntax structural'],
    ["Can't canonicalize query: BadValue unknown operator: $like", 'syntax structural'],
    ['where is an unknown field', 'syntax structural'],
    ['bad sort specification', 'syntax structural'],
    [
      'error processing query: ns=shop.users planner returned error :: caused by :: hint provided does not correspond to an existing index',
      'undefined_object structural drift',
    ],
    [
      'index specified by index hint is not found: hint provided does not correspond',
      'undefined_object structural drift',
    ],
    ['unable to find index for $geoNear query', 'undefined_object structural drift'],
    ["The field 'tags' must be an array but is of type string in document {_id: 1}", 'type_mismatch'],
    [
      'Cannot apply $addToSet to non-array field. Field named tags has non-array type string',
      'type_mismatch',
    ],
    [
      'Failed to apply $inc operations to current value ((NumberLong)1) for document {_id: 1}',
      'value_out_of_range',
    ],
    ["No array filter found for identifier 'x' in path 'tags.$[x]'", 'invalid_statement structural'],
    [
      "The dollar ($) prefixed field '$foo' in '$foo' is not allowed in the context of",
      'invalid_statement structural',
    ],
    ['Sort exceeded memory limit of 104857600 bytes', 'resource_limit'],
    ["PlanExecutor error during aggregation :: caused by :: can't $divide by zero", 'invalid_argument'],
    ['The positional operator did not find the match needed from the query.', 'invalid_argument'],
    // A value says what it likes.
    ['bad value: unknown operator: $x', 'invalid_argument'],
    ['', 'invalid_argument'],
  ])('%s: %s', (errmsg, expected) => {
    expect(summary(2, errmsg)).toBe(expected);
  });
});

describe('codes whose text says more', () => {
  it.each([
    [1, 'conflicting key value violates exclusion constraint "documents_rum_index_1"', 'unique_violation'],
    [1, 'deadlock detected', 'deadlock'],
    [1, 'could not serialize access due to concurrent update', 'write_conflict'],
    [1, 'canceling statement due to lock timeout', 'lock_timeout'],
    [1, 'collation is not supported in the find command yet.', 'unsupported_feature structural'],
    [1, 'Sort direction value 2 is not valid', 'syntax structural'],
    [1, 'role "x" does not exist', 'undefined_object structural'],
    [1, 'something else', 'internal'],
    [9, 'Unknown modifier: $foo. Expected a valid update modifier', 'syntax structural'],
    [9, 'multi update is not supported for replacement-style update', 'invalid_statement structural'],
    [9, '$pop expects 1 or -1, found: 5', 'invalid_argument'],
    [9, 'Expected field to be 1', 'syntax structural'],
    [9, "The array filter for identifier 'x' was not used in the update", 'invalid_statement structural'],
    [9, "The filter array for identifier 'x' was ignored during the", 'invalid_statement structural'],
    [9, 'You must specify either an update action or set remove=true', 'invalid_statement structural'],
    [9, 'Either an update or remove=true must be specified', 'invalid_statement structural'],
    [13, 'not authorized on shop to execute command { drop: "users" }', 'permission structural'],
    [13, 'Command find requires authentication', 'unavailable'],
    [
      14,
      "BSON field 'find.limit' is the wrong type 'string', expected types '[long, int]'",
      'type_mismatch structural',
    ],
    [14, 'Cannot increment with non-numeric argument: {age: "x"}', 'type_mismatch structural'],
    [
      14,
      "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'age' of type string",
      'type_mismatch',
    ],
    [
      14,
      'PlanExecutor error during aggregation :: caused by :: $add only supports numeric or date types, not string',
      'type_mismatch',
    ],
    [
      20,
      'Transaction numbers are only allowed on a replica set member or mongos',
      'unsupported_feature structural',
    ],
    [73, "Invalid namespace specified 'shop.'", 'invalid_statement structural'],
    [73, "Collection 'shop.x' does not exist", 'undefined_object structural drift'],
    [96, 'Sort operation used more than the maximum 33554432 bytes of RAM', 'resource_limit'],
    [96, 'anything else', 'internal'],
    [11601, 'operation was interrupted', 'cancelled'],
    [11601, 'operation exceeded time limit', 'statement_timeout'],
    [536870941, 'Invalid aggregation pipeline operator for update $match', 'invalid_statement structural'],
    [null, 'not master', 'unavailable'],
    [null, 'something without a code', 'unclassified'],
    [999_999, 'a code nobody knows', 'unclassified'],
  ])('%s, %s: %s', (code, errmsg, expected) => {
    expect(summary(code, errmsg)).toBe(expected);
  });
});

describe('labels', () => {
  const labelled = (code: number, label: string) => {
    const error = serverError({ code, codeName: null, errmsg: '', labels: [label], keyPattern: [] });
    return classify({ error, phase: 'execute', isCancelRequested: false }).class;
  };

  it.each([
    [50, 'UnknownTransactionCommitResult', 'write_conflict'],
    [64, 'UnknownTransactionCommitResult', 'write_conflict'],
    [262, 'TransientTransactionError', 'write_conflict'],
    [24, 'TransientTransactionError', 'lock_timeout'],
    [251, 'TransientTransactionError', 'consequence'],
    [91, 'UnknownTransactionCommitResult', 'unavailable'],
    [50, 'RetryableWriteError', 'statement_timeout'],
  ])('%i with %s is %s', (code, label, expected) => {
    expect(labelled(code, label)).toBe(expected);
  });
});

describe('the object', () => {
  it.each([
    [
      11000,
      'E11000 duplicate key error collection: shop.users index: a_1 dup key: { a: 1 }',
      { kind: 'constraint', name: 'a_1' },
    ],
    [40, "Updating the path 'a.b' would create a conflict at 'a'", { kind: 'column', name: 'a.b' }],
    [40324, "Unrecognized pipeline stage name: '$foo'", { kind: 'name', name: '$foo' }],
    [26, 'Source collection shop.users does not exist', { kind: 'table', name: 'users' }],
    [121, 'Document failed validation', null],
  ])('of %i, %s', (code, errmsg, object) => {
    expect(read(code, errmsg).object).toEqual(object);
  });
});

describe('codes that stand for many faults, where nothing is named', () => {
  const rename = 'The source field of a rename cannot be an array element';
  const hidden = (value: string) => `Cannot convert "${value}" in a projection that is empty`;

  it('are told apart by the server’s own words', () => {
    expect(read(2, rename).object).toMatchObject({ kind: 'token' });
    expect(read(2, rename).object).not.toEqual(read(2, hidden('x')).object);
  });

  it('are one whatever values stand in the words', () => {
    expect(read(2, hidden('canary')).object).toEqual(read(2, hidden('5 o’clock')).object);
    expect(JSON.stringify(read(2, hidden('canary')).object)).not.toContain('canary');
  });

  it('and no others', () => {
    expect(read(112, 'WriteConflict error').object).toBeNull();
  });
});

describe('refusals of the compiler', () => {
  it.each(sqlRefusalCodes)('%s', (code) => {
    const {
      class: verdict,
      isStructural,
      suggestsDrift,
      object,
    } = classify({
      error: { code, message: 'The column a must stand in GROUP BY.' },
      phase: 'parse',
      isCancelRequested: false,
    });
    const ofCode: Readonly<Record<string, string>> = {
      SQL_SYNTAX: 'syntax',
      SQL_INVALID: 'invalid_statement',
    };
    expect(verdict).toBe(ofCode[code] ?? 'unsupported_translation');
    expect(isStructural).toBe(code !== 'SQL_INVALID' && code !== 'SQL_PARAMETER');
    expect([suggestsDrift, object]).toEqual([false, null]);
  });
});
