/** The memory as a user meets it: across sessions, restarts, crashes, databases and changes of the schema. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, runOn, type TestDatabase } from '../servers/database.js';
import { describePostgres } from '../support/postgres-servers.js';
import { type RunningProxy, startProxy } from '../support/start-proxy.js';
import { until } from '../support/until.js';
import { hasNote } from './battery/notes.js';
import { batterySchema } from './battery/schema.js';

const settleMs = 20_000;
const duplicate = (address: string): string => `insert into person (id, email) values (50, '${address}')`;

describePostgres('the memory', (server) => {
  let database: TestDatabase;
  let memory: string;
  let proxy: RunningProxy;

  beforeEach(async () => {
    database = await createDatabase(server.url, batterySchema);
    memory = mkdtempSync(join(tmpdir(), 'twiceshy-memory-'));
    proxy = await startProxy({ upstreamUrl: database.url, memory });
  });

  afterEach(async () => {
    proxy.signal('SIGKILL');
    await proxy.exited;
    await database.drop();
    rmSync(memory, { recursive: true, force: true });
  });

  /** What one new session through the proxy gets for each text: the note, '' without one, null when it succeeds. */
  async function ask(...texts: readonly string[]): Promise<(string | null)[]> {
    return askOn(proxy.through(database.url), texts);
  }

  async function askOn(url: string, texts: readonly string[]): Promise<(string | null)[]> {
    const client = new pg.Client(url);
    await client.connect();
    const notes: (string | null)[] = [];
    for (const text of texts) {
      try {
        await client.query(text);
        notes.push(null);
      } catch (error) {
        const { hint = '' } = error as pg.DatabaseError;
        notes.push(hasNote(hint) ? hint.slice(hint.indexOf('[twiceshy ')) : '');
      }
    }
    await client.end();
    return notes;
  }

  async function direct(text: string): Promise<void> {
    await runOn(database.url, text);
  }

  it('speaks to another session, about other values', async () => {
    expect(await ask(duplicate('a@example.org'))).toEqual(['']);
    const [note] = await ask("INSERT  INTO person(id,email) VALUES (77, 'b@example.org') -- again");
    expect(note).toContain('unique_violation');
    expect(note).toContain('person_email_key');
    expect(note).toContain('ON CONFLICT');
  });

  it('outlives a restart, and a crash once it had time to write', async () => {
    await ask(duplicate('a@example.org'));
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    proxy = await startProxy({ upstreamUrl: database.url, memory });
    expect((await ask(duplicate('b@example.org')))[0]).toContain('unique_violation');
    await ask('select nope from city');
    proxy.signal('SIGKILL');
    await proxy.exited;
    proxy = await startProxy({ upstreamUrl: database.url, memory });
    expect((await ask(duplicate('a@example.org')))[0]).toContain('unique_violation');
  });

  it('is refused to a second process while the first holds it', async () => {
    await expect(startProxy({ upstreamUrl: database.url, memory })).rejects.toThrow(/ended with 1/);
    expect(await ask(duplicate('a@example.org'))).toEqual(['']);
  });

  it('learns of a second database from sessions of one statement, and keeps the two apart', async () => {
    const twin = await createDatabase(server.url, batterySchema);
    try {
      await ask(duplicate('a@example.org'), duplicate('a@example.org'));
      const repeated = 'select zzz from city';
      const isKnown = async (): Promise<boolean> =>
        (await askOn(proxy.through(twin.url), [repeated]))[0] !== '';
      await until(isKnown, settleMs, 'a repetition to be annotated in the other database');
      const [first] = await askOn(proxy.through(twin.url), [duplicate('a@example.org')]);
      expect(first).toBe('');
    } finally {
      await twin.drop();
    }
  });

  it('is silent once the table changed, and not for the change of another', async () => {
    await ask('select nope from city');
    await direct('create table unrelated (id int)');
    const [afterUnrelated] = await ask('select nope from city');
    expect(afterUnrelated).toContain('undefined_object');
    const idOf = (note: string | null | undefined): string => (note ?? '').slice(0, 18);
    await direct('alter table city add column founded date');
    // The change came past the proxy: its probe of the catalog has to see it. What failed meanwhile is known again soon,
    // under another id.
    const isOther = async (): Promise<boolean> =>
      idOf((await ask('select nope from city'))[0]) !== idOf(afterUnrelated);
    await until(isOther, settleMs, 'the note on the old table to be gone');
  });

  it('forgets an undefined column once it exists, and an unknown table once it is made', async () => {
    await ask(
      'select nope from city',
      'select nope from city',
      'select id from towns',
      'select id from towns',
    );
    expect(await ask('alter table city add column nope text', 'create table towns (id int)')).toEqual([
      null,
      null,
    ]);
    expect(await ask('select nope from city', 'select id from towns')).toEqual([null, null]);
    expect(await ask('alter table city drop column nope', 'drop table towns')).toEqual([null, null]);
  });

  it('says nothing about what is refused only because its block had failed', async () => {
    const client = new pg.Client(proxy.through(database.url));
    await client.connect();
    for (let time = 1; time <= 3; time += 1) {
      await client.query('begin');
      await client.query('select 1/0').catch(() => {});
      const refused: unknown = await client.query('select id from city').catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: '25P02' });
      expect(hasNote((refused as Error).message)).toBe(false);
      await client.query('rollback');
    }
    await client.end();
  });

  it('tells what worked in the place of what failed', async () => {
    await ask('select nme from city where id = 1', 'select name from city where id = 1');
    const [note] = await ask('select nme from city where id = 2');
    expect(note).toContain('select name from city');
  });

  it('names the closest column that exists', async () => {
    const [, note] = await ask('select nme from city where id = 1', 'select nme from city where id = 2');
    expect(note).toMatch(/\bname\b/);
  });

  it('knows a statement by its shape in both protocols', async () => {
    await ask('select 10 / 0 from city');
    const client = new pg.Client(proxy.through(database.url));
    await client.connect();
    const failed: unknown = await client
      .query('select 10 / $1::int from city', [0])
      .catch((error: unknown) => error);
    const literal: unknown = await client
      .query({ text: 'select 7 / 0 from city', queryMode: 'extended' } as pg.QueryConfig)
      .catch((error: unknown) => error);
    await client.end();
    expect(failed).toMatchObject({ code: '22012' });
    expect(hasNote((literal as Error).message)).toBe(true);
  });
});
