// All result sets of a text in one read were a hang (mariadb-corporation/MaxScale#180).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, prepare, query } from '../support/mysql-client-packets.js';
import { capability, command } from '../support/mysql-protocol.js';
import { endOfRows, error, ok, resultSet, usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { startRelay } from '../support/tcp-relay.js';
import { failuresOf, openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const autocommit = 2;
const inTransaction = 1;
const moreResults = 8;

const sets = (...flags: number[]): Buffer[] =>
  flags.flatMap((status, index) => resultSet(['n'], [[String(index)]], { end: { status } }));

const signal = error(1644, 'custom failure', '45000');

/** The same answer in one segment, and in segments of so many bytes. */
describe.each([null, 1, 7, 60])('a scripted answer in segments of %s bytes', (pieceBytes) => {
  const open = () => openScriptedMysql();
  type Opened = Awaited<ReturnType<typeof open>>;

  async function exchange({ end, session }: Opened, text: string, payloads: readonly Buffer[]) {
    await session.sendPacket(query(text));
    await end.command();
    const bytes = end.numbered(...payloads);
    const cuts = Array.from({ length: Math.floor(bytes.length / (pieceBytes ?? bytes.length)) }, (_, index) =>
      Math.min(bytes.length, (index + 1) * (pieceBytes ?? bytes.length)),
    );
    await end.inPieces(bytes, cuts);
    const answer = await session.answer(command.query);
    expect(plain(answer)).toEqual(
      payloads.map((payload, index) => `${index + 1} ${payload.toString('latin1')}`),
    );
    return outcome(answer);
  }

  it('is whole, and its last OK says what the state is', async () => {
    const opened = await open();
    const { proxy, session, upstream } = opened;
    const flags = autocommit | inTransaction;
    await exchange(opened, 'begin', [ok({ status: flags })]);
    const more = flags | moreResults;
    await exchange(opened, 'select 0; select 1; select 2', sets(more, more, flags));
    await exchange(opened, 'select nope', [error(1054, 'Unknown column', '42S22')]);
    await exchange(opened, 'select 0; rollback; select 2', [
      ...sets(more),
      ok({ status: autocommit | moreResults }),
      ...sets(autocommit),
    ]);
    await exchange(opened, 'call p()', [
      ...sets(autocommit | moreResults, autocommit | moreResults),
      ok({ status: autocommit }),
    ]);
    expect(proxy.sessions[0]?.events).toEqual([
      ...['ok <begin> 0', ...[0, 1, 2].map((index) => `ok <select 0; select 1; select 2> ${index}`)],
      ...['failed 1054 <select nope> execute k=0 open', 'settled open'],
      ...[0, 1, 2].map((index) => `ok <select 0; rollback; select 2> ${index}`),
      'ok <call p()> 0',
    ]);
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });

  it('that ends in an error is one failure, with its note', async () => {
    const opened = await open();
    const { proxy, session, upstream } = opened;
    const more = autocommit | moreResults;
    const outcomes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      // Behind the sets, and in the midst of the last one's rows.
      outcomes.push(await exchange(opened, 'call p()', [...sets(more, more), signal]));
      const midst = [...sets(more), ...sets(more).slice(0, -1), signal];
      outcomes.push(await exchange(opened, 'call q()', midst));
      await exchange(opened, 'select 1', [...resultSet(['n'], [['1']]).slice(0, -1), endOfRows()]);
    }
    expect(outcomes).toEqual(['E[1644]', 'E[1644]', 'E[1644] noted', 'E[1644] noted']);
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    const each = ['failed 1644 <call p()> execute k=0 idle', 'failed 1644 <call q()> execute k=0 idle'];
    expect(failed).toEqual([...each, ...each]);
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });
});

describeEachMysql('answers of several results', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table t (id int primary key, v int); insert into t values (1, 0), (2, 0);
       create procedure two_sets() begin select id from t; update t set v = v; select 'second'; end;
       create procedure fails() begin select id from t; select 'second'; signal sqlstate '45000'; end;
       create procedure gives(in a int, out b int) begin set b = a + 1; select a; end;
       create procedure fails_late(in a int, out b int) begin select a; set b = a; signal sqlstate '45000'; end`,
    );
  });

  afterAll(() => database.drop());

  const texts: readonly (readonly [text: string, fails?: true])[] = [
    ['select 1; select 2; select 3'],
    ['call two_sets()'],
    ['call fails()', true],
    ['call two_sets(); select 1; call fails(); select 2', true],
    ['select id from t; call two_sets(); do 1'],
  ];

  it.each([
    ['with EOF packets, in one read', usualRequest & ~capability.deprecateEof, undefined],
    ['in one read', usualRequest, undefined],
    ['in pieces of 3 bytes', usualRequest, 3],
  ])('of texts, %s', async (_kind, capabilities, pieceBytes) => {
    const { hostname, port } = new URL(server.url);
    const relay = await startRelay({
      targetHost: hostname,
      targetPort: Number(port),
      ...(pieceBytes === undefined ? {} : { pieceBytes }),
    });
    const proxy = await watchMysql(relay.port);
    const session = await RawMysql.open(proxy.through(database.url), { capabilities });
    const direct = await RawMysql.open(database.url, { capabilities });
    for (let time = 1; time <= 2; time += 1) {
      for (const [text, fails] of texts) {
        const answer = await session.query(text);
        expect(plain(answer), text).toEqual(plain(await direct.query(text)));
        if (fails) expect(outcome(answer), text).toBe(`E[1644]${time === 1 ? '' : ' noted'}`);
      }
    }
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    const each = [
      'failed 1644 <call fails()> execute k=0 idle',
      `failed 1644 <${texts[3]?.[0]}> execute k=2 idle`,
    ];
    expect(failed).toEqual([...each, ...each]);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await relay.close();
  });

  it.each([
    ['with EOF packets', usualRequest & ~capability.deprecateEof],
    ['without', usualRequest],
  ])('of a prepared CALL with OUT parameters, %s', async (_kind, capabilities) => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), { capabilities });
    const direct = await RawMysql.open(database.url, { capabilities });
    const outcomes: string[] = [];
    for (const text of ['call gives(?, ?)', 'call fails_late(?, ?)', 'call two_sets()']) {
      const values = text.includes('?') ? ['5', null] : [];
      const [id, directId] = [await prepared(session, text), await prepared(direct, text)];
      for (let time = 1; time <= 2; time += 1) {
        const answer = await session.run(execute(id, values));
        // With EOF packets in use MySQL forgets to say that the OK behind OUT parameters follows; it is the last all the same.
        expect(plain(answer), text).toEqual(plain(await direct.run(execute(directId, values))));
        if (!text.startsWith('call fails')) expect(answer.at(-1)?.payload[0], text).toBe(0);
        outcomes.push(outcome(answer).replace(/^\d+ packets$/, 'sets'));
        expect(outcome(await session.query('do 1'))).toBe('OK');
      }
    }
    expect(outcomes).toEqual(['sets', 'sets', 'E[1644]', 'E[1644] noted', 'sets', 'sets']);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
  });
});

async function prepared(session: RawMysql, text: string): Promise<number> {
  const [first] = await session.run(prepare(text));
  return Number(first?.payload.readUInt32LE(1));
}
