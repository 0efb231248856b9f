/**
 * What the sink knows of a session, kept current: the observer writes what the session sets, the catalog says what the
 * server sets, the configuration says who reads the errors. Looked up when asked for, so that a reload, a catalog read
 * and a client's own change all count from then on.
 */
import type { SessionIdentity } from './core/adapter.js';
import type { Audience, Backend, Engine, LexicalOptions, Scope, SessionContext } from './core/verdict.js';

export interface LiveSessionOptions {
  readonly id: string;
  readonly backend: Backend;
  readonly upstream: string;
  readonly identity: SessionIdentity;
  readonly initialLexical: LexicalOptions;
  audienceOf(session: { readonly user: string; readonly application: string }): Audience;
  /** What the server's settings say of its statements; null where not known yet. */
  serverLexical(scope: Scope): Partial<LexicalOptions> | null;
  /** The session has gone to another database. */
  onScope?(scope: Scope): void;
}

export class LiveSessionContext implements SessionContext {
  readonly id: string;
  readonly engine: Engine;
  readonly backend: Backend;
  user: string;
  application: string;
  searchPath: readonly string[] | null;
  readonly #options: LiveSessionOptions;
  #scope: Scope;
  #own: Partial<LexicalOptions> = {};
  /** Made of these two, and made again when one of them is replaced. */
  #lexical: LexicalOptions;
  #lexicalOf: readonly [Partial<LexicalOptions> | null, Partial<LexicalOptions>];

  constructor(options: LiveSessionOptions) {
    const { identity } = options;
    this.#options = options;
    this.id = options.id;
    this.engine = identity.engine;
    this.backend = options.backend;
    this.user = identity.user;
    this.#scope = { upstream: options.upstream, database: identity.database };
    this.application = identity.application;
    this.searchPath = identity.searchPath;
    this.#lexical = options.initialLexical;
    this.#lexicalOf = [null, this.#own];
  }

  get scope(): Scope {
    return this.#scope;
  }

  set scope(scope: Scope) {
    if (scope === this.#scope) return;
    this.#scope = scope;
    this.#options.onScope?.(scope);
  }

  get audience(): Audience {
    const { identity, audienceOf } = this.#options;
    return audienceOf({ user: identity.clientUser ?? this.user, application: this.application });
  }

  get lexical(): LexicalOptions {
    const server = this.#options.serverLexical(this.scope);
    const [knownServer, knownOwn] = this.#lexicalOf;
    if (server === knownServer && this.#own === knownOwn) return this.#lexical;
    this.#lexical = { ...this.#options.initialLexical, ...server, ...this.#own };
    this.#lexicalOf = [server, this.#own];
    return this.#lexical;
  }

  setLexical(own: Partial<LexicalOptions>): void {
    this.#own = own;
  }
}
