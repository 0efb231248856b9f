/** A session as the sink and the observers are given one, for tests that have no proxy around them. */
import { defaultLexicalOptions, type LexicalOptions, type SessionContext } from '../../src/core/verdict.js';

/** `context.lexical` follows `setLexical`, over the options given. */
export function testSession(overrides: Partial<Omit<SessionContext, 'setLexical'>> = {}): SessionContext {
  const base = overrides.lexical ?? defaultLexicalOptions;
  let own: Partial<LexicalOptions> = {};
  return {
    id: 's1',
    engine: 'postgresql',
    backend: 'relational',
    scope: { upstream: 'shop', database: 'shop' },
    user: 'app',
    audience: 'agent',
    application: '',
    searchPath: null,
    ...overrides,
    get lexical() {
      return { ...base, ...own };
    },
    setLexical(set) {
      own = set;
    },
  };
}
