/** Every client, direct and proxied, on MySQL and on MariaDB: the transcripts are equal but for the notes. */
import { describe, it } from 'vitest';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { expectEqualButForNotes } from '../battery/expect-equal.js';
import { runDirect, runProxied } from './battery/compare.js';
import { expectNotesOnRepetitions } from './battery/expect-notes.js';
import { clientsOrThrow } from './clients/all.js';

const { batteries, missing } = await clientsOrThrow();

for (const sentence of missing) {
  describe.skip(`a client (skipped: ${sentence})`, () => {
    it('needs its programs', () => {});
  });
}

describeEachMysql('a client', (server) => {
  for (const [name, battery] of Object.entries(batteries)) {
    it(`${name} sees through the proxy what it sees directly, but for notes`, async () => {
      const [direct, proxied] = await Promise.all([runDirect(server, battery), runProxied(server, battery)]);
      expectEqualButForNotes(direct, proxied);
      expectNotesOnRepetitions(proxied.entries, server.flavour);
    });
  }
});
