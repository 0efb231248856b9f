/** A client that costs next to nothing: logs in through `pg`, then writes prepared bytes and counts ReadyForQuery. */
import type { Socket } from 'node:net';
import pg from 'pg';

export interface RawSession {
  /** Writes the bytes of one statement; resolves at its ReadyForQuery. */
  roundTrip(bytes: Buffer): Promise<void>;
  /** Calls back for each of `count` statements run one after the other with its time in microseconds. */
  repeat(bytes: Buffer, count: number, onTime: (us: number) => void): Promise<void>;
  /** Resolves when the socket is gone. */
  close(): Promise<void>;
}

const terminate = Buffer.from([0x58, 0, 0, 0, 4]);

interface ConnectionOfPg {
  readonly connection: { readonly stream: Socket };
}

export async function openRawSession(url: string): Promise<RawSession> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as ConnectionOfPg).connection;
  stream.removeAllListeners('data');
  let onReady: () => void = () => undefined;
  stream.on('data', (chunk: Buffer) => {
    // The reply to one statement ends with a ReadyForQuery, whose last six bytes are 'Z' 0 0 0 5 and a status.
    const end = chunk.length - 6;
    if (end >= 0 && chunk[end] === 0x5a && chunk[end + 4] === 5) onReady();
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
