import { afterEach, describe, expect, it } from 'vitest';
import { onSignals } from '../../../src/cli/signals.js';

let release: () => void = () => undefined;
afterEach(() => release());

function recorded() {
  const calls: string[] = [];
  const clock = { ms: 0 };
  release = onSignals(
    {
      stop: () => calls.push('stop'),
      stopNow: () => calls.push('stopNow'),
      reload: () => calls.push('reload'),
    },
    () => clock.ms,
  );
  return { calls, clock };
}

describe('onSignals', () => {
  it('asks for a stop first and insists on the second', () => {
    const { calls, clock } = recorded();
    process.emit('SIGTERM');
    clock.ms += 400;
    process.emit('SIGINT');
    expect(calls).toEqual(['stop', 'stopNow']);
  });

  it('takes what arrives twice for one request', () => {
    const { calls, clock } = recorded();
    process.emit('SIGTERM');
    clock.ms += 20;
    process.emit('SIGTERM');
    expect(calls).toEqual(['stop']);
  });

  it('reloads on SIGHUP, and lets go of the signals', () => {
    const { calls } = recorded();
    process.once('SIGHUP', () => calls.push('someone else'));
    process.emit('SIGHUP');
    release();
    process.emit('SIGHUP');
    expect(calls).toEqual(['reload', 'someone else']);
  });
});
