import { describe, expect, it } from 'vitest';
import { HealthLog } from '../../../src/observe/health-log.js';
import { createLog } from '../../../src/observe/log.js';

function health() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { level: 'info', format: 'json' },
    { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  return { health: new HealthLog(log), lines };
}

describe('HealthLog', () => {
  it('says when the memory stops and starts taking writes', () => {
    const { health: log, lines } = health();
    const error = new Error('outer', { cause: Object.assign(new Error('disk full'), { code: 'ENOSPC' }) });
    log.queue({ state: 'failing', error, queued: 3, dropped: 0 });
    log.queue({ state: 'recovered', error: null, queued: 0, dropped: 2 });
    expect(lines).toMatchObject([
      { level: 'error', code: 'ENOSPC', reason: 'disk full', queued: 3 },
      { level: 'info', dropped: 2 },
    ]);
  });

  it('tells trouble of the store from its housekeeping', () => {
    const { health: log, lines } = health();
    log.store({ kind: 'compacted', message: 'Merged.' });
    log.store({ kind: 'lock_lost', message: 'Taken over.' });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'Merged.'],
      ['warn', 'Taken over.'],
    ]);
  });

  it('names the database whose catalog fails, and bounds what a server says', () => {
    const { health: log, lines } = health();
    const scope = { upstream: 'shop', database: 'orders' };
    log.catalog(scope, new Error('x'.repeat(1_000)));
    log.catalog(scope, 'not an error');
    log.catalog(scope, null);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info']);
    expect(lines[0]).toMatchObject(scope);
    expect(String(lines[0]?.['reason'])).toHaveLength(300);
  });

  it('warns of what the account is not shown, and says when it is', () => {
    const { health: log, lines } = health();
    const scope = { upstream: 'shop', database: '*' };
    log.blindSpot(scope, 'reader lacks TRIGGER on *.*');
    log.blindSpot(scope, null);
    expect(lines).toMatchObject([
      { level: 'warn', ...scope, reason: 'reader lacks TRIGGER on *.*' },
      { level: 'info', ...scope },
    ]);
  });
});
