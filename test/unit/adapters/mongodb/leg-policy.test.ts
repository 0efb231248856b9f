import { describe, expect, test } from 'vitest';
import { beginsWithTls, leavesTlsOpen, refusePolicy } from '../../../../adapters/mongodb/leg-policy.js';
import type { LegPolicy, TlsMode } from '../../../../src/core/adapter.js';

const plain: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'relay',
};
const clientTls = { cert: 'c', key: 'k', isRequired: false };
const user = { name: 'a', secret: 's', upstreamUser: 'b', upstreamPassword: 'p' };
const modes: readonly TlsMode[] = ['disable', 'allow', 'prefer', 'require', 'verify-full'];

describe('policies', () => {
  test.each(modes)('every pair of legs works, with upstream TLS %s', (mode) => {
    for (const tls of [null, clientTls]) {
      expect(refusePolicy({ ...plain, clientTls: tls, upstreamTls: { mode } })).toBeNull();
    }
  });

  test.each([{ compression: 'clear' }, { advertisedAddress: 'db.example:27018' }] as const)(
    '%o is taken',
    (change) => {
      expect(refusePolicy({ ...plain, ...change })).toBeNull();
    },
  );

  test.each([
    ['auth: terminate', { auth: 'terminate', users: [user] }],
    ['users', { users: [user] }],
    ['channelBinding', { isChannelBindingOff: true }],
  ] as const)('%s is refused in one sentence', (what, change) => {
    const refusal = refusePolicy({ ...plain, ...change });
    expect(refusal).toContain(what);
    expect(refusal).toContain('PostgreSQL');
    expect(refusal).toMatch(/^[^.]+\.$/);
  });
});

test('TLS of the upstream leg, by mode', () => {
  const having = (is: (policy: LegPolicy) => boolean): readonly TlsMode[] =>
    modes.filter((mode) => is({ ...plain, upstreamTls: { mode } }));
  expect(having(beginsWithTls)).toEqual(['prefer', 'require', 'verify-full']);
  expect(having(leavesTlsOpen)).toEqual(['allow', 'prefer']);
});
