/**
 * Relays both directions of one session through its observer, from the end of the handshake to the close of both
 * sockets.
 *
 * Invariants: a chunk is forwarded in the same step in which it was read, unless the observer has taken over what the
 * client says; no promise, timer or closure is made for it.
 * A direction whose reader is slow stops being read above `writeBufferHighWaterBytes`. The end of one side passes to
 * the other only after everything read before it. No byte is invented: a lost end looks to the other as if it had been
 * connected directly.
 */
import type { Socket } from 'node:net';
import type { ByteOutput, SessionObserver } from '../core/adapter.js';
import { limits } from '../core/limits.js';
import { destroyAfter } from './close-gently.js';

const highWaterBytes = limits.writeBufferHighWaterBytes;
const nowhere: ByteOutput = { write: () => undefined };

export type PumpEnd = 'client_closed' | 'server_closed' | 'observer_error';

export class Pump implements ByteOutput {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #observer: SessionObserver;
  readonly #onEnd: (end: PumpEnd) => void;
  /** Who left first. */
  #end: PumpEnd | null = null;
  #isObserved = true;
  /** The observer sends on what the client says. */
  readonly #isTakenOver: boolean;
  #isObserverEnded = false;
  #isLingering = false;
  #closedSides = 0;

  constructor(client: Socket, server: Socket, observer: SessionObserver, onEnd: (end: PumpEnd) => void) {
    this.#client = client;
    this.#server = server;
    this.#observer = observer;
    this.#onEnd = onEnd;
    this.#isTakenOver = observer.takeOver !== undefined;
    const close = (): void => void server.destroy();
    observer.takeOver?.({ toServer: { write: (bytes) => void server.write(bytes) }, toClient: this, close });
  }

  /**
   * Takes over: the sockets' `data` listeners must be gone, and whoever reads the server gives its chunks to
   * `fromServer` (`readsServer` true: the pump listens for `data` itself).
   */
  start(clientBacklog: Buffer, serverBacklog: Buffer, readsServer: boolean): void {
    const client = this.#client;
    const server = this.#server;
    client.on('drain', () => server.resume());
    server.on('drain', () => client.resume());
    client.once('close', () => this.#clientClosed());
    server.once('close', () => this.#serverClosed());
    if (clientBacklog.length > 0) this.fromClient(clientBacklog);
    if (serverBacklog.length > 0) this.fromServer(serverBacklog);
    client.on('data', (chunk: Buffer) => this.fromClient(chunk));
    if (readsServer) server.on('data', (chunk: Buffer) => this.fromServer(chunk));
    if (client.readableEnded) this.#clientEnded();
    else client.once('end', () => this.#clientEnded());
    if (server.readableEnded) this.#serverEnded();
    else server.once('end', () => this.#serverEnded());
    if (client.writableLength <= highWaterBytes) server.resume();
    if (server.writableLength <= highWaterBytes) client.resume();
  }

  fromClient(chunk: Buffer): void {
    const server = this.#server;
    if (!this.#isTakenOver) server.write(chunk);
    if (this.#isObserved) {
      try {
        this.#observer.toServer(chunk);
      } catch {
        this.#observerFailed();
      }
    }
    if (server.writableLength > highWaterBytes) this.#client.pause();
  }

  fromServer(chunk: Buffer): void {
    if (this.#isObserved) {
      try {
        this.#observer.toClient(chunk, this);
      } catch {
        this.#observerFailed();
      }
    } else {
      this.#client.write(chunk);
    }
    if (this.#client.writableLength > highWaterBytes) this.#server.pause();
  }

  /** The observer's way to the client. */
  write(bytes: Buffer): void {
    this.#client.write(bytes);
  }

  /**
   * Observers do not throw; one that does may have kept bytes that nobody can give back, and a stream with a hole must
   * not go on.
   */
  #observerFailed(): void {
    this.#isObserved = false;
    this.#end ??= 'observer_error';
    this.#client.destroy();
    this.#server.destroy();
  }

  /** It may only have no more to say: what the server still has to answer goes to it. */
  #clientEnded(): void {
    this.#end ??= 'client_closed';
    this.#server.end();
  }

  #serverEnded(): void {
    this.#end ??= 'server_closed';
    this.#endObserver(this);
    this.#client.end();
    this.#lingerOnce();
  }

  #serverClosed(): void {
    this.#serverEnded();
    // What the client still sends has nobody to go to; it is read so that its end is noticed.
    this.#client.removeAllListeners('data');
    this.#client.resume();
    this.#sideClosed();
  }

  #clientClosed(): void {
    this.#end ??= 'client_closed';
    this.#endObserver(nowhere);
    this.#server.destroy();
    this.#sideClosed();
  }

  #sideClosed(): void {
    this.#closedSides += 1;
    if (this.#closedSides === 2) this.#onEnd(this.#end ?? 'client_closed');
  }

  /** The server is gone: once the client has everything, it has a while to close. */
  #lingerOnce(): void {
    if (this.#isLingering) return;
    this.#isLingering = true;
    const client = this.#client;
    if (client.writableFinished) destroyAfter(client, limits.lingerMs);
    else client.once('finish', () => destroyAfter(client, limits.lingerMs));
  }

  #endObserver(out: ByteOutput): void {
    if (this.#isObserverEnded) return;
    this.#isObserverEnded = true;
    try {
      this.#observer.end(out);
    } catch {
      this.#observerFailed();
    }
  }
}
