/** A small shop as a MongoDB catalog declares it, and failures on it, for tests of the notes. */
import { errorCodes, readErrorCode } from '../../../../adapters/mongodb/error-codes.js';
import { noteTemplates } from '../../../../adapters/mongodb/note-templates.js';
import {
  type FailureClass,
  failureClasses,
  isRecorded,
  type NamedObject,
} from '../../../../src/core/failure/failure-class.js';
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import { templateInput } from '../../../../src/core/notes/input.js';
import type { ErrorFacts, TemplateInput } from '../../../../src/core/notes/templates.js';
import type { TableModel } from '../../../../src/core/schema/model.js';
import { constraintOf, recordOf, schemaOf, tableOf } from '../../core/notes/note-fixtures.js';

const inShop = (table: TableModel): TableModel => ({ ...table, schema: 'shop', kind: 'collection' });

export const users = inShop(
  tableOf(
    'users',
    ['_id objectId !', 'email string !', 'name string !', 'age int'],
    [
      constraintOf('primary_key', '_id_', ['_id']),
      constraintOf('unique_index', 'users_email', ['email']),
      constraintOf('unique_index', 'users_place', ['tenant', 'address.city']),
      constraintOf('check', 'validator', []),
    ],
  ),
);

const orders = inShop(
  tableOf('orders', ['_id objectId !', 'user_id int'], [constraintOf('primary_key', '_id_', ['_id'])]),
);

export interface Failure extends Partial<MemoryRecord> {
  readonly error?: Partial<ErrorFacts> | null;
  readonly tables_?: readonly TableModel[];
  readonly isInTransaction?: boolean;
}

export function inputFor(failure: Failure): TemplateInput {
  const { error = null, tables_ = [users], isInTransaction = false, ...facts } = failure;
  const schema = { ...schemaOf([...new Set([users, orders, ...tables_])]), defaultSearchPath: ['shop'] };
  const record = recordOf({
    engine: 'mongodb',
    backend: 'document',
    scope: { upstream: 'shop', database: 'shop' },
    object: null,
    shape: '',
    verb: '',
    ...facts,
  });
  return templateInput(record, tables_, schema, isInTransaction, {
    shape: record.shape,
    ...(error === null ? {} : { error: { message: '', ...error } }),
  });
}

export function instructionFor(failure: Failure): string {
  const input = inputFor(failure);
  return noteTemplates[input.record.class](input);
}

const verbs: readonly (readonly [verb: string, shape: string])[] = [
  ['insert', '{ insert users documents [ { age:number email:string } ] }'],
  ['update', '{ update users updates [ { q { _id ?number } u { $set { email ?string } } } ] }'],
  ['update', '{ update users updates [ { q { } u { $set { a ?string } b ?number } upsert true } ] }'],
  ['update', '{ update users updates [ { q { } u { $push { tags ?string } } } ] }'],
  ['update', '{ update users updates [ { q { } u { $inc { age ?string } } } ] }'],
  ['delete', '{ delete users deletes [ { q { } limit 1 } ] }'],
  ['findAndModify', '{ findAndModify users query { } update { $set { a ?number } } }'],
  ['find', '{ find users filter { age { $foo ?number } } }'],
  ['find', '{ find users filter { $text { $search ?string } } }'],
  ['find', '{ find users filter { place { $near [ ?number ] } } }'],
  ['aggregate', '{ aggregate users pipeline [ { $match { } } ] }'],
  ['getMore', '{ getMore ?number collection users }'],
  ['count', '{ count users }'],
  ['createIndexes', '{ createIndexes users indexes [ { key { a 1 } name a_1 unique true } ] }'],
  ['createIndexes', '{ createIndexes users indexes [ { key { a 1 } expireAfterSeconds ?number } ] }'],
  ['createIndexes', '{ createIndexes users indexes [ { key { $** 1 } wildcardProjection { a 1 } } ] }'],
  [
    'createIndexes',
    '{ createIndexes users indexes [ { key { a 1 } partialFilterExpression { a ?number } } ] }',
  ],
  ['create', '{ create users }'],
  ['create', '{ create users capped true }'],
  ['collMod', '{ collMod users index { name a_1 unique true } }'],
  ['drop', '{ drop users }'],
  ['dropIndexes', '{ dropIndexes users index a_1 }'],
  ['renameCollection', '{ renameCollection shop.users to shop.people }'],
  ['createUser', '{ createUser ?string }'],
  ['mapReduce', '{ mapReduce users }'],
  ['commitTransaction', '{ commitTransaction ?number }'],
  ['select', 'select a from users join orders on true'],
  ['insert', 'insert into users ( email ) values ( ? )'],
  ['', ''],
];

const objects: readonly (NamedObject | null)[] = [
  null,
  { kind: 'constraint', name: 'users_email' },
  { kind: 'constraint', name: 'users_place' },
  { kind: 'constraint', name: '_id_' },
  { kind: 'column', name: 'email' },
  { kind: 'name', name: '$like' },
  { kind: 'name', name: 'find.where' },
  { kind: 'table', name: 'userz' },
];

const messages = [
  '',
  'unknown top level operator: $foo',
  '$in needs an array',
  '$or must be an array',
  'array filter identifier x must match',
  "Positional element (i.e. '$') cannot appear",
  'The dollar ($) prefixed field is not allowed',
  'multi update is not supported for replacement-style update',
  "can't $divide by zero",
  'Regular expression is invalid',
  'bad locale',
  'limit must be positive',
  'FieldPath field names may not be empty',
  'The source field of $rename',
  'positional operator',
  'Sort exceeded memory limit',
  'Unknown modifier: $foo',
  "The 'cursor' option is required",
  'Cannot create field',
  'where is an unknown field',
];

const labels = [[], ['TransientTransactionError'], ['UnknownTransactionCommitResult']];

const compilerCodes = [
  'SQL_JOIN SQL_SEVERAL_TABLES SQL_DISTINCT SQL_SUBQUERY SQL_SET_OPERATION SQL_WINDOW SQL_CTE SQL_DDL SQL_FUNCTION',
  'SQL_EXPRESSION SQL_CLAUSE SQL_STATEMENT SQL_SEVERAL_STATEMENTS SQL_PARAMETER SQL_OTHER',
].flatMap((line) => line.split(' '));

/** Every code with its class, what texts make of some, and every class for a code that nobody knows. */
function* everyFailure(): Generator<readonly [code: string, failureClass: FailureClass]> {
  for (const code of errorCodes) {
    const { class: failureClass } = readErrorCode(code);
    if (isRecorded(failureClass)) yield [code, failureClass];
  }
  for (const code of ['1', '2', '9', '13', '14', '72', '73', '999999']) {
    for (const failureClass of failureClasses) yield [code, failureClass];
  }
  for (const code of compilerCodes) yield [code, 'unsupported_translation'];
  yield ['SQL_SYNTAX', 'syntax'];
  yield ['SQL_INVALID', 'invalid_statement'];
}

/** Forms that say more than the code of a refusal. */
const sqlShapes = [
  ...[
    'select distinct on ( a ) a from users',
    'insert into users ( a ) select a from orders',
    'truncate users',
  ],
  ...['grant select on users to app', 'select top ? * from users', 'select ?', 'delete from users limit ?'],
  ...['insert into users values ( ? ) on conflict do nothing', 'delete from users returning a'],
  ...['select a from users for update', 'select a from users tablesample system ( ? )'],
  ...['select a from users group by rollup ( a )', 'select a ~ ? from users', 'select a ->> ? from users'],
  ...['update users set a = ? from orders where true', 'delete from users using orders where true'],
  ...[
    'delete from users where a in ( select b from orders )',
    '( select a from users )',
    'replace into users',
  ],
  ...['insert ignore into users ( a ) values ( ? )', 'select a from users limit ? , ?'],
  ...['select count ( * ) from users having a = ?', 'select a :: varchar ( 10 ) from users'],
  ...[
    'select trim ( both ? from a ) from users',
    'insert into users values ( ? )',
    'select a from shop.users',
  ],
  ...'ifnull len ucase lcase left position year curdate getdate if string_agg random md5'
    .split(' ')
    .map((name) => `select ${name} ( a ) from users`),
];

/** Codes that stand for anything, or whose note depends on what the failure names. */
const manySided =
  /^(?:1|2|9|14|26|27|40|48|50|52|59|66|67|72|73|85|112|121|168|290|11000|15952|31325|40324|40415)$/;
/** One statement of each kind, for codes that the statement changes little about. */
const fewVerbs = verbs.filter(
  ([verb], index) => /^(?:insert|update|aggregate|create|)$/.test(verb) && index !== 2,
);

export function* everyInput(): Generator<TemplateInput> {
  for (const [code, failureClass] of everyFailure()) {
    if (code.startsWith('SQL_')) {
      for (const shape of sqlShapes) yield inputFor({ code, class: failureClass, verb: 'select', shape });
    }
    const isWide = manySided.test(code) && readErrorCode(code).class === failureClass;
    for (const [verb, shape] of isWide ? verbs : fewVerbs) {
      const facts = { code, class: failureClass, verb, shape, tables_: shape === '' ? [] : [users] };
      yield inputFor(facts);
      if (!isWide) continue;
      for (const object of objects) yield inputFor({ ...facts, object });
      for (const message of messages) yield inputFor({ ...facts, error: { message } });
      for (const names of labels) {
        yield inputFor({ ...facts, error: { labels: names }, isInTransaction: names.length > 0 });
      }
    }
  }
}
