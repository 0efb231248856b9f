/**
 * Peers that break, stall or vanish, looked at from outside the process: the proxy lives, lets go of every socket, does
 * not spin, and the other side sees what it would see without a proxy.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { asAccount, createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import { loginPacket, ping, prepare, query } from '../../support/mysql-client-packets.js';
import { type Packet, packet, packets } from '../../support/mysql-protocol.js';
import { error, greeting, readError, resultSet, usualRequest } from '../../support/mysql-server-packets.js';
import { describeEachMysql, describeMysql } from '../../support/mysql-servers.js';
import { processorTimeMs, residentMemory, socketCount } from '../../support/process-figures.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { ScriptedMysqlServer, type ScriptedSession } from '../../support/scripted-mysql-server.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { closedPort, startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { steady, until, within } from '../../support/until.js';
import { Asking, ask, toldBy } from './asking.js';

const mebibyte = 1024 * 1024;
const settleMs = 20_000;
const reader = { name: 'reader', password: 'readerpw' };

const schema = `
create table digits (d int primary key);
insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
create table loaded (word varchar(20));
`;
/** A hundred million rows of a kilobyte. */
const manyRows = `select a.d, repeat('x', 1000) from digits a, digits b, digits c, digits d, digits e, digits f, digits g`;

/** Processor time over a while in which there is nothing to do: a loop that waits for nothing takes all of it. */
async function expectCalm(proxy: RunningProxy): Promise<void> {
  const since = performance.now();
  const before = processorTimeMs(proxy.pid);
  await until(() => performance.now() - since > 400, settleMs, 'a while');
  expect(processorTimeMs(proxy.pid) - before).toBeLessThan((performance.now() - since) / 2);
}

describeEachMysql('a proxy among failing peers', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: RunningProxy;
  let url: string;
  let idleSockets: number;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, schema);
    const { hostname, port } = new URL(server.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
    proxy = await startProxy({ upstreamUrl: relay.through(database.url) });
    url = proxy.through(database.url);
    (await RawMysql.open(url)).close();
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    const exit = await proxy.stop();
    await relay.close();
    await database.drop();
    expect(exit.code).toBe(0);
  });

  /** The proxy serves a new client, and holds no socket of earlier ones; nor does the server hold a session of theirs. */
  async function expectRecovered(): Promise<void> {
    const atRest = (): boolean => socketCount(proxy.pid) <= idleSockets;
    await until(atRest, settleMs, `at most ${idleSockets} sockets in the proxy`);
    const isFree = async (): Promise<boolean> => (await sessions()).length === 0;
    await until(isFree, settleMs, 'no session left on the server');
    const session = await RawMysql.open(url);
    expect(await session.query('select 1')).toHaveLength(4);
    session.close();
    await until(atRest, settleMs, 'the sockets of that client to close');
  }

  /** Of clients: the proxy's own is in no database. */
  function sessions(): Promise<readonly Record<string, unknown>[]> {
    return runMysql(
      server.url,
      `select id, state, info from information_schema.processlist where db = '${database.name}'`,
    );
  }

  it('lets go of 300 connections that are opened and reset at every stage', async () => {
    const login = packet(
      loginPacket({
        capabilities: usualRequest,
        user: 'app',
        authData: Buffer.alloc(20),
        database: database.name,
      }),
      1,
    );
    const stages: readonly ((session: RawMysql) => Promise<unknown>)[] = [
      async () => undefined,
      (session) => session.packet(),
      (session) => session.packet().then(() => session.send(login.subarray(0, 50))),
      (session) => session.packet().then(() => session.send(login)),
      (session) => session.login(url),
      (session) => session.login(url).then(() => session.sendPacket(query(manyRows))),
      (session) =>
        session.login(url).then(() => session.send(packets(query(manyRows)), packets(prepare('select ?')))),
      (session) => session.login(url).then(() => session.send(packets(query('select 1')).subarray(0, 6))),
      (session) =>
        session.login(url).then(() => session.query("load data local infile 'x' into table loaded")),
      (session) => session.login(url).then(() => session.changeUser(url)),
    ];
    for (let batch = 0; batch < 6; batch += 1) {
      const opened = Array.from({ length: 50 }, async (_, index) => {
        const session = await RawMysql.dial(url);
        await stages[index % stages.length]?.(session);
        session.socket.resetAndDestroy();
      });
      await Promise.all(opened);
    }
    await expectRecovered();
    await expectCalm(proxy);
  });

  it('lets go of clients that leave without a word, by FIN, amid rows, commands and files', async () => {
    for (let index = 0; index < 10; index += 1) {
      const rows = await RawMysql.open(url);
      await rows.sendPacket(query(manyRows));
      rows.socket.destroy();
      const half = await RawMysql.open(url);
      await half.send(packets(query(Buffer.alloc(mebibyte, 0x20))).subarray(0, mebibyte / 2));
      half.socket.end();
      const file = await RawMysql.open(url);
      const [request] = await file.query("load data local infile 'x' into table loaded");
      await file.send(packet(Buffer.from('one\ntwo\n'), (request?.sequence ?? 0) + 1));
      file.socket.end();
    }
    await expectRecovered();
    const [kept] = await runMysql(database.url, 'select count(*) as n from loaded');
    expect(kept).toEqual({ n: 0 });
  });

  it('gives a client that has ended its side what it asked for', async () => {
    const asked = async (through: string): Promise<readonly Packet[]> => {
      const session = await RawMysql.open(through);
      await session.send(
        packets(query('select d from digits order by d')),
        packets(query('select nope')),
        packets(ping),
      );
      session.socket.end();
      return within(session.ended(), settleMs, 'the answers and the end');
    };
    expect(await asked(url)).toEqual(await asked(database.url));
    await expectRecovered();
  });

  it('holds back the server of a client that never reads, and serves the others', async () => {
    const before = residentMemory(proxy.pid).now;
    const stalled = await RawMysql.open(url);
    stalled.socket.pause();
    const received = relay.receivedBytes();
    await stalled.sendPacket(query(manyRows));
    await until(() => relay.receivedBytes() > received + 100_000, settleMs, 'rows to flow');
    await steady(() => relay.receivedBytes(), settleMs, 'the server to be held back');
    const other = await RawMysql.open(url);
    for (let index = 0; index < 50; index += 1) await other.query('select 1');
    other.close();
    expect(residentMemory(proxy.pid).now - before).toBeLessThan(64 * mebibyte);
    await expectCalm(proxy);
    stalled.socket.resetAndDestroy();
    await expectRecovered();
  });

  it('passes on what came before the server was lost, in the middle of a row and of 16 MiB', async () => {
    for (const statement of [manyRows, "select repeat('x', 100000000)"]) {
      for (const end of ['reset', 'FIN'] as const) {
        const session = await RawMysql.open(url);
        const already = session.socket.bytesRead;
        await session.sendPacket(query(statement));
        const isFlowing = (): boolean => session.socket.bytesRead > already + 4 * mebibyte;
        await until(isFlowing, settleMs, 'four megabytes of rows');
        if (end === 'reset') relay.resetAll();
        else for (const { far } of relay.pairs) far.destroy();
        const got = await within(session.ended(), settleMs, 'the client to see the end');
        // Nothing is invented: no error, and no end of the result.
        expect(got.filter(({ payload }) => payload[0] === 0xff || payload[0] === 0xfe)).toEqual([]);
        expect(got.length).toBeGreaterThan(1);
      }
    }
    await expectRecovered();
  });

  it('goes on for the others when one session is killed, whose word comes once and bare', async () => {
    const other = await Asking.open(url);
    for (const text of [manyRows, "select sleep(60), 'a'"]) {
      const session = await RawMysql.open(url);
      await session.sendPacket(query(text));
      const running = async (): Promise<unknown> =>
        (await sessions()).find(({ info }) => String(info) === text)?.['id'] ?? null;
      const id = await until(running, settleMs, 'the statement to run');
      await runMysql(server.url, `kill ${String(id)}`);
      const got = await within(session.ended(), settleMs, 'the session to end');
      const errors = got
        .filter(({ payload }) => payload[0] === 0xff)
        .map(({ payload }) => readError(payload).message);
      expect(errors.length).toBeLessThanOrEqual(1);
      expect(errors.join()).not.toContain('[twiceshy');
      expect(await other.ask('select 1')).toEqual([null]);
    }
    await other.end();
    await expectRecovered();
  });

  it('lives through random bytes in place of a login and after one', async () => {
    for (let index = 0; index < 40; index += 1) {
      // As an account that may do nothing but read: there are commands that stop a server.
      const session =
        index % 2 === 0 ? await RawMysql.dial(url) : await RawMysql.open(asAccount(url, reader));
      // A fixed sequence: a failure can be run again.
      const noise = Buffer.from(
        Array.from({ length: 200 }, (_, at) => (index * 7919 + at * at * 31 + at * 17) % 256),
      );
      await session.send(noise);
      session.socket.end();
      await within(session.ended(), settleMs, `the end of session ${index}`);
    }
    await expectRecovered();
    await expectCalm(proxy);
  });
});

describeEachMysql('a proxy whose server cannot be had', (server) => {
  it('says so to each client, and serves them once the server is there', async () => {
    const database = await createMysqlDatabase(server.url, schema);
    const { hostname, port } = new URL(server.url);
    const relayPort = await closedPort();
    const upstream = new URL(database.url);
    upstream.port = String(relayPort);
    const proxy = await startProxy({ upstreamUrl: upstream.href });
    const url = proxy.through(database.url);
    let relay: TcpRelay | null = null;
    try {
      for (let time = 1; time <= 3; time += 1) {
        const refused: unknown = await Asking.open(url).catch((refusal: unknown) => refusal);
        expect(refused).toMatchObject({ errno: 1158, sqlState: expect.stringMatching(/^(08S01|HY000)?$/) });
        expect((refused as Error).message).not.toContain('[twiceshy');
      }
      relay = await startRelay({ targetHost: hostname, targetPort: Number(port), port: relayPort });
      const isNoted = async (): Promise<boolean> => (await ask(url, 'select nope from digits'))[0] !== '';
      await until(isNoted, settleMs, 'a repetition to be annotated');
      await relay.close();
      await until(
        async () => (await toldBy(Asking.open(url))) === '',
        settleMs,
        'clients to be refused again',
      );
      relay = await startRelay({ targetHost: hostname, targetPort: Number(port), port: relayPort });
      expect((await ask(url, 'select nope from digits'))[0]).toContain('undefined_object');
      await expectCalm(proxy);
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
      await relay?.close();
      await database.drop();
    }
  });

  it('warns once that its own account is refused, and passes everything on without notes', async () => {
    const database = await createMysqlDatabase(server.url, schema);
    const wrong = new URL(database.url);
    wrong.password = 'not-the-password';
    const proxy = await startProxy({ upstreamUrl: wrong.href });
    try {
      const url = proxy.through(database.url);
      expect(
        await ask(url, 'select d from digits', 'select nope from digits', 'select nope from digits'),
      ).toEqual([null, '', '']);
      const reports = (): string[] =>
        proxy
          .stderr()
          .split('\n')
          .filter((line) => line.includes('"warn"'));
      // It is tried again and again, and not reported as often.
      const since = performance.now();
      await until(() => performance.now() - since > 1_000, settleMs, 'more tries');
      const cannot = reports().filter((line) => line.includes('Catalog cannot be read'));
      expect(cannot).toHaveLength(1);
      expect(cannot[0]).toContain('Access denied');
      expect(proxy.stderr()).not.toContain('not-the-password');
      expect(await ask(url, 'select nope from digits')).toEqual(['']);
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
      await database.drop();
    }
  });
});

type Fault = readonly [
  name: string,
  script: (session: ScriptedSession) => Promise<void>,
  isAfterLogin: boolean,
];

/** The beginning of the ERR packet of a proxy that lost its server. */
const upstreamFailed = error(1158, '', null).toString('latin1');

const errorBytes = packet(error(1054, "Unknown column 'nope' in 'field list'", '42S22'), 1);

/** Ways in which a server breaks off; what it said until then is all its client gets. */
const faults: readonly Fault[] = [
  ['before a word', async (session) => void session.socket.resetAndDestroy(), false],
  ['by a FIN before a word', async (session) => session.end(), false],
  [
    'amid its greeting',
    async (session) => cutOff(session, Buffer.from([80, 0, 0, 0, 10, 0x39, 0x2e])),
    false,
  ],
  [
    'behind the login packet',
    async (session) => {
      session.reply(greeting());
      await session.packet();
      session.socket.resetAndDestroy();
    },
    false,
  ],
  ['amid the header of an answer', whenAsked((session) => cutOff(session, errorBytes.subarray(0, 3))), true],
  ['amid an ERR packet', whenAsked((session) => cutOff(session, errorBytes.subarray(0, 20))), true],
  [
    'amid a row',
    whenAsked((session) => {
      const bytes = session.numbered(...resultSet(['a'], [['x'.repeat(5000)]]));
      return cutOff(session, bytes.subarray(0, bytes.length - 3000));
    }),
    true,
  ],
  ['instead of an answer', whenAsked(async (session) => void session.socket.resetAndDestroy()), true],
];

function whenAsked(answer: (session: ScriptedSession) => Promise<void>): Fault[1] {
  return async (session) => {
    session.reply(greeting());
    await session.login();
    await session.command();
    await answer(session);
  };
}

/** Says this much, and leaves. */
async function cutOff(session: ScriptedSession, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => session.socket.write(bytes, () => resolve()));
  session.end();
}

// One suite is enough: what they meet is scripted, not a product.
describeMysql('a proxy whose server breaks off', () => {
  let script: Fault[1] = async () => undefined;
  let upstream: ScriptedMysqlServer;
  let proxy: RunningProxy;
  let idleSockets: number;

  beforeAll(async () => {
    upstream = await ScriptedMysqlServer.listen((session) => script(session), { greeting: null });
    script = faults[0]?.[1] ?? script;
    proxy = await startProxy({ upstreamUrl: upstream.url });
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    await upstream.close().catch(() => undefined);
  });

  for (const [name, fault, isAfterLogin] of faults) {
    it(`passes on the end that comes ${name}`, async () => {
      script = fault;
      const direct = await said(upstream.url);
      for (let time = 1; time <= 5; time += 1) {
        const proxied = await said(proxy.through(upstream.url));
        // Before the client is let in the proxy says why it will not be.
        if (isAfterLogin) expect(proxied).toEqual(direct);
        else expect(proxied).toContain(upstreamFailed);
      }
      const atRest = (): boolean => socketCount(proxy.pid) <= idleSockets + 1;
      await until(atRest, settleMs, 'the sockets to close');
    });
  }

  /** Every byte a client gets that logs in and asks once, up to the end. */
  async function said(url: string): Promise<string> {
    const session = await RawMysql.dial(url).catch(() => null);
    if (session === null) return '';
    const chunks: Buffer[] = [];
    session.socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const whole = session
      .login(url)
      .then(() => {
        chunks.length = 0;
        return session.sendPacket(query('select nope'));
      })
      .catch(() => undefined);
    await within(session.ended(), settleMs, 'the end of the session');
    await whole;
    session.close();
    return Buffer.concat(chunks).toString('latin1');
  }
});
