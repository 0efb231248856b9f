// A client that said goodbye before hello (node-postgres: connect() and end() in one go, brianc/node-postgres#320) was
// answered by an error, which it raised; the server itself closes without a word.
import { afterEach, expect, it } from 'vitest';
import { connectTo, stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const openings = {
  Terminate: client.terminate(),
  'a length of 4': Buffer.from([0, 0, 0, 4]),
  'a length that takes no protocol version': Buffer.from([0, 0, 0, 6, 0, 3, 0, 0]),
  'a length beyond any startup packet': Buffer.from([0, 1, 0, 0, 0, 3, 0, 0]),
  'another protocol': Buffer.from('GET / HTTP/1.0\r\n\r\n'),
};

/** Everything that is answered until the other side closes. */
async function answerOf(port: number, bytes: Buffer): Promise<string> {
  const end = await connectTo(port);
  end.socket.write(bytes);
  await end.ended();
  end.socket.destroy();
  return end.bytes.toString('latin1');
}

describeEachPostgres('first bytes that are no request', (server) => {
  it.each(Object.entries(openings))('%s: closed as the server closes', async (_what, bytes) => {
    const proxy = await watch(server.url);
    const direct = await answerOf(Number(new URL(server.url).port), bytes);
    expect(await answerOf(proxy.proxy.port, bytes)).toBe(direct);
    expect(direct).toBe('');
  });
});
