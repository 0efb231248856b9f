/**
 * Values of statements, parameters and errors stay out of the memory, the notes, the logs and the metrics: every
 * statement here carries a word that is a value, and that word may come back only where the server itself repeated it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../servers/mysql-programs.js';
import { leaks, noteIn, secretDigits, secretWord } from '../../support/leaks.js';
import { query, resetConnection } from '../../support/mysql-client-packets.js';
import { capability } from '../../support/mysql-protocol.js';
import { mysqlOffer, readError } from '../../support/mysql-server-packets.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql, type RawOptions } from '../../support/raw-mysql.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { until } from '../../support/until.js';
import { Asking, toldBy } from './asking.js';
import { batterySchema } from './battery/schema.js';
import { privacySchema, privacyStatements, secretHex } from './privacy-statements.js';

const settleMs = 20_000;
const repetitions = 3;
const word = secretWord;

/** A piece of the word, also where it was written in hexadecimal. */
function isLeak(text: string): boolean {
  return leaks(text) || text.toLowerCase().includes(secretHex.slice(0, 16));
}

const leaksOf = (text: string): string[] => text.split('\n').filter(isLeak);

/** A character whose last byte is a backslash, by connection character set: it ends no quoted text. */
const endsInBackslash: Readonly<Record<string, Buffer>> = {
  sjis: Buffer.from([0x95, 0x5c]),
  cp932: Buffer.from([0x95, 0x5c]),
  gbk: Buffer.from([0x81, 0x5c]),
  big5: Buffer.from([0xa5, 0x5c]),
};

/** Character set numbers a login may name. */
const loginCharsets: Readonly<Record<string, number>> = { sjis: 13, gbk: 28, big5: 1 };

interface Odd {
  readonly name: string;
  readonly only?: MysqlFlavour;
  readonly before?: readonly string[];
  readonly options?: RawOptions;
  /** Asks for the column `nope`, which is given another name in each. */
  readonly text: Buffer;
  /** What must be remembered of it where it was read as the server reads it. */
  readonly shape: string;
}

const asOne = 'select nope from city where name = ?';
const asTwoValues = `${asOne} and country = ?`;
const asEither = `${asOne} or name = ?`;
const asList = 'select nope , ? , ? from city';

/** `'…\'` is a whole text where that backslash is half a character: what follows it is no text but a value behind it. */
function behindHalfCharacter(character: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from("select nope from city where name = '"),
    character,
    Buffer.from(`' and country = '${word}'`),
  ]);
}

const oddTexts: readonly Odd[] = [
  {
    name: 'SET NAMES gb18030',
    only: 'mysql',
    before: ['set names gb18030'],
    text: behindHalfCharacter(Buffer.from([0x81, 0x5c])),
    shape: asTwoValues,
  },
  ...Object.entries(endsInBackslash).map(([charset, character]) => ({
    name: `SET NAMES ${charset}`,
    before: [`set names ${charset}`],
    text: behindHalfCharacter(character),
    shape: asTwoValues,
  })),
  ...Object.entries(loginCharsets).map(([charset, number]) => ({
    name: `login in ${charset}`,
    options: { charset: number },
    text: behindHalfCharacter(endsInBackslash[charset] ?? Buffer.alloc(0)),
    shape: asTwoValues,
  })),
  {
    name: 'character_set_client without session tracking',
    before: ['set @@session.character_set_client = sjis'],
    options: {
      capabilities:
        mysqlOffer & ~(capability.sessionTrack | capability.queryAttributes | capability.optionalMetadata),
    },
    text: behindHalfCharacter(Buffer.from([0x95, 0x5c])),
    shape: asTwoValues,
  },
  {
    name: 'a backslash that is one, in a character set without half characters',
    before: ['set names latin1'],
    text: Buffer.from(
      `select nope from city where name = '\x95\\' and country = ${word}' or name = '1'`,
      'latin1',
    ),
    shape: asEither,
  },
  {
    name: 'NO_BACKSLASH_ESCAPES',
    before: ["set sql_mode = concat(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"],
    text: Buffer.from(`select nope, '\\', '${word}' from city`),
    shape: asList,
  },
  {
    name: 'NO_BACKSLASH_ESCAPES, set in one text with the statement',
    text: Buffer.from(`set sql_mode = 'NO_BACKSLASH_ESCAPES'; select nope, '\\', '${word}' from city`),
    shape: asList,
  },
  {
    name: 'ANSI_QUOTES taken back',
    before: ["set sql_mode = 'ANSI_QUOTES'", "set sql_mode = ''"],
    text: Buffer.from(`select nope from city where name = "${word}"`),
    shape: asOne,
  },
  {
    name: 'ANSI_QUOTES taken back in the same text',
    before: ["set sql_mode = 'ANSI_QUOTES'"],
    text: Buffer.from(`set sql_mode = ''; select nope from city where name = "${word}"`),
    shape: asOne,
  },
  {
    name: 'ANSI_QUOTES, and the value in single quotes',
    before: ["set sql_mode = 'ANSI'"],
    text: Buffer.from(`select "nope" from "city" where "name" = '${word}' and "country" = 'it''s ${word}'`),
    shape: asTwoValues,
  },
  {
    name: 'ANSI_QUOTES, taken back by another value of it',
    before: ["set @mode = 'ANSI_QUOTES'", 'set sql_mode = @mode', "set @mode = ''", 'set sql_mode = @mode'],
    text: Buffer.from(`select nope from city where name = "${word}"`),
    shape: asOne,
  },
  {
    name: 'a text that does not fit its character set',
    text: Buffer.concat([
      Buffer.from("select nope from city where name = '"),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from(`${word}'`),
    ]),
    shape: asOne,
  },
  {
    name: 'a zero byte in a text',
    text: Buffer.from(`select nope from city where name = 'a\0${word}'`),
    shape: asOne,
  },
];

describeEachMysql('what a client writes', (server) => {
  let database: TestDatabase;
  let memory: string;
  let proxy: RunningProxy;
  const notes: string[] = [];

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, batterySchema + privacySchema);
    memory = mkdtempSync(join(tmpdir(), 'twiceshy-privacy-'));
    const args = ['--log-level', 'trace', '--admin', '127.0.0.1:0'];
    proxy = await startProxy({ upstreamUrl: database.url, memory, args });
  });

  afterAll(async () => {
    await proxy.stop();
    await database.drop();
    rmSync(memory, { recursive: true, force: true });
  });

  const through = (): string => proxy.through(database.url);

  const written = (): string =>
    readdirSync(memory)
      .map((file) => readFileSync(join(memory, file), 'utf8'))
      .join('\n');

  /** Whatever was said, kept or counted so far. */
  async function expectNoLeak(): Promise<void> {
    const marker = `select nope_${notes.length}_marker from city`;
    await toldByNewSession(marker);
    await until(() => written().includes(marker), settleMs, 'the memory to be written');
    expect(notes.filter(isLeak)).toEqual([]);
    expect(leaksOf(written())).toEqual([]);
    expect(leaksOf(proxy.stderr())).toEqual([]);
    expect(leaksOf(await metrics())).toEqual([]);
  }

  async function toldByNewSession(text: string): Promise<void> {
    const session = await Asking.open(through());
    await session.ask(text);
    await session.end();
  }

  async function metrics(): Promise<string> {
    const line = proxy
      .stderr()
      .split('\n')
      .find((one) => one.includes('Admin listening'));
    const { host, port } = JSON.parse(line ?? '{}') as { host: string; port: number };
    const response = await fetch(`http://${host}:${port}/metrics`);
    return response.text();
  }

  it('stays out of everything, in any place of any statement', async () => {
    const session = await Asking.open(through());
    const statements = privacyStatements(server.flavour);
    for (const sql of statements) {
      for (let time = 1; time <= repetitions; time += 1) {
        const told = await toldBy(session.connection.query(sql));
        if (told === null) throw new Error(`Not refused: ${sql}`);
        notes.push(told, (await toldBy(session.connection.execute(sql))) ?? '');
      }
    }
    await session.end();
    expect(notes.filter((note) => note !== '').length).toBeGreaterThan(statements.length);
    await expectNoLeak();
  });

  it('stays out of everything as a parameter', async () => {
    const session = await Asking.open(through());
    const refused: readonly (readonly [string, ...string[]])[] = [
      ['insert into city values (1, ?, ?)', word, word],
      ['insert into person (id, email, age) values (8, ?, ?)', 'x@example.org', word],
      ['insert into person (id, email, nick) values (8, ?, ?)', word, word],
      ['insert into person (id, email, born) values (8, ?, str_to_date(?, ?))', word, word, '%Y'],
      ['call complains(?)', word],
      ['call pretends(?)', word],
      ['select refuses(?)', word],
      ['select exp(?)', secretDigits],
      ['select extractvalue(?, concat(?, ?))', '<a/>', '~', word],
    ];
    for (const [sql, ...values] of refused) {
      for (let time = 1; time <= repetitions; time += 1) {
        const told = await session.prepared(sql, values);
        if (told === null) throw new Error(`Not refused: ${sql}`);
        notes.push(told);
      }
    }
    await session.end();
    await expectNoLeak();
  });

  const ours = oddTexts.filter(({ only = server.flavour }) => only === server.flavour);
  for (const [index, { name, before = [], options = {}, text, shape }] of ours.entries()) {
    it(`stays out of everything with ${name}`, async () => {
      const column = `nope${index}`;
      const bytes = Buffer.from(text.toString('latin1').replaceAll('nope', column), 'latin1');
      const session = await RawMysql.open(through(), options);
      for (const setting of before) expect((await session.query(setting))[0]?.payload[0], setting).toBe(0);
      for (let time = 1; time <= repetitions; time += 1) {
        const last = (await session.run(query(bytes))).at(-1);
        if (last?.payload[0] !== 0xff) throw new Error('Not refused');
        notes.push(noteIn(readError(last.payload).message) ?? '');
      }
      session.close();
      await expectNoLeak();
      expect(written()).toContain(`"shape":"${shape.replaceAll('nope', column)}"`);
    });
  }

  it('stays out of everything after the session was reset, or changed hands', async () => {
    const session = await RawMysql.open(through());
    const refused = async (text: string): Promise<void> => {
      const last = (await session.query(text)).at(-1);
      if (last?.payload[0] !== 0xff) throw new Error(`Not refused: ${text}`);
      notes.push(noteIn(readError(last.payload).message) ?? '');
    };
    const inDouble = `select nope, 'changed' from city where name = "${word}"`;
    await session.query("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    await session.run(resetConnection);
    await refused(inDouble);
    await refused(`select nope, 'it\\'s ${word}' from city`);
    await session.query("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    await session.changeUser(through());
    await refused(inDouble);
    await refused(`select nope, 'it\\'s ${word}' from city`);
    session.close();
    await expectNoLeak();
  });

  it('stays out of everything at the login, and in what is said about the session', async () => {
    const accounts = [
      { name: word, password: word },
      { name: 'reader', password: word },
      { name: 'app', password: '' },
    ];
    for (const account of accounts)
      notes.push(
        (await toldBy(Asking.open(through().replace(/\/\/.*@/, `//${account.name}:${account.password}@`)))) ??
          '',
      );
    const session = await RawMysql.open(through(), {
      attributes: { note: word, [word]: 'x', _pid: secretDigits },
    });
    await session.changeUser(through().replace(/\/\/.*@/, `//reader:${word}@`)).catch(() => undefined);
    session.close();
    await expectNoLeak();
  });

  it('stays out of everything as an attribute of a query', async () => {
    const session = await RawMysql.open(through(), { capabilities: mysqlOffer });
    if ((session.capabilities & capability.queryAttributes) !== 0) {
      for (let time = 1; time <= repetitions; time += 1)
        await session.run(query('select nope_attributed from city', { trace: word, [word]: 'y' }));
    }
    session.close();
    await expectNoLeak();
  });
});
