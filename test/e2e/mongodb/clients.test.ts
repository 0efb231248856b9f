/** Every client, direct and proxied, on every server: the transcripts are equal but for the notes. */
import * as mongodb from 'mongodb';
import { describe, it, vi } from 'vitest';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { type Battery, batteryTimeoutMs, runDirect, runProxied } from './battery/compare.js';
import { expectEqualButForNotes, expectNotesOnRepetitions } from './battery/expect.js';
import { failingCommands } from './battery/failing-commands.js';
import { clientsOrThrow } from './clients/all.js';
import { heartbeats } from './clients/node/connections.js';

vi.setConfig({ testTimeout: batteryTimeoutMs });

const { clients, missing } = await clientsOrThrow();

for (const sentence of missing) {
  describe.skip(`a client (skipped: ${sentence})`, () => {
    it('needs its programs', () => {});
  });
}

describeEachMongo('a client', (server) => {
  for (const [name, battery] of Object.entries(clients)) {
    it(`${name} sees through the proxy what it sees directly, but for notes`, async () => {
      const [direct, proxied] = await Promise.all([runDirect(server, battery), runProxied(server, battery)]);
      expectEqualButForNotes(direct, proxied);
      expectNotesOnRepetitions(proxied.entries, failingCommands(server.capabilities));
    });
  }

  it('hears the same heartbeats in more than fifteen seconds', async () => {
    const battery: Battery = (url, log) => heartbeats(mongodb, url, log);
    const [direct, proxied] = await Promise.all([runDirect(server, battery), runProxied(server, battery)]);
    expectEqualButForNotes(direct, proxied);
  });
});
