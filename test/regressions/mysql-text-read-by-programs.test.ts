// Programs read messages by a pattern up to their end (sequelize/sequelize#9178, #5064, #2303), by their last word or by the
// positions of words (prisma/prisma-engines, prisma/prisma), by patterns that line breaks stop (Vincit/db-errors#7, #18,
// Vincit/objection-db-errors#27), or look for words in them (puppetlabs/puppetdb#1793, collectiveidea/awesome_nested_set#254,
// buildbot/buildbot#2270).
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../servers/database.js';
import { asAccount, createMysqlDatabase, runMysql } from '../servers/mysql-database.js';
import { readError } from '../support/mysql-server-packets.js';
import { type AvailableMysql, describeEachMysql } from '../support/mysql-servers.js';
import { LoginRefused, RawMysql } from '../support/raw-mysql.js';
import { until } from '../support/until.js';
import { anyNote, type RunningApp, startApp } from './support/running-app.js';

const schema = `
create table city (id int primary key, name varchar(60), constraint city_name_key unique (name));
create table person (
  id int primary key, email varchar(60) not null, nick varchar(8), shoe smallint, city_id int,
  must int not null,
  constraint person_email_key unique (email),
  constraint person_city_fkey foreign key (city_id) references city (id) on delete restrict
);
create table account (id int primary key, balance int);
create table filled (id int not null, v int not null);
insert into city values (1, 'Oslo'), (2, 'two\\nlines');
insert into person (id, email, city_id, must) values (1, 'a@example.org', 1, 1);
insert into account values (1, 0), (2, 0);
`;

/** What a program takes from a message; undefined where it finds nothing. */
type Reading = (message: string) => string | undefined;

const quotedIn = (word: string | undefined, quote = "'"): string | undefined => word?.split(quote)[1];
const word =
  (index: number, quote?: string): Reading =>
  (message) =>
    quotedIn(message.split(/\s+/)[index], quote);
const spacedWord =
  (index: number, quote?: string): Reading =>
  (message) =>
    quotedIn(message.split(' ')[index], quote);
const lastWord: Reading = (message) => quotedIn(message.split(/\s+/).at(-1));
const lastSpacedWord: Reading = (message) => quotedIn(message.split(' ').at(-1));
const found =
  (pattern: RegExp, group = 1): Reading =>
  (message) =>
    pattern.exec(message)?.[group];

interface Case {
  readonly code: number;
  readonly sql: string;
  /** Not to be disturbed by anything at the end, whoever reads. */
  readonly readings: readonly Reading[];
  readonly before?: string;
  readonly after?: string;
  /** Up to the end: only an application's message ends where the server's does. */
  readonly toTheEnd?: readonly Reading[];
  readonly isWithoutRights?: true;
}

function casesOf(server: AvailableMysql, file: () => string): readonly Case[] {
  const foreignKey = [
    word(17, '`'),
    spacedWord(17, '`'),
    found(/CONSTRAINT ([`"])(.*)\1 FOREIGN KEY \(\1(.*)\1\) REFERENCES \1(.*)\1 \(\1(.*)\1\)/, 2),
    found(/a foreign key constraint fails \(`(.+)`\.`(.+)`, CONSTRAINT `(.+)` FOREIGN KEY/, 3),
  ];
  const unique = {
    code: 1062,
    readings: [found(/Duplicate entry '(.+)' for key '(.+)'/, 2), found(/ for key (['"`])(.*?)\1/, 2)],
    toTheEnd: [lastWord, lastSpacedWord, found(/Duplicate entry '([\s\S]*)' for key '?((.|\s)*?)'?$/, 2)],
  };
  return [
    { ...unique, sql: "insert into person (id, email, must) values (9, 'a@example.org', 1)" },
    { ...unique, sql: 'insert into city values (1, "x")' },
    {
      ...unique,
      sql: "insert into city values (9, 'two\\nlines')",
      readings: [found(/ for key (['"`])(.*?)\1/, 2)],
    },
    { code: 1451, sql: 'delete from city where id = 1', readings: foreignKey },
    { code: 1451, sql: 'update city set id = 7 where id = 1', readings: foreignKey },
    {
      code: 1452,
      sql: "insert into person (id, email, must, city_id) values (9, 'b@example.org', 1, 99)",
      readings: foreignKey,
    },
    {
      code: 1048,
      sql: 'insert into person (id, email, must) values (9, null, 1)',
      readings: [word(1), spacedWord(1), found(/Column '(.+)' cannot be null/)],
    },
    {
      code: 1364,
      sql: "insert into person (id, email) values (9, 'c@example.org')",
      readings: [word(1), spacedWord(1), found(/Field '(.+)' doesn't have a default value/)],
    },
    {
      code: 1406,
      sql: "update person set nick = 'far too long a name' where id = 1",
      readings: [
        (message) => message.split(' ').flatMap((part) => part.split("'"))[6],
        found(/column '(.+)' at row (\d+)/, 2),
      ],
    },
    {
      code: 1264,
      sql: 'update person set shoe = 70000 where id = 1',
      readings: [found(/column '(.+)' at row (\d+)/)],
    },
    {
      code: 1146,
      sql: 'select * from persons',
      readings: [word(1), spacedWord(1), found(/Table '(.+)' doesn't exist/)],
    },
    {
      code: 1054,
      sql: 'select nope from person',
      readings: [word(2), spacedWord(2), found(/Unknown column '(.+)' in/)],
    },
    { code: 1007, sql: 'create database sys', readings: [word(3), spacedWord(3)] },
    {
      code: 1049,
      sql: 'use no_such_database',
      readings: [found(/Unknown database '(.+)'/)],
      toTheEnd: [lastWord, lastSpacedWord, found(/^Unknown database '(.+)'$/)],
    },
    {
      code: 1044,
      sql: `use ${server.flavour === 'mysql' ? 'sys' : 'mysql'}`,
      isWithoutRights: true,
      readings: [found(/to database '(.+)'/)],
      toTheEnd: [lastWord, lastSpacedWord, found(/to database '(.+)'$/)],
    },
    {
      code: 1263,
      sql: `load data infile '${file()}' into table filled fields terminated by ','`,
      readings: [found(/NOT NULL column '(.+)' at row (\d+)/, 1)],
      toTheEnd: [found(/at row (\d+)$/)],
    },
    {
      code: 1191,
      sql: "select * from city where match (name) against ('x')",
      readings: [found(/(FULLTEXT index)/)],
    },
    {
      code: 1205,
      sql: 'update account set balance = 1 where id = 1',
      before: 'set innodb_lock_wait_timeout = 1',
      readings: [found(/^(Lock wait timeout exceeded; try restarting transaction)$/m)],
    },
  ];
}

describeEachMysql('the text that programs read', (server) => {
  let database: TestDatabase;
  let folder = '';
  let holder: RawMysql;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, schema);
    folder = mkdtempSync(join(tmpdir(), 'twiceshy-text-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'rows'), '1,\\N\n', { mode: 0o644 });
    holder = await RawMysql.open(database.url);
    await holder.query('begin');
    await holder.query('select * from account where id = 1 for update');
  });

  afterAll(async () => {
    holder.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const cases = casesOf(server, () => join(folder, 'rows'));

  async function messages(url: string, index: number, times: number): Promise<string[]> {
    // The folder is made when the tests run, the names of tests before.
    const { sql, before, isWithoutRights, code } = casesOf(server, () => join(folder, 'rows'))[index] as Case;
    const account = isWithoutRights ? { name: 'no_rights', password: 'norightspw' } : null;
    const own = new URL(account === null ? url : asAccount(url, account));
    if (account !== null) own.pathname = '/';
    const session = await RawMysql.open(own.href);
    if (before !== undefined) await session.query(before);
    const texts: string[] = [];
    for (let time = 1; time <= times; time += 1) {
      const error = readError((await session.query(sql)).at(-1)?.payload as Buffer);
      expect(error.code).toBe(code);
      texts.push(error.message);
    }
    session.close();
    return texts;
  }

  describe.each(['application', 'agent'] as const)('of an audience of kind %s', (audience) => {
    let app: RunningApp;

    beforeAll(async () => {
      app = await startApp(database.url, { audience });
    });

    afterAll(async () => {
      await app.stop();
    });

    it.each(cases.map(({ code, sql }, index) => [code, sql.slice(0, 60), index] as const))(
      '%i: %s',
      async (code, _sql, index) => {
        const [direct = ''] = await messages(database.url, index, 1);
        const proxied = await messages(app.through(database.url), index, 3);
        const { readings, toTheEnd = [] } = cases[index] as Case;
        for (const read of [...readings, ...toTheEnd])
          expect(read(direct), direct).toEqual(expect.any(String));
        for (const [time, message] of proxied.entries()) {
          // The server's own words are whole, and first.
          expect(message.startsWith(direct)).toBe(true);
          expect([message, `${direct}\n`]).toContainEqual(message.slice(0, direct.length + 1));
          const isNoted = anyNote.test(message.slice(direct.length));
          expect(isNoted).toBe(message.length > direct.length);
          for (const read of readings) expect(read(message)).toBe(read(direct));
          if (audience === 'application') {
            for (const read of toTheEnd) expect(read(message)).toBe(read(direct));
            if (toTheEnd.length > 0) expect(message).toBe(direct);
          }
          if (time === 0) expect(isNoted).toBe(false);
          // Some classes have no record: an unknown database is one of no schema.
          const isSilent = audience === 'application' && toTheEnd.length > 0;
          if (time > 0 && !isSilent && ![1007, 1044, 1049].includes(code))
            expect(isNoted, message).toBe(true);
        }
      },
    );

    it('of a deadlock that happens again: the note comes behind the server’s words', async () => {
      const [one, two] = [
        await RawMysql.open(app.through(database.url)),
        await RawMysql.open(app.through(database.url)),
      ];
      const texts: string[] = [];
      for (let time = 1; time <= 3; time += 1) {
        await Promise.all([one, two].map((each) => each.query('begin')));
        await one.query("update city set name = 'a' where id = 1");
        // More to undo: the one with less of it is the victim.
        await two.query('insert into filled values (1, 1), (2, 2), (3, 3), (4, 4)');
        await two.query("update city set name = 'b' where id = 2");
        const waiting = two.query("update city set name = 'c' where id = 1");
        await until(() => isWaiting(database), 20_000, 'the second to wait');
        const failed = await one.query("update city set name = 'd' where id = 2");
        texts.push(readError(failed.at(-1)?.payload as Buffer).message);
        await waiting;
        await Promise.all([one, two].map((each) => each.query('rollback')));
      }
      const words = 'Deadlock found when trying to get lock; try restarting transaction';
      expect(texts.map((text) => text.split('\n')[0])).toEqual(Array(3).fill(words));
      expect(texts.map((text) => anyNote.test(text))).toEqual([false, true, true]);
      one.close();
      two.close();
    });

    it('of a login that fails is the server’s, whatever is remembered', async () => {
      for (let time = 1; time <= 3; time += 1) {
        for (const change of [
          { pathname: '/no_such_database' },
          { password: 'wrong' },
          { username: 'nobody' },
          { username: 'no_rights', password: 'norightspw' },
        ]) {
          const refusals = await Promise.all(
            [database.url, app.through(database.url)].map((url) => {
              const target = new URL(url);
              for (const [part, value] of Object.entries(change)) Reflect.set(target, part, value);
              return RawMysql.open(target.href).catch((refusal: unknown) => refusal);
            }),
          );
          expect(refusals.every((refusal) => refusal instanceof LoginRefused)).toBe(true);
          const [direct, proxied] = refusals as LoginRefused[];
          expect([proxied?.code, proxied?.sqlState, proxied?.message]).toEqual([
            direct?.code,
            direct?.sqlState,
            direct?.message,
          ]);
        }
      }
    });
  });
});

async function isWaiting({ url, name }: TestDatabase): Promise<boolean> {
  const rows = await runMysql(
    url,
    `select count(*) as n from information_schema.processlist p
     join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id
     where p.db = '${name}' and t.trx_state = 'LOCK WAIT'`,
  );
  return Number(rows[0]?.['n']) === 1;
}
