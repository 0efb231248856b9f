/** Every example of docs/sql-on-documents.md, on its documents: rows as the page has them, refusals by their code. */
import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSql } from '../../../adapters/mongodb/sql/compile.js';
import { sqlRefusalCodes } from '../../../adapters/mongodb/sql/refusals.js';
import { runCompiled } from '../../../adapters/mongodb/sql/run.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';

interface Example {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly code: string | null;
  readonly rows: unknown[];
}

const page = readFileSync(new URL('../../../docs/sql-on-documents.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```sql\n(.*?)^```/gms)].flatMap(([, block]) =>
  examplesOf(block as string),
);

function examplesOf(block: string): Example[] {
  const found: Example[] = [];
  let params: unknown[] = [];
  let code: string | null = null;
  for (const line of block.trimEnd().split('\n')) {
    const [, comment] = /^-- (.*)$/.exec(line) ?? [];
    const [, value] = /^\$\d+ = (.*)$/.exec(comment ?? '') ?? [];
    if (value !== undefined) params.push(JSON.parse(value));
    else if (comment?.startsWith('{')) found.at(-1)?.rows.push(JSON.parse(comment));
    else if (comment !== undefined) code = comment;
    else {
      found.push({ sql: line, params, code, rows: [] });
      params = [];
      code = null;
    }
  }
  return found;
}

describeEachMongo('the documentation of SQL on documents', (server) => {
  const client = new MongoClient(server.url);
  const db = client.db('twiceshy_sql_documentation');

  beforeAll(async () => {
    await db.dropDatabase();
    const [, lines] = /^```json\n(.*?)^```/ms.exec(page) ?? [];
    const documents = (lines as string).trimEnd().split('\n');
    await db.collection('people').insertMany(documents.map((line) => JSON.parse(line)));
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  it.each(examples)('$sql', async ({ sql, params, code, rows }) => {
    const compiled = compileSql(sql, params);
    if (compiled.kind === 'refused') return expect(compiled.code).toBe(code);
    expect(code).toBe(null);
    const result = await runCompiled(db, compiled);
    if (result.kind === 'rows') expect(result.rows).toEqual(rows);
    else expect(result.count).toBeGreaterThan(0);
  });

  it('shows each code, in the order in which they win', () => {
    const refused = new Set(examples.flatMap(({ code }) => (code === null ? [] : [code])));
    expect(refused).toEqual(new Set(sqlRefusalCodes));
    const listed = [...page.matchAll(/^\| `(SQL_\w+)` \|/gm)].map(([, code]) => code);
    expect(listed).toEqual(sqlRefusalCodes);
  });
});
