import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryIndex } from '../../../../src/core/memory/memory-index.js';
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import {
  duplicateEmail,
  type Fixture,
  fixture,
  insertUser,
  noColumn,
  orders,
  shop,
  type TestSession,
  table,
  users,
} from './fixture.js';

/** What happens to sessions and schema, in any order. */
const statements = {
  insert: insertUser,
  upsert: `${insertUser} on conflict do nothing`,
  misspelt: 'select nme from users',
  corrected: 'select name from users',
};
const changed = table('users', 'id email name phone', users.constraints);

const steps: Record<string, (made: Fixture, session: TestSession) => void> = {
  failInsert: (_, session) => void session.fail(statements.insert, duplicateEmail),
  failMisspelt: (_, session) => void session.fail(statements.misspelt, noColumn(statements.misspelt, 'nme')),
  runInsert: (_, session) => session.succeed(statements.insert),
  runUpsert: (_, session) => session.succeed(statements.upsert),
  runMisspelt: (_, session) => session.succeed(statements.misspelt),
  runCorrected: (_, session) => session.succeed(statements.corrected),
  alter: (_, session) => session.ddl('alter table users add column phone text'),
  suspect: (made) => made.schemas.refresh(shop, 'probe_moved'),
  readOld: (made) => made.schemas.read([users, orders]),
  readNew: (made) => made.schemas.read([changed, orders]),
  flush: (made) => made.sink.flush(),
  wait: (made) => {
    made.now += 4_000;
  },
};

const script = fc.array(
  fc.record({ step: fc.constantFrom(...Object.keys(steps)), session: fc.integer({ min: 0, max: 2 }) }),
  { maxLength: 60 },
);

function countsOf(records: Iterable<MemoryRecord>) {
  const found = [...records].map((record) => {
    const { id, status, failures, successes, resolution, ignored, confirmed, contradicted, after, detail } =
      record;
    return { id, status, failures, successes, resolution, ignored, confirmed, contradicted, after, detail };
  });
  return found.sort((a, b) => a.id.localeCompare(b.id));
}

it('writes a log that folds to what is in memory, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(script, fc.boolean(), (played, isCatalogKnown) => {
      const made = fixture(isCatalogKnown ? [users, orders] : null);
      const sessions = [made.open(), made.open(), made.open()];
      let failures = 0;
      for (const { step, session } of played) {
        const on = sessions[session];
        if (on !== undefined) steps[step]?.(made, on);
        if (step.startsWith('fail')) failures++;
      }
      for (const session of sessions) session.handler.close();
      made.schemas.read([users, orders]);
      made.sink.close();
      expect(made.counters.of('bypassed:sink_error')).toBe(0);
      expect(countsOf(made.stored())).toEqual(countsOf(made.memory.records()));
      const replayed = new MemoryIndex();
      for (const event of made.events) replayed.apply(event);
      expect(replayed.countByStatus()).toEqual(made.memory.countByStatus());
      const counted = countsOf(made.memory.records()).reduce((sum, record) => sum + record.failures, 0);
      expect(counted + made.counters.of('failures_dropped:no_catalog')).toBe(failures);
    }),
    { numRuns: 300 },
  );
});
