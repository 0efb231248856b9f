/** What no server of the two products sends, at each phase: the connection fails, and neither holds nor ends anybody. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { connectCatalog } from '../../../adapters/mysql/catalog-connection.js';
import { limits } from '../../../src/core/limits.js';
import { makeCertificate } from '../../support/certificate.js';
import { lenenc, maxPayloadBytes, packet, status } from '../../support/mysql-protocol.js';
import {
  authMoreData,
  authSwitch,
  columnDefinition,
  eof,
  greeting,
  localInfileRequest,
  ok,
  resultSet,
  textRow,
} from '../../support/mysql-server-packets.js';
import { ScriptedMysqlServer, type ScriptedSession } from '../../support/scripted-mysql-server.js';
import { within } from '../../support/until.js';
import { addressOf } from './support.js';

const soonMs = 5_000;
const plainAnswer = { isEofDeprecated: false };

let server: ScriptedMysqlServer | null = null;
let printed: MockInstance[];

beforeEach(() => {
  printed = (['log', 'warn', 'error', 'trace'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(() => undefined),
  );
});

afterEach(async () => {
  await server?.close();
  server = null;
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

describe('a catalog connection that gets garbage instead of a login', () => {
  const whole = greeting();
  it.each<[string, (session: ScriptedSession) => void]>([
    ['zeros', (session) => session.write(Buffer.alloc(64))],
    ['text', (session) => session.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    ['an impossible length', (session) => session.write(Buffer.from([0xff, 0xff, 0xff, 0, 10]))],
    ['an empty greeting', (session) => session.write(packet(Buffer.alloc(0), 0))],
    ['a greeting of another number', (session) => session.write(packet(whole, 9))],
    ['an ERR without a code', (session) => session.write(packet(Buffer.from([0xff]), 0))],
    ['two greetings', (session) => session.write(Buffer.concat([packet(whole, 0), packet(whole, 1)]))],
    ['OK at once', (session) => session.write(packet(ok(), 0))],
    ['a request to switch, endless', (session) => session.write(packet(Buffer.alloc(4000, 0xfe), 0))],
  ])('%s', async (_, send) => {
    server = await ScriptedMysqlServer.listen(
      async (session) => {
        send(session);
        session.end();
        await session.ended();
        session.end();
      },
      { greeting: null },
    );
    const connecting = connectCatalog(addressOf(server.url), { mode: 'prefer' });
    await expect(within(connecting, soonMs, 'the refusal')).rejects.toThrow();
  });

  it('a greeting cut anywhere', async () => {
    for (let end = 0; end < whole.length; end += 1) {
      server = await ScriptedMysqlServer.listen(
        async (session) => {
          session.reply(whole.subarray(0, end));
          session.end();
          await session.ended();
          session.end();
        },
        { greeting: null },
      );
      const connecting = connectCatalog(addressOf(server.url), { mode: 'disable' });
      await expect(within(connecting, soonMs, `the refusal at ${end}`)).rejects.toThrow();
      await server.close();
    }
    server = null;
  });

  it.each<[string, Buffer[]]>([
    ['a plugin without a name', [authSwitch('')]],
    ['a plugin of the prototype', [authSwitch('__proto__')]],
    ['a switch without data', [Buffer.from([0xfe])]],
    ['more data than was asked for', [authMoreData(Buffer.from([3])), authMoreData(Buffer.from([3]))]],
    ['a key that is none', [authMoreData(Buffer.from([4])), authMoreData(Buffer.from('no key'))]],
    ['nothing', [Buffer.alloc(0)]],
    ['a result', resultSet(['a'], [['1']], plainAnswer)],
    ['a packet too long', [Buffer.alloc(limits.maxCatalogFrameBytes + 1, 1)]],
    ['one packet after another', Array.from({ length: 1_000 }, () => authMoreData(Buffer.from([3])))],
  ])('in answer to the login: %s', async (_, answers) => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login(...answers);
      session.end();
      await session.ended();
      session.end();
    });
    const connecting = connectCatalog(addressOf(server.url), { mode: 'disable' });
    await expect(within(connecting, soonMs, 'the refusal')).rejects.toThrow();
  });

  it('no TLS after it was offered', async () => {
    server = await ScriptedMysqlServer.listen(
      async (session) => {
        session.write(packet(greeting({ capabilities: 0xffff_ffff }), 0));
        await session.packet();
        session.write(Buffer.from('this is no TLS'));
        session.end();
        await session.ended();
        session.end();
      },
      { greeting: null },
    );
    const connecting = connectCatalog(addressOf(server.url), { mode: 'require' });
    await expect(within(connecting, soonMs, 'the refusal')).rejects.toMatchObject({
      code: 'HANDSHAKE_SSL_ERROR',
    });
  });
});

const column = columnDefinition({ name: 'a' });
const endOfColumns = eof();

describe('a catalog connection that gets garbage instead of an answer', () => {
  it.each<[string, (session: ScriptedSession) => void]>([
    ['an empty packet', (session) => session.reply(Buffer.alloc(0))],
    ['an OK cut short', (session) => session.reply(ok().subarray(0, 4))],
    ['an OK with numbers that do not end', (session) => session.reply(Buffer.from([0, 0xfe, 1, 2]))],
    ['an ERR cut short', (session) => session.reply(Buffer.from([0xff, 1]))],
    ['a request for a file', (session) => session.reply(localInfileRequest('/etc/passwd'))],
    ['no columns, in a long form', (session) => session.reply(Buffer.from([0xfc, 0, 0]))],
    ['millions of columns', (session) => session.reply(lenenc(5_000_000), ...Array(50).fill(column))],
    ['2^64 columns', (session) => session.reply(Buffer.from([0xfe, ...Array(8).fill(0xff)]))],
    ['a column cut short', (session) => session.reply(lenenc(1), column.subarray(0, 12))],
    ['a column whose name does not end', (session) => session.reply(lenenc(1), Buffer.from([200, 1, 2, 3]))],
    ['a column of a byte that is no length', (session) => session.reply(lenenc(1), Buffer.alloc(40, 0xff))],
    ['fewer columns than announced', (session) => session.reply(lenenc(2), column, endOfColumns)],
    ['a row where the columns end', (session) => session.reply(lenenc(1), column, textRow(['1']))],
    ['a row too short', (session) => session.reply(lenenc(2), column, column, endOfColumns, textRow(['1']))],
    ['a row too long', (session) => session.reply(lenenc(1), column, endOfColumns, textRow(['1', '2']))],
    [
      'a value longer than its row',
      (session) => session.reply(lenenc(1), column, endOfColumns, Buffer.from([0xfd, 0xff, 0xff, 0x7f, 1])),
    ],
    [
      'a value of 2^63 bytes',
      (session) =>
        session.reply(lenenc(1), column, endOfColumns, Buffer.from([0xfe, ...Array(8).fill(0x7f)])),
    ],
    [
      'another result after the first',
      (session) =>
        session.reply(...resultSet(['a'], [], { ...plainAnswer, end: { status: status.moreResults } })),
    ],
    ['another OK after the first', (session) => session.reply(ok({ status: status.moreResults }))],
    ['an end as for clients that agreed to it', (session) => session.reply(...resultSet(['a'], [['1']]))],
    [
      'two answers',
      (session) => session.reply(...resultSet(['a'], [], plainAnswer), ...resultSet(['a'], [], plainAnswer)),
    ],
    ['a number out of step', (session) => session.write(packet(ok(), 7))],
    ['a packet too long', (session) => session.write(Buffer.from([0, 0, 0x20, 1, 0]))],
    [
      'a packet of the longest form',
      (session) =>
        session.write(Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 1]), Buffer.alloc(maxPayloadBytes)])),
    ],
    ['an answer nobody asked for', (session) => session.reply(ok(), ok())],
  ])('%s', async (_, send) => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login();
      await session.command();
      send(session);
      session.end();
      await session.ended();
      session.end();
    });
    const connection = await connectCatalog(addressOf(server.url), { mode: 'disable' });
    const asked = connection
      .query('select 1', () => undefined)
      // What follows a good answer shows with the next.
      .then(() => connection.query('select 2', () => undefined));
    await expect(within(asked, soonMs, 'the failure')).rejects.toThrow();
    await expect(connection.query('select 3', () => undefined)).rejects.toThrow();
    await within(connection.close(), soonMs, 'close');
  });

  it('over TLS: a row too short', async () => {
    const certificate = await makeCertificate();
    const [cert, key] = [readFileSync(certificate.cert, 'utf8'), readFileSync(certificate.key, 'utf8')];
    certificate.remove();
    server = await ScriptedMysqlServer.listen(
      async (session) => {
        await session.login();
        await session.command();
        session.reply(lenenc(2), column, column, endOfColumns, textRow(['1']));
        await session.ended();
        session.end();
      },
      { tls: { cert, key } },
    );
    const connection = await connectCatalog(addressOf(server.url), { mode: 'require' });
    const asked = connection.query('select 1', () => undefined);
    await expect(within(asked, soonMs, 'the failure')).rejects.toThrow('cannot be read');
    await within(connection.close(), soonMs, 'close');
  });

  const values = [['1', null] as const, ['22', 'x'.repeat(300)] as const];
  const answer = Buffer.concat(
    resultSet(['a', 'b'], values, plainAnswer).map((payload, index) => packet(payload, index + 1)),
  );

  it('an answer cut anywhere', async () => {
    for (let end = 0; end < answer.length; end += 11) {
      server = await ScriptedMysqlServer.listen(async (session) => {
        await session.login();
        await session.command();
        session.write(answer.subarray(0, end));
        session.end();
        await session.ended();
        session.end();
      });
      const connection = await connectCatalog(addressOf(server.url), { mode: 'disable' });
      const asked = connection.query('select 1', () => undefined);
      await expect(within(asked, soonMs, `the failure at ${end}`)).rejects.toThrow();
      await server.close();
    }
    server = null;
  });

  it('no garbage at all, in pieces of one byte', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login();
      await session.command();
      await session.inPieces(answer, [...answer.keys()].slice(1));
      await session.ended();
      session.end();
    });
    const connection = await connectCatalog(addressOf(server.url), { mode: 'disable' });
    const rows: unknown[] = [];
    await within(
      connection.query('select 1', (row) => rows.push(row)),
      soonMs,
      'the answer',
    );
    expect(rows).toEqual(values);
    await connection.close();
  });

  it('a state of the session that cannot be read, which nobody asked for', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login();
      await session.command();
      session.reply(ok({ status: status.sessionStateChanged, rest: Buffer.alloc(200, 0xff) }));
      await session.command();
      session.reply(...resultSet(['a'], [['1']], plainAnswer));
      await session.ended();
      session.end();
    });
    const connection = await connectCatalog(addressOf(server.url), { mode: 'disable' });
    await connection.query('set names utf8mb4', () => undefined);
    const rows: unknown[] = [];
    await connection.query('select 1', (row) => rows.push(row));
    expect(rows).toEqual([['1']]);
    await connection.close();
  });
});

describe('a catalog connection that is never told enough', () => {
  const flood = async (session: ScriptedSession, row: Buffer, rowsPerWrite: number): Promise<void> => {
    await session.login();
    await session.command();
    session.reply(lenenc(1), column, endOfColumns);
    while (!session.isEnded) {
      const rows = session.numbered(...Array<Buffer>(rowsPerWrite).fill(row));
      // Written once the one before is out: the server is to have no more in memory than the client.
      await new Promise((resolve) => session.socket.write(rows, resolve));
    }
  };

  it.each([
    ['small rows', textRow(['x']), 20_000],
    ['big rows', textRow(['x'.repeat(900_000)]), 4],
  ])(
    '%s without end: gives up, and keeps none of them',
    async (_, row, rowsPerWrite) => {
      server = await ScriptedMysqlServer.listen((session) => flood(session, row, rowsPerWrite));
      const connection = await connectCatalog(addressOf(server.url), { mode: 'disable' });
      let count = 0;
      const asked = connection.query('select 1', () => {
        count += 1;
      });
      await expect(asked).rejects.toThrow('more than a catalog can hold');
      expect(count).toBeLessThanOrEqual(limits.maxCatalogRows);
      expect(count * row.length).toBeLessThanOrEqual(limits.maxCatalogAnswerBytes);
      await connection.close();
    },
    60_000,
  );
});
