/**
 * Values of commands, documents, logins and errors stay out of the memory, the notes, the logs, the metrics and the process
 * list: every command here carries a word that is a value, and that word may come back only where the server itself
 * repeated it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSql } from '../../../src/mongodb.js';
import type { TestDatabase } from '../../servers/database.js';
import { asMongoAccount, createMongoDatabase, onMongo } from '../../servers/mongodb-database.js';
import { leaks, secretDigits, secretWord } from '../../support/leaks.js';
import { opMsg, opQuery } from '../../support/mongodb-messages.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { until } from '../../support/until.js';
import { answerTo, suffixOf } from './asking.js';
import { privacyCommands, privacySchema } from './privacy-commands.js';

const settleMs = 60_000;
const repetitions = 2;
const word = secretWord;

/** A piece of the word, as it would look in hexadecimal or in base 64 too. */
const pieces = ['hex', 'base64'].map((encoding) =>
  Buffer.from(word)
    .toString(encoding as BufferEncoding)
    .slice(0, 12)
    .toLowerCase(),
);

function isLeak(text: string): boolean {
  return leaks(text) || pieces.some((piece) => text.toLowerCase().includes(piece));
}

const leaksOf = (text: string): string[] => text.split('\n').filter(isLeak);

describeEachMongo('what a client writes', (server) => {
  const account = { name: 'twiceshy_canary', password: `${word}-${secretDigits}` };
  let database: TestDatabase;
  let memory: string;
  let proxy: RunningProxy;
  const notes: string[] = [];

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, privacySchema);
    await onMongo(server.url, async (client) => {
      const admin = client.db('admin');
      await admin.command({ dropUser: account.name }).catch(() => undefined);
      const roles = [{ role: 'root', db: 'admin' }];
      await admin.command({ createUser: account.name, pwd: account.password, roles });
    });
    memory = mkdtempSync(join(tmpdir(), 'twiceshy-privacy-'));
    const args = ['--log-level', 'trace', '--admin', '127.0.0.1:0'];
    proxy = await startProxy({ upstreamUrl: asMongoAccount(database.url, account), memory, args });
  });

  afterAll(async () => {
    await proxy.stop();
    await onMongo(server.url, (client) => client.db('admin').command({ dropUser: account.name }));
    await database.drop();
    rmSync(memory, { recursive: true, force: true });
  });

  const through = (): string => proxy.through(asMongoAccount(database.url, account));

  const written = (): string =>
    readdirSync(memory)
      .map((file) => readFileSync(join(memory, file), 'utf8'))
      .join('\n');

  /** Whatever was said, kept, counted or shown so far. */
  async function expectNoLeak(): Promise<void> {
    const marker = `$marker${notes.length}`;
    await onMongo(through(), (client) =>
      answerTo(client.db(), { find: 'people', filter: { name: { [marker]: 1 } } }),
    );
    await until(() => written().includes(marker), settleMs, 'the memory to be written');
    expect(notes.filter(isLeak)).toEqual([]);
    expect(leaksOf(written())).toEqual([]);
    expect(leaksOf(proxy.stderr())).toEqual([]);
    expect(leaksOf(await metrics())).toEqual([]);
    expect(leaksOf(readFileSync(`/proc/${proxy.pid}/cmdline`, 'utf8'))).toEqual([]);
  }

  async function metrics(): Promise<string> {
    const line =
      proxy
        .stderr()
        .split('\n')
        .find((one) => one.includes('Admin listening')) ?? '{}';
    const { host, port } = JSON.parse(line) as { host: string; port: number };
    return (await fetch(`http://${host}:${port}/metrics`)).text();
  }

  /** What the proxy added to a reply, wherever. */
  function notesIn(reply: Document): string[] {
    const failures = [reply, ...((reply['writeErrors'] ?? []) as Document[])];
    return [...failures.map(({ note }) => String(note ?? '')), suffixOf(reply)].filter((note) => note !== '');
  }

  it('stays out of everything, in any place of any command', async () => {
    const taken: string[] = [];
    await onMongo(through(), async (client) => {
      for (const command of privacyCommands) {
        for (let time = 1; time <= repetitions; time += 1) {
          const reply = await answerTo(client.db(), command);
          const isRefused = Number(reply['ok']) !== 1 || reply['writeErrors'] !== undefined;
          if (!isRefused && time === 1) taken.push(JSON.stringify(command).slice(0, 200));
          notes.push(...notesIn(reply));
        }
      }
    });
    // A command that runs shows nothing here.
    expect(taken).toEqual([]);
    // Values make no shape: what differs in them alone shares a record, of which a session is told three times.
    expect(notes.length).toBeGreaterThan(100);
    expect(written().split('\n').length).toBeGreaterThan(60);
    await expectNoLeak();
  });

  it('stays out of everything in what drivers write', async () => {
    const failed = async (work: Promise<unknown>): Promise<void> => {
      const error: unknown = await work.then(
        () => null,
        (caught: unknown) => caught,
      );
      if (error === null) throw new Error('Not refused');
      const { errorResponse, writeErrors } = error as {
        errorResponse?: Document;
        writeErrors?: { errmsg: string }[];
      };
      notes.push(
        ...notesIn(errorResponse ?? {}),
        ...(writeErrors ?? []).map(({ errmsg }) => errmsg.split('\n[twiceshy')[1] ?? ''),
      );
    };
    await onMongo(through(), async (client) => {
      const people = client.db().collection<Document>('people');
      for (let time = 1; time <= repetitions; time += 1) {
        await failed(people.insertOne({ _id: 1, name: word } as Document, { comment: word }));
        await failed(
          people.insertMany([{ email: word }, { _id: 1, secret: word } as Document], { ordered: false }),
        );
        await failed(people.updateOne({ name: word }, { $nope: { name: word } } as Document));
        await failed(people.find({ name: word, $nope: word } as Document).toArray());
        await failed(people.aggregate([{ $match: { name: word } }, { $nope: word }]).toArray());
        await failed(people.bulkWrite([{ insertOne: { document: { _id: 1, word } as Document } }]));
        await failed(people.createIndex({ name: word as never }, { name: 'x' }));
        await failed(people.findOneAndUpdate({ _id: 1 } as Document, { $set: { email: 'b@x', name: word } }));
      }
    });
    await expectNoLeak();
  });

  it('stays out of everything in other messages: OP_QUERY, sequences, a cut request', async () => {
    const session = await RawMongo.open(through());
    const big = { _id: 1, name: word, pad: 'x'.repeat(2_000_000), last: word };
    for (let time = 1; time <= repetitions; time += 1) {
      const sequences = [{ identifier: 'documents', documents: [{ _id: 1, name: word }] }];
      notes.push(
        ...notesIn(await session.run({ insert: 'people' }, { sequences, areSequencesFirst: time === 2 })),
      );
      notes.push(...notesIn(await session.run({ insert: 'people', documents: [big] })));
      notes.push(...notesIn(await session.run({ find: 'people', filter: { ...big, $nope: word } })));
      const requestId = session.nextRequestId();
      await session.send(opQuery({ getlasterror: 1, w: word }, { requestId }));
      await session.message();
    }
    session.close();
    await expectNoLeak();
  });

  it('stays out of everything at the login, and in what is said about the session', async () => {
    const accounts = [
      { name: word, password: word },
      { name: 'app', password: word },
      { name: account.name, password: `${account.password}x` },
    ];
    for (const wrong of accounts) {
      for (const options of [{}, { authMechanism: 'PLAIN', authSource: '$external' }] as const) {
        const client = new MongoClient(proxy.through(asMongoAccount(database.url, wrong)), {
          ...options,
          serverSelectionTimeoutMS: 5_000,
        });
        const refused: unknown = await client.connect().catch((error: unknown) => error);
        notes.push(...notesIn((refused as { errorResponse?: Document }).errorResponse ?? {}));
        await client.close();
      }
    }
    const session = await RawMongo.open(through());
    const driver = { name: word, version: word };
    await session.run({ hello: 1, client: { driver, os: { type: word }, env: { region: word } } });
    await session.run({
      ping: 1,
      lsid: { id: word },
      $readPreference: { mode: 'secondary', tags: [{ dc: word }] },
    });
    session.close();
    await expectNoLeak();
  });

  it('stays out of everything where bytes make no sense', async () => {
    for (const wreck of [
      Buffer.from(`GET /${word} HTTP/1.1\r\nHost: ${word}\r\n\r\n`),
      Buffer.from(`PROXY TCP4 ${word}\r\n`),
      opMsg({ find: 'people', filter: { name: word }, $db: 'shop' }).fill(0xff, 20, 25),
    ]) {
      const fresh = await RawMongo.dial(proxy.through(database.url));
      fresh.socket.on('error', () => undefined);
      await fresh.send(wreck);
      fresh.socket.end();
      await fresh.ended();
      const session = await RawMongo.open(through());
      session.socket.on('error', () => undefined);
      await session.send(wreck);
      session.socket.end();
      await session.ended();
    }
    await expectNoLeak();
  });

  it('stays out of what SQL on documents keeps and says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-privacy-sql-'));
    const statements: readonly (readonly [string, ...unknown[]])[] = [
      [`SELECT DISTINCT name FROM people WHERE name = '${word}'`],
      [`SELECT p.name FROM people p JOIN people q ON p._id = q._id WHERE p.name = '${word}'`],
      [`SELECT name, '${word}' FROM people WHERE no_such_function('${word}', ${secretDigits})`],
      [`SELECT name FROM people WHERE name = '${word}`],
      [`SELEC '${word}' ${secretDigits}`],
      [`INSERT INTO people (_id, name) VALUES (1, '${word}')`],
      ['INSERT INTO people (_id, name) VALUES ($1, $2)', 1, word],
      [`UPDATE people SET email = 'b@x', name = '${word}' WHERE _id = 1`],
      ['SELECT name FROM people WHERE name = $1 UNION SELECT $2', word, word],
      [`SELECT name FROM people /* ${word} */ WHERE x = -- ${word}`],
      [`WITH a AS (SELECT '${word}') SELECT * FROM a`],
    ];
    const said: string[] = [];
    await onMongo(database.url, async (client) => {
      const db = await openSql(client.db(), { memory: folder, upstream: 'shop' });
      for (const [text, ...parameters] of statements) {
        for (let time = 1; time <= repetitions; time += 1) {
          const error: unknown = await db.sql(text, parameters as never).catch((caught: unknown) => caught);
          said.push(String((error as { note?: unknown }).note ?? ''));
        }
      }
      await db.close();
    });
    const kept = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    rmSync(folder, { recursive: true, force: true });
    expect(kept.split('\n').length).toBeGreaterThan(5);
    expect(leaksOf(kept)).toEqual([]);
    expect(said.filter(isLeak)).toEqual([]);
  });
});
