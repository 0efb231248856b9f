/** PostgreSQL behind the contract every database shares. */
import type { DatabaseAdapter } from '../../src/core/adapter.js';
import { createShaper } from '../../src/core/shape/shaper.js';
import { defaultLexicalOptions } from '../../src/core/verdict.js';
import { openCatalog } from './catalog.js';
import { classify } from './classify.js';
import { postgresDialect } from './dialect.js';
import { createHandshake } from './handshake.js';
import { refusePolicy } from './leg-policy.js';
import { noteTemplates } from './note-templates.js';
import { PostgresObserver } from './observer.js';
import { defaultPort, parseUrl, urlSchemes } from './upstream-url.js';

export const postgresAdapter: DatabaseAdapter = {
  name: 'postgres',
  backend: 'relational',
  engines: [
    {
      engine: 'postgresql',
      templates: noteTemplates,
      initialLexical: defaultLexicalOptions,
      createShaper: () => createShaper(postgresDialect),
      classify,
    },
  ],
  catalogCovers: 'database',
  urlSchemes,
  exampleUrl: 'postgres://user@host:5432/db',
  passwordVariable: 'PGPASSWORD',
  defaultCompression: 'clear',
  defaultPort,
  clientsExpectTls: false,
  defaultListenPort: 6432,
  parseUrl,
  refusePolicy,
  createHandshake,
  createObserver: (options) => new PostgresObserver(options),
  openCatalog,
};
