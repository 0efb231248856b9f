import { describe, expect, test } from 'vitest';
import { asksUpstreamTls, refusePolicy } from '../../../../adapters/postgres/leg-policy.js';
import type { LegPolicy, TlsMode } from '../../../../src/core/adapter.js';

const clientTls = { cert: 'c', key: 'k', isRequired: false };
const user = { name: 'agent', secret: 's', upstreamUser: 'app', upstreamPassword: 'p' };

function policy(over: Partial<LegPolicy>, mode: TlsMode = 'disable'): LegPolicy {
  return {
    clientTls: null,
    upstreamTls: { mode },
    auth: 'relay',
    users: [],
    isChannelBindingOff: false,
    compression: 'clear',
    ...over,
  };
}

describe('combinations that can work', () => {
  test.each([
    ['plain, plain', policy({})],
    ['TLS, plain', policy({ clientTls })],
    ['TLS, prefer', policy({ clientTls }, 'prefer')],
    ['plain, TLS', policy({}, 'require')],
    ['plain, verified TLS', policy({}, 'verify-full')],
    ['TLS, TLS without binding', policy({ clientTls, isChannelBindingOff: true }, 'verify-full')],
    ['TLS, TLS terminated', policy({ clientTls, auth: 'terminate', users: [user] }, 'verify-full')],
    ['plain terminated', policy({ auth: 'terminate', users: [user] })],
  ])('%s', (_what, given) => {
    expect(refusePolicy(given)).toBeNull();
  });
});

describe('combinations that cannot', () => {
  test.each([
    ['TLS, TLS relayed', policy({ clientTls }, 'require'), 'auth: terminate'],
    ['TLS, verified TLS relayed', policy({ clientTls }, 'verify-full'), 'channel_binding=disable'],
    ['no users', policy({ auth: 'terminate' }), 'users'],
    ['users without terminate', policy({ users: [user] }), 'auth: terminate'],
    ['two of one name', policy({ auth: 'terminate', users: [user, user] }), 'users[1]'],
    ['no secret', policy({ auth: 'terminate', users: [{ ...user, secret: '' }] }), 'users[0]'],
    [
      'no upstream user',
      policy({ auth: 'terminate', users: [{ ...user, upstreamUser: '' }] }),
      'upstreamUser',
    ],
    ['no name', policy({ auth: 'terminate', users: [{ ...user, name: '' }] }), 'name'],
    [
      'a broken verifier',
      policy({ auth: 'terminate', users: [{ ...user, secret: 'SCRAM-SHA-256$1:x' }] }),
      'verifier',
    ],
  ])('%s', (_what, given, part) => {
    expect(refusePolicy(given)).toContain(part);
  });
});

test('a preferred TLS leg yields to a login that may bind', () => {
  expect(asksUpstreamTls(policy({}, 'prefer'), false)).toBe(true);
  expect(asksUpstreamTls(policy({ clientTls }, 'prefer'), true)).toBe(false);
  expect(asksUpstreamTls(policy({ clientTls, isChannelBindingOff: true }, 'prefer'), true)).toBe(true);
  expect(asksUpstreamTls(policy({ clientTls, auth: 'terminate' }, 'prefer'), true)).toBe(true);
  expect(asksUpstreamTls(policy({}, 'disable'), false)).toBe(false);
});
