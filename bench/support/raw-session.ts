/** The part of a raw session that is the same for every database: one socket, one way to see the end of a reply. */
import type { Socket } from 'node:net';
import type { RawSession } from './database.js';

/**
 * Takes over a socket that is logged in. `isEnd` looks at a chunk and tells whether a reply ends with it; `terminate`
 * is said before closing.
 */
export function rawSession(stream: Socket, isEnd: (chunk: Buffer) => boolean, terminate: Buffer): RawSession {
  stream.removeAllListeners('data');
  let onReady: () => void = () => undefined;
  stream.on('data', (chunk: Buffer) => {
    if (isEnd(chunk)) onReady();
  });
  stream.resume();
  const repeat = (bytes: Buffer, count: number, onTime: (us: number) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = count;
      let started = performance.now();
      stream.once('error', reject);
      onReady = () => {
        const now = performance.now();
        onTime((now - started) * 1000);
        started = now;
        left -= 1;
        if (left > 0) stream.write(bytes);
        else {
          stream.off('error', reject);
          resolve();
        }
      };
      stream.write(bytes);
    });
  return {
    roundTrip: (bytes) => repeat(bytes, 1, () => undefined),
    repeat,
    close: () =>
      new Promise((resolve) => {
        stream.once('close', () => resolve());
        stream.end(terminate);
      }),
  };
}
