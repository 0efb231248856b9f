// MariaDB's ERR packet with number 0xFFFF is a report of progress, and the command goes on (MariaDB "ERR_Packet", "Progress
// Reporting"; mariadb-corporation/mariadb-columnstore-server#16, MariaDB/mariadb_kernel#4).
import { afterEach, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { query } from '../support/mysql-client-packets.js';
import { command, mariadbCapability, type Packet } from '../support/mysql-protocol.js';
import {
  columnDefinition,
  error,
  mariadbGreeting,
  ok,
  progress,
  textRow,
} from '../support/mysql-server-packets.js';
import { describeMariadb } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const client = { extendedCapabilities: mariadbCapability.progress };

const isReport = ({ payload }: Packet): boolean => payload.toString('hex', 0, 3) === 'ffffff';

describeMariadb('reports of progress', (server) => {
  // A copying ALTER tells of its second stage whatever the time; what it tells of the first is up to the time.
  const statements: readonly (readonly [text: string, code?: number])[] = [
    ['alter table big add column w int, algorithm=copy'],
    ['alter table big add unique (v), algorithm=copy', 1062],
    ['alter table big drop column w, engine=aria'],
    ['alter table big engine=innodb, add unique (v)', 1062],
    ['repair table big'],
    ['check table big extended'],
    ['optimize table big'],
    ['create index big_v on big (nope)', 1072],
  ];

  it('are relayed, are no failures, and the error behind them gets its note', async () => {
    const setup = `create table big (id int primary key, v int) engine=aria;
      insert into big select seq, if(seq = 3000, 1, seq) from seq_1_to_3000`;
    const database = await createMysqlDatabase(server.url, setup);
    const twin = await createMysqlDatabase(server.url, setup);
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), client);
    const direct = await RawMysql.open(twin.url, client);
    expect(session.extendedCapabilities).toBe(mariadbCapability.progress);
    const expected: string[] = [];
    let reports = 0;
    for (let time = 1; time <= 2; time += 1) {
      for (const [text, code] of statements) {
        const [answer, same] = [await session.query(text), await direct.query(text)];
        expect(
          answer.map(({ sequence }) => sequence),
          text,
        ).toEqual(answer.map((_, index) => index + 1));
        // Where the answer has no rows the packets are the same ones; in rows they name the database.
        if (outcome(answer) === 'OK' || code !== undefined) {
          const rest = (packets: readonly Packet[]) =>
            plain(packets.filter((one) => !isReport(one))).map((line) => line.slice(line.indexOf(' ')));
          expect(rest(answer), text).toEqual(rest(same));
        } else expect(answer.length, text).toBe(same.length);
        reports += answer.filter(isReport).length;
        if (code === undefined) continue;
        expect(outcome(answer), text).toBe(`E[${code}]${time === 1 ? '' : ' noted'}`);
        expected.push(`failed ${code} <${text}> execute k=0 idle`, 'settled idle');
        if (time === 2) expected.push('note');
      }
    }
    expect(reports).toBeGreaterThanOrEqual(8);
    expect(failuresOf(proxy.sessions[0])).toEqual(expected);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await database.drop();
    await twin.drop();
  });
});

describe('scripted reports', () => {
  const reports = [
    progress(1, 2, 0, 'copy to tmp table'),
    progress(1, 2, 99_999, ''),
    progress(2, 2, 50_000, 'Enabling keys \xff\xff'),
  ];
  const duplicate = error(1062, "Duplicate entry '1' for key 'v'", '23000');
  const text = 'alter table big add unique (v)';
  const rows = [Buffer.from([1]), columnDefinition({ name: 'a' }), textRow(['1'])];

  it.each([null, 1, 5, 9, 30])('in segments of %s bytes', async (pieceBytes) => {
    const { upstream, proxy, end, session } = await openScriptedMysql({
      server: { greeting: mariadbGreeting },
      client,
    });
    const outcomes: string[] = [];
    for (const payloads of [
      [...reports, ok()],
      [...reports, duplicate],
      [...rows, reports[0] as Buffer, textRow(['2']), reports[1] as Buffer, duplicate],
      [...reports, duplicate],
    ]) {
      await session.sendPacket(query(text));
      await end.command();
      const bytes = end.numbered(...payloads);
      const size = pieceBytes ?? bytes.length;
      await end.inPieces(
        bytes,
        Array.from({ length: Math.floor((bytes.length - 1) / size) }, (_, index) => (index + 1) * size),
      );
      const answer = await session.answer(command.query);
      expect(plain(answer)).toEqual(
        payloads.map((payload, index) => `${index + 1} ${payload.toString('latin1')}`),
      );
      outcomes.push(outcome(answer.slice(-1)));
    }
    expect(outcomes).toEqual(['OK', 'E[1062]', 'E[1062] noted', 'E[1062] noted']);
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(3).fill(`failed 1062 <${text}> execute k=0 idle`));
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });
});
