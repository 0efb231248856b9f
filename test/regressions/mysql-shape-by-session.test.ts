// Digests were made of a text alone, whatever the session's modes and character set: double quotes (sysown/proxysql#5231),
// comments and texts cut in them (sysown/proxysql#4918, #3680), numbers (sysown/proxysql#3079), escaped quotes and characters
// whose second byte is a backslash (sysown/proxysql#932). Here: what a session of a real server leaves in the memory.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { query } from '../support/mysql-client-packets.js';
import { readError } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { anyNote, startApp } from './support/running-app.js';

/** Part of every literal: must be in no record. */
const secret = 'hunter2';

/** Notes of one failure that a session repeats: from its second time on, and no more than the budget has. */
const repeated = (times: number): boolean[] =>
  Array.from({ length: times }, (_, index) => index > 0 && index <= limits.maxNotesPerRecordPerSession);

describeEachMysql('the shape of a statement', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      'create table t (id int primary key, word varchar(80)); create table Users (id int); create table Orders (id int)',
    );
  });

  afterAll(() => database.drop());

  interface Ran {
    /** Of the records made, in order. */
    readonly shapes: readonly string[];
    /** For each statement that failed, whether it had a note. */
    readonly notes: readonly boolean[];
    readonly memory: string;
  }

  /** Runs the texts in one session of a proxy with a memory of its own. */
  async function run(...texts: readonly (string | Buffer)[]): Promise<Ran> {
    const app = await startApp(database.url);
    const session = await RawMysql.open(app.through(database.url));
    const notes: boolean[] = [];
    for (const text of texts) {
      const last = (await session.run(query(text))).at(-1)?.payload as Buffer;
      if (last[0] === 0xff) notes.push(anyNote.test(readError(last).message));
    }
    session.close();
    const events = await app.stop();
    const memory = JSON.stringify(events) + app.log();
    expect(memory).not.toContain('blind');
    const failures = events.filter(({ event }) => event === 'failure');
    return { shapes: failures.map(({ shape }) => String(shape)), notes, memory };
  }

  describe('with and without ANSI_QUOTES', () => {
    const setAnsi = "set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')";

    it('"…" is a name or a value', async () => {
      const { shapes, notes, memory } = await run(
        `select nope from t where word = "${secret} 1"`,
        `select nope from t where word = "${secret} 2"`,
        setAnsi,
        'select nope from t where "word" = \'x\'',
        'select nope from "t" where "word" = \'y\'',
        'set sql_mode = default',
        `select nope from t where word = "${secret} 3"`,
      );
      expect(shapes).toEqual(['select nope from t where word = ?']);
      expect(notes).toEqual(repeated(5));
      expect(memory).not.toContain(secret);
    });

    it('statements on tables that only the quotes tell apart have a record each', async () => {
      const { shapes, notes } = await run(
        setAnsi,
        'select nope from "Users"',
        'select nope from "Orders"',
        'select nope from "Users"',
      );
      expect(shapes).toHaveLength(2);
      expect(new Set(shapes.map((shape) => shape.toLowerCase()))).toEqual(
        new Set(['select nope from users', 'select nope from orders']),
      );
      expect(notes).toEqual([false, false, true]);
    });
  });

  it('plain comments are dropped, those that are code or hints stay', async () => {
    const plain = [
      'select nope from t',
      `select nope from t -- ${secret}`,
      `select nope from t # ${secret}`,
      `select nope from t#${secret}`,
      `/* ${secret} */ select /* ' */ nope from t /* " */`,
      `select nope from t -- it's ${secret}\n`,
      '/*!40101 select */ nope from t',
      'select /*!50000 nope */ from t',
    ];
    const other = [
      'select /*+ NO_RANGE_OPTIMIZATION(t) */ nope from t',
      'select /*!40101 id, */ nope from t',
    ];
    const { shapes, notes, memory } = await run(...plain, ...other);
    expect(notes.slice(0, plain.length)).toEqual(repeated(plain.length));
    expect(shapes).toEqual([
      'select nope from t',
      'select /*+ no_range_optimization ( t ) */ nope from t',
      'select id , nope from t',
    ]);
    expect(memory).not.toContain(secret);
  });

  it('a text that is cut within a comment or a value leaves nothing of either', async () => {
    const long = `${secret} `.repeat(12_000);
    const { shapes, memory } = await run(
      `select nope from t /* ${long} */`,
      `select nope from t -- ${long}`,
      `select nope from t where word = '${long}'`,
      `select nope from t where word = "${long}"`,
      `insert into t (id, nope) values ${Array.from({ length: 4_000 }, () => `(1, '${secret} it''s')`).join(', ')}`,
    );
    expect(shapes.length).toBeGreaterThan(2);
    expect(memory).not.toContain(secret);
  });

  it('numbers of every notation are one shape', async () => {
    const numbers = [
      '1',
      '1.2E3',
      '1e-7',
      '-1.5e+8',
      '0x1F',
      "X'1F'",
      "b'01'",
      '0b01',
      '1.',
      '.5',
      '-.5e1',
      '18446744073709551616',
    ];
    const { shapes, notes } = await run(
      ...numbers.map((number) => `select nope from t where id = ${number}`),
    );
    expect(shapes).toEqual(['select nope from t where id = ?']);
    expect(notes).toEqual(repeated(numbers.length));
  });

  describe('values', () => {
    const shape = 'insert into t ( id , word , nope ) values ( ? , ? , ? )';
    const insert = (...values: readonly (string | Buffer)[]): Buffer =>
      Buffer.concat([
        Buffer.from('insert into t (id, word, nope) values (1, '),
        ...values.flatMap((value, index) => [Buffer.from(index === 0 ? '' : ', '), Buffer.from(value)]),
        Buffer.from(')'),
      ]);

    it.each([
      ["'it\\'s hunter2'", "'x'"],
      ["'it''s hunter2'", "'x'"],
      ['"it\\"s hunter2"', "'x'"],
      ['"it""s hunter2"', "'x'"],
      ["'\\\\'", "'hunter2'"],
      ["'\u79d8\u5bc6 hunter2'", "'\u4e57\\\\'"],
      ["_latin1'hunter2'", "N'hunter2'"],
    ])('%s and %s leave nothing behind', async (word, nope) => {
      const { shapes, notes, memory } = await run(insert(word, nope), insert("'plain'", "'other'"));
      expect(memory).not.toContain(secret);
      expect(notes[0]).toBe(false);
      if (!word.startsWith('_')) {
        expect(shapes).toEqual([shape]);
        expect(notes).toEqual([false, true]);
      }
    });

    it('under NO_BACKSLASH_ESCAPES a backslash is a character', async () => {
      const { shapes, notes, memory } = await run(
        insert("'a\\' hunter2'", "'x'"),
        "set sql_mode = 'NO_BACKSLASH_ESCAPES'",
        insert("'a\\'", "'hunter2'"),
        insert("'hunter2\\'", "'\\'"),
        'set sql_mode = default',
        insert("'a\\' hunter2'", "'x'"),
      );
      expect(memory).not.toContain(secret);
      expect(shapes).toEqual([shape]);
      expect(notes).toEqual([false, true, true, true]);
    });

    // A character whose second byte is that of a backslash, and one whose second byte is that of a quote or of a letter.
    const multiByte = {
      gbk: ['815c', 'bfbf'],
      big5: ['a55c', 'a440'],
      sjis: ['835c', '8341'],
      cp932: ['955c', '8341'],
      ...(server.flavour === 'mysql' ? { gb18030: ['815c', '81308130'] } : {}),
    };

    it.each(Object.entries(multiByte))('in %s a second byte is no backslash', async (charset, characters) => {
      for (const name of [`set names ${charset}`, `set character_set_client = ${charset}`]) {
        const [first = '', second = ''] = characters;
        const quoted = (hex: string, rest: string): Buffer =>
          Buffer.concat([Buffer.from("'"), Buffer.from(hex, 'hex'), Buffer.from(`${rest}'`)]);
        const { shapes, notes, memory } = await run(
          name,
          insert(quoted(first, ''), `'${secret}'`),
          insert(quoted(second, secret), quoted(first, '')),
          insert(`'${secret}'`, quoted(first, "''")),
          'set names utf8mb4',
          insert("'plain'", `'${secret}'`),
        );
        expect(memory).not.toContain(secret);
        expect(shapes).toEqual([shape]);
        expect(notes).toEqual([false, true, true, true]);
      }
    });
  });
});
