/** MySQL and MariaDB behind the contract every database shares: one protocol, two products. */
import type { DatabaseAdapter, EngineSupport } from '../../src/core/adapter.js';
import type { NoteTemplates } from '../../src/core/notes/templates.js';
import type { Dialect } from '../../src/core/shape/shape.js';
import { createShaper } from '../../src/core/shape/shaper.js';
import { defaultLexicalOptions } from '../../src/core/verdict.js';
import { openCatalog } from './catalog.js';
import { classify } from './classify.js';
import { mariadbDialect, mysqlDialect } from './dialect.js';
import type { Flavour } from './error-codes.js';
import { createHandshake } from './handshake.js';
import { mayShowKey, refusePolicy } from './leg-policy.js';
import { mariadbTemplates, mysqlTemplates } from './note-templates.js';
import { MysqlObserver } from './observer.js';
import { proxyKey } from './rsa-password.js';
import { MixedLegsTerms } from './session-identity.js';
import { defaultPort, parseUrl, urlSchemes } from './upstream-url.js';
import { UserChangeRelay } from './user-change-relay.js';

function support(engine: Flavour, dialect: Dialect, templates: NoteTemplates): EngineSupport {
  return {
    engine,
    templates,
    initialLexical: defaultLexicalOptions,
    createShaper: () => createShaper(dialect),
    classify: (failure) => classify(failure, engine),
  };
}

export const mysqlAdapter: DatabaseAdapter = {
  name: 'mysql',
  backend: 'relational',
  engines: [
    support('mysql', mysqlDialect, mysqlTemplates),
    support('mariadb', mariadbDialect, mariadbTemplates),
  ],
  catalogCovers: 'server',
  urlSchemes,
  exampleUrl: 'mysql://user@host:3306/db',
  passwordVariable: 'MYSQL_PWD',
  defaultCompression: 'clear',
  defaultPort,
  clientsExpectTls: true,
  defaultListenPort: 3307,
  parseUrl,
  refusePolicy,
  prepare(policy) {
    if (mayShowKey(policy)) proxyKey.prepare();
  },
  createHandshake,
  createObserver(options, _policy, identity) {
    const observer = new MysqlObserver(options, identity);
    const { negotiated } = identity;
    return negotiated instanceof MixedLegsTerms
      ? new UserChangeRelay(observer, negotiated, proxyKey)
      : observer;
  },
  openCatalog,
};
