/** The raw client and the scripted server of tests: against each other, a client library, and real servers. */
import { readFileSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/certificate.js';
import { closeStatement, execute, fetch, ping, prepare } from '../../support/mysql-client-packets.js';
import { capability, command, type Packet, packet, packets, status } from '../../support/mysql-protocol.js';
import {
  error,
  mysqlOffer,
  ok,
  readError,
  readOk,
  resultSet,
  usualRequest,
} from '../../support/mysql-server-packets.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { ScriptedMysqlServer } from '../../support/scripted-mysql-server.js';

const firstBytes = (answer: readonly Packet[]): number[] => answer.map(({ payload }) => payload[0] ?? -1);
const sequences = (answer: readonly Packet[]): number[] => answer.map(({ sequence }) => sequence);

describe('a scripted server', () => {
  it('serves a client library, over TLS and plain', async () => {
    const certificate = await makeCertificate();
    const tls = { cert: readFileSync(certificate.cert, 'utf8'), key: readFileSync(certificate.key, 'utf8') };
    certificate.remove();
    const server = await ScriptedMysqlServer.listen(
      async (session) => {
        await session.login();
        await session.serve((text) =>
          text === 'select 1' ? session.resultSet(['one'], [['1']]) : [error(1146, `no ${text}`, '42S02')],
        );
      },
      { tls },
    );
    for (const ssl of [{ rejectUnauthorized: false }, undefined]) {
      const client = await createConnection({ uri: server.url, ...(ssl === undefined ? {} : { ssl }) });
      expect((await client.query('select 1'))[0]).toEqual([{ one: '1' }]);
      await expect(client.query('other')).rejects.toMatchObject({ errno: 1146, sqlState: '42S02' });
      await client.end();
    }
    expect(server.sessions.map(({ client }) => client?.user)).toEqual(['app', 'app']);
    await server.close();
  });

  it('sends any bytes in any segments, and numbers what it is not told to number', async () => {
    const server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login();
      await session.command();
      const bytes = session.numbered(...resultSet(['a', 'b'], [['1', null]]));
      await session.inPieces(bytes, [1, 3, 4, 5, 40]);
      await session.command();
      session.write(packet(ok(), 99));
    });
    const session = await RawMysql.open(server.url);
    expect(sequences(await session.query('x'))).toEqual([1, 2, 3, 4, 5]);
    expect(sequences(await session.run(ping))).toEqual([99]);
    session.close();
    await server.close();
  });

  it('joins a command of several packets, and tells what its script threw', async () => {
    const lengths: (number | undefined)[] = [];
    const server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login();
      lengths.push((await session.command())?.length);
      session.reply(ok());
      throw new Error('from the script');
    });
    const session = await RawMysql.open(server.url);
    const answer = await session.query('x'.repeat(0xffffff - 1));
    expect(lengths).toEqual([0xffffff]);
    expect(sequences(answer)).toEqual([2]);
    session.close();
    await expect(server.close()).rejects.toThrow('from the script');
  });
});

describeEachMysql('a raw client', (server) => {
  const requests = {
    'what it usually asks for': usualRequest,
    'EOF packets': usualRequest & ~capability.deprecateEof,
    'query attributes and optional metadata': mysqlOffer,
  };

  for (const [name, capabilities] of Object.entries(requests)) {
    it(`finds the end of every kind of answer with ${name}`, async () => {
      const session = await RawMysql.open(server.url, { capabilities });
      const isEof = (capabilities & capability.deprecateEof) === 0;
      const isCounted = (session.capabilities & capability.queryAttributes) !== 0;
      const three = await session.query('do 1; select 1 as a; select nope');
      expect(three.length).toBe(isEof ? 7 : 6);
      expect(readError(three.at(-1)!.payload)).toMatchObject({ code: 1054, sqlState: '42S22' });
      const [first, ...definitions] = await session.run(prepare('select ? as a, ? as b'));
      expect(definitions.length).toBe(isEof ? 6 : 4);
      const id = first!.payload.readUInt32LE(1);
      const values = await session.run(execute(id, ['x', null], { isCounted }));
      expect(firstBytes(values).slice(-2)).toEqual([0x00, 0xfe]);
      const opened = await session.run(execute(id, ['x', null], { flags: 1, isCounted }));
      const end = opened.at(-1)!.payload;
      expect((isEof ? end.readUInt16LE(3) : readOk(end).status) & status.cursorExists).not.toBe(0);
      expect(firstBytes(await session.run(fetch(id, 5)))).toEqual([0x00, 0xfe]);
      expect(await session.run(closeStatement(id))).toEqual([]);
      await session.send(packets(ping), packets(ping));
      expect(firstBytes(await session.answer(command.ping))).toEqual([0x00]);
      expect(firstBytes(await session.answer(command.ping))).toEqual([0x00]);
      session.close();
    });
  }

  it('takes a refusal apart', async () => {
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(RawMysql.open(url.href)).rejects.toMatchObject({ code: 1045, sqlState: '28000' });
  });
});
