/** The batteries themselves: two direct runs of one are equal, so that a difference later is the proxy's. */
import { expect, it } from 'vitest';
import { describePostgres } from '../support/postgres-servers.js';
import { runDirect } from './battery/compare.js';
import { failingStatements } from './battery/failing-statements.js';
import { hasNote, stripNotes, withoutNotes } from './battery/notes.js';
import { runNodePostgres } from './clients/node-postgres/battery.js';
import { runPostgresJs } from './clients/postgres-js.js';
import { runPsql } from './clients/psql.js';

describePostgres('a battery', (server) => {
  for (const battery of [runNodePostgres, runPostgresJs, runPsql]) {
    it(`${battery.name} is the same twice`, async () => {
      const first = await runDirect(server.url, battery);
      expect(await runDirect(server.url, battery)).toEqual(first);
    });
  }

  it('meets every failure it names', async () => {
    const entries = await runDirect(server.url, runNodePostgres);
    for (const { code, sql } of failingStatements) {
      const found = entries.find((entry) => entry.step === `${code} 1 simple ${sql}`);
      expect(found?.['error'], sql).toMatchObject({ code });
    }
  });

  it('finds and removes notes as the documentation describes them', () => {
    const note = '[twiceshy 9f2c51d0] Use another name. Do not re-run it unchanged.';
    expect(hasNote(note)).toBe(true);
    expect(withoutNotes(`relation "x" does not exist\n${note}`)).toBe('relation "x" does not exist');
    expect(withoutNotes(`ERROR:  m\n${note}\nDETAIL:  d\nHINT:  h ${note}\n`)).toBe(
      'ERROR:  m\nDETAIL:  d\nHINT:  h\n',
    );
    expect(withoutNotes(`ERROR:  m\n${note}\nHINT:  ${note}\nLOCATION:  l\n`)).toBe(
      'ERROR:  m\nLOCATION:  l\n',
    );
    expect(stripNotes({ hint: note, message: 'm' })).toEqual({ hint: null, message: 'm' });
  });
});
