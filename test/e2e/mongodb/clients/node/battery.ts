/** The battery as a program of the mongodb package, in any of its major versions. */
import type { Battery } from '../../battery/compare.js';
import { abilities } from './abilities.js';
import { logins, several, topologies } from './connections.js';
import { bulkWrites, cursors, documents, failures, pipelines, unacknowledged } from './operations.js';
import { type Driver, NodeSession } from './session.js';

export function nodeBattery(driver: Driver): Battery {
  return async (url, log, { capabilities }) => {
    const work = NodeSession.with(driver, url, log, async (session) => {
      await failures(session, driver, capabilities);
      for (const part of [documents, bulkWrites, cursors, pipelines]) await part(session);
      if (capabilities.hasUnacknowledgedWrites) await unacknowledged(session);
    });
    await work;
    for (const part of [logins, topologies, several]) await part(driver, url, log);
    await abilities(driver, url, log, capabilities);
  };
}
