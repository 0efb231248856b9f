/** The batteries themselves: two direct runs of one are equal, so that a difference later is the proxy's. */
import { describe, expect, it, vi } from 'vitest';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { batteryTimeoutMs, runDirect } from './battery/compare.js';
import { failingStatements } from './battery/failing-statements.js';
import { clientsOrThrow } from './clients/all.js';
import { runMysql2 } from './clients/mysql2/battery.js';

vi.setConfig({ testTimeout: batteryTimeoutMs });

const { clients, missing } = await clientsOrThrow();

for (const sentence of missing) {
  describe.skip(`a client (skipped: ${sentence})`, () => {
    it('needs its programs', () => {});
  });
}

describeEachMysql('a battery', (server) => {
  for (const [name, client] of Object.entries(clients)) {
    it(`of ${name} is the same twice`, async () => {
      const [first, second] = await Promise.all([
        runDirect(server, client.battery),
        runDirect(server, client.battery),
      ]);
      for (const [index, entry] of first.entries()) expect(second[index], entry.step).toEqual(entry);
      expect(second.length).toBe(first.length);
    });
  }

  it('meets every failure it names', async () => {
    const entries = await runDirect(server, runMysql2);
    for (const { code, state, sql } of failingStatements(server.flavour)) {
      const found = entries.find((entry) => entry.step === `${code} 1 text ${sql}`);
      expect(found?.['error'], sql).toMatchObject({ errno: code, sqlState: state });
    }
  });
});
