/** Five clients, direct and proxied, on every server: the transcripts are equal but for the notes. */
import { describe, it } from 'vitest';
import { pythonEnvironment } from '../servers/python-environment.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { type Battery, runDirect, runProxied } from './battery/compare.js';
import { expectEqualButForNotes, expectNotesOnRepetitions } from './battery/expect-equal.js';
import { runNodePostgres } from './clients/node-postgres/battery.js';
import { runPostgresJs } from './clients/postgres-js.js';
import { runPsql } from './clients/psql.js';
import { pythonBattery } from './clients/python.js';

const python = await pythonEnvironment();

const batteries: Record<string, Battery> = {
  psql: runPsql,
  'node-postgres': runNodePostgres,
  'postgres.js': runPostgresJs,
};
if ('python' in python) {
  batteries['psycopg 3'] = pythonBattery(python.python, './psycopg_battery.py');
  batteries['asyncpg'] = pythonBattery(python.python, './asyncpg_battery.py');
} else if (process.env['CI'] !== undefined) {
  throw new Error(`CI needs every client: ${python.missing}`);
} else {
  describe.skip(`psycopg 3 and asyncpg (skipped: ${python.missing})`, () => {
    it('need their packages', () => {});
  });
}

describeEachPostgres('a client', (server) => {
  for (const [name, battery] of Object.entries(batteries)) {
    it(`${name} sees through the proxy what it sees directly, but for notes`, async () => {
      const direct = await runDirect(server.url, battery);
      const proxied = await runProxied(server.url, battery);
      expectEqualButForNotes(direct, proxied);
      expectNotesOnRepetitions(proxied.entries);
    });
  }
});
