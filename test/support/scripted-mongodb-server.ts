/**
 * A server of MongoDB's protocol that a test scripts: it answers with whatever messages, in whatever segments.
 *
 *     const server = await ScriptedMongoServer.listen(async (session) => {
 *       await session.serve((command) => command['find'] === undefined ? undefined : { ok: 0, errmsg: 'no', code: 26 });
 *     });
 *     …connect to server.url…
 *     await server.close();                                       // rejects with what a script threw
 *
 * A client library opens several connections, and each runs the script. By hand it goes like this:
 *
 *     const request = await session.request();                    // the next message, null at the end
 *     session.reply(request, { ok: 1 });                          // in the opcode that the request asks for
 *     session.reply(request, body, { isChecksummed: true, flags: msgFlag.moreToCome });
 *     await session.inPieces(session.replyTo(request, body), [1, 17]); // the same bytes, cut after 1 and after 17
 *     session.write(compressed(session.replyTo(request, body), 'snappy'));  // any bytes
 *     session.reset();
 *
 * Messages come from mongodb-messages.ts. Requests that were compressed are read as what they hold.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Document } from 'bson';
import {
  bodyOf,
  flagsOf,
  type Message,
  MessageSplitter,
  type MsgOptions,
  msgFlag,
  opcode,
  opMsg,
  opReply,
} from './mongodb-messages.js';
import { until, within } from './until.js';

const waitMs = 20_000;

export interface ScriptedMongoOptions {
  /** Added to, or instead of, what the reply to a handshake has: hosts, setName, compression, topologyVersion. */
  readonly hello?: Document;
  /** PEM texts; then every connection is TLS from its first byte. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export type MongoScript = (session: ScriptedMongoSession) => Promise<void>;

/** What `serve` sends for a command: a reply's body, any bytes, nothing (null), or the default (undefined). */
export type ScriptedAnswer = Document | Buffer | null | undefined;

export class ScriptedMongoServer {
  readonly sessions: ScriptedMongoSession[] = [];
  port = 0;
  private readonly server: Server;
  private readonly running: Promise<void>[] = [];
  private readonly failures: unknown[] = [];

  private constructor(script: MongoScript, options: ScriptedMongoOptions) {
    const accept = (socket: Socket): void => {
      const session = new ScriptedMongoSession(socket, options, this.sessions.length + 1);
      this.sessions.push(session);
      this.running.push(script(session).catch((failure: unknown) => void this.failures.push(failure)));
    };
    const { tls } = options;
    this.server =
      tls === undefined
        ? createServer({ allowHalfOpen: true, noDelay: true }, accept)
        : createTlsServer({ ...tls, allowHalfOpen: true, noDelay: true }, accept);
  }

  /** Resolves once it accepts. */
  static async listen(script: MongoScript, options: ScriptedMongoOptions = {}): Promise<ScriptedMongoServer> {
    const scripted = new ScriptedMongoServer(script, options);
    await new Promise<void>((resolve) => scripted.server.listen(0, '127.0.0.1', resolve));
    const address = scripted.server.address();
    scripted.port = typeof address === 'object' && address !== null ? address.port : 0;
    return scripted;
  }

  /** Without an account: nobody logs in. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.port}/shop`;
  }

  /** The connection with this number, once it was made. */
  async session(index = 0): Promise<ScriptedMongoSession> {
    await until(() => this.sessions.length > index, waitMs, `connection ${index}`);
    return this.sessions[index]!;
  }

  /** Ends every connection; rejects with the first thing a script threw. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const session of this.sessions) session.destroy();
    await within(Promise.all([closed, ...this.running]), waitMs, 'the scripts to end');
    if (this.failures.length > 0) throw this.failures[0];
  }
}

export class ScriptedMongoSession {
  /** Every message of the client, taken or not. */
  readonly received: Message[] = [];
  /** Set once the client closed its side or the connection broke. */
  isEnded = false;
  /** From 1, in the order of connections. */
  readonly number: number;
  readonly socket: Socket;
  private readonly options: ScriptedMongoOptions;
  private readonly splitter = new MessageSplitter();
  private taken = 0;
  private lastRequestId = 1000;

  constructor(socket: Socket, options: ScriptedMongoOptions, number: number) {
    this.socket = socket;
    this.options = options;
    this.number = number;
    const end = (): void => {
      this.isEnded = true;
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        this.received.push(...this.splitter.push(chunk));
      } catch {
        // A length that no message has: servers hang up.
        this.destroy();
      }
    });
    for (const event of ['error', 'end', 'close']) socket.on(event, end);
  }

  /** The next message of the client; null once it is gone. */
  async request(): Promise<Message | null> {
    await until(() => this.isEnded || this.taken < this.received.length, waitMs, 'a request');
    const next = this.received[this.taken];
    if (next === undefined) return null;
    this.taken += 1;
    return next;
  }

  /** The next message; rejects when the client is gone. */
  async mustRequest(): Promise<Message> {
    const next = await this.request();
    if (next === null) throw new Error('The client ended the connection where a request was awaited');
    return next;
  }

  /** Takes the first request, which greets, and answers it. */
  async handshake(): Promise<Message> {
    const request = await this.mustRequest();
    this.reply(request, this.helloFor(bodyOf(request)));
    return request;
  }

  /**
   * Answers until the client is gone: what `answer` gives; where it gives undefined, greetings with the default reply
   * and everything else with `{ ok: 1 }`. Requests with moreToCome are shown to `answer` and get no reply.
   */
  async serve(answer: (command: Document, request: Message) => ScriptedAnswer): Promise<void> {
    for (;;) {
      const request = await this.request();
      if (request === null) return;
      const command = bodyOf(request);
      const given = answer(command, request);
      if ((flagsOf(request) & msgFlag.moreToCome) !== 0 || given === null) continue;
      if (Buffer.isBuffer(given)) this.write(given);
      else this.reply(request, given ?? (isGreeting(command) ? this.helloFor(command) : { ok: 1 }));
    }
  }

  helloFor(command: Document): Document {
    return {
      ...(command['hello'] === undefined ? { ismaster: true } : { isWritablePrimary: true }),
      helloOk: true,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(0),
      logicalSessionTimeoutMinutes: 30,
      connectionId: this.number,
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
      ok: 1,
      ...this.options.hello,
    };
  }

  /** Sends `body` as the reply to `request`. */
  reply(request: Message, body: Document | Buffer, options: MsgOptions = {}): void {
    this.write(this.replyTo(request, body, options));
  }

  /** The bytes `reply` would send: OP_REPLY to OP_QUERY, else OP_MSG. */
  replyTo(request: Message, body: Document | Buffer, options: MsgOptions = {}): Buffer {
    this.lastRequestId += 1;
    const ids = { requestId: this.lastRequestId, responseTo: request.requestId };
    return request.opcode === opcode.query && !Buffer.isBuffer(body)
      ? opReply([body], ids)
      : opMsg(body, { ...ids, ...options });
  }

  /** Any bytes at all. */
  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Writes `bytes` in segments: cut at each offset of `cuts`, each handed to the network in a turn of its own. */
  async inPieces(bytes: Buffer, cuts: readonly number[]): Promise<void> {
    const edges = [0, ...cuts, bytes.length];
    for (const [index, start] of edges.slice(0, -1).entries()) {
      const piece = bytes.subarray(start, edges[index + 1]);
      if (piece.length === 0) continue;
      await new Promise<void>((resolve) => this.socket.write(piece, () => resolve()));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async ended(): Promise<void> {
    await until(() => this.isEnded, waitMs, 'the client to end the connection');
  }

  /** Closes the sending side after everything written. */
  end(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
    this.isEnded = true;
  }

  /** Ends the connection by RST. */
  reset(): void {
    this.socket.resetAndDestroy();
    this.isEnded = true;
  }
}

function isGreeting(command: Document): boolean {
  const [name = ''] = Object.keys(command);
  return ['hello', 'ismaster', 'isMaster'].includes(name);
}
