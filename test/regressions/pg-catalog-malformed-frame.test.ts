// A malformed frame from the upstream held the whole process in the driver's parser, which looks for a zero byte for ever.
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../adapters/postgres/catalog.js';
import { server } from '../protocol/postgres/frames.js';

const malformed: readonly (readonly [string, Buffer])[] = [
  ['an ErrorResponse without its last zero', server.raw('E', 'SERROR\0C42703\0Mbroken\0')],
  ['an ErrorResponse cut in a field', server.raw('E', 'SERROR\0C42703\0Mbroken')],
  ['a CommandComplete without a zero', server.raw('C', 'SELECT 1')],
  ['a ParameterStatus with one string', server.raw('S', 'name\0value')],
  ['a RowDescription that ends in a name', server.raw('T', Buffer.from([0, 2]), 'name')],
  ['a notice without an end', server.raw('N', 'SNOTICE\0Mnever')],
  ['a row that promises more than it has', server.raw('D', Buffer.from([0, 9, 0]))],
  ['an impossible length', Buffer.from([0x45, 0, 0, 0, 1])],
];

let fake: net.Server | null = null;
afterEach(() => fake?.close());

/** Lets the client in, and answers its first query with `answer`. */
function fakeServer(answer: Buffer): Promise<number> {
  fake = net.createServer((socket) => {
    let isIn = false;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (isIn) socket.write(answer);
      else socket.write(Buffer.concat([server.authenticationOk(), server.ready('I')]));
      isIn = true;
    });
  });
  return new Promise((resolve) => {
    fake?.listen(0, '127.0.0.1', () => {
      const address = fake?.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
}

describe('a catalog connection that gets what cannot be read', () => {
  it.each(malformed)('%s: fails, and holds nobody', async (_name, answer) => {
    const port = await fakeServer(answer);
    const address = { host: '127.0.0.1', port, user: 'app', password: 'x', database: 'shop' };
    const reader = await openCatalog(address, { mode: 'disable' }, 'shop');
    await expect(reader.probe(true)).rejects.toThrow();
    await reader.close();
  });
});
