// SQL on documents, from the library and from the command line: refusals and errors are remembered, and where a note may
// lead is held: DISTINCT to GROUP BY, a JOIN nowhere on this surface.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type DocumentSql, openSql, SqlRefusedError } from '../../../src/mongodb.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { recordsIn } from '../../support/records-in.js';

const run = promisify(execFile);

const people = [
  { name: 'Ada', city: 'London', age: 36, email: 'ada@example.org' },
  { name: 'Ben', city: 'Paris', age: 41, email: 'ben@example.org' },
  { name: 'Cleo', city: 'London', email: 'cleo@example.org' },
];

const distinct = 'SELECT DISTINCT city FROM users';
const joined = 'SELECT u.name, o.total FROM users u JOIN orders o ON o.user_id = u._id';

describeEachMongo('SQL', (server) => {
  let database: TestDatabase;
  let client: MongoClient;
  let folder: string;
  let db: DocumentSql;

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, async (made) => {
      await made.collection('users').createIndex({ email: 1 }, { unique: true });
      await made.collection('users').insertMany(people.map((person) => ({ ...person })));
      await made.collection('orders').insertOne({ user_id: 1, total: 5 });
    });
    client = await new MongoClient(database.url).connect();
  });

  afterAll(async () => {
    await client.close();
    await database.drop();
  });

  const open = () => openSql(client.db(database.name), { memory: folder, upstream: 'shop' });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twiceshy-sql-'));
    db = await open();
  });

  afterEach(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function refusal(text: string): Promise<SqlRefusedError> {
    const error = await db.sql(text).catch((caught: unknown) => caught);
    if (error instanceof SqlRefusedError) return error;
    throw new Error(`${text} was not refused`, { cause: error });
  }

  async function closed() {
    await db.close();
    const records = await recordsIn(folder);
    db = await open();
    return records;
  }

  it('answers', async () => {
    const all = await db.sql('SELECT name FROM users WHERE city = $1 ORDER BY name', ['London']);
    expect(all).toMatchObject({ kind: 'rows', rows: [{ name: 'Ada' }, { name: 'Cleo' }] });
    const counted = await db.sql('UPDATE users SET age = age + 1 WHERE age > 40');
    expect(counted).toEqual({ kind: 'count', count: 1 });
  });

  it('a refused DISTINCT comes back with GROUP BY, which then resolves it', async () => {
    expect((await refusal(distinct)).note).toBeNull();
    const again = await refusal(distinct.toLowerCase());
    expect(again.code).toBe('SQL_DISTINCT');
    expect(again.note).toContain('Use GROUP BY');
    expect(again.message.split('\n')).toEqual([
      expect.stringContaining('DISTINCT'),
      expect.stringMatching(/^\[twiceshy [0-9a-f]{8}\] Use GROUP BY/),
    ]);
    expect(await db.sql('SELECT city FROM users GROUP BY city ORDER BY city')).toMatchObject({
      rows: [{ city: 'London' }, { city: 'Paris' }],
    });
    const [record] = await closed();
    expect(record).toMatchObject({
      class: 'unsupported_translation',
      code: 'SQL_DISTINCT',
      backend: 'document',
      engine: 'mongodb',
      tables: [`${database.name}.users`],
      confirmed: 1,
      resolution: { shape: 'select city from users group by city order by city' },
    });
  });

  it('a refused JOIN has no way on this surface: the note says so, and nothing smaller resolves it', async () => {
    await refusal(joined);
    const again = await refusal(joined);
    expect(again.code).toBe('SQL_JOIN');
    expect(again.note).toContain('No single-collection statement answers this');
    expect(again.note).toContain('$lookup');
    expect(again.note).toContain('report');
    expect(again.note).toContain('do not drop a collection');
    expect(again.note).not.toMatch(/GROUP BY|\bUse SELECT\b/);
    await db.sql('SELECT name FROM users');
    await db.sql('SELECT total FROM orders');
    const [record, ...others] = await closed();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ code: 'SQL_JOIN', failures: 2, resolution: null, confirmed: 0 });
    expect(record?.tables).toEqual([`${database.name}.orders`, `${database.name}.users`]);
    expect((await refusal(joined)).note).not.toContain('then ran');
  });

  it('an error of the server is thrown as the driver made it, with its note', async () => {
    const insert = (name: string) =>
      db.sql('INSERT INTO users (name, email) VALUES ($1, $2)', [name, 'ada@example.org']);
    const first = await insert('A').catch((error: unknown) => error);
    expect(first).toBeInstanceOf(MongoServerError);
    expect(first).not.toHaveProperty('note');
    const second = await insert('B').catch((error: unknown) => error);
    expect(second).toBeInstanceOf(MongoServerError);
    expect(second).toMatchObject({ code: 11000, note: expect.stringContaining('[twiceshy ') });
    expect((await closed())[0]).toMatchObject({ class: 'unique_violation', code: '11000' });
  });

  it('what is remembered holds no value', async () => {
    await refusal("SELECT DISTINCT city FROM users WHERE name = 'canary-in-a-statement'");
    await db
      .sql("INSERT INTO users (name, email) VALUES ('canary', 'ada@example.org')")
      .catch(() => undefined);
    expect(JSON.stringify(await closed())).not.toContain('canary');
  });

  it('from the command line: rows, a refusal, its repeat', async () => {
    await db.close();
    const sql = async (...args: string[]) => {
      const main = ['--import', 'tsx', 'src/cli/main.ts', 'sql', '--memory', folder];
      const env = { ...process.env, TWICESHY_MONGODB_URL: database.url };
      return run(process.execPath, [...main, ...args], { env }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    };
    const rows = await sql('select name, age from users where city = $1 order by name', '--param', 'London');
    expect(rows).toMatchObject({ code: 0, stdout: '{"name":"Ada","age":36}\n{"name":"Cleo","age":null}\n' });
    const first = await sql(distinct);
    expect(first).toMatchObject({ code: 1, stdout: '' });
    expect(first.stderr).toMatch(/^SQL_DISTINCT: [^\n]*\n$/);
    const again = await sql(distinct);
    expect(again.stderr).toMatch(
      /^SQL_DISTINCT: [^\n]*\n\[twiceshy [0-9a-f]{8}\] [^\n]*Use GROUP BY[^\n]*\n$/,
    );
    const json = JSON.parse((await sql(joined, '--json')).stdout) as { error: unknown };
    expect(json.error).toMatchObject({ code: 'SQL_JOIN', note: null });
    db = await open();
  });
});
