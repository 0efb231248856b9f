/**
 * A MySQL server that a test scripts: it greets as it is told and sends whatever packets, in whatever segments.
 *
 *     const server = await ScriptedMysqlServer.listen(async (session) => {
 *       await session.login();                                   // greeting, login packet, OK
 *       await session.serve((text) => text === 'select 1' ? session.resultSet(['1'], [['1']]) : [error(1146, 'no table', '42S02')]);
 *     });
 *     …connect to server.url…
 *     await server.close();                                      // rejects with what a script threw
 *
 * Packets are numbered as a server does: from the number after the client's last packet. By hand it goes like this:
 *
 *     const command = await session.command();                    // payload of the next command, null at the end
 *     session.reply(ok());                                        // payloads, numbered
 *     await session.inPieces(session.numbered(ok(), ok()), [1, 5]); // the same bytes, cut after 1 and after 5
 *     session.write(packet(ok(), 99));                            // any bytes: a sequence number out of step
 *
 * Payloads come from mysql-server-packets.ts. `greeting` null sends none: the script may start with anything.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { isTlsRequest, type ReadLogin, readLogin } from './mysql-client-packets.js';
import {
  capability,
  command as commandByte,
  maxPayloadBytes,
  type Packet,
  PacketSplitter,
  packets,
} from './mysql-protocol.js';
import {
  error,
  type GreetingOptions,
  greeting,
  mysqlGreeting,
  ok,
  type ResultSetOptions,
  resultSet,
} from './mysql-server-packets.js';
import { until, within } from './until.js';

const waitMs = 20_000;

export interface ScriptedServerOptions {
  /** Null: nothing is sent before the script says so. Default: MySQL 9.7 without TLS. */
  readonly greeting?: GreetingOptions | null;
  /** PEM texts; offers TLS and starts it when the client asks. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export type SessionScript = (session: ScriptedSession) => Promise<void>;

export class ScriptedMysqlServer {
  readonly sessions: ScriptedSession[] = [];
  port = 0;
  private readonly server: Server;
  private readonly running: Promise<void>[] = [];
  private readonly failures: unknown[] = [];

  private constructor(script: SessionScript, options: ScriptedServerOptions) {
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const session = new ScriptedSession(socket, options);
      this.sessions.push(session);
      this.running.push(
        session
          .greet()
          .then(() => script(session))
          .catch((failure: unknown) => void this.failures.push(failure)),
      );
    });
  }

  /** Resolves once it accepts. `script` runs for every connection, after the greeting was sent. */
  static async listen(
    script: SessionScript,
    options: ScriptedServerOptions = {},
  ): Promise<ScriptedMysqlServer> {
    const scripted = new ScriptedMysqlServer(script, options);
    await new Promise<void>((resolve) => scripted.server.listen(0, '127.0.0.1', resolve));
    const address = scripted.server.address();
    scripted.port = typeof address === 'object' && address !== null ? address.port : 0;
    return scripted;
  }

  get url(): string {
    return `mysql://app:secretpw@127.0.0.1:${this.port}/shop`;
  }

  /** The connection with this number, once it was made. */
  async session(index = 0): Promise<ScriptedSession> {
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

export class ScriptedSession {
  /** Every packet of the client, taken or not. */
  readonly received: Packet[] = [];
  /** Set once the client closed its side or the connection broke. */
  isEnded = false;
  /** The login packet, after `login`. */
  client: ReadLogin | null = null;
  /** Number of the next packet sent; follows the client's by itself, and can be set. */
  sequence = 0;

  socket: Socket;
  private readonly options: ScriptedServerOptions;
  private readonly splitter = new PacketSplitter();
  private taken = 0;

  constructor(socket: Socket, options: ScriptedServerOptions) {
    this.socket = socket;
    this.options = options;
    this.listen(socket);
  }

  async greet(): Promise<void> {
    const { greeting: given, tls } = this.options;
    if (given === null) return;
    const offer = { ...mysqlGreeting, ...given };
    const capabilities = (offer.capabilities ?? 0) | (tls === undefined ? 0 : capability.tls);
    this.reply(greeting({ ...offer, capabilities }));
  }

  /** Takes the login packet, through TLS where the client asks for it, and answers with `answers` (default: OK). */
  async login(...answers: readonly Buffer[]): Promise<ReadLogin> {
    let first = await this.packet();
    if (isTlsRequest(first.payload)) {
      this.encrypt();
      first = await this.packet();
    }
    this.client = readLogin(first.payload);
    this.reply(...(answers.length === 0 ? [ok()] : answers));
    return this.client;
  }

  /** Payload of the next command, joined where it came in several packets; null once the client is gone. */
  async command(): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for (;;) {
      const next = await this.nextPacket();
      if (next === null) return null;
      parts.push(next.payload);
      if (next.payload.length < maxPayloadBytes) return Buffer.concat(parts);
    }
  }

  /**
   * Answers until the client is gone: COM_QUERY with the payloads `answer` gives for its text, COM_PING,
   * COM_INIT_DB and COM_RESET_CONNECTION with OK, everything else with error 1047.
   */
  async serve(answer: (text: string) => readonly Buffer[]): Promise<void> {
    const attributes = ((this.client?.capabilities ?? 0) & capability.queryAttributes) !== 0;
    for (;;) {
      const payload = await this.command();
      if (payload === null || payload[0] === commandByte.quit) return;
      // Scripted servers take no attributes: an empty list is two bytes.
      if (payload[0] === commandByte.query)
        this.reply(...answer(payload.toString('utf8', attributes ? 3 : 1)));
      else if (isAcknowledged(payload[0])) this.reply(ok());
      else this.reply(error(1047, 'Unknown command', '08S01'));
    }
  }

  /** The payloads of a result set, with EOF packets unless the client agreed to do without. */
  resultSet(
    columns: readonly string[],
    rows: readonly (readonly (string | null)[])[],
    options: ResultSetOptions = {},
  ): Buffer[] {
    const isEofDeprecated = ((this.client?.capabilities ?? 0) & capability.deprecateEof) !== 0;
    return resultSet(columns, rows, { isEofDeprecated, ...options });
  }

  /** Sends payloads, numbered, in one write. */
  reply(...payloads: readonly Buffer[]): void {
    this.write(this.numbered(...payloads));
  }

  /** The bytes `reply` would send; counts the numbers on. */
  numbered(...payloads: readonly Buffer[]): Buffer {
    return Buffer.concat(
      payloads.map((payload) => {
        const bytes = packets(payload, this.sequence);
        this.sequence += 1 + Math.floor(payload.length / maxPayloadBytes);
        return bytes;
      }),
    );
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

  /** The next packet not taken yet; rejects when the client is gone. */
  async packet(): Promise<Packet> {
    const next = await this.nextPacket();
    if (next === null) throw new Error('The client ended the connection where a packet was awaited');
    return next;
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

  private async nextPacket(): Promise<Packet | null> {
    await until(() => this.isEnded || this.taken < this.received.length, waitMs, 'a packet of the client');
    const next = this.received[this.taken];
    if (next === undefined) return null;
    this.taken += 1;
    this.sequence = next.sequence + 1;
    return next;
  }

  private listen(socket: Socket): void {
    const end = (): void => {
      this.isEnded = true;
    };
    socket.on('data', (chunk: Buffer) => this.received.push(...this.splitter.push(chunk)));
    for (const event of ['error', 'end', 'close']) socket.on(event, end);
  }

  private encrypt(): void {
    const { tls } = this.options;
    if (tls === undefined) throw new Error('The client asks for TLS, which was not offered');
    const plain = this.socket;
    plain.removeAllListeners('data');
    plain.pause();
    // What came in one segment with the TLS request is the client's first TLS record.
    const early = this.splitter.takeRest();
    if (early.length > 0) plain.unshift(early);
    const secure = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(tls) });
    this.socket = secure;
    this.listen(secure);
  }
}

function isAcknowledged(byte: number | undefined): boolean {
  return byte === commandByte.ping || byte === commandByte.initDb || byte === commandByte.resetConnection;
}
