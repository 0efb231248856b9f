/** The memory as a user of MongoDB meets it: across sessions, restarts, crashes, databases and schema changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { MemoryRecord } from '../../../src/core/memory/record.js';
import type { TestDatabase } from '../../servers/database.js';
import { asMongoAccount, createMongoDatabase, onMongo } from '../../servers/mongodb-database.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { recordsIn } from '../../support/records-in.js';
import { type RunningProxy, startConfiguredProxy } from '../../support/start-proxy.js';
import { until } from '../../support/until.js';
import { Asking, answerTo, ask, suffixOf } from './asking.js';

const settleMs = 60_000;
/** The memory's file lags behind the session that is told of it. */
const written = { timeout: settleMs, interval: 200 };

/** One collection for each test that could be in another's way. */
const collections = ['plain', 'other', 'altered', 'kept', 'budgeted', 'crashed', 'mixed', 'unordered'];

async function schema(db: Db): Promise<void> {
  for (const name of collections) {
    const made = db.collection<Document>(name);
    await made.createIndex({ word: 1 }, { unique: true, name: `${name}_word` });
    await made.insertMany([{ _id: 1, word: 'one' } as Document, { _id: 2, word: 'two' } as Document]);
  }
}

const duplicate = (insert: string, _id = 50, word = 'one'): Document => ({
  insert,
  documents: [{ _id, word }],
});
const broken = (find: string, operator = '$nope'): Document => ({
  find,
  filter: { word: { [operator]: 1 } },
});

describeEachMongo('the memory', (server) => {
  let database: TestDatabase;
  let twin: TestDatabase;
  let memory: string;
  let config: string;
  let proxy: RunningProxy;

  beforeAll(async () => {
    [database, twin] = await Promise.all([
      createMongoDatabase(server.url, schema),
      createMongoDatabase(server.url, schema),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-memory-'));
    memory = join(folder, 'memory');
    config = join(folder, 'config.yaml');
    writeFileSync(
      config,
      `memory: { folder: memory }
admin: { listen: false }
upstreams: { shop: { url: ${JSON.stringify(database.url)} } }
listeners:
  - { name: agents, listen: 127.0.0.1:0 }
  - { name: programs, listen: 127.0.0.1:0, audience: application }
`,
    );
    proxy = await startConfiguredProxy(config, memory);
  });

  afterAll(async () => {
    const exit = await proxy.stop();
    if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    await Promise.all([database.drop(), twin.drop()]);
    rmSync(join(memory, '..'), { recursive: true, force: true });
    expect(exit).toMatchObject({ code: 0 });
  });

  const through = (url = database.url, listener = 'agents'): string => proxy.through(url, listener);
  const direct = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    onMongo(database.url, (client) => work(client.db()));

  const records = (isWanted: (record: MemoryRecord) => boolean): MemoryRecord[] =>
    recordsIn(memory).filter(isWanted);

  it('speaks to another session, about other values', async () => {
    expect(await ask(through(), duplicate('plain'))).toEqual(['']);
    const [note] = await ask(through(), { ...duplicate('plain', 77, 'two'), comment: 'again' });
    expect(note).toContain('unique_violation');
    expect(note).toContain('upsert: true');
    // The index is named once the catalog, which rests while nobody is connected, has been looked at again.
    let value = 78;
    await until(
      async () => {
        value += 1;
        const [again] = await ask(through(), duplicate('plain', value, 'two'));
        return again?.includes('plain_word') === true;
      },
      20_000,
      'a note that names the index',
    );
  });

  it('speaks within a session, by whatever the driver calls it', async () => {
    const session = await Asking.open(through());
    const other = session.db.collection<{ _id: number; word: string }>('other');
    const failed = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: Error) => error.message,
      );
    expect(await failed(other.insertOne({ _id: 3, word: 'one' }))).not.toContain('[twiceshy ');
    expect(await failed(other.insertOne({ _id: 4, word: 'two' }))).toContain('other_word');
    const model = { insertOne: { document: { _id: 5, word: 'one' } } };
    expect(await failed(other.bulkWrite([model]))).toContain('other_word');
    expect(await failed(other.find({ word: { $nope: 1 } } as never).toArray())).not.toContain('[twiceshy ');
    expect(await failed(other.findOne({ word: { $nope: 2 } } as never, { projection: {} }))).toMatch(/./);
    expect(await session.ask(broken('other'))).toEqual([expect.stringContaining('syntax')]);
    await session.end();
  });

  it('knows which of several documents failed, and tells each of its own', async () => {
    const documents: Document[] = [
      { _id: 1, word: 'x' },
      { _id: 2, more: true },
      { _id: 10, word: 'ten' },
    ];
    const command = { insert: 'unordered', documents, ordered: false };
    const session = await Asking.open(through());
    const indexesAndNotes = async (): Promise<(readonly [number, boolean])[]> => {
      const { writeErrors } = await answerTo(session.db, command);
      return (writeErrors as Document[]).map(({ index, note }) => [index, note !== undefined] as const);
    };
    expect(await indexesAndNotes()).toEqual([
      [0, false],
      [1, false],
    ]);
    expect(await indexesAndNotes()).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ]);
    await session.end();
    await vi.waitFor(() => {
      const known = records(({ shape }) => shape.includes('insert unordered'));
      expect(known.map(({ shape }) => shape.includes('more:boolean')).toSorted()).toEqual([false, true]);
    }, written);
  });

  it('stays within its database, on one connection too', async () => {
    const asked = broken('kept', '$here');
    expect(await ask(through(), asked)).toEqual(['']);
    expect((await ask(through(), asked))[0]).toContain('syntax');
    const session = await Asking.open(through());
    const there = session.client.db(twin.name);
    expect(await session.tell(asked, there)).toBe('');
    expect(await session.tell(asked)).toContain('syntax');
    const isKnown = async (): Promise<boolean> => (await session.tell(asked, there)) !== '';
    await until(isKnown, settleMs, 'the other database to be read, and to have a record of its own');
    await session.end();
    await vi.waitFor(() => {
      const known = records(({ shape }) => shape.includes('$here')).map(({ scope }) => scope.database);
      expect(known.toSorted()).toEqual([database.name, twin.name].toSorted());
    }, written);
  });

  it('is silent once the collection changed, and speaks on after unrelated changes', async () => {
    const asked = duplicate('altered', 60);
    const idOf = async (): Promise<string> => ((await ask(through(), asked))[0] ?? '').slice(0, 18);
    await idOf();
    const id = await until(async () => (await idOf()) || null, settleMs, 'a note');
    expect(id).toMatch(/^\[twiceshy [0-9a-f]{8}$/);
    // The changes come past the proxy: its probe has to see them.
    await direct((db) => db.createCollection('unrelated'));
    await direct((db) => db.collection('plain').createIndex({ unrelated: 1 }));
    expect(await idOf()).toBe(id);
    await direct((db) =>
      db.collection('altered').createIndex({ code: 1 }, { unique: true, sparse: true, name: 'altered_code' }),
    );
    await until(async () => (await idOf()) !== id, settleMs, 'the note on the old collection to be gone');
    await direct((db) => db.collection('altered').dropIndex('altered_code'));
    await until(async () => (await idOf()) === id, settleMs, 'the note on the old collection to be back');
    expect(await idOf()).toBe(id);
  });

  it('is still there after a collection was made through it', async () => {
    const asked = duplicate('kept', 61);
    await ask(through(), asked);
    expect((await ask(through(), asked, { create: 'made_through' }, asked))[2]).toContain('unique_violation');
  });

  it('forgets what was missing once it is there', async () => {
    const missing: Document[] = [{ collMod: 'late' }, { dropIndexes: 'kept', index: 'kept_late' }];
    const [, , ...again] = await ask(through(), ...missing, ...missing);
    expect(again).toEqual([
      expect.stringContaining('undefined_object'),
      expect.stringContaining('undefined_object'),
    ]);
    const index = { key: { late: 1 }, name: 'kept_late' };
    const made: Document[] = [{ create: 'late' }, { createIndexes: 'kept', indexes: [index] }];
    expect(await ask(through(), ...made, ...missing)).toEqual([null, null, null, null]);
    const isRetracted = (): boolean =>
      records(({ shape, status }) => status === 'retracted' && /collMod late|kept_late/.test(shape)).length >
      0;
    await until(isRetracted, settleMs, 'a record to be retracted');
  });

  it('tells what worked in the place of what failed', async () => {
    const wrong = broken('mixed', '$equals');
    const right = broken('mixed', '$eq');
    await ask(through(), wrong, right);
    const told = until(
      async () => {
        const [note] = await ask(through(), wrong);
        return note?.includes('then ran:') === true ? note : null;
      },
      settleMs,
      'what ran',
    );
    expect(await told).toContain('then ran: { find mixed filter { word { $eq ?number } } }');
  });

  it('shows the note of a record three times a session', async () => {
    const asked = broken('budgeted');
    const told = await ask(through(), ...Array.from({ length: 6 }, () => asked));
    const shown = Array.from({ length: 3 }, () => '[twiceshy');
    expect(told.map((one) => (one ?? '').slice(0, 9))).toEqual(['', ...shown, '', '']);
    expect((await ask(through(), asked))[0]).toContain('syntax');
  });

  it('leaves the message alone that programs read, and agents find it there too', async () => {
    const asked = duplicate('kept', 62);
    const replyOn = async (listener: string): Promise<Document> => {
      const session = await Asking.open(through(database.url, listener));
      const reply = await answerTo(session.db, asked);
      await session.end();
      return reply;
    };
    await replyOn('programs');
    const program = await replyOn('programs');
    expect(suffixOf(program)).toBe('');
    expect((program['writeErrors'] as Document[])[0]?.['note']).toContain('unique_violation');
    const agent = await replyOn('agents');
    expect(suffixOf(agent)).toContain('upsert: true');
  });

  it('does not remember a refused login', async () => {
    const wrong = through(asMongoAccount(database.url, { name: 'app', password: 'wrong' }));
    for (let time = 1; time <= 3; time += 1) {
      const refused: unknown = await Asking.open(wrong).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 18 });
      expect((refused as Error).message).not.toContain('[twiceshy ');
    }
    // What is written in order of its coming is all there once this is.
    await ask(through(), broken('plain', '$after'));
    const isWritten = (): boolean => records(({ shape }) => shape.includes('$after')).length > 0;
    await until(isWritten, settleMs, 'what came before to be written');
    expect(records(({ code }) => code === '18')).toEqual([]);
    expect(records(({ shape }) => shape.includes('sasl'))).toEqual([]);
  });

  it('learns of a database that is made while it runs', async () => {
    const late = await createMongoDatabase(
      server.url,
      async (db) => void (await db.createCollection('fresh')),
    );
    try {
      const isKnown = async (): Promise<boolean> => (await ask(through(late.url), broken('fresh')))[0] !== '';
      await until(isKnown, settleMs, 'a repetition to be annotated in the new database');
    } finally {
      await late.drop();
    }
  });

  it('outlives a restart, and a crash once it had time to write', async () => {
    expect(await ask(through(), duplicate('crashed'))).toEqual(['']);
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    proxy = await startConfiguredProxy(config, memory);
    const isNoted = async (asked: Document, what: string): Promise<string> =>
      until(async () => (await ask(through(), asked))[0] || null, settleMs, what);
    expect(await isNoted(duplicate('crashed', 60), 'the note')).toContain('unique_violation');
    await ask(through(), broken('crashed', '$crash'));
    const isWritten = (): boolean => records(({ shape }) => shape.includes('$crash')).length > 0;
    await until(isWritten, settleMs, 'the failure to be written');
    proxy.signal('SIGKILL');
    await proxy.exited;
    proxy = await startConfiguredProxy(config, memory);
    expect(await isNoted(duplicate('crashed', 70), 'the first note')).toContain('unique_violation');
    expect(await isNoted(broken('crashed', '$crash'), 'the second note')).toContain('syntax');
  });
});
