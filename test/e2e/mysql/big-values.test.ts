/**
 * Values and files far larger than any buffer pass in pieces: the proxy's memory stays flat, other sessions stay
 * responsive, and a side that does not read holds back the side that sends.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { execute, prepare, query, sendLongData } from '../../support/mysql-client-packets.js';
import {
  maxPayloadBytes,
  type Packet,
  PayloadReader,
  packet,
  packets,
} from '../../support/mysql-protocol.js';
import { readError, readOk } from '../../support/mysql-server-packets.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { type Load, loadDuring, resetPeakMemory, residentMemory } from '../../support/process-figures.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { steady, until } from '../../support/until.js';

const mebibyte = 1024 * 1024;
const valueBytes = 64 * mebibyte;
const wholeFileBytes = 200 * mebibyte;
/** Well below one copy of the value; what it leaves room for is the runtime's own heap growth. */
const allowedGrowthBytes = 40 * mebibyte;
const settleMs = 60_000;

describeEachMysql('a value of 64 MB', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: RunningProxy;
  let client: Connection;
  let bystander: Connection;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table blobs (id int primary key, body longblob) engine = MyISAM;
       create table loaded (body longtext) engine = MyISAM`,
    );
    const { hostname, port } = new URL(database.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
    proxy = await startProxy({ upstreamUrl: relay.through(database.url) });
    client = await createConnection(proxy.through(database.url));
    bystander = await createConnection(proxy.through(database.url));
    // Hundreds of megabytes that no replica waits for.
    await client.query('set sql_log_bin = 0');
    // The runtime grows its heap once for its first load, whatever the size: that is not what is measured here.
    await client.query("select repeat('x', 20000000)");
  });

  afterAll(async () => {
    await client.end();
    await bystander.end();
    await proxy.stop();
    await relay.close();
    await database.drop();
  });

  const observed = (work: () => Promise<void>): Promise<Load> =>
    loadDuring(proxy.pid, () => bystander.query('select 1'), work);

  function expectFlat({ growthBytes, answers }: Load): void {
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
    expect(answers).toBeGreaterThan(3);
  }

  it('goes as the text of a statement, and comes back as a row of text', async () => {
    const sent = Buffer.alloc(valueBytes, 'y');
    expectFlat(
      await observed(async () => {
        await client.query(`insert into blobs values (1, '${'y'.repeat(valueBytes)}')`);
      }),
    );
    expectFlat(
      await observed(async () => {
        const [rows] = await client.query('select body from blobs where id = 1');
        const [{ body }] = rows as [{ body: Buffer }];
        expect(body.equals(sent)).toBe(true);
      }),
    );
  });

  it('goes as a parameter, and comes back as a binary row', async () => {
    const body = Buffer.alloc(valueBytes, 'z');
    const digest = createHash('sha256').update(body).digest('hex');
    expectFlat(
      await observed(async () => {
        await client.execute('insert into blobs values (?, ?)', [2, body]);
        const [rows] = await client.execute(
          'select body, sha2(body, 256) as digest from blobs where id = ?',
          [2],
        );
        const [{ body: back, digest: told }] = rows as [{ body: Buffer; digest: string }];
        expect([back.equals(body), told]).toEqual([true, digest]);
      }),
    );
  });

  it('goes as long data, in packets below and above 16 MiB', async () => {
    const session = await RawMysql.open(proxy.through(database.url));
    const [prepared] = await session.run(prepare('select sha2(?, 256), length(?)'));
    const id = prepared?.payload.readUInt32LE(1) ?? 0;
    const pieces = [
      1,
      mebibyte,
      maxPayloadBytes - 7,
      maxPayloadBytes - 6,
      maxPayloadBytes,
      20 * mebibyte,
    ].map((size, index) => Buffer.alloc(size, `${index}`));
    const whole = Buffer.concat(pieces);
    const load = await observed(async () => {
      for (const parameter of [0, 1]) {
        for (const piece of pieces) await write(session, packets(sendLongData(id, parameter, piece)));
      }
      const row = (await session.run(execute(id, [undefined, undefined]))).at(-2);
      const reader = new PayloadReader(row?.payload ?? Buffer.alloc(0), 2);
      expect(reader.lenencString()).toBe(createHash('sha256').update(whole).digest('hex'));
    });
    session.close();
    expectFlat(load);
  });

  it('goes as a parameter of a statement that fails, again and again', async () => {
    const body = Buffer.alloc(valueBytes, 'w');
    await client.query('insert ignore into blobs values (9, null)');
    const messages: string[] = [];
    const load = await observed(async () => {
      for (let time = 1; time <= 2; time += 1) {
        const failed: unknown = await client
          .execute('insert into blobs values (?, ?)', [9, body])
          .catch((error: unknown) => error);
        expect(failed).toMatchObject({ errno: 1062 });
        messages.push((failed as Error).message);
      }
    });
    expect(messages[0]).not.toContain('[twiceshy ');
    expect(messages[1]).toContain('[twiceshy ');
    expectFlat(load);
  });

  it('ends where the packets of 16 MiB end, and the next statement is told from it', async () => {
    const session = await RawMysql.open(proxy.through(database.url));
    const text = (size: number): Buffer => {
      const [head, tail] = ["select length('", "')"];
      return query(head + 'q'.repeat(size - 1 - head.length - tail.length) + tail);
    };
    for (const [index, size] of [maxPayloadBytes - 1, maxPayloadBytes, maxPayloadBytes + 1].entries()) {
      const noted: boolean[] = [];
      for (let time = 1; time <= 2; time += 1) {
        // A command of this payload, a row of this payload, and a failure in one write behind them.
        await write(session, packets(text(size)));
        expect(firstValue((await session.answer(0x03)).at(-2))).toBe(`${size - 18}`);
        const lengthBytes = size - 4 <= 0xffffff ? 4 : 9;
        const row = query(`select repeat('r', ${size - lengthBytes})`);
        await session.send(packets(row), packets(query(`select nope${index} from blobs`)));
        const answer = await session.answer(0x03);
        const rowBytes = answer.slice(2, -1).reduce((sum, { payload }) => sum + payload.length, 0);
        expect(rowBytes).toBe(size);
        const [error] = await session.answer(0x03);
        noted.push(readError(error?.payload ?? Buffer.alloc(0)).message.includes('[twiceshy '));
      }
      expect(noted).toEqual([false, true]);
    }
    session.close();
  });

  it('holds back a server whose client does not read', async () => {
    const session = await RawMysql.open(proxy.through(database.url));
    resetPeakMemory(proxy.pid);
    const before = residentMemory(proxy.pid).now;
    session.socket.pause();
    const received = relay.receivedBytes();
    await session.sendPacket(query(`select repeat('s', ${valueBytes})`));
    await until(() => relay.receivedBytes() > received + mebibyte, settleMs, 'the row to begin');
    await steady(() => relay.receivedBytes(), settleMs, 'the server to be held back');
    expect(relay.receivedBytes() - received).toBeLessThan(valueBytes / 2);
    await bystander.query('select 1');
    session.socket.resume();
    const row = (await session.answer(0x03)).slice(2, -1);
    expect(row.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(valueBytes + 9);
    session.close();
    expect(residentMemory(proxy.pid).peak - before).toBeLessThan(allowedGrowthBytes);
  });

  it('comes as a file of 200 MB, which the server has as it was sent', async () => {
    const session = await RawMysql.open(proxy.through(database.url));
    await session.query('set sql_log_bin = 0');
    const sum = new FileSum();
    expectFlat(
      await observed(async () => {
        const answer = await loadFile(session, sum, wholeFileBytes);
        expect(readOk(answer[0]?.payload ?? Buffer.alloc(0)).affectedRows).toBe(sum.lines);
      }),
    );
    const counted = 'select count(*) as n, sum(length(body)) as bytes, sum(crc32(body)) as crc from loaded';
    const [rows] = await client.query(counted);
    const [{ n, bytes, crc }] = rows as [{ n: number; bytes: string; crc: string }];
    expect([n, Number(bytes), Number(crc)]).toEqual([sum.lines, sum.bytes, sum.crc]);
    await client.query('truncate table loaded');
    session.close();
  });

  it('holds back a client whose server does not read its file', async () => {
    const session = await RawMysql.open(proxy.through(database.url));
    await session.query('set sql_log_bin = 0');
    resetPeakMemory(proxy.pid);
    const before = residentMemory(proxy.pid).now;
    const sum = new FileSum();
    const loading = loadFile(session, sum, valueBytes, () => relay.hold('near', true));
    await until(() => sum.bytes > mebibyte, settleMs, 'the file to begin');
    await steady(() => sum.bytes, settleMs, 'the client to be held back');
    expect(sum.bytes).toBeLessThan(valueBytes / 2);
    relay.hold('near', false);
    expect(readOk((await loading)[0]?.payload ?? Buffer.alloc(0)).affectedRows).toBe(sum.lines);
    expect(residentMemory(proxy.pid).peak - before).toBeLessThan(allowedGrowthBytes);
    await client.query('truncate table loaded');
    session.close();
  });
});

/** What was sent of a file. */
class FileSum {
  lines = 0;
  bytes = 0;
  crc = 0;
}

/** Sends a file of lines of half a megabyte, no faster than the socket takes it; resolves to the server's answer. */
async function loadFile(
  session: RawMysql,
  sum: FileSum,
  fileBytes: number,
  onRequest: () => void = () => undefined,
): Promise<readonly Packet[]> {
  const [request] = await session.query("load data local infile 'lines' into table loaded");
  if (request?.payload[0] !== 0xfb) throw new Error('No file was asked for');
  onRequest();
  const lineBytes = mebibyte / 2;
  let sequence = request.sequence;
  for (let index = 0; index * lineBytes < fileBytes; index += 1) {
    const line = Buffer.alloc(lineBytes, `line ${index} `);
    line[lineBytes - 1] = 0x0a;
    sequence += 1;
    await write(session, packet(line, sequence));
    sum.lines += 1;
    sum.bytes += lineBytes - 1;
    sum.crc += crc32(line.subarray(0, -1));
  }
  await write(session, packet(Buffer.alloc(0), sequence + 1));
  return session.answer(0x03);
}

async function write(session: RawMysql, bytes: Buffer): Promise<void> {
  if (!session.socket.write(bytes)) await once(session.socket, 'drain');
}

function firstValue(row: Packet | undefined): string | null {
  return row === undefined ? null : new PayloadReader(row.payload).lenencString();
}
