/** MongoDB, and servers that speak its protocol, behind the contract every database shares. */
import type { DatabaseAdapter } from '../../src/core/adapter.js';
import { openCatalog } from './catalog.js';
import { mongodbEngine } from './engine.js';
import { createHandshake } from './handshake.js';
import { refusePolicy } from './leg-policy.js';
import { MongoObserver } from './observer.js';
import { defaultPort, parseUrl, urlSchemes } from './upstream-url.js';

export const mongodbAdapter: DatabaseAdapter = {
  name: 'mongodb',
  backend: 'document',
  engines: [mongodbEngine],
  catalogCovers: 'database',
  urlSchemes,
  exampleUrl: 'mongodb://user@host:27017/db',
  passwordVariable: null,
  defaultCompression: 'relay',
  defaultPort,
  clientsExpectTls: false,
  defaultListenPort: 27_018,
  parseUrl,
  refusePolicy,
  createHandshake,
  createObserver: (options, policy, identity) => new MongoObserver(options, policy, identity),
  openCatalog,
};
