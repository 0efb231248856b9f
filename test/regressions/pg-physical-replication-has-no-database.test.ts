// pg_basebackup and pg_receivewal name a database "replication" that does not exist: the poller tried to read its catalog
// for as long as they ran, and said so in the log each time.
import { afterEach, expect, test } from 'vitest';
import { openCatalog } from '../../adapters/postgres/catalog.js';
import { sessionIdentity } from '../../adapters/postgres/session-goal.js';
import { readStartupPacket } from '../../adapters/postgres/startup.js';
import { noCounters } from '../../src/core/counters.js';
import { SchemaPollers } from '../../src/proxy/schema-pollers.js';
import { plain } from '../integration/catalog/support.js';
import { startupPacket } from '../unit/adapters/postgres/startup-packets.js';

const relayPolicy = {
  ...{ clientTls: null, upstreamTls: plain, auth: 'relay' as const, users: [], isChannelBindingOff: false },
  compression: 'clear' as const,
};
const relayed = { clientBacklog: Buffer.alloc(0), serverBacklog: Buffer.alloc(0), isAuthenticated: false };

let pollers: SchemaPollers | null = null;
afterEach(() => pollers?.close());

test.each([
  ['true', ''],
  ['on', ''],
  ['1', ''],
  ['YES', ''],
  ['t', ''],
  ['database', 'replication'],
  ['false', 'replication'],
  ['o', 'replication'],
  ['off', 'replication'],
])('replication=%s: the database is <%s>', (replication, database) => {
  const packet = startupPacket({ user: 'ann', database: 'replication', replication });
  const goal = readStartupPacket(packet);
  if (goal.kind !== 'startup') throw new Error(`a ${goal.kind} packet`);
  expect(sessionIdentity(goal, relayPolicy, relayed)).toMatchObject({
    user: 'ann',
    database,
    blindReason: null,
  });
});

test('no catalog is opened for a session in no database', () => {
  const opened: string[] = [];
  const address = { host: '127.0.0.1', port: 1, user: 'ann', password: '', database: 'ann' };
  const adapter = {
    catalogCovers: 'database' as const,
    openCatalog: (...args: Parameters<typeof openCatalog>) => {
      opened.push(args[2]);
      return openCatalog(...args);
    },
  };
  pollers = new SchemaPollers({
    upstreams: new Map([['main', { adapter, address, tls: plain }]]),
    counters: noCounters,
  });
  const scope = { upstream: 'main', database: '' };
  pollers.sessionOpened(scope)();
  pollers.refresh(scope, 'drift_suspected');
  expect(pollers.states()).toEqual([]);
  expect(opened).toEqual([]);
});
