/** The combinations of TLS on the two legs carry the same session as none; audiences decide where a note is. */
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { debianMariadb, sidMysql } from '../../servers/mysql-programs.js';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { startProxy } from '../../support/start-proxy.js';
import { expectEqualButForNotes } from '../battery/expect-equal.js';
import type { Entry } from '../battery/transcript.js';
import {
  type Battery,
  batteryTimeoutMs,
  type ProxiedOptions,
  runDirect,
  runProxied,
} from './battery/compare.js';
import { expectNotesOnRepetitions } from './battery/expect-notes.js';
import { commandLineBattery, mariadbTls, mysqlTls } from './clients/command-line.js';
import { runMysql2 } from './clients/mysql2/battery.js';

vi.setConfig({ testTimeout: batteryTimeoutMs });

const mysql2OverTls: Battery = (url, log, flavour) => {
  const ssl = encodeURIComponent(JSON.stringify({ rejectUnauthorized: false }));
  return runMysql2(`${url}?ssl=${ssl}`, log, flavour);
};

const overTls: Record<string, Battery> = { mysql2: mysql2OverTls };
for (const [name, login, found] of [
  ['the mariadb command', mariadbTls, await debianMariadb()],
  ['the mysql command', mysqlTls, await sidMysql(false)],
] as const)
  if ('client' in found) overTls[name] = commandLineBattery({ command: found.client, login });

/** An account that must use TLS is let in by the leg to the server, whatever the client's own is. */
function withoutTlsOnly(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ step }) => !step.startsWith('never: TLS only'));
}

describeEachMysql('a leg', (server) => {
  let certificate: Certificate;

  beforeAll(async () => {
    certificate = await makeCertificate();
  });

  afterAll(() => certificate.remove());

  async function expectSame(battery: Battery, options: ProxiedOptions): Promise<void> {
    const [direct, proxied] = await Promise.all([
      runDirect(server, battery),
      runProxied(server, battery, options),
    ]);
    expectEqualButForNotes(withoutTlsOnly(direct), { ...proxied, entries: withoutTlsOnly(proxied.entries) });
    expectNotesOnRepetitions(proxied.entries, server.flavour);
  }

  for (const [name, battery] of Object.entries(overTls)) {
    it(`with TLS to the client carries ${name}`, () =>
      expectSame(battery, { tls: certificate, upstreamParameters: 'ssl-mode=DISABLED' }));
  }

  it('with TLS on both sides carries a client', () =>
    expectSame(mysql2OverTls, { tls: certificate, upstreamParameters: 'ssl-mode=REQUIRED' }));

  it('with TLS to the server carries a plain client', () =>
    expectSame(runMysql2, { upstreamParameters: 'ssl-mode=REQUIRED' }));

  it('for an application leaves messages alone that programs read', async () => {
    const setup = 'create table t (id int primary key); insert into t values (1)';
    const database = await createMysqlDatabase(server.url, setup);
    for (const audience of ['application', 'agent'] as const) {
      const proxy = await startProxy({ upstreamUrl: database.url, audience });
      const client = await createConnection(proxy.through(database.url));
      const messages = async (sql: string): Promise<string[]> => {
        const found: string[] = [];
        for (let time = 1; time <= 2; time += 1)
          await client.query(sql).catch((error: Error) => found.push(error.message));
        return found;
      };
      const duplicate = await messages('insert into t values (1)');
      const unknown = await messages('select missing_column from t');
      await client.end();
      await proxy.stop();
      expect(duplicate[1]?.startsWith(String(duplicate[0]))).toBe(true);
      expect(duplicate[1]?.includes('\n[twiceshy ')).toBe(audience === 'agent');
      expect(unknown[0]).toMatch(/^Unknown column 'missing_column' in '[a-zA-Z ]+'$/);
      expect(unknown[1]?.startsWith(`${unknown[0]}\n[twiceshy `)).toBe(true);
    }
    await database.drop();
  });
});
