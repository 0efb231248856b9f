/** The combinations of TLS on the two legs that can relay a login carry the same session as none; audiences decide where a note is. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../servers/database.js';
import { type Certificate, makeCertificate } from '../support/certificate.js';
import { describePostgres } from '../support/postgres-servers.js';
import { startProxy } from '../support/start-proxy.js';
import { type Battery, runDirect, runProxied } from './battery/compare.js';
import { expectEqualButForNotes, expectNotesOnRepetitions } from './battery/expect-equal.js';
import { runNodePostgres } from './clients/node-postgres/battery.js';
import { runPostgresJs } from './clients/postgres-js.js';
import { runPsql } from './clients/psql.js';

describePostgres('a leg', (server) => {
  let certificate: Certificate;

  beforeAll(async () => {
    certificate = await makeCertificate();
  });

  afterAll(() => certificate.remove());

  for (const battery of [runPsql, runPostgresJs]) {
    it(`with TLS to the client carries ${battery.name}`, async () => {
      const overTls: Battery = (url, log) => battery(`${url}?sslmode=require`, log);
      const direct = await runDirect(server.url, overTls);
      const proxied = await runProxied(server.url, overTls, { tls: certificate });
      expectEqualButForNotes(direct, proxied);
      expectNotesOnRepetitions(proxied.entries);
    });
  }

  it('with TLS to the server carries a plain client', async () => {
    const direct = await runDirect(server.url, runNodePostgres);
    const proxied = await runProxied(server.url, runNodePostgres, { upstreamParameters: 'sslmode=require' });
    expectEqualButForNotes(direct, proxied);
    expectNotesOnRepetitions(proxied.entries);
  });

  it('for an application leaves the message alone', async () => {
    const database = await createDatabase(server.url, 'create table t (id int primary key)');
    for (const audience of ['application', 'agent'] as const) {
      const proxy = await startProxy({ upstreamUrl: database.url, audience });
      const client = new pg.Client(proxy.through(database.url));
      await client.connect();
      const errors: pg.DatabaseError[] = [];
      for (let time = 1; time <= 2; time += 1) {
        await client
          .query('select missing_column from t')
          .catch((error: pg.DatabaseError) => errors.push(error));
      }
      await client.end();
      await proxy.stop();
      const [first, second] = errors;
      expect(first?.message).toBe('column "missing_column" does not exist');
      expect(first?.hint).toBeUndefined();
      expect(second?.hint).toMatch(/^\[twiceshy [0-9a-f]{8}\] /);
      expect(second?.message.includes('\n[twiceshy ')).toBe(audience === 'agent');
      expect(second?.message.startsWith(String(first?.message))).toBe(true);
    }
    await database.drop();
  });
});
