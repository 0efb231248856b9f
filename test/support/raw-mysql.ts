/**
 * A MySQL or MariaDB session without a client library: sends exactly the packets it is given and keeps every packet
 * that comes back.
 *
 *     const session = await RawMysql.open(database.url);
 *     const answer = await session.query('select 1');             // every packet of the answer, headers read off
 *     const prepared = await session.run(prepare('select ?'));    // the same for any command
 *     await session.send(packets(ping), packets(query('nope')));   // one write, any bytes
 *     await session.answer(command.ping);                         // then one answer after the other
 *     const rest = await session.ended();
 *     session.close();
 *
 * Commands are built in mysql-client-packets.ts; what comes back is read with `readOk`, `readError` and `isError` of
 * mysql-server-packets.ts. `open` logs in with mysql_native_password, caching_sha2_password, sha256_password (over
 * TLS or by RSA) or mysql_clear_password; `authentication` tells which steps were taken. To script a login by hand,
 * `dial` and then `packet()`.
 */
import { connect as openSocket, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import {
  authAnswer,
  changeUser,
  loginPacket,
  query,
  rsaPassword,
  tlsRequest,
} from './mysql-client-packets.js';
import {
  capability,
  type Packet,
  PacketSplitter,
  PayloadReader,
  packet as packetBytes,
  packets,
} from './mysql-protocol.js';
import { AnswerEnd, unanswered } from './mysql-response.js';
import { type Greeting, readError, readGreeting, usualRequest } from './mysql-server-packets.js';
import { Changes } from './until.js';

const waitMs = 20_000;

export interface RawOptions {
  /** Capabilities asked for; what the server does not offer is left out. Default: `usualRequest`. */
  readonly capabilities?: number;
  /** MariaDB's second word. */
  readonly extendedCapabilities?: number;
  readonly charset?: number;
  /** Encrypts before the login; certificates are not checked. */
  readonly isTls?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
  /** The plugin the login starts with; unset: what the greeting names. */
  readonly plugin?: string;
  /** Writes at most this many bytes at a time, each in a turn of its own. */
  readonly pieceBytes?: number;
}

/** What a login or COM_CHANGE_USER went through, in order. */
export type AuthStep = `plugin ${string}` | 'fast' | 'full over TLS' | 'full by RSA';

/** A login that the server refused; the fields are those of its ERR packet. */
export class LoginRefused extends Error {
  readonly code: number;
  readonly sqlState: string | null;

  constructor(payload: Buffer) {
    const { code, sqlState, message } = readError(payload);
    super(message);
    this.code = code;
    this.sqlState = sqlState;
  }
}

export class RawMysql {
  /** Every packet that came, taken or not. */
  readonly packets: Packet[] = [];
  /** Set once the server closed its side or the connection broke. */
  isEnded = false;
  greeting: Greeting | null = null;
  /** What the login agreed on. */
  capabilities = 0;
  extendedCapabilities = 0;
  readonly authentication: AuthStep[] = [];

  socket: Socket;
  private readonly options: RawOptions;
  private readonly splitter = new PacketSplitter();
  private readonly changes = new Changes();
  private taken = 0;

  private constructor(socket: Socket, options: RawOptions) {
    this.socket = socket;
    this.options = options;
    socket.setNoDelay(true);
    this.listen(socket);
  }

  /** Connects to host and port of `url` and sends nothing. */
  static async dial(url: string, options: RawOptions = {}): Promise<RawMysql> {
    const { hostname, port } = new URL(url);
    const socket = openSocket({ host: hostname, port: Number(port) });
    const session = new RawMysql(socket, options);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return session;
  }

  /** Connects and logs in with user, password and database of `url`. Rejects with `LoginRefused`. */
  static async open(url: string, options: RawOptions = {}): Promise<RawMysql> {
    const session = await RawMysql.dial(url, options);
    try {
      await session.login(url);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Reads the greeting and logs in; for sessions made by `dial`. */
  async login(url: string): Promise<void> {
    const first = await this.packet();
    if (first.payload[0] === 0xff) throw new LoginRefused(first.payload);
    const greeting = readGreeting(first.payload);
    this.greeting = greeting;
    const { user, password, database } = accountOf(url);
    const isTls = this.options.isTls === true;
    if (isTls && (greeting.capabilities & capability.tls) === 0)
      throw new Error('The server does not offer TLS');
    let wanted = (this.options.capabilities ?? usualRequest) & greeting.capabilities;
    wanted |= isTls ? capability.tls : 0;
    wanted = database === '' ? wanted & ~capability.connectWithDb : wanted | capability.connectWithDb;
    this.capabilities = wanted >>> 0;
    this.extendedCapabilities = (this.options.extendedCapabilities ?? 0) & greeting.extendedCapabilities;
    const head = {
      capabilities: this.capabilities,
      extendedCapabilities: this.extendedCapabilities,
      charset: this.options.charset ?? 45,
    };
    let sequence = first.sequence + 1;
    if (isTls) {
      await this.send(packetBytes(tlsRequest(head), sequence));
      await this.encrypt();
      sequence += 1;
    }
    const plugin = this.options.plugin ?? greeting.plugin;
    this.authentication.push(`plugin ${plugin}`);
    const authData = authAnswer(plugin, password, greeting.nonce, isTls);
    const attributes = this.options.attributes ?? {};
    const login = loginPacket({ ...head, user, authData, database, plugin, attributes });
    await this.send(packetBytes(login, sequence));
    await this.authenticate(plugin, password, greeting.nonce);
  }

  /** COM_CHANGE_USER to the account and database of `url`, through any number of authentication steps. */
  async changeUser(url: string): Promise<void> {
    const { user, password, database } = accountOf(url);
    const { plugin, nonce } = this.known();
    const authData = authAnswer(plugin, password, nonce, this.options.isTls === true);
    this.authentication.push(`plugin ${plugin}`);
    await this.sendPacket(changeUser({ user, authData, database, plugin }));
    await this.authenticate(plugin, password, nonce);
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

  /** Writes a payload of any size as one or more packets. */
  sendPacket(payload: Buffer, sequence = 0): Promise<void> {
    return this.send(packets(payload, sequence));
  }

  /** Sends one command and resolves to its whole answer: empty for commands that get none. */
  async run(payload: Buffer): Promise<readonly Packet[]> {
    await this.sendPacket(payload);
    return this.answer(payload[0]!);
  }

  /** COM_QUERY, with an empty list of attributes where the login agreed on them. */
  query(text: string): Promise<readonly Packet[]> {
    const hasAttributes = (this.capabilities & capability.queryAttributes) !== 0;
    return this.run(hasAttributes ? query(text, {}) : query(text));
  }

  /** The answer to a command that was sent before; fewer packets if the session ended. */
  async answer(commandByte: number): Promise<readonly Packet[]> {
    if (unanswered.has(commandByte)) return [];
    const end = new AnswerEnd(commandByte, this);
    const answer: Packet[] = [];
    for (;;) {
      const next = await this.nextPacket();
      if (next === null) return answer;
      answer.push(next);
      if (end.isLast(next.payload)) return answer;
    }
  }

  /** A file for LOCAL INFILE in pieces of its own, ended by the empty packet; then the answer. */
  async sendFile(request: Packet, ...pieces: readonly Buffer[]): Promise<readonly Packet[]> {
    const sent = [...pieces, Buffer.alloc(0)];
    await this.send(...sent.map((piece, index) => packetBytes(piece, request.sequence + 1 + index)));
    return this.answer(0x03);
  }

  /** The next packet not taken yet; rejects when the session ended without one. */
  async packet(): Promise<Packet> {
    const next = await this.nextPacket();
    if (next === null) throw new Error('The session ended where a packet was awaited');
    return next;
  }

  /** Everything not taken yet up to the end of the session. */
  async ended(): Promise<readonly Packet[]> {
    await this.changes.until(() => this.isEnded, waitMs, 'the session to end');
    const left = this.packets.slice(this.taken);
    this.taken = this.packets.length;
    return left;
  }

  close(): void {
    this.socket.destroy();
  }

  private async nextPacket(): Promise<Packet | null> {
    const isThere = (): boolean => this.isEnded || this.taken < this.packets.length;
    await this.changes.until(isThere, waitMs, 'a packet');
    const next = this.packets[this.taken];
    if (next === undefined) return null;
    this.taken += 1;
    return next;
  }

  private async authenticate(firstPlugin: string, password: string, firstNonce: Buffer): Promise<void> {
    let plugin = firstPlugin;
    let nonce = firstNonce;
    const isTls = this.options.isTls === true;
    for (;;) {
      const { payload, sequence } = await this.packet();
      const reply = (answer: Buffer): Promise<void> => this.send(packetBytes(answer, sequence + 1));
      if (payload[0] === 0x00) return;
      if (payload[0] === 0xff) throw new LoginRefused(payload);
      if (payload[0] === 0xfe) {
        const reader = new PayloadReader(payload, 1);
        plugin = reader.nulString();
        nonce = Buffer.from(reader.rest().subarray(0, 20));
        this.authentication.push(`plugin ${plugin}`);
        await reply(authAnswer(plugin, password, nonce, isTls));
      } else if (payload[0] === 0x01) {
        await this.moreAuthData(payload.subarray(1), { plugin, password, nonce, reply });
      } else throw new Error(`Unexpected in a login: ${payload.subarray(0, 16).toString('hex')}`);
    }
  }

  private async moreAuthData(data: Buffer, state: AuthState): Promise<void> {
    const { plugin, password, nonce, reply } = state;
    if (data.length === 1 && data[0] === 3) {
      this.authentication.push('fast');
    } else if (data.length === 1 && data[0] === 4) {
      if (this.options.isTls !== true) return reply(Buffer.from([0x02]));
      this.authentication.push('full over TLS');
      await reply(Buffer.from(`${password}\0`));
    } else if (data.includes('BEGIN PUBLIC KEY')) {
      this.authentication.push('full by RSA');
      await reply(rsaPassword(password, nonce, data.toString()));
    } else throw new Error(`Unexpected data of ${plugin}: ${data.subarray(0, 16).toString('hex')}`);
  }

  private known(): Greeting {
    if (this.greeting === null) throw new Error('Not logged in');
    return this.greeting;
  }

  private listen(socket: Socket): void {
    const end = (): void => {
      this.isEnded = true;
      this.changes.happened();
    };
    socket.on('data', (chunk: Buffer) => {
      const found = this.splitter.push(chunk);
      this.packets.push(...found);
      if (found.length > 0) this.changes.happened();
    });
    for (const event of ['error', 'end', 'close']) socket.on(event, end);
  }

  private encrypt(): Promise<void> {
    const plain = this.socket;
    plain.removeAllListeners('data');
    return new Promise((resolve, reject) => {
      const secure = openTls({ socket: plain, rejectUnauthorized: false }, resolve);
      secure.once('error', reject);
      this.socket = secure;
      this.listen(secure);
    });
  }
}

interface AuthState {
  readonly plugin: string;
  readonly password: string;
  readonly nonce: Buffer;
  readonly reply: (answer: Buffer) => Promise<void>;
}

function accountOf(url: string): { user: string; password: string; database: string } {
  const { username, password, pathname } = new URL(url);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return { user: user ?? '', password: secret ?? '', database: database ?? '' };
}
