/**
 * A PostgreSQL session without a client library: sends exactly the bytes it is given and keeps every frame that comes
 * back. Logs in as an account that needs no password.
 */
import { connect as openSocket, type Socket } from 'node:net';
import { serialize } from 'pg-protocol';
import { Changes } from './until.js';

const waitMs = 20_000;

/** One message of the server: its type letter and what follows the length. */
export interface Frame {
  readonly type: string;
  readonly body: Buffer;
}

export interface RawOptions {
  readonly user?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Writes at most this many bytes at a time, each in a turn of its own. */
  readonly pieceBytes?: number;
}

export class RawPostgres {
  readonly frames: Frame[] = [];
  /** Set once the server closed its side or the connection broke. */
  isEnded = false;
  private buffered: Buffer = Buffer.alloc(0);
  private readonly changes = new Changes();
  private taken = 0;

  readonly socket: Socket;
  private readonly pieceBytes: number | undefined;

  private constructor(socket: Socket, pieceBytes: number | undefined) {
    this.socket = socket;
    this.pieceBytes = pieceBytes;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.push(chunk));
    const end = (): void => {
      this.isEnded = true;
      this.changes.happened();
    };
    for (const event of ['error', 'end', 'close']) socket.on(event, end);
  }

  /** Connects to host and port of `url` and sends nothing. */
  static async dial(url: string, options: RawOptions = {}): Promise<RawPostgres> {
    const { hostname, port } = new URL(url);
    const socket = openSocket({ host: hostname, port: Number(port) });
    const session = new RawPostgres(socket, options.pieceBytes);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return session;
  }

  /** Connects and logs in to the database of `url`; resolves at the first ReadyForQuery. */
  static async open(url: string, options: RawOptions = {}): Promise<RawPostgres> {
    const session = await RawPostgres.dial(url, options);
    const database = decodeURIComponent(new URL(url).pathname.slice(1));
    await session.send(
      serialize.startup({ user: options.user ?? 'trust_user', database, ...options.parameters }),
    );
    await session.ready(1);
    return session;
  }

  async send(bytes: Buffer): Promise<void> {
    if (this.pieceBytes === undefined) {
      this.socket.write(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += this.pieceBytes) {
      this.socket.write(bytes.subarray(at, at + this.pieceBytes));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Frames since the last take, once `count` of the given type are among them; fewer if the session ended. */
  async take(type: string, count: number): Promise<readonly Frame[]> {
    const fresh = (): Frame[] => this.frames.slice(this.taken);
    const isComplete = (): boolean =>
      this.isEnded || fresh().filter((frame) => frame.type === type).length >= count;
    await this.changes.until(isComplete, waitMs, `${count} frames of type ${type}`);
    const frames = fresh();
    this.taken += frames.length;
    return frames;
  }

  ready(count: number): Promise<readonly Frame[]> {
    return this.take('Z', count);
  }

  /** Everything up to the end of the session. */
  async ended(): Promise<readonly Frame[]> {
    await this.changes.until(() => this.isEnded, waitMs, 'the session to end');
    return this.take('Z', 0);
  }

  close(): void {
    this.socket.destroy();
  }

  private push(chunk: Buffer): void {
    let rest = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    while (rest.length >= 5) {
      const length = rest.readInt32BE(1);
      if (rest.length < length + 1) break;
      this.frames.push({
        type: String.fromCharCode(rest[0] ?? 0),
        body: Buffer.from(rest.subarray(5, length + 1)),
      });
      rest = rest.subarray(length + 1);
    }
    this.buffered = rest;
    this.changes.happened();
  }
}
