// Strings of sessions in LATIN1 and other encodings were decoded as UTF-8 and damaged (brianc/node-postgres#2732,
// tlocke/pg8000#73).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { createDatabase, runOn, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { letters } from './support/frames.js';
import { watch, wireNote } from './support/watched-proxy.js';

afterEach(stopProxies);

/** Encoding, a name as its bytes, and the same name as text. Second bytes of SJIS, BIG5 and GBK can be backslashes. */
const names: readonly (readonly [string, string, string])[] = [
  ['LATIN1', '4a7976e4736b796ce4', 'Jyväskylä'],
  ['WIN1251', '80cff0e8', 'ЂПри'],
  ['KOI8R', 'd0d2c9d7c5d4', 'привет'],
  ['SJIS', '955c835c', '表ソ'],
  ['BIG5', 'a55ca65c', '功吒'],
  ['GBK', '815cd95c', '乗'],
  ['EUC_JP', 'c9bd', '表'],
  ['UHC', 'b0a1', '가'],
  ['GB18030', '81308130', '\u0080'],
  ['UTF8', 'e8a1a8f09f9880', '表😀'],
];

describeEachPostgres('a session in', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(server.url);
  });

  afterAll(() => database.drop());

  async function failTwice(url: string, encoding: string, name: Buffer): Promise<Buffer[]> {
    const session = await RawPostgres.open(url);
    await session.send(client.query(`set client_encoding = '${encoding}'`));
    await session.ready(1);
    const text = Buffer.concat([Buffer.from('select "'), name, Buffer.from('", a.nope from (select 1) a\0')]);
    const bodies: Buffer[] = [];
    for (let time = 1; time <= 2; time += 1) {
      await session.send(client.raw('Q', text));
      const frames = await session.ready(1);
      expect(letters(frames)).toBe('E[42703]Z');
      bodies.push(frames[0]?.body ?? Buffer.alloc(0));
    }
    session.close();
    return bodies;
  }

  it.each(names)('%s gets its own bytes, with an ASCII note among them', async (encoding, hex, text) => {
    const name = Buffer.from(hex, 'hex');
    const proxy = await watch(database.url);
    const [direct] = await failTwice(database.url, encoding, name);
    const [first, second] = await failTwice(proxy.through(database.url), encoding, name);
    expect(direct?.includes(name)).toBe(true);
    expect(first).toEqual(direct);
    const bytes = String(second?.toString('latin1'));
    expect(bytes).toContain(wireNote.short);
    expect(bytes.replace(`\n${wireNote.short}`, '').replace(`H${wireNote.long}\0`, '')).toBe(
      direct?.toString('latin1'),
    );
    const [failed] = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed')) ?? [];
    expect(failed).toContain(text);
    expect(proxy.blind).toEqual([]);
  });

  it('no encoding at all passes bytes that are no text', async () => {
    const setup = await createSqlAscii(server.url);
    const proxy = await watch(server.url);
    const name = Buffer.from('fffe80', 'hex');
    const [direct] = await failTwice(setup.url, 'SQL_ASCII', name);
    const [, second] = await failTwice(proxy.through(setup.url), 'SQL_ASCII', name);
    const bytes = String(second?.toString('latin1'));
    expect(bytes.replace(`\n${wireNote.short}`, '').replace(`H${wireNote.long}\0`, '')).toBe(
      direct?.toString('latin1'),
    );
    await setup.drop();
  });
});

/** A database that takes any bytes for text. */
async function createSqlAscii(serverUrl: string): Promise<TestDatabase> {
  const plain = await createDatabase(serverUrl);
  await plain.drop();
  await runOn(serverUrl, `create database ${plain.name} template template0 encoding 'SQL_ASCII' locale 'C'`);
  return plain;
}
