/**
 * A session of MongoDB's protocol without a client library: sends exactly the messages it is given and keeps every
 * message that comes back.
 *
 *     const session = await RawMongo.open(database.url);            // logs in by SCRAM-SHA-256 where the URL has a user
 *     const reply = await session.run({ find: 'users' });           // $db is that of the URL
 *     await session.send(opMsg(a), opMsg(b));                       // one write, any bytes (mongodb-messages.ts)
 *     const message = await session.message();                      // then one message after the other
 *     const rest = await session.ended();
 *     session.close();
 *
 * To script a login by hand, `dial`.
 */
import { connect as openSocket, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { Binary, type Document } from 'bson';
import {
  bodyOf,
  flagsOf,
  type Message,
  MessageSplitter,
  type MsgOptions,
  msgFlag,
  opMsg,
} from './mongodb-messages.js';
import { ScramClient } from './mongodb-scram.js';
import { Changes } from './until.js';

const waitMs = 20_000;

export interface RawMongoOptions {
  /** Certificates are not checked. */
  readonly isTls?: boolean;
  /** Writes at most this many bytes at a time, each in a turn of its own. */
  readonly pieceBytes?: number;
}

/** A login that the server refused, with its reply. */
export class MongoLoginRefused extends Error {
  readonly reply: Document;

  constructor(reply: Document) {
    super(String(reply['errmsg']));
    this.reply = reply;
  }
}

export class RawMongo {
  /** Every message that came, taken or not. */
  readonly messages: Message[] = [];
  /** Set once the server closed its side or the connection broke. */
  isEnded = false;
  readonly socket: Socket;
  readonly database: string;
  private readonly options: RawMongoOptions;
  private readonly splitter = new MessageSplitter();
  private readonly changes = new Changes();
  private taken = 0;
  private lastRequestId = 0;

  private constructor(socket: Socket, database: string, options: RawMongoOptions) {
    this.socket = socket;
    this.database = database;
    this.options = options;
    socket.setNoDelay(true);
    this.listen();
  }

  /** Connects to host and port of `url` and sends nothing. */
  static async dial(url: string, options: RawMongoOptions = {}): Promise<RawMongo> {
    const { hostname: host, port: digits, pathname } = new URL(url);
    const port = Number(digits);
    const socket =
      options.isTls === true
        ? openTls({ host, port, rejectUnauthorized: false })
        : openSocket({ host, port });
    await new Promise<void>((resolve, reject) => {
      socket.once(options.isTls === true ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
    });
    return new RawMongo(socket, pathname.slice(1) || 'test', options);
  }

  /** Connects and logs in as the user of `url`, if it has one. Rejects with `MongoLoginRefused`. */
  static async open(url: string, options: RawMongoOptions = {}): Promise<RawMongo> {
    const session = await RawMongo.dial(url, options);
    try {
      const { username, password } = new URL(url);
      if (username !== '') await session.login(decodeURIComponent(username), decodeURIComponent(password));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** SCRAM-SHA-256 against database admin. */
  async login(user: string, password: string): Promise<void> {
    const scram = new ScramClient(user, password);
    const start = {
      saslStart: 1,
      mechanism: 'SCRAM-SHA-256',
      payload: new Binary(scram.first()),
      options: { skipEmptyExchange: true },
      $db: 'admin',
    };
    const first = accepted(await this.run(start));
    let last = accepted(await this.run(continued(first, scram.final(payloadOf(first)))));
    if (!scram.isServer(payloadOf(last))) throw new Error('The server does not know the password');
    while (last['done'] !== true) last = accepted(await this.run(continued(first, Buffer.alloc(0))));
  }

  nextRequestId(): number {
    this.lastRequestId += 1;
    return this.lastRequestId;
  }

  /** Sends one command as OP_MSG, in the URL's database unless it names one, and resolves to the body of its reply. */
  async run(command: Document, options: MsgOptions = {}): Promise<Document> {
    return bodyOf(await this.runMessage(command, options));
  }

  /** The same, resolving to the whole reply. Rejects when the reply is to something else. */
  async runMessage(command: Document, options: MsgOptions = {}): Promise<Message> {
    const requestId = options.requestId ?? this.nextRequestId();
    await this.send(opMsg(this.inDatabase(command), { ...options, requestId }));
    const reply = await this.message();
    if (reply.responseTo !== requestId)
      throw new Error(`A reply to ${reply.responseTo} where one to ${requestId} was awaited`);
    return reply;
  }

  /** Every reply to one command up to the one without moreToCome. */
  async runExhaust(command: Document): Promise<Message[]> {
    const requestId = this.nextRequestId();
    const flags = msgFlag.exhaustAllowed;
    await this.send(opMsg(this.inDatabase(command), { requestId, flags }));
    const replies: Message[] = [];
    for (;;) {
      const reply = await this.message();
      replies.push(reply);
      if ((flagsOf(reply) & msgFlag.moreToCome) === 0) return replies;
    }
  }

  /** Writes bytes as they are, all parts at once. */
  async send(...parts: readonly Buffer[]): Promise<void> {
    const bytes = Buffer.concat(parts);
    const { pieceBytes } = this.options;
    if (pieceBytes === undefined) {
      this.socket.write(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      this.socket.write(bytes.subarray(at, at + pieceBytes));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The next message not taken yet; rejects when the session ended without one. */
  async message(): Promise<Message> {
    const isThere = (): boolean => this.isEnded || this.taken < this.messages.length;
    await this.changes.until(isThere, waitMs, 'a message');
    const next = this.messages[this.taken];
    if (next === undefined) throw new Error('The session ended where a message was awaited');
    this.taken += 1;
    return next;
  }

  /** Everything not taken yet up to the end of the session. */
  async ended(): Promise<readonly Message[]> {
    await this.changes.until(() => this.isEnded, waitMs, 'the session to end');
    const left = this.messages.slice(this.taken);
    this.taken = this.messages.length;
    return left;
  }

  close(): void {
    this.socket.destroy();
  }

  /** The command's name stays the first key. */
  private inDatabase(command: Document): Document {
    return '$db' in command ? command : { ...command, $db: this.database };
  }

  private listen(): void {
    const end = (): void => {
      this.isEnded = true;
      this.changes.happened();
    };
    this.socket.on('data', (chunk: Buffer) => {
      const found = this.splitter.push(chunk);
      this.messages.push(...found);
      if (found.length > 0) this.changes.happened();
    });
    for (const event of ['error', 'end', 'close']) this.socket.on(event, end);
  }
}

function accepted(reply: Document): Document {
  if (reply['ok'] !== 1) throw new MongoLoginRefused(reply);
  return reply;
}

function continued({ conversationId }: Document, payload: Buffer): Document {
  return { saslContinue: 1, conversationId, payload: new Binary(payload), $db: 'admin' };
}

function payloadOf(reply: Document): Buffer {
  return Buffer.from((reply['payload'] as Binary).buffer);
}
