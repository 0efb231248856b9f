/** How a test asks for real servers that speak MongoDB's protocol: `describeEachMongo` declares it once per server. */
import { describe, inject, it } from 'vitest';
import type { MongoServer } from '../servers/mongodb-provision.js';

export type AvailableMongo = Extract<MongoServer, { readonly url: string }>;

/** Declares `body` once per server; one that cannot be had shows as a skipped group that names what is missing. */
export function describeEachMongo(title: string, body: (server: AvailableMongo) => void): void {
  for (const server of inject('mongoServers')) {
    if ('url' in server) describe(`${title} on ${server.name}`, () => body(server));
    else
      describe.skip(`${title} (skipped: ${server.missing})`, () => {
        it('needs a server', () => {});
      });
  }
}
