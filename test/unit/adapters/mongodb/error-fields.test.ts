/** Names taken out of messages; those of FerretDB are as version 2.7 wrote them, but for the values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/mongodb/classify.js';
import { nameInMessage, serverError } from '../../../../adapters/mongodb/error-fields.js';
import { unpackedCode } from '../../../../adapters/mongodb/packed-sqlstate.js';
import { redactAround } from '../../../../src/core/notes/redact.js';

function read(errmsg: string, code: number | null = 2, keyPattern: readonly string[] = []) {
  return serverError({ code, codeName: null, errmsg, labels: [], keyPattern });
}

function fieldsOf(errmsg: string) {
  const { nameRanges = [], code: _, message: __, ...fields } = read(errmsg);
  expect(nameRanges.every(([start, end]) => start < end && end <= errmsg.length)).toBe(true);
  return fields;
}

const duplicate = 'E11000 duplicate key error';
const ofUsers = { schema: 'shop', table: 'users' };

describe('serverError', () => {
  it('carries what was read, and leaves out what was not sent', () => {
    expect(
      serverError({
        code: 112,
        codeName: 'WriteConflict',
        errmsg: 'm',
        labels: ['TransientTransactionError'],
        keyPattern: [],
      }),
    ).toEqual({
      code: '112',
      codeName: 'WriteConflict',
      message: 'm',
      labels: ['TransientTransactionError'],
      nameRanges: [],
    });
    expect(serverError({ code: null, codeName: null, errmsg: '', labels: [], keyPattern: [] })).toEqual({
      code: '',
      message: '',
      nameRanges: [],
    });
  });

  it.each([
    [
      `${duplicate} collection: shop.users index: users_email dup key: { email: "a@x" }`,
      { ...ofUsers, constraint: 'users_email' },
    ],
    [
      `${duplicate} collection: shop.users index: by name collation: { locale: "en" } dup key: { name: "x" }`,
      { ...ofUsers, constraint: 'by name' },
    ],
    [
      `${duplicate} collection: shop.fs.files index: _id_ dup key: { _id: 1 }`,
      { schema: 'shop', table: 'fs.files', constraint: '_id_' },
    ],
    [`${duplicate} index: shop.users.$email_1  dup key: { : "a@x" }`, { ...ofUsers, constraint: 'email_1' }],
    [
      "Duplicate key violation on the requested collection: Index 'users_email'",
      { constraint: 'users_email' },
    ],
    // A value may hold anything at all.
    [
      `${duplicate} collection: shop.users index: a_1 dup key: { a: "E11000 collection: x.y index: z dup key: " }`,
      { ...ofUsers, constraint: 'a_1' },
    ],
    ['ns not found', {}],
    ['ns does not exist: shop.users', ofUsers],
    ['Source collection shop.users does not exist', ofUsers],
    ['Collection shop.users already exists.', ofUsers],
    ['Namespace shop.users could not be located', ofUsers],
    ['Namespace does not currently exist: shop.users', ofUsers],
    ['The collection shop.users is already present in the system', ofUsers],
    ['index not found with name [a b]', { constraint: 'a b' }],
    ['cannot find index x for ns shop.users', { ...ofUsers, constraint: 'x' }],
    ['not authorized on shop to execute command { find: "users", filter: { a: "x" } }', { schema: 'shop' }],
    ["Updating the path 'a.b' would create a conflict at 'a'", { column: 'a.b' }],
    ["Modifying the path 'a' will result in a conflict occurring at 'a'", { column: 'a' }],
    ["Performing an update on the path '_id' would modify the immutable field '_id'", { column: '_id' }],
    ["The field 'tags' must be an array but is of type string in document {_id: 1}", { column: 'tags' }],
    ['Cannot create field \'x\' in element {name: "ann"}', { column: 'x' }],
    ['Cannot do exclusion on field b in inclusion projection', { column: 'b' }],
    [
      'Invalid $project :: caused by :: Cannot do exclusion on field b in inclusion projection',
      { column: 'b' },
    ],
    // What a client wrote as a key need not be the name of anything.
    ["The field 'alice@example.com' must be an array but is of type int in document {_id: 1}", {}],
    ['Document failed validation', {}],
    ['', {}],
  ])('%s', (errmsg, fields) => {
    expect(fieldsOf(errmsg)).toEqual(fields);
  });

  it('takes the field from keyPattern, where it is one', () => {
    expect(read('', 11000, ['email']).column).toBe('email');
    expect(read('', 11000, ['a', 'b']).column).toBeUndefined();
    expect(read('', 11000, ['a@x']).column).toBeUndefined();
  });

  it('says where the names stand, so that nothing else of the message is kept', () => {
    const message = `${duplicate} collection: shop.users index: users_email dup key: { email: "alice@example.com" }`;
    const { nameRanges = [] } = read(message, 11000);
    expect(nameRanges.map((range) => message.slice(...range))).toEqual(['shop.users', 'users_email']);
    expect(redactAround(message, nameRanges)).not.toMatch(/alice/);
  });
});

describe('nameInMessage', () => {
  it.each([
    ['unknown operator: $like', '$like'],
    ['unknown top level operator: $foo. If you are trying to negate an entire expression, use $nor.', '$foo'],
    ['Unrecognized operator specified: $foo', '$foo'],
    ["Unrecognized pipeline stage name: '$groupBy'", '$groupBy'],
    ['Pipeline stage name not recognized: $foo', '$foo'],
    ["Unrecognized expression '$coalesce'", '$coalesce'],
    ['Invalid $project :: caused by :: Unknown expression $coalesce', '$coalesce'],
    ["unknown group operator '$average'", '$average'],
    ['Unknown modifier: $append. Expected a valid update modifier or pipeline-style update', '$append'],
    ["BSON field 'find.where' is an unknown field.", 'find.where'],
    ["The BSON field 'insert.foo' is not recognized as a valid field.", 'insert.foo'],
    ['where is an unknown field', 'where'],
    ["no such command: 'findOne'", 'findOne'],
    ['Command bulkWrite is not implemented', 'bulkWrite'],
    ['Use of undefined variable: nope', 'nope'],
    ['$where is not allowed to be used within a $lookup stage', '$where'],
  ])('%s', (message, name) => {
    expect(nameInMessage(message)).toEqual({ kind: 'name', name });
  });

  it.each(['', 'Document failed validation', "someone said: no such command: 'x'", 'unknown operator: 5'])(
    'finds none in %j',
    (message) => {
      expect(nameInMessage(message)).toBeNull();
    },
  );
});

describe('any message', () => {
  const words = fc.constantFrom(
    ...[
      duplicate,
      ' collection: ',
      ' index: ',
      ' dup key: ',
      'shop.users',
      '$x',
      "'",
      '{',
      '}',
      ' :: caused by :: ',
    ],
    ...[
      'The field ',
      'BSON field ',
      'unknown operator: ',
      'Executor error during find command',
      '\n',
      '\u{1f600}',
    ],
  );

  it('is read without throwing, and its ranges lie inside of it, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string())), (parts) => {
        const message = parts.join('');
        const { nameRanges = [] } = read(message);
        let from = 0;
        for (const [start, end] of nameRanges) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(message.length);
          from = end;
        }
        redactAround(message, nameRanges);
      }),
    );
  });

  it.each([
    `${duplicate} collection: `,
    `${duplicate} collection: a.b index: `,
    'PlanExecutor error during ',
    'The field ',
    "no such command: '",
    'collection a.',
    'Failed to ',
  ])('of a million characters behind %j is read and classified before the test runs out of time', (start) => {
    for (const filler of [
      'a',
      "'",
      ' ',
      '. ',
      ' :: caused by :: ',
      'a.b ',
      ' collation: {',
      '$in ',
      'Failed to ',
    ]) {
      const message = start + filler.repeat(Math.ceil(1_000_000 / filler.length));
      for (const code of [1, 2, 9, 13, 14, 11000]) {
        const error = read(message, code);
        expect(error.message).toBe(message);
        expect(classify({ error, phase: 'execute', isCancelRequested: false }).class).not.toBe(
          'unclassified',
        );
      }
    }
  });
});

describe('unpackedCode', () => {
  it.each([
    [536870941, 72],
    [318767133, 34],
    [336068637, 16766],
    [353632285, 31325],
    [369360925, 13027],
    [16777245, 2],
    [319029277, 11000],
  ])('%i, as FerretDB sends it, is %i', (code, expected) => {
    expect(unpackedCode(code)).toBe(expected);
    expect(read('', code).code).toBe(String(expected));
  });

  it.each(['23P01', '57014', '42501'])('knows %s of PostgreSQL', (state) => {
    const packed = [...state].reduce(
      (sum, character, index) => sum + ((character.charCodeAt(0) - 48) << (6 * index)),
      0,
    );
    expect(unpackedCode(packed)).not.toBe(packed);
  });

  it.each([0, 1, 11000, 4938500, 10045600, 999_999_999, -5, 2 ** 31, 1.5, 1_073_741_823])(
    'leaves %d alone',
    (code) => {
      expect(unpackedCode(code)).toBe(code);
    },
  );
});
