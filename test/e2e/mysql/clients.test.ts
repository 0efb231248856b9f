/** Every client, direct and proxied, on MySQL and on MariaDB: the transcripts are equal but for the notes. */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { expectEqualButForNotes } from '../battery/expect-equal.js';
import { batteryTimeoutMs, runDirect, runProxied } from './battery/compare.js';
import { expectNotesOnRepetitions } from './battery/expect-notes.js';
import { clientsOrThrow } from './clients/all.js';

vi.setConfig({ testTimeout: batteryTimeoutMs });

const { clients, missing } = await clientsOrThrow();

for (const sentence of missing) {
  describe.skip(`a client (skipped: ${sentence})`, () => {
    it('needs its programs', () => {});
  });
}

describeEachMysql('a client', (server) => {
  let certificate: Certificate;

  beforeAll(async () => {
    certificate = await makeCertificate();
  });

  afterAll(() => certificate.remove());

  for (const [name, client] of Object.entries(clients)) {
    it(`${name} sees through the proxy what it sees directly, but for notes`, async () => {
      const [direct, proxied] = await Promise.all([
        runDirect(server, client.battery),
        runProxied(server, client.battery, client.isTls === true ? { tls: certificate } : {}),
      ]);
      expectEqualButForNotes(direct, proxied);
      expectNotesOnRepetitions(proxied.entries, server.flavour);
    });
  }
});
