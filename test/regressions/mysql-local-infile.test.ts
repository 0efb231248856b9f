// The request for a local file (0xFB) was read as a number of columns (oven-sh/bun#33505), or answered by the proxy with a
// file of its own machine (sysown/proxysql#833, #3500).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { query } from '../support/mysql-client-packets.js';
import { capability, command, type Packet, packet } from '../support/mysql-protocol.js';
import { error, localInfileRequest, ok, readOk, usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

describeEachMysql('LOAD DATA LOCAL', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      'create table words (id int primary key, word varchar(20)); create table copied (id int, word varchar(20))',
    );
  });

  afterAll(() => database.drop());

  const load = (table: string, name = 'rows.tsv'): string =>
    `load data local infile '${name}' into table ${table}`;

  it.each([
    ['in one piece', [Buffer.from('1\tone\n2\ttwo\n')]],
    [
      'in pieces that look like commands',
      [Buffer.from('\x031\tone\n'), Buffer.from('\x01'), Buffer.from('\x19')],
    ],
    ['that is empty, or missing: the client sends the empty packet alone', []],
    ['in more pieces than there are numbers', Array(300).fill(Buffer.from('1\tone\n'))],
  ] as const)('of a file %s', async (_kind, pieces) => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const direct = await RawMysql.open(database.url);
    for (const one of [session, direct]) await one.query('set sql_mode = default');
    const run = async (one: RawMysql, text: string): Promise<readonly Packet[]> => {
      const [request] = await one.query(text);
      expect(request?.payload.toString('latin1')).toBe('\xfbrows.tsv');
      return one.sendFile(request as Packet, ...pieces);
    };
    const text = load('copied');
    for (let time = 1; time <= 2; time += 1) {
      expect(plain(await run(session, text))).toEqual(plain(await run(direct, text)));
      expect(outcome(await session.query('select count(*) from copied'))).toMatch(/packets/);
      // Errors before the request, and in the file's place.
      const failed = await session.query(load('nowhere'));
      expect(outcome(failed)).toBe(time === 1 ? 'E[1146]' : 'E[1146] noted');
    }
    const ran = proxy.sessions[0]?.events.filter((event) => event === `ok <${text}> 0`);
    expect(ran).toHaveLength(2);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
  });

  it('that fails behind the file fails once, with its note', async () => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const text = "load data local infile 'rows.tsv' into table words set id = (select 1 union select 2)";
    const outcomes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const [request] = await session.query(text);
      outcomes.push(outcome(await session.sendFile(request as Packet, Buffer.from('1\tone\n'))));
      expect(outcome(await session.query('do 1'))).toBe('OK');
    }
    expect(outcomes).toEqual(['E[1242]', 'E[1242] noted']);
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(2).fill(`failed 1242 <${text}> execute k=0 idle`));
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('asks the client, which says what the file is; no file here is opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-infile-'));
    const file = join(folder, 'rows');
    writeFileSync(file, '1\tof the proxy\n');
    const proxy = await watchMysql(database.url);
    const asked: string[] = [];
    const connection = await createConnection({
      uri: proxy.through(database.url),
      infileStreamFactory: (path: string) => {
        asked.push(path);
        return Readable.from([Buffer.from('7\tof the client\n')]);
      },
    } as Parameters<typeof createConnection>[0]);
    await connection.query('truncate table copied');
    for (const name of [file, '/etc/hostname']) await connection.query(load('copied', name));
    expect(asked).toEqual([file, '/etc/hostname']);
    const [rows] = await connection.query('select * from copied');
    expect(rows).toEqual(Array(2).fill({ id: 7, word: 'of the client' }));
    await connection.end();
    rmSync(folder, { recursive: true });
  });

  it('by a client that has no files gets that client’s refusal', async () => {
    const proxy = await watchMysql(database.url);
    const connection = await createConnection(proxy.through(database.url));
    const direct = await createConnection(database.url);
    const refusals = async (one: typeof connection): Promise<string[]> => {
      const messages: string[] = [];
      for (let time = 1; time <= 2; time += 1)
        await one.query(load('copied')).catch((refusal: Error) => messages.push(refusal.message));
      return messages;
    };
    const expected = await refusals(direct);
    expect(await refusals(connection)).toEqual(expected);
    expect(expected).toHaveLength(2);
    expect((await connection.query('select 1 as one'))[0]).toEqual([{ one: 1 }]);
    expect(proxy.blind).toEqual([]);
    connection.destroy();
    direct.destroy();
  });

  it('is not what 251 columns are', async () => {
    const proxy = await watchMysql(database.url);
    for (const capabilities of [usualRequest, usualRequest & ~capability.deprecateEof]) {
      const session = await RawMysql.open(proxy.through(database.url), { capabilities });
      for (const count of [250, 251, 252, 253, 254, 255, 256, 1000]) {
        const columns = Array.from({ length: count }, (_, index) => `${index} as c${index}`);
        const answer = await session.query(`select ${columns.join(', ')}`);
        const ends = capabilities & capability.deprecateEof ? 1 : 2;
        expect(answer.length).toBe(1 + count + 1 + ends);
      }
      expect(outcome(await session.query('select nope'))).toMatch(/^E\[1054\]/);
      session.close();
    }
    expect(proxy.blind).toEqual([]);
  });
});

describe('a scripted request for a file', () => {
  it.each(['/etc/hostname', '', 'x'.repeat(4_000)])(
    'of name %j goes to the client as it is',
    async (name) => {
      const { upstream, proxy, end, session } = await openScriptedMysql();
      const outcomes: string[] = [];
      for (const last of [ok({ affectedRows: 3 }), error(1261, 'short'), error(1261, 'short')]) {
        await session.sendPacket(query('load data local'));
        await end.command();
        end.reply(localInfileRequest(name));
        const request = await session.packet();
        expect(request.payload.toString('latin1')).toBe(`\xfb${name}`);
        const file = [Buffer.from('\xff\xfe\x00', 'latin1'), Buffer.alloc(70_000, 3)];
        const answer = session.sendFile(request, ...file);
        for (const piece of [...file, Buffer.alloc(0)]) expect((await end.packet()).payload).toEqual(piece);
        end.reply(last);
        const packets = await answer;
        outcomes.push(outcome(packets));
        if (last[0] === 0) expect(readOk(packets[0]?.payload as Buffer).affectedRows).toBe(3);
      }
      expect(outcomes).toEqual(['OK', 'E[1261]', 'E[1261] noted']);
      expect(proxy.blind).toEqual([]);
      session.close();
      await upstream.close();
    },
  );

  it('that is refused by the server in the middle of the file: the rest of it is no command', async () => {
    const { upstream, proxy, end, session } = await openScriptedMysql();
    await session.sendPacket(query('load data local'));
    await end.command();
    end.reply(localInfileRequest('rows'));
    const { sequence } = await session.packet();
    await session.send(packet(Buffer.from('\x031\n'), sequence + 1));
    await end.packet();
    end.reply(error(1290, 'read-only'));
    expect(outcome(await session.answer(command.query))).toBe('E[1290]');
    // The client hears of it when it has sent the rest; the server has stopped reading it as a file long ago.
    await session.send(packet(Buffer.alloc(0), sequence + 2), packet(query('select 1'), 0));
    await end.packet();
    await end.command();
    end.reply(error(1054, 'x'));
    expect(outcome(await session.answer(command.query))).toBe('E[1054]');
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failed?.[1]).toBe('failed 1054 <select 1> execute k=0 idle');
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });
});
