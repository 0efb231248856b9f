/**
 * Commands that carry a word and a number of users in every place where a value can stand; each is refused. Keys, paths
 * of fields, and names of collections and indexes (a `hint`) are no values: a shape shows them.
 */
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Long,
  MaxKey,
  ObjectId,
  Timestamp,
} from 'bson';
import type { Db, Document } from 'mongodb';
import { secretDigits, secretWord } from '../../support/leaks.js';

export async function privacySchema(db: Db): Promise<void> {
  const people = db.collection<Document>('people');
  await people.createIndex({ email: 1 }, { unique: true, name: 'people_email' });
  await people.insertMany([
    { _id: 1, email: secretWord, name: secretWord, age: 5 } as Document,
    { _id: secretWord, email: 'b@x', name: 'b' } as Document,
    { _id: 3, email: Long.fromString(secretDigits), name: 'c' } as Document,
  ]);
}

const word = secretWord;
const number = Long.fromString(secretDigits);
const cursor = {};
/** A branch; written out it would be taken for a promise. */
const never = Object.fromEntries([
  ['case', false],
  ['then', word],
]);

/** As every type that can hold it. */
const values: readonly unknown[] = [
  word,
  number,
  Double.fromString(secretDigits),
  Decimal128.fromString(`1.${secretDigits}`),
  new Date(Number(secretDigits)),
  new Timestamp(number.toUnsigned()),
  new ObjectId(Buffer.from(word)),
  new Binary(Buffer.from(word)),
  new BSONRegExp(word, 'i'),
  new BSONSymbol(word),
  new Code(`return '${word}'`),
  new Code('return x', { x: word }),
  new DBRef(word, new ObjectId(Buffer.from(word)), word),
  [word, { deep: [{ deeper: word }] }],
  { deep: { deeper: word } },
  new MaxKey(),
  // What looks like the path of a field, or a variable, is one in expressions alone.
  `$${word}`,
  `$$${word}`,
  `${word}.$[]`,
  `{ $${word}: 1 }`,
  `"${word}\\"`,
  `two\nlines of ${word}`,
  `\u0000${word}`,
];

const find = (filter: unknown, more: Document = {}): Document => ({ find: 'people', filter, ...more });
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'people', pipeline, cursor });
const insert = (...documents: Document[]): Document => ({ insert: 'people', documents });
const update = (q: Document, u: unknown, more: Document = {}): Document => ({
  update: 'people',
  updates: [{ q, u, ...more }],
});

/** Every one of these is refused for what is not its value. */
const ofEachValue = (value: unknown): readonly Document[] => [
  insert({ _id: 1, value }),
  insert({ _id: 1, list: [{ value }, [value]] }),
  find({ name: value, age: { $nope: 1 } }),
  find({ name: { $nope: value } }),
  find({ $or: [{ name: { $in: [value, word] } }, { $nope: value }] }),
  aggregate({ $match: { name: value } }, { $nope: value as Document }),
  aggregate({ $project: { x: { $literal: value } } }, { $group: { n: { $sum: 1 } } }),
  update({ _id: 1 }, { $nope: { name: value } }),
  update({ name: value }, { $set: { name: value, _id: 7 }, $nope: { a: value } }),
  update({ _id: 1 }, { $set: { 'list.$[one]': value } }, { arrayFilters: [{ one: value, two: value }] }),
];

const whole: readonly Document[] = [
  insert({ _id: 7, email: word, name: word }),
  insert({ _id: word }),
  insert({ _id: 8, email: number }),
  insert({ _id: 9, email: word }, { _id: 1, name: word }, { _id: word, name: word }),
  { ...insert({ _id: 1 }), comment: word, writeConcern: { w: 1, j: false }, maxTimeMS: 86_753_094 },
  { ...find({ a: { $nope: 1 } }), comment: { why: word }, let: { who: word } },
  find({ $where: `this.name == '${word}'` }),
  find({ $where: new Code(`this.name == '${word}'`) }),
  find({ $expr: { $eq: ['$name', word, number] } }),
  find({ name: { $regex: `(${word}` } }),
  find({ name: { $regex: word, $options: word } }),
  find({ name: { $mod: [word] } }),
  find({ name: { $type: word } }),
  find({ $text: { $search: word, $language: word } }),
  find({ name: { $size: word } }),
  find({ place: { $geoWithin: { $box: [[word], number] } } }),
  find(word),
  find({}, { limit: word }),
  find({}, { skip: Long.fromString(`-${secretDigits}`) }),
  find({}, { sort: { name: word } }),
  find({}, { projection: { name: 1, age: 0, x: word } }),
  find({}, { collation: { locale: word } }),
  find({ a: { $nope: 1 } }, { readConcern: { level: word } }),
  { getMore: number, collection: 'people' },
  { count: 'people', query: { $nope: word } },
  { distinct: 'people', key: 'name', query: { $nope: word } },
  { distinct: 'people', key: number },
  { delete: 'people', deletes: [{ q: { name: word, $nope: word }, limit: 1 }] },
  { delete: 'people', deletes: [{ q: { name: word }, limit: number }] },
  { findAndModify: 'people', query: { name: word }, update: { $nope: { name: word } }, new: true },
  { findAndModify: 'people', query: { _id: 1 }, update: { $set: { email: 'b@x', name: word } } },
  update({ _id: 1 }, { $set: { email: 'b@x', name: word } }),
  update({ _id: 1 }, { $inc: { name: number } }),
  update({ _id: 1 }, { $push: { name: word } }),
  update({ _id: 1 }, [{ $set: { name: { $concat: [word, number] } } }]),
  update({ _id: 1 }, [{ $set: { name: { $toInt: word } } }]),
  update({ _id: 1 }, [{ $nope: word }]),
  aggregate({ $project: { x: { $toInt: word } } }),
  aggregate({ $project: { x: { $toDate: word } } }),
  aggregate({ $project: { x: { $add: [word, 1] } } }),
  aggregate({ $project: { x: { $divide: [number, 0] } } }),
  aggregate({ $project: { x: { $dateFromString: { dateString: word } } } }),
  aggregate({ $project: { x: { $dateToString: { date: word, format: word } } } }),
  aggregate({ $project: { x: { $arrayElemAt: [word, number] } } }),
  aggregate({ $project: { x: { $switch: { branches: [never] } } } }),
  aggregate({ $project: { x: { $convert: { input: word, to: word } } } }),
  aggregate({ $project: { x: { $nope: [word, number] } } }),
  aggregate({ $match: { $expr: { $nope: word } } }),
  aggregate({ $limit: Long.fromString(`-${secretDigits}`) }),
  aggregate({ $limit: word as never }),
  aggregate({ $skip: word as never }),
  aggregate({ $sort: { name: word } }),
  aggregate({ $sample: { size: word } }),
  aggregate({ $unwind: word as never }),
  aggregate({ $bucket: { groupBy: '$age', boundaries: [word, number] } }),
  aggregate({ $group: { _id: word, n: { $nope: word } } }),
  aggregate({ $lookup: { from: 'people', let: { a: word }, pipeline: [{ $nope: word }] } }),
  aggregate({ $facet: { one: [{ $nope: word }] } }),
  { ...aggregate({ $nope: 1 }), comment: word },
  { explain: find({ name: word, x: { $nope: word } }), verbosity: 'queryPlanner' },
  { createIndexes: 'people', indexes: [{ key: { name: word }, name: 'x' }] },
  {
    createIndexes: 'people',
    indexes: [{ key: { name: 1 }, name: 'x', partialFilterExpression: { $nope: word } }],
  },
  { createIndexes: 'people', indexes: [{ key: { at: 1 }, name: 'x', expireAfterSeconds: word }] },
  { collMod: 'nobody', validator: { name: word } },
  { createUser: 'app', pwd: word, roles: [{ role: word, db: 'admin' }] },
  { updateUser: 'nobody_there', pwd: word },
  { authenticate: 1, user: word, nonce: word, key: word },
  { saslStart: 1, mechanism: word, payload: new Binary(Buffer.from(`n,,n=app,r=${word}`)) },
  { saslContinue: 1, conversationId: 1, payload: new Binary(Buffer.from(`c=biws,r=${word},p=${word}`)) },
  { nobodysCommand: word, with: { value: word, and: [number] } },
  { nobodysCommand: 1, pwd: word },
];

export const privacyCommands: readonly Document[] = [...whole, ...values.flatMap(ofEachValue)];
