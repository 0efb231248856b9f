/**
 * The contract between the proxy and one database's adapter. Types only. Sockets belong to the proxy, bytes and
 * session state to the adapter, policy to the sink.
 */
import type { Classification } from './failure/failure-class.js';
import type { Note } from './notes/note.js';
import type { NoteTemplates } from './notes/templates.js';
import type { Shaper } from './shape/shape.js';
import type {
  Backend,
  Engine,
  LexicalOptions,
  ServerError,
  SessionContext,
  StatementFailure,
  StatementSuccess,
  TransactionState,
} from './verdict.js';

/** What an adapter tells of one session, and asks. Implemented by the sink; nothing in it throws or waits. */
export interface VerdictHandler {
  /** While false, successes are not reported: nobody needs them. Cheap enough to read for every statement. */
  readonly wantsSuccess: boolean;
  /**
   * Narrower, for adapters that know verb and table before they have the text: false where nothing that is remembered or
   * open concerns them. `table` as the statement names it, '' where that is not known. Missing: as `wantsSuccess`.
   */
  wantsSuccessOf?(verb: string, table: string): boolean;
  /**
   * Called while the error frame is held. The answer is the note to attach, or null. Where one reply declares several
   * failures, each is reported, attached and settled before the next.
   */
  failed(failure: StatementFailure): Note | null;
  /** The transaction state after the failure reported last. Called once for each `failed`. */
  settled(after: TransactionState): void;
  succeeded(success: StatementSuccess): void;
  /** A statement that changed the schema has taken effect (after commit, where DDL is transactional). */
  schemaChanged(): void;
  /** The note was really put on the wire. */
  noteAttached(note: Note): void;
  /** Something was passed by: counted under its reason, visible on /metrics. */
  bypassed(reason: BypassReason): void;
  /** A statement that ran left so many warnings, such as values coerced under a lax sql_mode: counted, no failure. */
  warned(count: number): void;
}

/** Why an observation was not made; each is a label value of `twiceshy_bypassed_total`. */
export type BypassReason =
  | 'statement_text_unknown'
  /** Said to someone who has not logged in, by a server that wants a login. */
  | 'not_logged_in'
  | 'error_frame_too_large'
  | 'error_frame_malformed'
  | 'prepared_statements_over_limit'
  | 'portals_over_limit'
  | 'successes_over_limit'
  | 'failures_over_limit'
  | 'reply_without_request'
  | 'unknown_message'
  | 'note_does_not_fit';

/** Why a session's observer gave up; each is a label value of `twiceshy_blind_sessions_total`. */
export type BlindReason =
  | 'unexpected_server_message'
  | 'malformed_server_frame'
  | 'malformed_client_frame'
  | 'expected_replies_over_limit'
  | 'unknown_protocol'
  /** The session turned to something that is relayed and not followed: replication, a compressed protocol. */
  | 'not_followed'
  | 'observer_error';

/** Takes bytes for one direction, in order. A buffer handed over may be kept until it is written. */
export interface ByteOutput {
  write(bytes: Buffer): void;
}

/** The two ends of a session, for an observer that itself sends on what the client says. */
export interface SessionEnds {
  readonly toServer: ByteOutput;
  readonly toClient: ByteOutput;
  /** Ends the session once the client has what was written. */
  close(): void;
}

/**
 * Watches one session after the handshake, byte for byte. Never throws; out of step it turns blind, tells the
 * listener once, and passes everything on.
 */
export interface SessionObserver {
  /**
   * Called once, before any bytes. Where it is there, `toServer` gets bytes that are not on their way, and it is the
   * observer that sends them on: for the few sessions in which a client's packet cannot pass as it is.
   */
  takeOver?(ends: SessionEnds): void;
  /** Client bytes, already on their way to the server. */
  toServer(chunk: Buffer): void;
  /** Server bytes: every byte goes to `out`, at once except for an error frame, which waits for its last byte. */
  toClient(chunk: Buffer, out: ByteOutput): void;
  /** The server closed or the session ends: hands out what is held and settles what is open. */
  end(out: ByteOutput): void;
  readonly blindReason: BlindReason | null;
}

export interface ObserverOptions {
  readonly session: SessionContext;
  readonly handler: VerdictHandler;
  onBlind(reason: BlindReason): void;
  /** A key by which a later cancel request names this session (opaque bytes as latin1), or null. */
  onCancelKey(key: string): void;
  /** Called when the session is past authentication. */
  onReady(): void;
  /** `host:port` at which the client reached the listener, for protocols that tell clients where to find servers. */
  readonly listenerAddress: string;
}

/** An observer with the one thing the proxy tells it from outside. */
export interface CancellableObserver extends SessionObserver {
  /** A cancel for this session was relayed just now. */
  cancelRelayed(): void;
  /** The connection of a cancel told of before is over: the server has acted on it, or never will. */
  cancelOver?(): void;
}

/** As libpq has them: `allow` takes TLS where the server refuses a plain connection, `prefer` plain where it has no TLS. */
export type TlsMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-full';

/** Files already read: nothing below does I/O. */
export interface UpstreamTls {
  readonly mode: TlsMode;
  /** PEM; undefined: the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Name to verify and to send as SNI; default: the host. */
  readonly serverName?: string;
}

export interface ClientTls {
  readonly cert: string;
  readonly key: string;
  /** True: a client that does not ask for TLS is refused. */
  readonly isRequired: boolean;
  /** The proxy made the certificate itself: TLS is offered where the server offers it, as if there were no proxy. */
  readonly isOwn?: boolean;
}

/** `relay`: credentials pass through; `terminate`: the proxy checks the client and logs in upstream itself. */
export type AuthMode = 'relay' | 'terminate';

/** One user of `auth: terminate`: who the client says it is, and as whom the proxy logs in. */
export interface TerminatedUser {
  readonly name: string;
  /** Plain password or a SCRAM-SHA-256 verifier (`SCRAM-SHA-256$<iterations>:<salt>$<stored>:<server>`). */
  readonly secret: string;
  readonly upstreamUser: string;
  readonly upstreamPassword: string;
}

/** How a listener's two legs are secured and authenticated. */
export interface LegPolicy {
  readonly clientTls: ClientTls | null;
  readonly upstreamTls: UpstreamTls;
  readonly auth: AuthMode;
  readonly users: readonly TerminatedUser[];
  /** The operator says that clients never bind authentication to the TLS channel (PostgreSQL). */
  readonly isChannelBindingOff: boolean;
  /**
   * Compression of the protocol: taken out of what the two ends offer each other, or relayed. A relayed session is
   * observed where messages are compressed one by one (MongoDB), and not where the stream is (MySQL).
   */
  readonly compression: 'clear' | 'relay';
  /** `host:port` that clients are told to find the server at (MongoDB); undefined: where each of them reached us. */
  readonly advertisedAddress?: string;
  /** Set by the listener: the upstream's address is a loopback one, so that a plain leg to it does not leave the machine. */
  readonly isUpstreamLoopback?: boolean;
}

/** What the handshake asks the proxy to do next; bytes are written before anything else happens. */
export type HandshakeAction =
  | { readonly kind: 'write-client'; readonly bytes: Buffer }
  | { readonly kind: 'write-server'; readonly bytes: Buffer }
  /** Put TLS on the client's socket as server; handshake bytes already read come first. */
  | {
      readonly kind: 'secure-client';
      readonly alpn: string | null;
      /** A client that did not agree on `alpn` is cut off. */
      readonly isAlpnRequired: boolean;
      readonly pending: Buffer | null;
    }
  /** Open the upstream socket; answered by `serverConnected` or `serverFailed`. */
  | { readonly kind: 'connect-server' }
  /**
   * Put TLS on the upstream socket as client; answered by `serverSecured` or `serverFailed`. `timeoutMs`: fails sooner than
   * a connection does.
   */
  | { readonly kind: 'secure-server'; readonly alpn: string | null; readonly timeoutMs?: number }
  /** The handshake is over: from here both directions are pumped through an observer for this identity. */
  | { readonly kind: 'relay'; readonly identity: SessionIdentity }
  /** Tell the session with this key that its cancel is on its way. */
  | { readonly kind: 'note-cancel'; readonly key: string }
  /** No more to read from the client; close it once the server has closed (cancel requests). */
  | { readonly kind: 'close-after-server' }
  /** Write what was asked for, then close both ends. */
  | { readonly kind: 'close'; readonly reason: string };

/** What the client's first messages say of the session. */
export interface SessionIdentity {
  /** What answered: one adapter may stand for several products. */
  readonly engine: Engine;
  /** As whom the server runs the session. */
  readonly user: string;
  /** Who the client said it is, where that differs (`auth: terminate`). */
  readonly clientUser?: string;
  /** Empty: the session is in no database, and there is no catalog to read for it. */
  readonly database: string;
  readonly application: string;
  readonly searchPath: readonly string[] | null;
  /** A session whose statements cannot be followed (unknown protocol). */
  readonly blindReason: BlindReason | null;
  /** Client bytes read during the handshake that the observer and the server have yet to get, in order. */
  readonly clientBacklog: Buffer;
  /** Server bytes read during the handshake that the observer and the client have yet to get, in order. */
  readonly serverBacklog: Buffer;
  /** True: the server already accepted us, the observer starts after authentication. */
  readonly isAuthenticated: boolean;
  /** What the adapter's handshake tells the adapter's observer; nobody else looks at it. */
  readonly negotiated?: unknown;
}

/** Pure reducer of the time before relaying: bytes and socket events in, actions out. */
export interface Handshake {
  /** The client is there. Called once, before anything else: where the server speaks first, it is dialled now. */
  opened(): readonly HandshakeAction[];
  clientBytes(chunk: Buffer): readonly HandshakeAction[];
  serverBytes(chunk: Buffer): readonly HandshakeAction[];
  clientSecured(): readonly HandshakeAction[];
  serverConnected(): readonly HandshakeAction[];
  serverSecured(): readonly HandshakeAction[];
  /** The upstream could not be reached or secured, or closed early; `message` is for the client. */
  serverFailed(message: string): readonly HandshakeAction[];
  /** The client will send no more. Missing, or no action: what it sent may still be answered, for a while. */
  clientEnded?(): readonly HandshakeAction[];
  /** The proxy itself refuses (limit, timeout, shutdown): answers in the protocol's own form where it can. */
  refuse(refusal: Refusal): readonly HandshakeAction[];
}

export interface Refusal {
  readonly reason: 'too_many_connections' | 'handshake_timeout' | 'shutting_down';
  readonly message: string;
}

export interface UpstreamAddress {
  readonly host: string;
  readonly port: number;
  /** For the catalog poller. */
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** What else its URL says for the poller's login; only the adapter that read the URL looks at it. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Reads a database's catalog on a connection of its own (adapters/<db>/catalog.ts); driven by the poller. */
export interface CatalogReader {
  /**
   * A cheap value that moves when the schema may have changed, comparable between readers of one database. Thorough:
   * it has moved if anything changed before the call; else it may be late.
   */
  probe(isThorough?: boolean): Promise<string>;
  /** The value moves when a change begins, and not when it ends: a read in between has to be made again. */
  readonly isProbeEarly?: boolean;
  read(): Promise<import('./schema/schema.js').SchemaInput>;
  /** The product that answered. */
  readonly engine: Engine;
  /** What keeps the account from seeing all there is, in one sentence that says what to do; null where it sees all. */
  readonly blindSpot?: string | null;
  close(): Promise<void>;
}

/** What belongs to one product: how its statements are read, its errors classified, its notes written. */
export interface EngineSupport {
  readonly engine: Engine;
  readonly templates: NoteTemplates;
  /** Words of its language that may stand in a statement a note shows; missing: those of SQL. */
  readonly shownWords?: ReadonlySet<string>;
  /** The session's options before the server or the session has said anything. */
  readonly initialLexical: LexicalOptions;
  /** Reads statements, as the observer's `StatementText` or a person gives them. Keeps a cache: one serves all sessions. */
  createShaper(): Shaper;
  classify(failure: {
    readonly error: ServerError;
    readonly phase: StatementFailure['phase'];
    readonly isCancelRequested: boolean;
  }): Classification;
}

export interface DatabaseAdapter {
  /** The name of its flag (`--postgres`), of its folder, and of a listener that has no other. */
  readonly name: 'postgres' | 'mysql' | 'mongodb';
  readonly backend: Backend;
  /** The products it speaks with; which one it is, the handshake learns. Never empty. */
  readonly engines: readonly EngineSupport[];
  /** What one read of the catalog covers: the database of its connection, or every database of the server. */
  readonly catalogCovers: 'database' | 'server';
  /** With the colon: `postgres:`. */
  readonly urlSchemes: readonly string[];
  /** A URL to show where one is expected. */
  readonly exampleUrl: string;
  /** The environment variable that its own clients read a password from; null where they read none. */
  readonly passwordVariable: string | null;
  /** What becomes of compression unless the configuration says. */
  readonly defaultCompression: LegPolicy['compression'];
  readonly defaultPort: number;
  /**
   * Its servers offer TLS with a certificate of their own making, and its clients send some passwords under TLS only:
   * a listener without a certificate makes one.
   */
  readonly clientsExpectTls: boolean;
  /** Where `twiceshy proxy` listens unless told. */
  readonly defaultListenPort: number;
  /** Reads a connection URL; throws a `ConfigError`-coded error that names what is wrong, never the password. */
  parseUrl(url: string): { address: UpstreamAddress; tlsMode: TlsMode | null; serverCaFile: string | null };
  /** Null when the combination can work; else one sentence that says why not and what to do. */
  refusePolicy(policy: LegPolicy): string | null;
  /** Begins to make what sessions under this policy may need and takes long, such as keys. Called as a listener is made. */
  prepare?(policy: LegPolicy): void;
  createHandshake(policy: LegPolicy): Handshake;
  createObserver(options: ObserverOptions, policy: LegPolicy, identity: SessionIdentity): CancellableObserver;
  /** `database` is to be ignored where the catalog covers the server. */
  openCatalog(address: UpstreamAddress, tls: UpstreamTls, database: string): Promise<CatalogReader>;
}
