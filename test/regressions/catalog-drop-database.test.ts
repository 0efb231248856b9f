// DROP DATABASE failed with "being accessed by other users": after a long read the catalog's connection was kept, idle,
// until the next read was allowed, which was longer than the 5 s that the server waits (asyncpg's introspection tests).
import { expect, it } from 'vitest';
import { openCatalog } from '../../adapters/postgres/catalog.js';
import { noCounters } from '../../src/core/counters.js';
import { limits } from '../../src/core/limits.js';
import { SchemaPollers } from '../../src/proxy/schema-pollers.js';
import { addressOf, plain } from '../integration/catalog/support.js';
import { createDatabase, runOn } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';

const serverWaitsMs = 5_000;

describeEachPostgres('a database whose catalog takes long to read', (server) => {
  it('can be dropped as soon as its last session has ended, also with a change just seen', async () => {
    const database = await createDatabase(server.url, 'create table users (id integer primary key)');
    const adapter = {
      catalogCovers: 'database' as const,
      openCatalog: async (...target: Parameters<typeof openCatalog>) => {
        const reader = await openCatalog(...target);
        const read = async () => {
          await new Promise((resolve) => setTimeout(resolve, (1.2 * serverWaitsMs) / limits.catalogReadRest));
          return reader.read();
        };
        return { ...reader, probe: reader.probe.bind(reader), close: reader.close.bind(reader), read };
      },
    };
    const upstream = { adapter, address: addressOf(server.url), tls: plain };
    const pollers = new SchemaPollers({ upstreams: new Map([['main', upstream]]), counters: noCounters });
    const scope = { upstream: 'main', database: database.name };
    const release = pollers.sessionOpened(scope);
    expect(await pollers.ready(scope, 15_000)).toBe(true);
    pollers.refresh(scope, 'ddl_seen');
    release();
    await runOn(server.url, `drop database ${database.name}`);
    await pollers.close();
  }, 30_000);
});
