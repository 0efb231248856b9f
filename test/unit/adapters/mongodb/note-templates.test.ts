/** What the notes of each class say, and what holds for every one of them. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/mongodb/classify.js';
import { noteTemplates } from '../../../../adapters/mongodb/note-templates.js';
import { shownWords } from '../../../../adapters/mongodb/shown-words.js';
import { compileSql } from '../../../../adapters/mongodb/sql/compile.js';
import { sqlRefusalCodes } from '../../../../adapters/mongodb/sql/refusals.js';
import * as foreign from '../../../../adapters/mongodb/templates/foreign-names.js';
import { type FailureClass, failureClasses } from '../../../../src/core/failure/failure-class.js';
import { limits } from '../../../../src/core/limits.js';
import { renderNote } from '../../../../src/core/notes/render.js';
import { everyInput, type Failure, inputFor, instructionFor, users } from './note-inputs.js';

type Case = readonly [failure: Failure, instruction: string];

function check(failureClass: FailureClass, cases: readonly Case[]): void {
  describe(failureClass, () => {
    it.each(cases.map((each) => ({ each })))('$each', ({ each: [failure, instruction] }) => {
      expect(instructionFor({ class: failureClass, ...failure })).toContain(instruction);
    });
  });
}

const constraint = (name: string) => ({ kind: 'constraint', name }) as const;
const named = (name: string) => ({ kind: 'name', name }) as const;
const message = (text: string) => ({ message: text });

const insert = { verb: 'insert', shape: '{ insert users documents [ { email:string } ] }' } as const;
const update = {
  verb: 'update',
  shape: '{ update users updates [ { q { _id ?number } u { $set { email ?string } } } ] }',
} as const;

check('unique_violation', [
  [
    { code: '11000', ...insert, object: constraint('users_email') },
    'Use updateOne with the key (email) in the filter, $setOnInsert or $set and upsert: true',
  ],
  // Paths are names of the catalog like others.
  [{ code: '11000', ...insert, object: constraint('users_place') }, 'the key (tenant, address.city)'],
  [{ code: '11000', ...insert, object: constraint('_id_') }, 'leave _id out: the driver makes one'],
  [
    { code: '11000', ...insert, object: constraint('unheard_of') },
    'Use updateOne with the key in the filter',
  ],
  [{ code: '11000', ...update, object: constraint('users_email') }, 'Another document has this key (email)'],
  [
    { code: '11000', verb: 'update', shape: '{ update users updates [ { q { } u { } upsert true } ] }' },
    'put all fields of the key into the filter',
  ],
  [
    { code: '11000', verb: 'createIndexes', object: constraint('users_email') },
    'leave them out with partialFilterExpression',
  ],
  [{ code: '11000', verb: 'aggregate' }, 'set whenMatched of $merge'],
  [{ code: '359', verb: 'collMod' }, 'then make the index unique'],
]);

check('check_violation', [
  [
    { code: '121', ...insert },
    'errInfo.details names the rule, and listCollections with filter name: users shows it. Required fields: email, name.',
  ],
  [{ code: '121', ...update }, 'Change the update so that the validator'],
  [{ code: '121', ...insert, tables_: [] }, 'and listCollections shows it.'],
]);

check('undefined_object', [
  [
    { code: '26', verb: 'collMod', shape: '{ collMod userz }', tables: ['userz'], tables_: [] },
    'create it first, or correct the name. Close names: users.',
  ],
  [{ code: '26', verb: 'drop', tables_: [] }, 'take that as done'],
  [
    { code: '27', verb: 'dropIndexes', shape: '{ dropIndexes users index x }' },
    'look with listIndexes of users, and drop it by the name or the key shown there. Unique ones: _id_, users_email, users_place',
  ],
  [
    { code: '27', verb: 'find', shape: '{ find users filter { $text { $search ?string } } }' },
    '$text needs a text index',
  ],
  [
    { code: '291', verb: 'find', shape: '{ find users filter { a { $near [ ?number ] } } }' },
    'need a 2dsphere or 2d index',
  ],
  [
    { code: '2', verb: 'find', shape: '{ find users filter { } hint nope }' },
    'hint must be an index of the collection',
  ],
  [{ code: '17276', verb: 'aggregate' }, '$$name must be one of let'],
]);

check('duplicate_object', [
  [{ code: '48', verb: 'create' }, 'change it with collMod'],
  [{ code: '48', verb: 'renameCollection' }, 'dropTarget: true'],
  [{ code: '85', verb: 'createIndexes' }, 'under another name or with other options'],
  [{ code: '86', verb: 'createIndexes' }, 'choose another name'],
]);

const transient = { labels: ['TransientTransactionError'] } as const;
const unknownCommit = { labels: ['UnknownTransactionCommitResult'] } as const;

check('write_conflict', [
  [
    { code: '112', ...update, error: transient },
    'The whole transaction is gone: start a new one and run all of its operations again',
  ],
  [{ code: '112', ...update, isInTransaction: true }, 'The whole transaction is gone'],
  [{ code: '112', ...update }, 'run this one again after a short pause'],
  [{ code: '246', verb: 'find', error: transient }, 'The whole transaction is gone'],
  [{ code: '50', verb: 'commitTransaction', error: unknownCommit }, 'send commitTransaction alone again'],
]);

check('lock_timeout', [
  [{ code: '24', ...update, isInTransaction: true }, 'The whole transaction is gone'],
  [{ code: '12587', ...update }, 'An index is being built'],
  [{ code: '24', ...update }, 'run this again after a short pause'],
]);

check('statement_timeout', [
  [{ code: '50', verb: 'find' }, 'add an index for the filter and sort'],
  [{ code: '50', verb: 'delete' }, 'write in batches by _id'],
  [{ code: '50', verb: 'getMore' }, 'smaller batchSize'],
  [{ code: '64', ...insert }, 'The write was made'],
  [{ code: '290', ...update }, 'transactionLifetimeLimitSeconds'],
]);

check('syntax', [
  [
    { code: '2', verb: 'find', object: named('$like') },
    'There is no $like here: write { field: { $regex: pattern } }',
  ],
  [{ code: '2', verb: 'find', object: named('$LIKE') }, 'There is no $like here'],
  // What MongoDB has and this server has not is not offered.
  [
    {
      code: '2',
      verb: 'find',
      object: named('$where'),
      error: message('unknown top level operator: $where. If you have a field name'),
    },
    'This server has no such operator',
  ],
  // A name of the client is looked up, and shown only where it is our own.
  [{ code: '2', verb: 'find', object: named('$drop_everything') }, 'There is no such operator in a filter'],
  [{ code: '2', verb: 'find', object: named('__proto__') }, 'There is no such operator in a filter'],
  [
    { code: '40324', verb: 'aggregate', object: named('$orderBy') },
    'There is no $orderBy here: write { $sort: { field: 1 } }',
  ],
  [{ code: '40324', verb: 'aggregate', object: named('$constructor') }, 'There is no such stage here'],
  [{ code: '168', verb: 'aggregate', object: named('$coalesce') }, 'write $ifNull: [ a, b ]'],
  [{ code: '168', verb: 'aggregate' }, 'There is no such operator in an expression'],
  [{ code: '9', ...update, object: named('$increment') }, 'write $inc.'],
  [{ code: '40415', verb: 'find', object: named('find.orderBy') }, 'There is no orderBy here: write sort.'],
  [{ code: '2', verb: 'find', error: message('$or must be an array') }, '$and, $or and $nor take an array'],
  [{ code: '2', verb: 'find', error: message('$in needs an array') }, '$in and $nin take an array'],
  [
    { code: '9', verb: 'aggregate', error: message("The 'cursor' option is required") },
    'aggregate needs cursor: {}',
  ],
  [{ code: '40323', verb: 'aggregate' }, 'exactly one key that begins with $'],
  [{ code: 'SQL_SYNTAX', verb: 'select' }, 'The SQL cannot be read'],
]);

check('invalid_statement', [
  [{ code: '66', ...update }, '_id and shard keys do not change'],
  [{ code: '40', ...update }, 'write one path'],
  [
    {
      code: '9',
      ...update,
      error: message("The filter array for identifier 'x' was ignored during the { $set: { a: 1 } } update"),
    },
    'needs one entry of arrayFilters',
  ],
  [
    {
      code: '9',
      verb: 'findAndModify',
      error: message('Either an update or remove=true must be specified'),
    },
    'either removes or updates',
  ],
  [{ code: '73', verb: 'create' }, 'The name cannot be one of a collection'],
  [{ code: '73', verb: 'renameCollection' }, 'written database.collection'],
  [
    {
      code: '52',
      ...update,
      shape: '{ update users updates [ { q { } u { $set { a ?number } b ?number } } ] }',
    },
    'Operators and plain fields do not mix',
  ],
  [{ code: '52', ...update }, 'A replacement has no operators'],
  [{ code: '52', ...insert }, 'Field names of a stored document do not begin with $'],
  [{ code: '31254', verb: 'find' }, 'do not mix them, _id: 0 excepted'],
  [
    {
      code: '67',
      verb: 'createIndexes',
      shape: '{ createIndexes users indexes [ { expireAfterSeconds ?number } ] }',
    },
    'A TTL index has one field',
  ],
  [{ code: '72', verb: 'create', shape: '{ create users capped true }' }, 'A capped collection needs size'],
  [{ code: '72', ...update }, '$set, $addFields, $unset, $project and $replaceWith alone'],
  [{ code: '139', verb: 'find' }, 'The JavaScript of the command threw'],
  [{ code: 'SQL_INVALID', verb: 'select' }, 'The SQL can be read but makes no sense'],
]);

check('type_mismatch', [
  [
    { code: '2', ...update, shape: '{ update users updates [ { q { } u { $push { a ?string } } } ] }' },
    'holds no array',
  ],
  [
    { code: '14', ...update, shape: '{ update users updates [ { q { } u { $inc { a ?string } } } ] }' },
    'need a number',
  ],
  [{ code: '28', ...update }, 'nothing can be put below it'],
  [{ code: '53', ...insert }, '_id may not be an array'],
  [{ code: '241', verb: 'aggregate' }, '$convert: { input: , to: , onError: , onNull: }'],
  [{ code: '17124', verb: 'aggregate' }, 'guard it as { $ifNull: [<expression>, []] }'],
]);

check('resource_limit', [
  [{ code: '10334', ...insert }, 'GridFS'],
  [{ code: '17419', ...update }, 'GridFS'],
  [{ code: '292', verb: 'aggregate' }, 'allowDiskUse: true'],
  [
    { code: '96', verb: 'find', error: message('Sort operation used more than the maximum RAM') },
    'allowDiskUse: true',
  ],
]);

check('session_state', [
  [{ code: '43', verb: 'getMore' }, 'Run the query again'],
  [{ code: '263', verb: 'count' }, 'as countDocuments does'],
  [{ code: '263', verb: 'createIndexes' }, 'run this outside'],
]);

check('unsupported_feature', [
  [{ code: '59', verb: 'insertMany' }, 'There is no insertMany here: write insert with documents'],
  [{ code: '59', verb: 'foo' }, 'The server has no such command'],
  [{ code: '59', verb: 'commitTransaction' }, 'This server has no transactions'],
  // explain of a delete, on FerretDB: both commands are spelt right.
  [
    { code: '238', verb: 'delete', error: message('explain for delete command is not supported') },
    'This server cannot do this',
  ],
  [{ code: '238', verb: 'commitTransaction' }, 'This server has no transactions'],
  [
    {
      code: '20',
      ...insert,
      error: message('Transaction numbers are only allowed on a replica set member or mongos'),
    },
    'This needs a replica set',
  ],
  // The code stands for whatever a server thinks illegal.
  [
    { code: '20', verb: 'renameCollection', error: message("Can't rename a collection to itself") },
    'This server cannot do this',
  ],
  [{ code: '166', ...insert }, 'A view takes reads alone'],
]);

describe('unsupported_translation', () => {
  const refused = (code: string, shape = 'select a from users'): string =>
    instructionFor({ class: 'unsupported_translation', code, verb: 'select', shape });
  const shortOf = (code: string): string =>
    renderNote(noteTemplates.unsupported_translation, inputFor({ class: 'unsupported_translation', code }))
      .short;

  it('offers GROUP BY for DISTINCT, and forbids nothing', () => {
    expect(refused('SQL_DISTINCT')).toMatch(/^Use GROUP BY: /);
    expect(refused('SQL_DISTINCT')).not.toMatch(/\b(?:not|no|never|cannot)\b/i);
  });

  it.each(['SQL_JOIN', 'SQL_SEVERAL_TABLES'])(
    'has no alternative for %s, and says where there is one',
    (code) => {
      for (const text of [refused(code), shortOf(code)]) {
        expect(text).toContain('No single-collection statement answers this');
        expect(text).toContain('$lookup');
        expect(text).toContain('report that it cannot be asked here: do not drop a collection');
      }
    },
  );

  it.each([
    ['SQL_SUBQUERY', '$lookup'],
    ['SQL_SET_OPERATION', '$unionWith'],
    ['SQL_CTE', 'stages of one native aggregate'],
    ['SQL_WINDOW', '$setWindowFields'],
  ])('names the other surface for %s: %s', (code, native) => {
    expect(refused(code)).toContain(native);
    expect(shortOf(code)).toContain('report that it cannot be asked here');
    expect(refused(code)).not.toMatch(/\b(?:use|write) GROUP BY|SELECT /i);
  });

  it.each([
    [
      'SQL_CLAUSE',
      'insert into users ( a ) values ( ? ) on conflict do nothing',
      'updateOne with upsert: true',
    ],
    ['SQL_CLAUSE', 'delete from users returning a', 'findOneAndDelete'],
    ['SQL_CLAUSE', 'select a from users for update', 'a transaction'],
    ['SQL_CLAUSE', 'select a from users tablesample system ( ? )', '$sample'],
    ['SQL_CLAUSE', 'select a from users group by rollup ( a )', '$facet'],
    ['SQL_CLAUSE', 'delete from users limit ?', 'deleteOne'],
    ['SQL_CLAUSE', 'select top ? * from users', 'Use LIMIT n'],
    ['SQL_CLAUSE', 'select ?', 'add FROM'],
    ['SQL_CLAUSE', 'select a from users with ties', 'the native command that does the same'],
    ['SQL_DISTINCT', 'select distinct on ( a ) a from users', '$group with $first'],
    ['SQL_SUBQUERY', 'insert into users ( a ) select a from orders', '$merge or $out'],
    ['SQL_SUBQUERY', 'select a from users where a in ( select b from orders )', '$lookup'],
    ['SQL_SEVERAL_TABLES', 'update users set a = ? from orders where true', '$merge its last stage'],
    ['SQL_SEVERAL_TABLES', 'delete from users using orders where true', 'then delete by _id'],
    ['SQL_JOIN', 'update users u join orders o on true set a = ?', '$merge its last stage'],
    ['SQL_SUBQUERY', 'delete from users where a in ( select b from orders )', 'then delete by _id'],
    ['SQL_CLAUSE', 'select a from users limit ? , ?', 'Use LIMIT n OFFSET m'],
    ['SQL_CLAUSE', 'select count ( * ) from users having count ( * ) > ?', 'stands behind GROUP BY'],
    [
      'SQL_CLAUSE',
      'insert into users ( a ) values ( ? ) on duplicate key update a = ?',
      'updateOne with upsert',
    ],
    ['SQL_CLAUSE', 'insert ignore into users ( a ) values ( ? )', 'ordered: false'],
    ['SQL_STATEMENT', '( select a from users )', 'without parentheses'],
    ['SQL_STATEMENT', 'select a from users where a in ( ?+ )', 'a = ANY($1)'],
    ['SQL_STATEMENT', 'replace into users ( a ) values ( ? )', 'updateOne with upsert'],
    ['SQL_EXPRESSION', 'select a :: varchar ( 10 ) from users', 'CAST(a AS text)'],
    ['SQL_EXPRESSION', 'select cast ( a as numeric ( 10 , 2 ) ) from users', 'CAST(a AS text)'],
    ['SQL_FUNCTION', 'select trim ( both ? from a ) from users', 'Use BTRIM(a)'],
    ['SQL_DDL', 'truncate table users', 'Use DELETE FROM'],
    ['SQL_DDL', 'grant select on users to app', 'grantRolesToUser'],
    ['SQL_DDL', 'create table users ( a int )', 'createIndexes'],
    ['SQL_EXPRESSION', 'select a ->> ? from users', 'with a dot'],
    ['SQL_FUNCTION', 'select ifnull ( a , ? ) from users', 'Use COALESCE'],
    ['SQL_FUNCTION', 'select md5 ( a ) from users', 'of the native aggregate'],
  ])('says for %s in %s: %s', (code, shape, advice) => {
    expect(refused(code, shape)).toContain(advice);
  });

  it.each([
    'SQL_DDL',
    'SQL_FUNCTION',
    'SQL_EXPRESSION',
    'SQL_CLAUSE',
    'SQL_STATEMENT',
    'SQL_SEVERAL_STATEMENTS',
    'SQL_PARAMETER',
  ])('has an instruction of its own for %s', (code) => {
    expect(refused(code)).not.toBe(refused('SQL_ANYTHING_ELSE'));
  });

  it('has one for each code of the compiler', () => {
    for (const code of sqlRefusalCodes) {
      const { class: failureClass } = classify({
        error: { code, message: '' },
        phase: 'parse',
        isCancelRequested: false,
      });
      expect(
        noteTemplates[failureClass as FailureClass](inputFor({ code, class: failureClass as FailureClass })),
        code,
      ).not.toBe(refused('SQL_ANYTHING_ELSE'));
    }
  });

  // What is advised is taken by the compiler.
  it.each([
    'SELECT a, b FROM c GROUP BY a, b HAVING COUNT(*) > 1 ORDER BY a',
    'DELETE FROM c',
    'SELECT a FROM c LIMIT 5',
    'SELECT a FROM c WHERE _id IN (1, 2)',
    'SELECT COALESCE(a, b), LENGTH(a), UPPER(a), LOWER(a), SUBSTRING(a FROM 1 FOR 2), STRPOS(a, b) FROM c',
    'SELECT EXTRACT(YEAR FROM a), EXTRACT(MONTH FROM a), EXTRACT(DAY FROM a), EXTRACT(HOUR FROM a) FROM c',
    'SELECT EXTRACT(MINUTE FROM a), EXTRACT(SECOND FROM a), NOW(), CURRENT_DATE FROM c',
    'SELECT CASE WHEN a = 1 THEN a ELSE b END, address.city FROM c',
    'SELECT a FROM c LIMIT 5 OFFSET 6',
    'SELECT CAST(a AS text), SUBSTRING(a FROM 1 FOR 2), ROUND(a, 2), a / NULLIF(d, 0) FROM c',
    "SELECT BTRIM(a), LTRIM(a, 'x'), RTRIM(a, 'x') FROM c",
    'INSERT INTO c (a, b) VALUES (1, 2)',
  ])('advises what the compiler takes: %s', (sql) => {
    expect(compileSql(sql).kind).toBe('command');
  });
});

describe('what the server refuses of SQL', () => {
  const of = (failureClass: FailureClass, code: string, more: Partial<Failure> = {}): string =>
    instructionFor({
      ...{ class: failureClass, code, verb: 'insert', shape: 'insert into users ( email ) values ( ? )' },
      ...more,
    });

  it('is answered in SQL, and native commands are called so', () => {
    expect(of('unique_violation', '11000', { object: constraint('users_email') })).toBe(
      'Another document has this key (email): UPDATE that one, or choose another value. The native updateOne with upsert: true does either.',
    );
    expect(of('type_mismatch', '241')).toContain('the native aggregate with $convert');
    expect(of('type_mismatch', '14')).toContain('CAST it');
    expect(of('invalid_argument', '2', { error: message('$divide by zero is not allowed') })).toContain(
      'NULLIF(d, 0)',
    );
  });

  it('is answered as it is for commands where that says nothing of operators', () => {
    expect(of('permission', '13')).toContain('The user may not do this here');
  });

  it.each([
    ['insert into users values ( ? )', 'INSERT names its columns'],
    ['select a from shop.users', 'A collection is named alone'],
    ['select a , count ( * ) from users', 'Select only what GROUP BY names'],
  ])('is told what is missing: %s', (shape, advice) => {
    expect(of('invalid_statement', 'SQL_INVALID', { shape })).toContain(advice);
  });

  it('is told nothing of groups where there are none', () => {
    expect(
      of('invalid_statement', 'SQL_INVALID', { shape: 'select a from users where b like ?' }),
    ).not.toContain('GROUP BY');
  });
});

interface MadeNote {
  readonly instruction: string;
  readonly short: string;
  readonly long: string;
  readonly failureClass: FailureClass;
}

/** Each once. */
const allNotes: readonly MadeNote[] = (() => {
  const notes = new Map<string, MadeNote>();
  for (const input of everyInput()) {
    const failureClass = input.record.class;
    const template = noteTemplates[failureClass];
    const instruction = template(input);
    const key = `${failureClass} ${input.objectName} ${instruction}`;
    if (!notes.has(key))
      notes.set(key, { instruction, failureClass, ...renderNote(template, input, shownWords) });
  }
  return [...notes.values()];
})();

const sentencesOf = (instruction: string): string[] => instruction.split(/(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/);

/** Those that are wrong, all at once. */
function wrongNotes(isWrong: (note: MadeNote) => boolean): string[] {
  return allNotes.filter(isWrong).map(({ instruction, short }) => `${instruction} | ${short}`);
}

describe('every note', () => {
  it('has a template for each class', () => {
    expect(Object.keys(noteTemplates).sort()).toEqual([...failureClasses].sort());
    expect(new Set(allNotes.map(({ failureClass }) => failureClass)).size).toBe(failureClasses.length);
    expect(allNotes.length).toBeGreaterThan(400);
  });

  it('is made of safe characters before it is cleaned', () => {
    expect(wrongNotes(({ instruction }) => !/^(?:(?!["'`\\%])[\x20-\x7e])+\.$/.test(instruction))).toEqual(
      [],
    );
  });

  it('fits, with its first sentence whole in both forms', () => {
    const isCut = ({ instruction, short, long }: MadeNote): boolean => {
      const [first = ''] = sentencesOf(instruction);
      return !short.includes(first) || !long.includes(first);
    };
    expect(wrongNotes(isCut)).toEqual([]);
    const isLong = ({ short, long }: MadeNote): boolean =>
      short.length > limits.maxShortNoteBytes || long.length > limits.maxLongNoteBytes;
    expect(wrongNotes(isLong)).toEqual([]);
  });

  it('holds no phrase that a driver acts on', () => {
    const phrases =
      /not master|not primary|notmaster|node is recovering|recovering|shutdown|shutting down|exists|not found|interrupted|stepped down|duplicate key|E11000/i;
    expect(
      wrongNotes(({ instruction, short, long }) => phrases.test(`${instruction} ${short} ${long}`)),
    ).toEqual([]);
  });

  it('has at most three sentences', () => {
    expect(wrongNotes(({ instruction }) => sentencesOf(instruction).length > 3)).toEqual([]);
  });
});

describe('names that others have', () => {
  const tables = Object.entries(foreign);

  it.each(tables)('%s: is no name that MongoDB has in that place', (place, names) => {
    const real: Readonly<Record<string, RegExp>> = {
      insteadOfQueryOperators:
        /^\$(?:eq|ne|gt|gte|lt|lte|in|nin|and|or|nor|not|exists|type|regex|options|expr|mod|text|where|all|elemMatch|size|near|jsonSchema|comment)$/,
      insteadOfStages:
        /^\$(?:match|project|group|sort|limit|skip|unwind|lookup|set|unset|addFields|count|facet|out|merge|sample|unionWith|bucket|redact)$/,
      insteadOfModifiers:
        /^\$(?:set|unset|inc|mul|min|max|rename|push|pull|pullAll|pop|addToSet|bit|currentDate|setOnInsert)$/,
      insteadOfExpressions:
        /^\$(?:add|subtract|multiply|divide|mod|cond|ifNull|switch|concat|size|filter|map|reduce|convert|toInt|sum|avg|min|max|first|last|push|addToSet)$/,
    };
    const pattern = real[place];
    for (const name of Object.keys(names)) if (pattern !== undefined) expect(name).not.toMatch(pattern);
  });

  it.each(tables)('%s: each answer fits a short note whole', (_, names) => {
    for (const [name, answer] of Object.entries(names)) {
      const sentence = `There is no ${name} here: write ${answer}.`;
      expect(sentence.length, sentence).toBeLessThanOrEqual(
        limits.maxShortNoteBytes - '[twiceshy 9f2c51d0] '.length,
      );
      expect(sentence).toMatch(/^(?:(?!["'`\\%])[\x20-\x7e])+$/);
      expect(sentence).not.toMatch(/exists|not found/);
    }
  });
});

describe('a resolution', () => {
  it('is shown where it is made of words of MongoDB, holes and declared names', () => {
    const input = inputFor({
      class: 'syntax',
      code: '2',
      verb: 'find',
      shape: '{ find users filter { name { $like ?string } } }',
      resolution: {
        shape: '{ find users filter { name { $regex ?regex } } sort { age -1 } limit ?number }',
      } as never,
      tables_: [users],
    });
    const { long } = renderNote(noteTemplates.syntax, input, shownWords);
    expect(long).toContain(
      'then ran: { find users filter { name { $regex ?regex } } sort { age -1 } limit ?number }',
    );
  });

  it.each([
    '{ find users filter { secret ?string } }',
    '{ find users filter { name { $evil ?string } } }',
    '{ find strangers filter { name ?string } }',
  ])('is left out where it holds anything else: %s', (shape) => {
    const input = inputFor({ class: 'syntax', code: '2', resolution: { shape } as never });
    expect(renderNote(noteTemplates.syntax, input, shownWords).long).not.toContain('then ran');
  });
});
