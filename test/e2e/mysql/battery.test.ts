/** The batteries themselves: two direct runs of one are equal, so that a difference later is the proxy's. */
import { expect, it } from 'vitest';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { runDirect } from './battery/compare.js';
import { failingStatements } from './battery/failing-statements.js';
import { runMariadbNpm } from './clients/mariadb-npm.js';
import { runMysql2 } from './clients/mysql2/battery.js';

describeEachMysql('a battery', (server) => {
  for (const battery of [runMysql2, runMariadbNpm]) {
    it(`${battery.name} is the same twice`, async () => {
      const first = await runDirect(server, battery);
      const second = await runDirect(server, battery);
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
