/** The battery itself: two direct runs of one client are equal, so a difference under the proxy is the proxy's. */
import { describe, expect, it, vi } from 'vitest';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { batteryTimeoutMs, runDirect } from './battery/compare.js';
import { failingCommands } from './battery/failing-commands.js';
import { withoutMongoNotes } from './battery/plain.js';
import { clientsOrThrow } from './clients/all.js';

vi.setConfig({ testTimeout: batteryTimeoutMs });

const { clients } = await clientsOrThrow();

describeEachMongo('the battery', (server) => {
  for (const [name, battery] of Object.entries(clients)) {
    it(`gives the same transcript twice when run directly by ${name}`, async () => {
      const [once, again] = await Promise.all([runDirect(server, battery), runDirect(server, battery)]);
      expect(once.length).toBeGreaterThan(100);
      for (const [index, entry] of once.entries()) expect(again[index], entry.step).toEqual(entry);
      expect(again.length).toBe(once.length);
      expect(withoutMongoNotes(once)).toEqual(once);
    });
  }

  it('has commands that fail, each time', async () => {
    const [battery] = Object.values(clients);
    if (battery === undefined) throw new Error('No client');
    const entries = await runDirect(server, battery);
    const steps = new Set(
      entries.filter((entry) => JSON.stringify(entry).includes('"code":')).map((entry) => entry.step),
    );
    const succeeding = failingCommands(server.capabilities).filter(({ kind }) => !steps.has(`${kind} #3`));
    expect(succeeding.map(({ kind }) => kind)).toEqual([]);
  });
});

describe('notes in what clients print', () => {
  it('are removed, and nothing else is', () => {
    const note = '[twiceshy 0123abcd] Use $group instead.';
    const error = { message: `no such stage\n${note}`, reply: { ok: 0, errmsg: 'no such stage', note } };
    const step = 'a step';
    expect(withoutMongoNotes([{ step, error }])).toEqual([
      { step, error: { message: 'no such stage', reply: { ok: 0, errmsg: 'no such stage' } } },
    ]);
    const own = [{ step, value: { note: 'of a user', text: 'x' } }];
    expect(withoutMongoNotes(own)).toEqual(own);
  });
});
