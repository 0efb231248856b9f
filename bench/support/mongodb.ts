/**
 * MongoDB for the benchmarks: a server of ours that answers at once, because one that keeps documents takes most of the
 * time of every figure, whoever stands before it.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { BSON, type Document } from 'bson';
import { opMsg } from '../../test/support/mongodb-messages.js';
import { until } from '../../test/support/until.js';
import type { BenchDatabase } from './database.js';
import { rawSession } from './raw-session.js';

const message = (body: Document) => opMsg(body, { requestId: 1 });
const find = (collection: string) => message({ find: collection, filter: { age: 36 }, $db: 'bench' });
const lsid = { id: new BSON.UUID() };
const typical = message({
  find: 'things',
  filter: { city: 'London', age: { $gte: 18 } },
  sort: { name: 1 },
  limit: 1,
  lsid,
  $db: 'bench',
});

/** Follows the lengths of the replies; a reply may come in many chunks. */
function replyEnds(): (chunk: Buffer) => boolean {
  let left = 0;
  const header = Buffer.alloc(4);
  let headerHeld = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        while (headerHeld < 4 && at < chunk.length) header[headerHeld++] = chunk[at++] as number;
        if (headerHeld < 4) return false;
        left = header.readInt32LE(0) - 4;
        headerHeld = 0;
      }
      const taken = Math.min(left, chunk.length - at);
      left -= taken;
      at += taken;
    }
    return left === 0;
  };
}

export const mongodbBench: BenchDatabase = {
  name: 'MongoDB',
  async acquire() {
    const script = fileURLToPath(new URL('mongodb-answering-server.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await until(() => /port \d+/.test(output), 30_000, 'the answering server to listen');
    return {
      name: "MongoDB's protocol, a server that only answers",
      url: `mongodb://127.0.0.1:${Number(output.split(' ')[1])}/bench`,
      release: async () => void child.kill('SIGKILL'),
    };
  },
  async openRawSession(url) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    const session = rawSession(socket, replyEnds(), Buffer.alloc(0));
    await session.roundTrip(message({ hello: 1, $db: 'admin' }));
    return session;
  },
  async fail(url) {
    const session = await this.openRawSession(url);
    for (let time = 0; time < 2; time += 1) await session.roundTrip(find('nothing'));
    await session.close();
  },
  roundTrips: [
    { name: 'ping', prepare: null, bytes: message({ ping: 1, $db: 'bench' }) },
    { name: 'find', prepare: null, bytes: typical },
  ],
  bulk: [
    { name: '100,000 documents of about 70 bytes', sql: 'rows', megabytes: 7.3 },
    { name: '3,900 documents of 4 KB', sql: 'blobs', megabytes: 15.4 },
    { name: 'one document of 16 MB', sql: 'one', megabytes: 16 },
  ],
  query: find,
};
