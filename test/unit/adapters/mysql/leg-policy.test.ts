import { describe, expect, test } from 'vitest';
import {
  demandsUpstreamTls,
  mayShowKey,
  refusePolicy,
  takesUpstreamTls,
} from '../../../../adapters/mysql/leg-policy.js';
import type { LegPolicy, TlsMode } from '../../../../src/core/adapter.js';

const plain: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'clear',
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

  test('compression may be cleared or relayed', () => {
    expect(refusePolicy({ ...plain, compression: 'relay' })).toBeNull();
  });

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

describe('TLS of the upstream leg', () => {
  const offers: readonly [offered: boolean, clientSecure: boolean][] = [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ];
  test.each([
    ['disable', [false, false, false, false]],
    ['allow', [false, false, false, true]],
    ['prefer', [false, false, true, true]],
    ['require', [true, true, true, true]],
    ['verify-full', [true, true, true, true]],
  ] as const)('%s, by what the server offers and how the client came', (mode, expected) => {
    const policy = { ...plain, upstreamTls: { mode } };
    expect(offers.map(([offered, secure]) => takesUpstreamTls(policy, offered, secure))).toEqual(expected);
  });

  test('on that leg alone needs a key of the proxy, unless every client has TLS too', () => {
    const needing = (tls: LegPolicy['clientTls']): readonly TlsMode[] =>
      modes.filter((mode) => mayShowKey({ ...plain, clientTls: tls, upstreamTls: { mode } }));
    expect(needing(null)).toEqual(['prefer', 'require', 'verify-full']);
    expect(needing(clientTls)).toEqual(['prefer', 'require', 'verify-full']);
    expect(needing({ ...clientTls, isRequired: true })).toEqual([]);
  });

  test('is demanded by require and verify-full alone', () => {
    const demanding = modes.filter((mode) => demandsUpstreamTls({ ...plain, upstreamTls: { mode } }));
    expect(demanding).toEqual(['require', 'verify-full']);
  });
});
