import {
  Binary,
  BSONRegExp,
  Decimal128,
  deserialize,
  Long,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionText } from '../../../../adapters/mongodb/catalog-definition.js';
import {
  incarnationOf,
  listedCollection,
  listedIndexes,
  noIndexes,
  tableOf,
} from '../../../../adapters/mongodb/catalog-documents.js';
import { limits } from '../../../../src/core/limits.js';
import { buildSchema, type TableInput } from '../../../../src/core/schema/schema.js';

type Document = Record<string, unknown>;

/** As the catalog's driver decodes it. */
const decoded = (document: Document): Document => deserialize(serialize(document), { bsonRegExp: true });

function table(options: Document = {}, indexes: Document[] = [], type = 'collection'): TableInput {
  const listed = listedCollection(decoded({ name: 'users', type, options }));
  if (listed === null) throw new Error('left out');
  return tableOf('shop', listed, listedIndexes(indexes.map(decoded)));
}

function sums(input: TableInput): { tables: string; constraints: string } {
  const resolved = buildSchema({ tables: [input], defaultSearchPath: ['shop'] }, 1).resolve(
    [{ schema: null, name: 'users' }],
    null,
    '',
  );
  return { tables: resolved.tablesFingerprint, constraints: resolved.constraintsFingerprint };
}

const schema = {
  bsonType: 'object',
  required: ['email', 'address'],
  properties: {
    email: { bsonType: 'string', pattern: '@' },
    age: { bsonType: ['long', 'int'], minimum: 0 },
    address: { bsonType: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: {} } },
    tags: { bsonType: 'array', items: { bsonType: 'object', properties: { label: { bsonType: 'string' } } } },
  },
};
const emailIndex = { v: 2, key: { email: 1 }, name: 'email_1', unique: true };

describe('what a collection declares', () => {
  it('is nothing, for most', () => {
    expect(table()).toEqual({
      schema: 'shop',
      name: 'users',
      kind: 'collection',
      columns: [],
      constraints: [],
    });
    expect(sums(table())).toEqual({ tables: '4709e2a4d58142b6', constraints: '0000000000000000' });
  });

  it('is the fields of its $jsonSchema, by their paths', () => {
    expect(table({ validator: { $jsonSchema: schema } }).columns).toEqual([
      { name: 'address', type: 'object', isNotNull: true },
      { name: 'address.city', type: 'string', isNotNull: true },
      { name: 'address.zip', type: 'any', isNotNull: false },
      { name: 'age', type: 'int|long', isNotNull: false },
      { name: 'email', type: 'string', isNotNull: true },
      { name: 'tags', type: 'array', isNotNull: false },
      { name: 'tags.label', type: 'string', isNotNull: false },
    ]);
  });

  it('is found where the schema is one of several conditions', () => {
    const validator = {
      $and: [{ age: { $gte: 0 } }, { $and: [{ $jsonSchema: schema }] }],
      name: { $exists: true },
    };
    expect(table({ validator }).columns).toHaveLength(7);
    const listed = listedCollection(decoded({ name: 'users', options: { validator } }));
    expect([...(listed?.names ?? [])].sort()).toEqual(['age', 'name']);
  });

  it('has its validator among the constraints, with how strictly it is held to', () => {
    const validator = { age: { $gte: 0 } };
    const [constraint, ...others] = table({ validator }).constraints;
    expect(others).toEqual([]);
    expect(constraint).toMatchObject({ kind: 'check', name: 'validator', columns: [] });
    const same = table({ validator, validationLevel: 'strict', validationAction: 'error' });
    expect(same.constraints).toEqual([constraint]);
    for (const change of [
      { validationLevel: 'moderate' },
      { validationAction: 'warn' },
      { validator: { age: { $gte: 1 } } },
    ]) {
      const changed = sums(table({ validator, ...change }));
      expect(changed.constraints).not.toBe(sums(same).constraints);
      expect(changed.tables).toBe(sums(same).tables);
    }
    expect(table({ validator: {} }).constraints).toEqual([]);
  });

  it.each<[string, Document, string?]>([
    ['that it is capped', { capped: true, size: 4096 }],
    ['that it is clustered', { clusteredIndex: { key: { _id: 1 }, unique: true, v: 2 } }],
    ['a collation', { collation: { locale: 'fr', strength: 2, version: '57.1' } }],
    ['a time series', { timeseries: { timeField: 't', metaField: 'm', granularity: 'hours' } }],
    ['encrypted fields', { encryptedFields: { fields: [{ path: 'ssn', keyId: new UUID() }] } }],
    ['a view', { viewOn: 'people', pipeline: [{ $match: { isUser: true } }] }, 'view'],
    ['a view of something else', { viewOn: 'people', pipeline: [] }, 'view'],
  ])('moves for %s, and not its constraints', (_, options, type) => {
    const changed = sums(table(options, [], type));
    expect(changed.tables).not.toBe(sums(table({}, [], type)).tables);
    expect(changed.constraints).toBe(sums(table()).constraints);
  });

  it.each<[string, Document, Document]>([
    ['sizes', { capped: true, size: 4096 }, { capped: true, size: 8192, max: 5 }],
    [
      'versions of the server',
      { collation: { locale: 'fr', version: '57.1' } },
      { collation: { locale: 'fr', version: '72.1' } },
    ],
    ['storage', {}, { storageEngine: { wiredTiger: { configString: 'x' } }, expireAfterSeconds: 5 }],
    ['number types', { validator: { a: { $gte: 5 } } }, { validator: { a: { $gte: Long.fromNumber(5) } } }],
  ])('does not move for %s', (_, options, other) => {
    expect(sums(table(other))).toEqual(sums(table(options)));
  });

  it('leaves the server’s own and passing collections out', () => {
    for (const document of [
      { name: 'system.views', type: 'collection' },
      { name: 'system.buckets.weather', type: 'collection' },
      { name: 'tmp.agg_out.1', options: { temp: true } },
      { name: '' },
      { name: 5 },
      {},
    ]) {
      expect(listedCollection(document)).toBeNull();
    }
    expect(listedCollection({ name: 'systematic' })).not.toBeNull();
  });

  it('is one incarnation after the other', () => {
    const uuid = new UUID();
    const first = incarnationOf(decoded({ name: 'a', info: { uuid } }));
    expect(incarnationOf(decoded({ name: 'a', info: { uuid } }))).toBe(first);
    expect(incarnationOf(decoded({ name: 'a', info: { uuid: new UUID() } }))).not.toBe(first);
    expect(incarnationOf({ name: 'a' })).toBe('');
  });
});

describe('the indexes of a collection', () => {
  it('constrain where they are unique, and are known by name where not', () => {
    const indexes = listedIndexes([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      emailIndex,
      { v: 2, key: { tenant: 1, 'address.zip': -1 }, name: 'tenant_zip', unique: true, sparse: true },
      { v: 2, key: { name: 1 }, name: 'name_1' },
    ]);
    expect(indexes.constraints).toEqual([
      { kind: 'primary_key', name: '_id_', columns: ['_id'], definition: '{"key":{"_id":1}}' },
      { kind: 'unique_index', name: 'email_1', columns: ['email'], definition: '{"key":{"email":1}}' },
      {
        kind: 'unique_index',
        name: 'tenant_zip',
        columns: ['tenant', 'address.zip'],
        definition: '{"key":{"tenant":1,"address.zip":-1},"sparse":true}',
      },
    ]);
    expect(indexes.names).toEqual(
      expect.arrayContaining(['_id_', 'email_1', 'tenant_zip', 'name_1', 'name', 'address.zip']),
    );
    expect(indexes.special).toEqual([]);
  });

  it.each<[string, Document]>([
    ['key', { key: { email: -1 } }],
    ['name', { name: 'email_unique' }],
    ['condition', { partialFilterExpression: { isActive: true } }],
    ['collation', { collation: { locale: 'en', strength: 2 } }],
    ['sparseness', { sparse: true }],
    ['uniqueness', { unique: false }],
  ])('move the constraints alone with their %s', (_, change) => {
    const before = sums(table({}, [emailIndex]));
    const after = sums(table({}, [{ ...emailIndex, ...change }]));
    expect(after.constraints).not.toBe(before.constraints);
    expect(after.tables).toBe(before.tables);
  });

  it.each<[string, Document]>([
    ['version', { v: 1 }],
    ['expiry', { expireAfterSeconds: 60 }],
    ['visibility', { hidden: true }],
    ['storage', { storageEngine: { enableOrderedIndex: true } }],
    ['number type', { key: { email: Long.fromNumber(1) } }],
  ])('do not move with their %s', (_, change) => {
    expect(sums(table({}, [{ ...emailIndex, ...change }]))).toEqual(sums(table({}, [emailIndex])));
  });

  it('constrain before they are unique, once they refuse what would keep them from it', () => {
    const { unique: _unique, ...plain } = emailIndex;
    expect(sums(table({}, [{ ...plain, prepareUnique: true }]))).toEqual(sums(table({}, [emailIndex])));
  });

  it('move the collection where operators need them', () => {
    const plain = sums(table({}, [{ key: { loc: 1 }, name: 'loc' }]));
    expect(plain).toEqual(sums(table()));
    for (const key of [{ loc: '2dsphere' }, { _fts: 'text', _ftsx: 1 }, { loc: 'hashed' }]) {
      const special = sums(table({}, [{ key, name: 'loc' }]));
      expect(special.tables).not.toBe(plain.tables);
      expect(special.constraints).toBe(plain.constraints);
    }
  });

  it('count in any order', () => {
    const text = { key: { _fts: 'text', _ftsx: 1 }, name: 't' };
    const geo = { key: { loc: '2dsphere' }, name: 'g' };
    expect(sums(table({}, [geo, emailIndex, text]))).toEqual(sums(table({}, [text, geo, emailIndex])));
  });
});

describe('a declaration as text', () => {
  it('tells every type of value from the others', () => {
    const values = [
      1,
      '1',
      true,
      null,
      Long.fromString('9007199254740993'),
      Decimal128.fromString('1'),
      new Date(1),
      new ObjectId('0123456789abcdef01234567'),
      new BSONRegExp('1', 'i'),
      new BSONRegExp('1'),
      new Binary(Buffer.from('1')),
      new Timestamp({ t: 1, i: 1 }),
      [1],
      { a: 1 },
      { b: 1 },
      {},
      [],
    ];
    const texts = values.map((value) => definitionText(decoded({ value })));
    expect(new Set(texts).size).toBe(values.length);
  });

  it('takes patterns that JavaScript does not know', () => {
    const validator = { name: new BSONRegExp('(?i)^a++', 'sx') };
    expect(table({ validator }).constraints[0]?.definition).toContain('(?i)^a++');
  });

  it('is kept as a hash where it is long', () => {
    const long = definitionText({ enum: Array.from({ length: 10_000 }, (_, index) => index) });
    expect(long).toMatch(/^sha256 [0-9a-f]{64}$/);
    expect(definitionText({ enum: Array.from({ length: 10_000 }, (_, index) => index + 1) })).not.toBe(long);
  });

  it('is the same for whatever BSON can hold, each time, and ends', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 6, withDate: true, withBigInt: true }), (value) => {
        expect(definitionText(value)).toBe(definitionText(value));
      }),
    );
    let deep: unknown = 1;
    for (let level = 0; level < 5_000; level += 1) deep = { $and: [deep] };
    expect(() => definitionText(deep)).not.toThrow();
  });
});

describe('documents that are not what they should be', () => {
  it('declare nothing, and do no harm', () => {
    const document = fc.object({ key: fc.constantFrom(...keys), maxDepth: 5, values: [fc.anything()] });
    fc.assert(
      fc.property(document, fc.array(document, { maxLength: 5 }), (collection, indexes) => {
        const listed = listedCollection({ name: 'users', ...collection });
        if (listed === null) return;
        const input = tableOf('shop', listed, listedIndexes(indexes));
        expect(() => buildSchema({ tables: [input], defaultSearchPath: ['shop'] }, 1)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it('have bounds on fields and depth', () => {
    let deep: Document = { bsonType: 'int' };
    for (let level = 0; level < 3_000; level += 1) deep = { properties: { a: deep } };
    const nested = listedCollection({ name: 'users', options: { validator: { $jsonSchema: deep } } });
    expect(nested?.columns).toHaveLength(limits.maxCatalogSchemaDepth);
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, {}]));
    const wide = listedCollection({ name: 'users', options: { validator: { $jsonSchema: { properties } } } });
    expect(wide?.columns).toHaveLength(limits.maxCatalogSchemaFields);
  });

  it('may be called anything', () => {
    for (const name of ['__proto__', 'constructor', 'a.b', 'a b"c', '$cmd', 'ü', '\u{1f600}']) {
      const listed = listedCollection({ name, options: {} });
      if (listed === null) throw new Error('left out');
      const model = buildSchema(
        { tables: [tableOf('shop', listed, noIndexes)], defaultSearchPath: ['shop'] },
        1,
      );
      expect(model.resolve([{ schema: null, name }], null, '')).toMatchObject({
        names: [`shop.${name}`],
        hasAbsent: false,
      });
      expect(model.knows(`shop.${name}`)).toBe(true);
    }
  });
});

const keys = [
  'name',
  'type',
  'options',
  'validator',
  '$jsonSchema',
  '$and',
  'properties',
  'required',
  'items',
  'bsonType',
  'key',
  'unique',
  'collation',
  'timeseries',
  'viewOn',
  'info',
  '__proto__',
];
