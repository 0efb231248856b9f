/**
 * A plain TCP relay that a test puts on either side of the proxy to deliver bytes in small pieces, to cut the
 * connection in the middle of them, or to hold them back.
 */
import { createServer, connect as openSocket, type Socket } from 'node:net';

export interface RelayOptions {
  readonly targetHost: string;
  readonly targetPort: number;
  /** Where it listens; unset: any free port. */
  readonly port?: number;
  /** Largest piece written at once in either direction; unset: as it came. */
  readonly pieceBytes?: number;
}

export interface TcpRelay {
  readonly port: number;
  /** `url` with the relay's address in place of the target's. */
  through(url: string): string;
  /** Open pairs of connections. */
  readonly pairs: ReadonlySet<{ readonly near: Socket; readonly far: Socket }>;
  /** Bytes that came from the target, over all connections. */
  receivedBytes(): number;
  /** Stops reading what comes from this end, or goes on; `near` is who connected, `far` the target. */
  hold(end: 'near' | 'far', isHeld: boolean): void;
  /** Resets every open connection at both ends. */
  resetAll(): void;
  close(): Promise<void>;
}

export function startRelay(options: RelayOptions): Promise<TcpRelay> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  const held = { near: false, far: false };
  let received = 0;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const { targetHost: host, targetPort } = options;
    const far = openSocket({ host, port: targetPort, noDelay: true, allowHalfOpen: true });
    const pair = { near, far };
    pairs.add(pair);
    far.on('data', (chunk) => {
      received += chunk.length;
    });
    join(near, far, options.pieceBytes, () => held.near);
    join(far, near, options.pieceBytes, () => held.far);
    if (held.near) near.pause();
    if (held.far) far.pause();
    const forget = (): void => void pairs.delete(pair);
    near.on('close', forget);
    far.on('close', forget);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      const port = portOf(server.address());
      resolve({
        port,
        pairs,
        through(url) {
          const changed = new URL(url);
          changed.hostname = '127.0.0.1';
          changed.port = String(port);
          return changed.href;
        },
        receivedBytes: () => received,
        hold: (end, isHeld) => {
          held[end] = isHeld;
          for (const pair of pairs) {
            if (isHeld) pair[end].pause();
            else pair[end].resume();
          }
        },
        resetAll: () => {
          for (const { near, far } of pairs) {
            near.resetAndDestroy();
            far.resetAndDestroy();
          }
        },
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            for (const { near, far } of pairs) {
              near.destroy();
              far.destroy();
            }
          }),
      });
    });
  });
}

/** A port on which nothing listens any more. */
export async function closedPort(): Promise<number> {
  const relay = await startRelay({ targetHost: '127.0.0.1', targetPort: 1 });
  await relay.close();
  return relay.port;
}

function join(from: Socket, to: Socket, pieceBytes: number | undefined, isHeld: () => boolean): void {
  const write = pieceBytes === undefined ? (chunk: Buffer) => to.write(chunk) : inPieces(to, pieceBytes);
  from.on('data', (chunk) => {
    if (write(chunk)) return;
    from.pause();
    to.once('drain', () => {
      if (!isHeld()) from.resume();
    });
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroySoon());
}

/** Each piece is a write of its own in a turn of its own, so that the kernel has no reason to join them. */
function inPieces(to: Socket, pieceBytes: number): (chunk: Buffer) => boolean {
  const waiting: Buffer[] = [];
  const next = (): void => {
    const piece = waiting.shift();
    if (piece === undefined) return;
    if (!to.destroyed) to.write(piece);
    if (waiting.length > 0) setImmediate(next);
  };
  return (chunk) => {
    const isIdle = waiting.length === 0;
    for (let at = 0; at < chunk.length; at += pieceBytes)
      waiting.push(Buffer.from(chunk.subarray(at, at + pieceBytes)));
    if (isIdle) setImmediate(next);
    return true;
  };
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('The relay has no port');
  return address.port;
}
