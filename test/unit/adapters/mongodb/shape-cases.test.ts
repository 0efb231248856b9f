import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { similarity } from '../../../../src/core/recall/similarity.js';
import * as cases from './shape-cases.js';
import { canary, shapesOf, statementsOf, textOf } from './shape-support.js';

const { spellings, ...groups } = cases;

for (const [name, group] of Object.entries(groups)) {
  describe(`shapes of MongoDB: ${name}`, () => {
    it.each(group)('%s', (text, shape) => {
      expect(shapesOf(text)).toEqual([shape]);
      expect(shapesOf(shape)).toEqual([shape]);
    });
  });
}

describe('one shape however it is written', () => {
  it.each(spellings)('%s', (_, first, ...others) => {
    for (const text of others) expect(shapesOf(text)).toEqual(shapesOf(first));
  });
});

describe('what a statement says of itself', () => {
  const said = (text: string) => {
    const [one] = statementsOf(text);
    return [
      one?.verb,
      one?.verbFamily,
      one?.tables
        .map((table) => (table.schema === null ? table.name : `${table.schema}.${table.name}`))
        .join(' '),
    ].join(' | ');
  };

  it.each([
    ['db.c.find()', 'find | read | c'],
    ['db.c.distinct("a")', 'distinct | read | c'],
    ['db.c.count()', 'count | read | c'],
    ['{ getMore: 5, collection: "c" }', 'getMore | read | c'],
    ['db.c.insertOne({})', 'insert | insert | c'],
    ['db.c.updateOne({}, {})', 'update | update | c'],
    ['db.c.deleteOne({})', 'delete | delete | c'],
    ['db.c.findOneAndUpdate({}, {})', 'findAndModify | update | c'],
    ['{ findandmodify: "c", remove: true }', 'findAndModify | delete | c'],
    ['db.c.createIndex({ a: 1 })', 'createIndexes | ddl | c'],
    ['db.createCollection("c")', 'create | ddl | c'],
    ['{ collMod: "c" }', 'collMod | ddl | c'],
    ['db.dropDatabase()', 'dropDatabase | ddl | '],
    ['{ ping: 1 }', 'ping | other | '],
    ['{ fnid: "c" }', 'fnid | other | '],
    ['db.aggregate([{ $documents: [] }])', 'aggregate | read | '],
    ['db.c.find().explain()', 'explain | read | c'],
    ['{ renameCollection: "x.a", to: "x.b" }', 'renameCollection | ddl | x.a x.b'],
    [
      '{ bulkWrite: 1, ops: [{ delete: 1, filter: {} }], nsInfo: [{ ns: "x.a" }, { ns: "y.b.c" }] }',
      'delete | delete | y.b.c',
    ],
    [
      'db.c.aggregate([{ $lookup: { from: "l", as: "x" } }, { $graphLookup: { from: "g" } }, { $unionWith: "u" }, ' +
        '{ $facet: { a: [{ $lookup: { from: "f", pipeline: [{ $unionWith: { coll: "deep" } }] } }] } }, { $out: { db: "d", coll: "o" } }])',
      'aggregate | read | c l g u f deep d.o',
    ],
    ['db.c.aggregate([{ $merge: "m" }])', 'aggregate | read | c m'],
    ['db.c.aggregate([{ $merge: { into: "m" } }])', 'aggregate | read | c m'],
    ['SELECT a FROM c WHERE b = 5', 'select | read | c'],
    ['db.users.x.find()', 'find | read | users.x'],
  ])('%s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });
});

describe('texts of several statements', () => {
  it('have one for each operation, by its index', () => {
    const insert = 'db.c.insertMany([{ a: 1 }, { b: 1 }, { a: 2 }])';
    expect(shapesOf(insert)).toEqual(
      ['a', 'b', 'a'].map((field) => `{ insert c documents [ { ${field}:number } ] }`),
    );
    expect(
      shapesOf('db.c.bulkWrite([{ insertOne: { document: {} } }, { deleteOne: { filter: {} } }])'),
    ).toHaveLength(2);
  });

  it('have one for each call', () => {
    expect(shapesOf('db.a.find();\n db.b.drop()\nprint(db.c.count())')).toEqual([
      '{ find a }',
      '{ drop b }',
      '{ count c }',
    ]);
  });

  it('have one for each command', () => {
    expect(shapesOf('{ drop a } { drop b }')).toEqual(['{ drop a }', '{ drop b }']);
  });
});

describe('values in the place of data', () => {
  const values = [canary, `$${canary}`, `$$${canary}.x`];

  it.each(values)('%s is in no shape', (value) => {
    const places: object[] = [
      { find: 'c', filter: { a: value, b: { $eq: value }, c: { $in: [value, [value]] }, d: { e: value } } },
      {
        find: 'c',
        filter: { a: { $regex: value, $options: value }, $text: { $search: value }, $where: value },
      },
      { find: 'c', filter: { a: { $type: value, $bogus: value, $all: [{ $elemMatch: { x: value } }] } } },
      { find: 'c', filter: { a: { $geoWithin: { $geometry: { type: value, coordinates: [value] } } } } },
      { find: 'c', min: { a: value }, max: { a: value }, comment: value, sort: { a: value }, limit: value },
      {
        find: 'c',
        collation: { locale: value, caseFirst: value },
        bogus: value,
        batchSize: value,
        skip: value,
      },
      {
        find: 'c',
        filter: { $jsonSchema: { enum: [value], pattern: value, description: value, bsonType: value } },
      },
      {
        insert: 'c',
        documents: [{ a: value, b: [value], c: { d: value, e: { f: { g: { h: value } } } } }, value],
      },
      {
        update: 'c',
        updates: [{ q: { a: value }, u: { $set: { a: value, b: { c: value } }, $bogus: { a: value } } }],
      },
      {
        update: 'c',
        updates: [{ q: {}, u: { $push: { a: { $each: [value], $position: value } }, $pull: { a: value } } }],
      },
      {
        update: 'c',
        updates: [
          { q: {}, u: { a: value, b: { c: value } }, upsert: value, arrayFilters: [{ 'x.y': value }] },
        ],
      },
      { update: 'c', updates: [{ q: {}, u: value }] },
      { delete: 'c', deletes: [{ q: { a: value }, limit: value }] },
      { findAndModify: 'c', query: { a: value }, update: { $setOnInsert: { a: value } }, new: value },
      {
        aggregate: 'c',
        pipeline: [{ $match: { a: value } }, { $addFields: { a: { $literal: value } } }, { $bogus: value }],
      },
      {
        aggregate: 'c',
        pipeline: [
          { $bucket: { boundaries: [value], default: value } },
          { $search: { text: { query: value } } },
        ],
      },
      { aggregate: 'c', pipeline: [{ $lookup: { from: 'd', pipeline: [{ $match: { a: value } }] } }, value] },
      { create: 'c', validator: { a: value }, validationLevel: value, storageEngine: { a: value } },
      {
        createIndexes: 'c',
        indexes: [{ key: { a: value }, partialFilterExpression: { a: value }, default_language: value }],
      },
      { createUser: value, pwd: value, roles: [value], customData: { a: value } },
      { saslStart: 1, mechanism: value, payload: value },
      { bogus: value, more: { a: value } },
      { getMore: 5, collection: 'c', lsid: { id: value } },
      {
        bulkWrite: 1,
        ops: [
          { insert: 0, document: { a: value } },
          { update: 0, filter: { a: value }, updateMods: { $set: { a: value } } },
        ],
        nsInfo: [{ ns: 'shop.c' }],
      },
      { mapReduce: 'c', map: value, reduce: value, finalize: value, scope: { a: value } },
    ];
    for (const command of places) {
      const text = textOf(command);
      expect(text).not.toContain(canary);
      expect(shapesOf(JSON.stringify(command)).join(' ')).not.toContain(canary);
    }
  });

  it('no text that only looks like a document is taken for SQL, which keeps what is in double quotes', () => {
    for (const text of [
      `[{"a":"${canary}"}]`,
      `  // x\n["${canary}"]`,
      `{"a":"${canary}"`,
      `{'a': "${canary}`,
    ]) {
      expect(shapesOf(text).join(' ')).not.toContain(canary);
    }
  });
});

describe('shapes that are alike', () => {
  const alike = (a: string, b: string) => similarity(shapesOf(a)[0] ?? '', shapesOf(b)[0] ?? '', 'bigram');

  it.each([
    ['db.c.find({ a: 1, b: 2 })', 'db.c.find({ a: 1, b: 2, d: 3 })'],
    ['db.c.find({ a: { $gt: 1 }, b: 2 })', 'db.c.find({ a: { $gt: 1 }, b: 2 }, { x: 1 })'],
    ['db.c.find({ a: { $gt: 1 }, b: 2 })', 'db.c.find({ a: { $gt: 1 }, b: 2 }).sort({ a: 1 }).limit(4)'],
    ['db.c.insertOne({ a: 1, b: 1, d: 1 })', 'db.c.insertOne({ a: 1, b: 1, d: 1, e: 1 })'],
    ['db.c.updateOne({ a: 1 }, { $set: { b: 1 } })', 'db.c.updateMany({ a: 1 }, { $set: { b: 1, d: 1 } })'],
    [
      'db.c.aggregate([{ $match: { a: 1 } }, { $group: { _id: "$b" } }])',
      'db.c.aggregate([{ $match: { a: 1 } }, { $group: { _id: "$b" } }, { $sort: { _id: -1 } }])',
    ],
  ])('%s, %s', (a, b) => {
    expect(alike(a, b)).toBeGreaterThanOrEqual(limits.similarityThreshold);
  });

  it.each([
    ['db.c.find({ a: 1, b: 2 })', 'db.c.find({ d: 1, e: 2 })'],
    ['db.c.insertOne({ a: 1, b: 1, d: 1 })', 'db.c.insertOne({ x: 1, y: 1, z: 1 })'],
    ['db.c.updateOne({ a: 1 }, { $set: { b: 1 } })', 'db.c.updateOne({ d: 1 }, { $push: { e: 1 } })'],
    [
      'db.c.aggregate([{ $match: { a: 1 } }, { $group: { _id: "$b" } }])',
      'db.c.aggregate([{ $match: { a: 1 } }, { $project: { b: 1, d: 1 } }])',
    ],
  ])('and not %s, %s', (a, b) => {
    expect(alike(a, b)).toBeLessThan(limits.similarityThreshold);
  });
});
