// Programs read MESSAGE by position or to its end (prisma/orm#28953, #29485, #29634; sequelize/sequelize#2393, #2521,
// #2753; puppetlabs/puppetdb#1793, collectiveidea/awesome_nested_set#254, buildbot/buildbot#2270) and DETAIL up to its
// last dot (balderdashy/sails-postgresql#115; Vincit/db-errors#7, #18, Vincit/objection-db-errors#27).
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../protocol/postgres/frames.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { until, within } from '../support/until.js';
import { anyNote, type RunningApp, startApp } from './support/running-app.js';

const schema = `
create table city (id int primary key, name text constraint city_name_key unique);
create table person (
  id int primary key, email text not null constraint person_email_key unique, age int check (age >= 0),
  city_id int constraint person_city_fkey references city (id)
);
create table account (id int primary key, balance int);
insert into city values (1, 'Oslo'), (2, E'two\\nlines');
insert into person values (1, 'a@example.org', 1, 1);
insert into account values (1, 0), (2, 0);
grant all on city, person, account to trust_user;
`;

/** How programs take such a text apart, and what they must find. */
const statements: readonly {
  readonly sql: string;
  readonly code: string;
  readonly message: RegExp;
  readonly detail?: RegExp;
}[] = [
  {
    sql: "insert into person values (2, 'a@example.org')",
    code: '23505',
    message: /^duplicate key value violates unique constraint "([^"]+)"$/,
    detail: /^Key \((.+?)\)=\((.+)\) already exists\.$/,
  },
  {
    sql: "insert into city values (3, E'two\\nlines')",
    code: '23505',
    message: /"city_name_key"$/,
    detail: /^Key \(name\)=\(two\nlines\) already exists\.$/,
  },
  {
    sql: "insert into person values (3, 'b@example.org', 1, 99)",
    code: '23503',
    message: /^insert or update on table "(\w+)" violates foreign key constraint "(\w+)"$/,
    detail: /^Key \((\w+)\)=\((\d+)\) is not present in table "(\w+)"\.$/,
  },
  {
    sql: 'delete from city where id = 1',
    code: '23503',
    message: /foreign key constraint "person_city_fkey" on table "person"$/,
    detail: /^Key \(id\)=\(1\) is still referenced from table "person"\.$/,
  },
  {
    sql: 'insert into person values (4, null)',
    code: '23502',
    message: /^null value in column "(\w+)" of relation "person" violates not-null constraint$/,
    detail: /^Failing row contains \(4, null, null, null\)\.$/,
  },
  {
    sql: "insert into person values (5, 'c@example.org', -1)",
    code: '23514',
    message: /^new row for relation "person" violates check constraint "(\w+)"$/,
    detail: /\)\.$/,
  },
  { sql: 'select nope from person', code: '42703', message: /^column "(\w+)" does not exist$/ },
  {
    sql: 'insert into person (idd) values (1)',
    code: '42703',
    message: /^column "(\w+)" of relation "person" does not exist$/,
  },
  { sql: 'select * from persons', code: '42P01', message: /^relation "(\w+)" does not exist$/ },
];

describeEachPostgres('the text that programs read', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(server.url, schema);
  });

  afterAll(() => database.drop());

  /** Fields of the errors of three runs in a row, in the order of the frame. */
  async function fieldsOfThree(url: string, sql: string): Promise<string[][]> {
    const session = await RawPostgres.open(url);
    const runs: string[][] = [];
    for (let time = 1; time <= 3; time += 1) {
      await session.send(client.query(sql));
      const error = (await session.ready(1)).find(({ type }) => type === 'E');
      runs.push(
        String(error?.body.toString())
          .split('\0')
          .filter((field) => field !== ''),
      );
    }
    session.close();
    return runs;
  }

  describe.each(['application', 'agent'] as const)('of an audience of kind %s', (audience) => {
    let app: RunningApp;

    beforeAll(async () => {
      app = await startApp(database.url, { audience });
    });

    afterAll(async () => {
      await app.stop();
    });

    it.each(statements)('$code: $sql', async ({ sql, code, message, detail }) => {
      const [direct = []] = await fieldsOfThree(database.url, sql);
      const proxied = await fieldsOfThree(app.through(database.url), sql);
      const letter = (field: string): string => field.charAt(0);
      for (const [index, fields] of proxied.entries()) {
        const isNoted = index > 0;
        expect(fields.some((field) => anyNote.test(field))).toBe(isNoted);
        // The note is a hint of its own or the end of the server's; nothing else has moved.
        const others = fields.filter((field) => letter(field) !== 'H');
        const hint = fields.find((field) => letter(field) === 'H');
        const directHint = direct.find((field) => letter(field) === 'H');
        if (directHint !== undefined) expect(hint?.startsWith(directHint)).toBe(true);
        const text = others.find((field) => letter(field) === 'M') ?? '';
        if (audience === 'application') {
          expect(others).toEqual(direct.filter((field) => letter(field) !== 'H'));
          expect(text.slice(1)).toMatch(message);
        } else {
          // An agent's message goes on after a newline: its first line is the server's.
          expect(text.slice(1).split('\n')[0]).toMatch(message);
          expect(others.map((field) => field.replace(/^(M[^\n]*)\n[\s\S]*/, '$1'))).toEqual(
            direct.filter((field) => letter(field) !== 'H'),
          );
        }
        if (detail !== undefined)
          expect(others.find((field) => letter(field) === 'D')?.slice(1)).toMatch(detail);
        expect(others).toContain(`C${code}`);
      }
    });
  });

  it('of a deadlock that happens again is the same from its first byte to its last', async () => {
    const app = await startApp(database.url, { audience: 'application' });
    const one = new pg.Client(app.through(database.url));
    const two = new pg.Client(app.through(database.url));
    const watcher = new pg.Client(database.url);
    for (const each of [one, two, watcher]) await each.connect();
    await one.query("set deadlock_timeout = '60s'");
    await two.query("set deadlock_timeout = '10ms'");
    const errors: pg.DatabaseError[] = [];
    for (let time = 1; time <= 2; time += 1) {
      await one.query('begin; update account set balance = balance where id = 1');
      await two.query('begin; update account set balance = balance where id = 2');
      const waiting = one.query('update account set balance = balance where id = 2');
      const isWaiting = async (): Promise<boolean> =>
        (await watcher.query('select 1 from pg_locks where not granted and pid <> pg_backend_pid()'))
          .rowCount === 1;
      await until(isWaiting, 20_000, 'the first to wait');
      await two
        .query('update account set balance = balance where id = 1')
        .catch((error: pg.DatabaseError) => errors.push(error));
      await two.query('rollback');
      await within(waiting, 20_000, 'the other to go on');
      await one.query('rollback');
    }
    expect(errors.map(({ code, message }) => [code, message])).toEqual(
      Array(2).fill(['40P01', 'deadlock detected']),
    );
    expect(errors.map(({ hint }) => anyNote.test(String(hint)))).toEqual([false, true]);
    expect(errors[1]?.hint?.startsWith('See server log for query details.')).toBe(true);
    for (const each of [one, two, watcher]) await each.end();
    await app.stop();
  });

  it('of a login that fails is the server’s, whatever is remembered', async () => {
    const app = await startApp(database.url);
    for (let time = 1; time <= 3; time += 1) {
      for (const [change, code] of [
        [{ database: 'no_such_database' }, '3D000'],
        [{ password: 'wrong' }, '28P01'],
        [{ user: 'nobody' }, '28P01'],
      ] as const) {
        const connect = async (url: string): Promise<unknown> => {
          const { username: user, password, hostname: host, port, pathname } = new URL(url);
          const settings = { user, password, host, port: Number(port), database: pathname.slice(1) };
          const refused = new pg.Client({ ...settings, ...change });
          return refused
            .connect()
            .catch(({ code, message, hint }: pg.DatabaseError) => ({ code, message, hint }));
        };
        const proxied = await connect(app.through(database.url));
        expect(proxied).toEqual(await connect(database.url));
        expect(proxied).toMatchObject({ code });
      }
    }
    expect(await app.stop()).toEqual([]);
  });
});
