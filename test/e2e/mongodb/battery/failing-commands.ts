/**
 * Commands that fail, one line for each kind of failure; every client runs each of them several times, as it stands.
 * No two have the same shape: a session is told of each three times. Plain JSON, because clients in other languages read
 * it. Whole numbers are meant as 32-bit integers.
 */
import type { MongoCapabilities } from '../../../servers/mongodb-capabilities.js';

export const repetitions = 3;

/** Plain JSON of which the first key is the command's name. */
export type Command = Readonly<Record<string, unknown>>;

export interface FailingCommand {
  readonly kind: string;
  readonly command: Command;
  /** `must` where a repetition has to carry a note; `never` where none may. */
  readonly note: 'must' | 'may' | 'never';
  readonly needs?: keyof MongoCapabilities;
  /** Close enough to one before it to be told of that one's failure the first time. */
  readonly isSimilar?: true;
}

const cursor = {};

const commands: readonly FailingCommand[] = [
  must('unknown operator', { find: 'users', filter: { age: { $nope: 1 } } }),
  must('unknown top level operator', { find: 'users', filter: { $nope: [] } }),
  must('operator of another type', { find: 'users', filter: { city: { $in: 'London' } } }),
  must('mixed projection', { find: 'users', projection: { name: 1, city: 0 } }),
  may('filter that is no document', { find: 'users', filter: 5 }),
  may('limit that is no number', { find: 'users', limit: 'all' }),
  may('sort by no direction', { find: 'users', sort: { age: 'upwards' } }),
  may('collection without a name', { find: '' }),
  must('unknown stage', { aggregate: 'users', pipeline: [{ $nope: {} }], cursor }),
  must('unknown expression', { aggregate: 'users', pipeline: [{ $project: { a: { $nope: 1 } } }], cursor }),
  must('unknown accumulator', {
    aggregate: 'users',
    pipeline: [{ $group: { _id: '$city', n: { $nope: 1 } } }],
    cursor,
  }),
  must('division by zero', {
    aggregate: 'users',
    pipeline: [{ $project: { a: { $divide: ['$_id', 0] } } }],
    cursor,
  }),
  must('values of another type', {
    aggregate: 'users',
    pipeline: [{ $project: { a: { $add: ['$name', 1] } } }],
    cursor,
  }),
  must('lookup without as', {
    aggregate: 'users',
    pipeline: [{ $lookup: { from: 'orders', localField: '_id', foreignField: 'user' } }],
    cursor,
  }),
  may('aggregate without cursor', { aggregate: 'users', pipeline: [] }),
  must('unknown command', { summarise: 'users' }),
  may('distinct without a key', { distinct: 'users' }),
  must('duplicate _id', { insert: 'users', documents: [{ _id: 1 }] }),
  must('duplicate email', { insert: 'users', documents: [{ _id: 60, email: 'ada@example.org' }] }),
  must('duplicate among several, ordered', {
    insert: 'users',
    documents: [
      { _id: 1, age: 1 },
      { _id: 61, email: '61@example.org' },
    ],
    ordered: true,
  }),
  must('duplicates among several, unordered', {
    insert: 'users',
    documents: [
      { _id: 1, city: 'Rome' },
      { _id: 62, email: '62@example.org', city: 'Rome' },
      { _id: 63, email: 'ben@example.org', tags: [] },
    ],
    ordered: false,
  }),
  must('unknown modifier', { update: 'users', updates: [{ q: { _id: 1 }, u: { $nope: { age: 1 } } }] }),
  must('increment of a text', { update: 'users', updates: [{ q: { _id: 1 }, u: { $inc: { name: 1 } } }] }),
  must('changed _id', { update: 'users', updates: [{ q: { _id: 1 }, u: { $set: { _id: 9 } } }] }),
  must('push to a text', { update: 'users', updates: [{ q: { _id: 1 }, u: { $push: { name: 1 } } }] }),
  {
    ...must('failures of several updates', {
      update: 'users',
      updates: [
        { q: { _id: 2 }, u: { $nope: { city: 1 } } },
        { q: { _id: 2 }, u: { $set: { age: 41 } } },
        { q: { _id: 2 }, u: { $inc: { city: 1 } } },
      ],
      ordered: false,
    }),
    isSimilar: true,
  },
  must('delete by an unknown operator', {
    delete: 'users',
    deletes: [{ q: { age: { $nope: 1 } }, limit: 1 }],
  }),
  must('find and modify to a duplicate', {
    findAndModify: 'users',
    query: { _id: 1, name: 'Ada' },
    update: { $set: { email: 'ben@example.org' } },
  }),
  must('find and modify by an unknown modifier', {
    findAndModify: 'users',
    query: { _id: 1 },
    update: { $nope: { age: 1 } },
  }),
  may('find and modify of both kinds', {
    findAndModify: 'users',
    query: { _id: 1 },
    update: { $set: { age: 1 } },
    remove: true,
  }),
  must('index under a name in use', {
    createIndexes: 'users',
    indexes: [{ key: { age: 1 }, name: 'users_city' }],
  }),
  may('index of an unknown kind', { createIndexes: 'users', indexes: [{ key: { age: 'nope' }, name: 'x' }] }),
  may('index that is not there', { dropIndexes: 'users', index: 'nowhere' }),
  may('collection renamed to one in use', { renameCollection: 'shop.nowhere', to: 'shop.users' }),
  may('cursor that is not there', { getMore: { $numberLong: '9007199254740993' }, collection: 'users' }),
  {
    ...must('document that breaks a validator', { insert: 'orders', documents: [{ _id: 1 }] }),
    needs: 'hasValidators',
  },
  { ...may('command without its collection', { find: 1 }) },
];

/** Those that this server is able to fail. */
export function failingCommands(capabilities: MongoCapabilities): FailingCommand[] {
  return commands.filter(({ needs }) => needs === undefined || capabilities[needs] !== false);
}

function must(kind: string, command: Command): FailingCommand {
  return { kind, command, note: 'must' };
}

function may(kind: string, command: Command): FailingCommand {
  return { kind, command, note: 'may' };
}
