import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions, setLogLevel } from '../../../src/observe/log.js';

function logged(options: Partial<LogOptions>, isTTY = false) {
  const lines: string[] = [];
  const log = createLog(
    { level: 'info', format: 'auto', ...options },
    { isTTY, write: (line) => lines.push(line) },
  );
  return { log, lines };
}

describe('createLog', () => {
  it('writes one JSON object a line where there is no terminal', () => {
    const { log, lines } = logged({});
    log.warn({ listener: 'shop' }, 'slow');
    expect(lines).toHaveLength(1);
    const entry = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(entry).toMatchObject({ level: 'warn', listener: 'shop', msg: 'slow' });
    expect(Date.parse(String(entry['time']))).not.toBeNaN();
  });

  it('writes text on a terminal, and never a raw control character', () => {
    const { log, lines } = logged({}, true);
    log.info({ listener: 'sh\u001b[31mop', sessions: 2 }, 'open');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}open listener="sh\\u001b\[31mop" sessions=2\n$/);
  });

  it('keeps to the level asked for', () => {
    const { log, lines } = logged({ level: 'error' });
    log.warn('no');
    log.error('yes');
    expect(lines).toHaveLength(1);
  });

  it('changes the level of what was derived from it too', () => {
    const { log, lines } = logged({});
    const child = log.child({ listener: 'shop' });
    child.debug('no');
    setLogLevel(log, 'debug');
    child.debug('yes');
    log.debug('yes');
    expect(lines).toHaveLength(2);
  });

  it.each(['url', 'password', 'secret', 'upstreamPassword'])('redacts %s at the top and inside', (key) => {
    const { log, lines } = logged({});
    log.info({ [key]: 'hunter2', upstream: { [key]: 'hunter2', address: { [key]: 'hunter2' } } }, 'x');
    expect(lines[0]).not.toContain('hunter2');
    expect(lines[0]).toContain('[redacted]');
  });
});
