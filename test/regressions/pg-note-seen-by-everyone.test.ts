// What errors say is shown to the users of an API (PostgREST/postgrest#541) and is wrapped by others, the driver's error
// being the cause (drizzle-team/drizzle-orm#4660, paperclipai/paperclip#6877): a note holds nothing secret, can be turned
// off, and is on the driver's own error.
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { anyNote, startApp } from './support/running-app.js';

/** A value that its author took for a string: to the server a name, and only names that the catalog knows are shown. */
const misquoted = 'dave@example.net';
const secrets = ['hunter2', '4716-5550-0199', 'carol@example.org'];

const failing = [
  `insert into account values (1, '${secrets[2]}', '${secrets[0]}')`,
  `insert into account (id, mail, passwd) values (2, '${secrets[2]}', '${secrets[1]}') -- ${secrets[0]}`,
  `update account set id = '${secrets[1]}' where pin = '${secrets[1]}'`,
  `select * from acount where mail = '${secrets[2]}'`,
  `select '${secrets[0]}'::int from account`,
  `select id from account where mail = "${misquoted}"`,
  `alter role nobody_here password '${secrets[0]}'`,
];

describeEachPostgres('a note', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    const table = 'create table account (id int primary key, mail text unique, pin text);';
    database = await createDatabase(server.url, `${table} insert into account values (1, 'x', 'y')`);
  });

  afterAll(() => database.drop());

  async function failThrice(url: string): Promise<pg.DatabaseError[]> {
    const client = new pg.Client(url);
    await client.connect();
    const errors: pg.DatabaseError[] = [];
    for (let time = 1; time <= 3; time += 1) {
      for (const text of failing) {
        await client.query(text).catch((error: pg.DatabaseError) => errors.push(error));
      }
    }
    await client.end();
    return errors;
  }

  it('holds no value, no SQL and no address, and neither do the memory and the log', async () => {
    const app = await startApp(database.url);
    const errors = await failThrice(app.through(database.url));
    const notes = errors.flatMap(({ message, hint }) =>
      [message, String(hint)]
        .map((text) => text.slice(text.search(anyNote) >>> 0))
        .filter((text) => anyNote.test(text)),
    );
    expect(new Set(notes.map((note) => anyNote.exec(note)?.[0])).size).toBe(failing.length);
    const events = JSON.stringify(await app.stop());
    const { hostname, port, password } = new URL(database.url);
    for (const secret of [...secrets, `${hostname}:${port}`, password, 'example.org']) {
      for (const note of notes) expect(note).not.toContain(secret);
      expect(events).not.toContain(secret);
    }
    for (const note of notes) expect(note).not.toContain(misquoted);
    for (const secret of [...secrets, misquoted, password]) expect(app.log()).not.toContain(secret);
    for (const note of notes) expect(note).toMatch(/^[\x20-\x7e\n]+$/);
  });

  it('is nowhere when it is turned off, while failures are remembered', async () => {
    const app = await startApp(database.url, { config: { recall: { enabled: false } } });
    const errors = await failThrice(app.through(database.url));
    const direct = await failThrice(database.url);
    expect(errors.map(({ message, hint, detail }) => [message, hint, detail])).toEqual(
      direct.map(({ message, hint, detail }) => [message, hint, detail]),
    );
    const remembered = (await app.stop()).filter(({ event }) => event === 'failure');
    expect(remembered).toHaveLength(failing.length);
  });

  it('is on the error that the driver throws, for whoever makes it the cause of another', async () => {
    const app = await startApp(database.url, { audience: 'application' });
    const url = app.through(database.url);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const sql = postgres(url, { max: 1, fetch_types: false, ssl: false });
    const text = 'select unknown_column from account';
    const wrapped: Error[] = [];
    for (const run of [() => pool.query(text), () => pool.query(text), () => sql.unsafe(text)]) {
      await run().catch((cause: unknown) => wrapped.push(new Error(`Failed query: ${text}`, { cause })));
    }
    await pool.end();
    await sql.end();
    const causes = wrapped.map(({ cause }) => cause as pg.DatabaseError);
    expect(causes.map(({ message }) => message)).toEqual(
      Array(3).fill('column "unknown_column" does not exist'),
    );
    expect(causes.map(({ hint }) => anyNote.test(String(hint)))).toEqual([false, true, true]);
    await app.stop();
  });
});
