/** MySQL and MariaDB for the benchmarks. */
import type { Socket } from 'node:net';
import { type Connection, createConnection } from 'mysql2/promise';
import { acquireMysqlServers, releaseMysqlServers } from '../../test/servers/provision.js';
import type { BenchDatabase } from './database.js';
import { rawSession } from './raw-session.js';

const command = { quit: 0x01, query: 0x03, stmtPrepare: 0x16, stmtExecute: 0x17 } as const;

function packet(...payload: (Buffer | number)[]): Buffer {
  const body = Buffer.concat(payload.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  const header = Buffer.alloc(4);
  header.writeUIntLE(body.length, 0, 3);
  return Buffer.concat([header, body]);
}

/** A result ends with an EOF packet (five bytes) or, where those are deprecated, an OK (seven); 0xFE first in both. */
function isEndOfRows(chunk: Buffer): boolean {
  return endsWith(chunk, 5) || endsWith(chunk, 7);
}

function endsWith(chunk: Buffer, payloadBytes: number): boolean {
  const at = chunk.length - payloadBytes - 4;
  return at >= 0 && chunk[at] === payloadBytes && chunk.readUInt16LE(at + 1) === 0 && chunk[at + 4] === 0xfe;
}

const digit =
  '(select 0 n union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)';
const places = ['a', 'b', 'c', 'd', 'e', 'f'];
const number = places.map((place, power) => `${place}.n * ${10 ** power}`).join(' + ');
const oneMillion = places.map((place) => `${digit} ${place}`).join(', ');

/** The first statement a session prepares has the id 1. */
const firstStatement = Buffer.from([1, 0, 0, 0]);
const executeOnce = packet(command.stmtExecute, firstStatement, 0, Buffer.from([1, 0, 0, 0]));

function mysqlBench(name: 'MySQL' | 'MariaDB'): BenchDatabase {
  return {
    name,
    async acquire(lease) {
      const servers = await acquireMysqlServers(lease);
      const server = servers.find((one) => 'url' in one && one.name.startsWith(name.toLowerCase()));
      if (server === undefined || !('url' in server)) throw new Error(`No ${name} server to measure against`);
      return { ...server, release: () => releaseMysqlServers(lease) };
    },
    async openRawSession(url) {
      // Without them a statement's text is all of its packet.
      const session = await createConnection({ uri: url, flags: ['-CLIENT_QUERY_ATTRIBUTES'] });
      return rawSession(streamOf(session), isEndOfRows, packet(command.quit));
    },
    async fail(url) {
      const session = await createConnection({ uri: url });
      await session.query('select nothing_of_that_name').catch(() => undefined);
      await session.end();
    },
    roundTrips: [
      { name: 'query', prepare: null, bytes: packet(command.query, Buffer.from('select 1')) },
      {
        name: 'prepared',
        prepare: packet(command.stmtPrepare, Buffer.from('select 1')),
        bytes: executeOnce,
      },
    ],
    bulk: [
      {
        name: '1,000,000 rows of about 52 bytes',
        sql: `select ${number}, repeat('x', 40) from ${oneMillion}`,
        megabytes: 50,
      },
      {
        name: '20,000 rows of 4 KB',
        sql: `select ${number}, repeat('x', 4096) from ${oneMillion} limit 20000`,
        megabytes: 79,
      },
      { name: 'one row of 100 MB', sql: "select repeat('x', 100 * 1024 * 1024)", megabytes: 100 },
    ],
    query: (sql) => packet(command.query, Buffer.from(sql)),
  };
}

function streamOf(session: Connection): Socket {
  const { connection } = session as unknown as { connection: { stream: Socket } };
  return connection.stream;
}

export const mysqlBenches = [mysqlBench('MySQL'), mysqlBench('MariaDB')] as const;
