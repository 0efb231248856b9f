/** Statements beside the same question asked natively, on nulls, missing fields, nested documents and arrays. */
import { type Document, Long, MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { compileSql } from '../../../adapters/mongodb/sql/compile.js';
import { runCompiled, type SqlResult } from '../../../adapters/mongodb/sql/run.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';

const hex = '0123456789abcdef01234567';
const documents: Document[] = [
  { _id: 1, n: 5, g: 'a', tags: ['x', 'y'], o: { c: 'Paris', k: 1 }, items: [{ p: 1 }, { p: 3 }] },
  { _id: 2, n: 2.5, g: 'b', tags: ['x', null], o: { c: null } },
  { _id: 3, n: null, g: 'a', tags: [], o: {} },
  { _id: 4, n: 'five', tags: 'x', o: 'plain' },
  { _id: 5, n: Long.fromString('9007199254740993'), g: null, items: [{ p: null }, {}] },
  { _id: 6, n: -3, g: 'a', d: new Date('2024-02-29T22:15:10.250Z'), o: { c: 'Rome', k: -3 } },
  { _id: new ObjectId(hex), n: 1 },
  { _id: hex, n: 2 },
];
/** SQL, and the rows as a pipeline of hand makes them. */
const questions: readonly (readonly [sql: string, native: Document[]])[] = [
  [
    "SELECT _id FROM t WHERE tags = 'x' ORDER BY _id",
    [{ $match: { tags: 'x' } }, { $sort: { _id: 1 } }, { $project: { _id: 1 } }],
  ],
  ['SELECT _id FROM t WHERE items.p > 2', [{ $match: { 'items.p': { $gt: 2 } } }, { $project: { _id: 1 } }]],
  [
    'SELECT _id FROM t WHERE n BETWEEN 2 AND 5 ORDER BY _id',
    [{ $match: { n: { $gte: 2, $lte: 5 } } }, { $sort: { _id: 1 } }, { $project: { _id: 1 } }],
  ],
  [
    'SELECT _id FROM t WHERE n = 9007199254740993',
    [{ $match: { n: 9007199254740993n } }, { $project: { _id: 1 } }],
  ],
  ['SELECT * FROM t ORDER BY n NULLS FIRST, _id', [{ $sort: { n: 1, _id: 1 } }]],
  [
    'SELECT * FROM t WHERE n > 0 ORDER BY n DESC NULLS LAST OFFSET 1 LIMIT 2',
    [{ $match: { n: { $gt: 0 } } }, { $sort: { n: -1 } }, { $skip: 1 }, { $limit: 2 }],
  ],
  [
    'SELECT _id, o.c AS city FROM t WHERE _id < 5 ORDER BY _id',
    [
      { $match: { _id: { $lt: 5 } } },
      { $sort: { _id: 1 } },
      { $project: { city: { $ifNull: ['$o.c', null] } } },
    ],
  ],
  ['SELECT items.p FROM t WHERE _id = 1', [{ $match: { _id: 1 } }, { $project: { _id: 0, p: '$items.p' } }]],
  [
    'SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY g NULLS FIRST',
    [
      { $group: { _id: { $ifNull: ['$g', null] }, n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
      { $project: { _id: 0, g: '$_id', n: 1 } },
    ],
  ],
  [
    'SELECT o.k + 1 AS k FROM t WHERE o.k = n',
    [
      { $match: { $expr: { $and: [{ $isNumber: '$n' }, { $eq: ['$o.k', '$n'] }] } } },
      { $project: { _id: 0, k: { $add: ['$o.k', 1] } } },
    ],
  ],
];
/** SQL, and the rows as SQL has them. */
const answers: readonly (readonly [sql: string, rows: Document[]])[] = [
  ['SELECT _id FROM t WHERE _id < 7 ORDER BY n, _id', [6, 2, 1, 5, 4, 3].map((_id) => ({ _id }))],
  ['SELECT _id FROM t WHERE _id < 7 ORDER BY n DESC, _id DESC LIMIT 3', [3, 4, 5].map((_id) => ({ _id }))],
  ['SELECT g FROM t WHERE _id < 7 GROUP BY g ORDER BY 1', [{ g: 'a' }, { g: 'b' }, { g: null }]],
  [
    'SELECT g, SUM(o.k) AS s FROM t WHERE g IS NOT NULL GROUP BY g ORDER BY s DESC',
    [
      { g: 'b', s: null },
      { g: 'a', s: -2 },
    ],
  ],
  [
    "SELECT g = 'a' AS a, COUNT(*) FROM t GROUP BY g = 'a' ORDER BY 2 DESC, 1",
    [
      { a: null, count: 4 },
      { a: true, count: 3 },
      { a: false, count: 1 },
    ],
  ],
  [
    'SELECT UPPER(g) AS g, COUNT(*) AS c FROM t GROUP BY g HAVING c > 2 ORDER BY c',
    [
      { g: 'A', c: 3 },
      { g: null, c: 4 },
    ],
  ],
  [
    'SELECT COUNT(*), COUNT(n), AVG(o.k), MIN(g) FROM t WHERE _id < 7',
    [{ count: 6, count_2: 5, avg: -1, min: 'a' }],
  ],
  ['SELECT MAX(n) - MIN(n) AS r FROM t WHERE _id IN (1, 6)', [{ r: 8 }]],
  ['SELECT SUM(n), COUNT(*) AS c FROM nowhere', [{ sum: null, c: 0 }]],
  [
    'SELECT COUNT(DISTINCT g) AS d, SUM(DISTINCT o.k) AS s, AVG(DISTINCT o.k) AS a FROM t',
    [{ d: 2, s: -2, a: -1 }],
  ],
  ['SELECT COUNT(*) AS c FROM t LIMIT 0', []],
  [`SELECT n FROM t WHERE _id = '${hex}' ORDER BY n`, [{ n: 1 }, { n: 2 }]],
  [`SELECT n FROM t WHERE _id = '${hex}'::objectid`, [{ n: 1 }]],
  [`SELECT COUNT(*) AS c FROM t WHERE _id <> '${hex}'`, [{ c: 6 }]],
  [
    `SELECT CASE WHEN _id = '${hex}' THEN 1 ELSE 0 END AS x, n FROM t WHERE n IN (1, 2, 5) ORDER BY n`,
    [
      { x: 1, n: 1 },
      { x: 1, n: 2 },
      { x: 0, n: 5 },
    ],
  ],
  ["SELECT _id FROM t WHERE d > DATE '2024-02-29' AND d < TIMESTAMP '2024-03-01 00:00+01:00'", [{ _id: 6 }]],
  ["SELECT _id FROM t WHERE d > '2024-02-29'", []],
  [
    "SELECT d::date AS x, DATE_TRUNC('week', d) AS w, DATE_TRUNC('quarter', d) AS q, DATE_TRUNC('second', d) AS s FROM t WHERE _id = 6",
    [
      {
        x: new Date('2024-02-29'),
        w: new Date('2024-02-26'),
        q: new Date('2024-01-01'),
        s: new Date('2024-02-29T22:15:10Z'),
      },
    ],
  ],
  [
    'SELECT EXTRACT(year FROM d) AS y, EXTRACT(dow FROM d) AS w, EXTRACT(second FROM d) AS s, EXTRACT(quarter FROM d) AS q FROM t WHERE _id = 6',
    [{ y: 2024, w: 4, s: 10.25, q: 1 }],
  ],
  [
    "SELECT d + INTERVAL '1 year 1 day' AS x, d - INTERVAL '1 month' AS y FROM t WHERE _id IN (1, 6) ORDER BY _id",
    [
      { x: null, y: null },
      { x: new Date('2025-03-01T22:15:10.250Z'), y: new Date('2024-01-29T22:15:10.250Z') },
    ],
  ],
  [
    "SELECT SUBSTRING(g FROM 0 FOR 2) AS a, LENGTH(g) AS l, g || n AS c, CONCAT(g, '-', n) AS d, LOWER(g) AS e, TRIM(g) AS f FROM t WHERE _id IN (1, 5) ORDER BY _id",
    [
      { a: 'a', l: 1, c: 'a5', d: 'a-5', e: 'a', f: 'a' },
      { a: null, l: null, c: null, d: '-9007199254740993', e: null, f: null },
    ],
  ],
  [
    "SELECT 2.5::int AS a, n::int AS b, '12'::int AS c, 'yes'::bool AS d, n::text AS e FROM t WHERE _id = 2",
    [{ a: 2, b: 2, c: 12, d: true, e: '2.5' }],
  ],
  [
    'SELECT NULLIF(n, 5) AS a, COALESCE(n, o.k, 0) AS b, GREATEST(n, 4) AS c, LEAST(n, NULL, 4) AS d FROM t WHERE _id IN (1, 3) ORDER BY _id',
    [
      { a: null, b: 5, c: 5, d: 4 },
      { a: null, b: 0, c: 4, d: 4 },
    ],
  ],
  [
    'SELECT ARRAY[n, g, z] AS x, -n AS y, n % 2 AS z FROM t WHERE _id = 1',
    [{ x: [5, 'a', null], y: -5, z: 1 }],
  ],
  [
    "SELECT '$n' AS a, '$$ROOT' AS b, NULL AS c, TRUE AS d FROM t WHERE _id = 1",
    [{ a: '$n', b: '$$ROOT', c: null, d: true }],
  ],
  ['SELECT *, n * 2 AS m FROM t WHERE _id = 6', [{ ...documents[5], m: -6 }]],
  ['SELECT _id FROM t WHERE 7 / 2 = 3.5 AND 1 = 1 AND _id = 1', [{ _id: 1 }]],
  [
    'SELECT _id FROM t WHERE o IS NOT NULL AND o.c IS NULL ORDER BY _id',
    [{ _id: 2 }, { _id: 3 }, { _id: 4 }],
  ],
];

describeEachMongo('answers to SQL', (server) => {
  const client = new MongoClient(server.url);
  const db = client.db('twiceshy_sql_answers');

  beforeEach(async () => {
    await db.dropDatabase();
    await db.collection<Document>('t').insertMany(documents.map((document) => ({ ...document })));
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  async function run(sql: string, params: readonly unknown[] = []): Promise<SqlResult> {
    const compiled = compileSql(sql, params);
    if (compiled.kind === 'refused')
      throw new Error(`${compiled.code} at ${compiled.position}: ${compiled.message}`);
    return await runCompiled(db, compiled);
  }
  async function rows(sql: string): Promise<unknown> {
    const result = await run(sql);
    return result.kind === 'rows' ? result.rows : null;
  }

  it.each(questions)('%s', async (sql, native) => {
    const expected = await db.collection('t').aggregate(native).toArray();
    expect(expected.length).toBeGreaterThan(0);
    expect(await rows(sql)).toEqual(expected);
  });

  it.each(answers)('%s', async (sql, expected) => {
    expect(await rows(sql)).toEqual(expected);
  });

  describe('writes', () => {
    it('inserts what is given, in the types it is given in', async () => {
      const params = [new ObjectId(hex), { $a: 1 }, ['x'], 5_000_000_000n];
      const inserted = await run(
        'INSERT INTO w (_id, a, b.c, b.d, "__proto__") VALUES ($1, $2, $3, $4, 1), (2, NULL, DEFAULT, -5, now())',
        params,
      );
      expect(inserted).toEqual({ kind: 'count', count: 2 });
      const [first, second] = await db
        .collection('w')
        .find({}, { promoteLongs: false })
        .sort({ a: -1 })
        .toArray();
      expect(first).toEqual(
        Object.fromEntries([
          ['_id', params[0]],
          ['a', { $a: 1 }],
          ['b', { c: ['x'], d: Long.fromString('5000000000') }],
          ['__proto__', 1],
        ]),
      );
      expect(second).toMatchObject({ _id: 2, a: null, b: { d: -5 } });
    });

    it('updates from the old values, all at once', async () => {
      await db
        .collection<Document & { _id: number }>('w')
        .insertOne({ _id: 1, a: 1, b: 2, o: { x: 1, y: 2 } });
      expect(await run('UPDATE w SET a = b, b = a, c = a + z, o.x = DEFAULT, o.y = $1', ['$a'])).toEqual({
        kind: 'count',
        count: 1,
      });
      expect(await db.collection('w').findOne()).toEqual({ _id: 1, a: 2, b: 1, c: null, o: { y: '$a' } });
    });

    it('counts what matches, though it changes nothing', async () => {
      expect(await run('UPDATE t SET n = 5 WHERE n = 5')).toEqual({ kind: 'count', count: 1 });
      expect(await run('UPDATE t SET n = 5 WHERE n = NULL')).toEqual({ kind: 'count', count: 0 });
    });

    it('deletes where the condition is true', async () => {
      expect(await run("DELETE FROM t WHERE NOT (g = 'a')")).toEqual({ kind: 'count', count: 1 });
      expect(await run('DELETE FROM t')).toEqual({ kind: 'count', count: 7 });
    });
  });

  it.each([
    ['a duplicate', 'INSERT INTO t (_id) VALUES (1)', 11000],
    ['arithmetic on a text', 'SELECT n + 1 FROM t WHERE _id = 4', 14],
    ['a division by zero', 'SELECT n / 0 FROM t WHERE _id = 1', 2],
    ['a cast of what is no number', 'SELECT n::int FROM t WHERE _id = 4', 241],
    ['a write to the id', 'UPDATE t SET _id = 9 WHERE _id = 1', 66],
  ])("the server's own error comes back: %s", async (_, sql, code) => {
    await expect(run(sql)).rejects.toMatchObject({ code });
  });
});
