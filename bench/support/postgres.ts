/** PostgreSQL for the benchmarks. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { client } from '../../test/protocol/postgres/frames.js';
import { acquirePostgresServers, releasePostgresServers } from '../../test/servers/provision.js';
import type { BenchDatabase } from './database.js';
import { rawSession } from './raw-session.js';

interface ConnectionOfPg {
  readonly connection: { readonly stream: Socket };
}

/** A reply ends with a ReadyForQuery, whose six bytes are 'Z' 0 0 0 5 and a status. */
function isReady(chunk: Buffer): boolean {
  const at = chunk.length - 6;
  return at >= 0 && chunk[at] === 0x5a && chunk.readInt32BE(at + 1) === 5;
}

const oneMillionRows = "select g, repeat('x', 40) from generate_series(1, 1000000) g";

export const postgresBench: BenchDatabase = {
  name: 'PostgreSQL',
  async acquire(lease) {
    const server = (await acquirePostgresServers(lease)).find((one) => 'url' in one);
    if (server === undefined || !('url' in server))
      throw new Error('No PostgreSQL server to measure against');
    return { ...server, release: () => releasePostgresServers(lease) };
  },
  async openRawSession(url) {
    const session = new pg.Client({ connectionString: url });
    session.on('error', () => undefined);
    await session.connect();
    const { stream } = (session as unknown as ConnectionOfPg).connection;
    return rawSession(stream, isReady, Buffer.from([0x58, 0, 0, 0, 4]));
  },
  async fail(url) {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query('select 1 / 0').catch(() => undefined);
    await session.end();
  },
  roundTrips: [
    { name: 'simple', prepare: null, bytes: client.query('select 1') },
    {
      name: 'extended',
      prepare: null,
      bytes: Buffer.concat([
        client.parse('', 'select 1'),
        client.bind('', ''),
        client.describe('P', ''),
        client.execute(''),
        client.sync(),
      ]),
    },
    {
      name: 'prepared',
      prepare: Buffer.concat([client.parse('s1', 'select 1'), client.sync()]),
      bytes: Buffer.concat([client.bind('', 's1'), client.execute(''), client.sync()]),
    },
  ],
  bulk: [
    { name: '1,000,000 rows of about 60 bytes', sql: oneMillionRows, megabytes: 61 },
    {
      name: '20,000 rows of 4 KB',
      sql: "select g, repeat('x', 4096) from generate_series(1, 20000) g",
      megabytes: 79,
    },
    { name: 'COPY out of 1,000,000 rows', sql: `copy (${oneMillionRows}) to stdout`, megabytes: 50 },
    { name: 'one row of 100 MB', sql: "select repeat('x', 100 * 1024 * 1024)", megabytes: 100 },
  ],
  query: (sql) => client.query(sql),
};
