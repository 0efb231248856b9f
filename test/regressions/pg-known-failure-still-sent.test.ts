// A statement refused in the proxy alone left the server's transaction healthy, so that earlier work could still be
// committed (cipherstash/proxy#443).
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { anyNote, type RunningApp, startApp } from './support/running-app.js';

describeEachPostgres('a statement known to fail', (server) => {
  let database: TestDatabase;
  let app: RunningApp;

  beforeAll(async () => {
    database = await createDatabase(server.url, 'create table item (id int primary key)');
    app = await startApp(database.url);
  });

  afterAll(async () => {
    await app.stop();
    await database.drop();
  });

  it('is sent each time, and its transaction is lost each time', async () => {
    const client = new pg.Client(app.through(database.url));
    await client.connect();
    const notes: boolean[] = [];
    for (let time = 1; time <= 3; time += 1) {
      await client.query('begin');
      await client.query('insert into item values ($1)', [time]);
      const error = await client.query('select nope from item').catch((caught: pg.DatabaseError) => caught);
      notes.push(anyNote.test(String((error as pg.DatabaseError).message)));
      expect((await client.query('commit')).command).toBe('ROLLBACK');
    }
    expect(notes).toEqual([false, true, true]);
    expect((await client.query('select * from item')).rows).toEqual([]);
    // Once the column is there, the same statement runs: nobody answers in the server's place.
    await client.query('alter table item add nope int');
    expect((await client.query('select nope from item')).rows).toEqual([]);
    await client.end();
  });
});
