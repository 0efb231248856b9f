/**
 * What the session has set for itself, kept in step with the context the sink reads: database, character sets, the modes
 * that change how text is read. Sources, the surer one last: the texts of SET and USE, status flags, session tracking.
 *
 * MySQL does not report ANSI_QUOTES in its status flags, MariaDB does. Not seen: what a routine sets, and on MySQL what
 * a trigger or an init_connect does to `sql_mode`.
 */
import type { Engine, LexicalOptions, SessionContext } from '../../src/core/verdict.js';
import { type Decoder, utf8Decoder } from '../../src/wire/text-decoders.js';
import { serverStatus } from './capabilities.js';
import { characterSetOf, decoderOfCharacterSet, isWideCharacterSet } from './character-sets.js';
import type { ChangeUser } from './messages/change-user.js';
import type { SessionStateReceiver } from './messages/session-state.js';
import type { NegotiatedTerms } from './negotiated.js';
import { hasAnsiQuotes, readSet, readUse } from './sql-session.js';
import { type StatementKind, statementKind } from './statement-kind.js';

/** The flags that say how text is read, and that the database is gone. */
const watchedFlags = serverStatus.noBackslashEscapes | serverStatus.ansiQuotes | serverStatus.databaseDropped;

/** Most SET statements are about something else, and often sent. */
const saysSomething = /names|char|sql_mode/i;

export class SessionSettings implements SessionStateReceiver {
  readonly #context: Pick<SessionContext, 'scope' | 'searchPath' | 'user' | 'lexical' | 'setLexical'>;
  readonly #engine: Engine;
  #loginCharacterSet: string;
  #flags = -1;
  /** What the session says of ANSI_QUOTES; undefined: nothing, the server's own setting holds. */
  #isAnsiQuotes: boolean | undefined;

  /** How the statements that the client sends are encoded. */
  client: Decoder = utf8Decoder;
  /** How the server's messages are. */
  results: Decoder = utf8Decoder;
  /** The server's messages are in a character set whose ASCII takes more than a byte. */
  isResultsWide = false;

  constructor(
    context: Pick<SessionContext, 'scope' | 'searchPath' | 'user' | 'lexical' | 'setLexical'>,
    terms: Pick<NegotiatedTerms, 'engine' | 'characterSet' | 'statusFlags' | 'database'>,
  ) {
    this.#context = context;
    this.#engine = terms.engine;
    this.#loginCharacterSet = characterSetOf(terms.characterSet);
    this.#setCharacterSets(this.#loginCharacterSet);
    this.schema(terms.database);
    this.statusChanged(terms.statusFlags);
  }

  /** Flags of an OK or EOF packet. */
  statusChanged(status: number): void {
    const flags = status & watchedFlags;
    if (flags === this.#flags) return;
    this.#flags = flags;
    if ((flags & serverStatus.databaseDropped) !== 0) this.schema('');
    if (this.#engine === 'mariadb') this.#isAnsiQuotes = (flags & serverStatus.ansiQuotes) !== 0;
    this.#setLexical();
  }

  /** A statement of this kind has run. */
  ran(kind: StatementKind, text: string): void {
    if (kind === statementKind.use) {
      const database = readUse(text);
      if (database !== null) this.schema(database);
      return;
    }
    if (!saysSomething.test(text)) return;
    for (const setting of readSet(text, this.#context.lexical.isBackslashLiteral)) {
      if (setting.kind === 'sql_mode') this.#sqlModeSet(setting.isAnsiQuotes);
      else {
        const characterSet = setting.characterSet ?? this.#loginCharacterSet;
        if (setting.kind !== 'results') this.client = decoderOfCharacterSet(characterSet);
        if (setting.kind !== 'client') this.#setResults(characterSet);
      }
    }
  }

  systemVariable(name: string, value: string): void {
    if (name === 'character_set_client') this.client = decoderOfCharacterSet(value);
    else if (name === 'character_set_results') this.#setResults(value === '' ? 'utf8mb4' : value);
    else if (name === 'sql_mode') this.#sqlModeSet(hasAnsiQuotes(value));
  }

  /** `written` as whoever names it does: where case does not count, one database has many spellings. */
  schema(written: string): void {
    const { scope, searchPath, lexical } = this.#context;
    const name = lexical.isNameCaseIgnored ? written.toLowerCase() : written;
    if (scope.database !== name) this.#context.scope = { upstream: scope.upstream, database: name };
    if (searchPath?.length === 1 && searchPath[0] === name) return;
    this.#context.searchPath = name === '' ? [] : [name];
  }

  /** COM_CHANGE_USER was let in. */
  userChanged({ user, database, collation }: ChangeUser): void {
    this.#context.user = user;
    if (collation !== null) this.#loginCharacterSet = characterSetOf(collation);
    this.#setCharacterSets(this.#loginCharacterSet);
    this.#sqlModeSet('default');
    this.schema(database);
  }

  /** COM_RESET_CONNECTION: MariaDB goes back to the login's character set, MySQL to the server's. */
  wasReset(): void {
    this.#setCharacterSets(this.#engine === 'mariadb' ? this.#loginCharacterSet : 'utf8mb4');
    this.#sqlModeSet('default');
  }

  #setCharacterSets(name: string): void {
    this.client = decoderOfCharacterSet(name);
    this.#setResults(name);
  }

  #setResults(name: string): void {
    this.results = decoderOfCharacterSet(name);
    this.isResultsWide = isWideCharacterSet(name);
  }

  #sqlModeSet(isAnsiQuotes: boolean | 'default' | 'kept'): void {
    if (this.#engine === 'mariadb' || isAnsiQuotes === 'kept') return;
    this.#isAnsiQuotes = isAnsiQuotes === 'default' ? undefined : isAnsiQuotes;
    this.#setLexical();
  }

  #setLexical(): void {
    const own: { -readonly [Name in keyof LexicalOptions]?: LexicalOptions[Name] } = {
      isBackslashLiteral: (this.#flags & serverStatus.noBackslashEscapes) !== 0,
    };
    if (this.#isAnsiQuotes !== undefined) own.isAnsiQuotes = this.#isAnsiQuotes;
    this.#context.setLexical(own);
  }
}
