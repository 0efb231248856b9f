/**
 * Which combinations of client leg, upstream leg and authentication can work, and how the upstream's leg is secured in
 * each (docs/architecture.md has the table). The rule behind it: SCRAM binds to the client's own TLS connection, so a
 * relayed login breaks where both legs are TLS, unless clients do not bind.
 */
import type { LegPolicy, TlsMode } from '../../src/core/adapter.js';
import { isScramVerifierText, parseScramVerifier } from './scram.js';

/** Null when the combination can work; else one sentence that says why not and what to do. */
export function refusePolicy(policy: LegPolicy): string | null {
  if (policy.compression === 'relay') return 'compression is for MySQL, MariaDB and MongoDB; remove it here.';
  if (policy.advertisedAddress !== undefined) return 'advertise is for MongoDB; remove it here.';
  if (policy.auth === 'terminate') return refuseUsers(policy);
  if (policy.users.length > 0) {
    return 'users are only read with auth: terminate; set that, or remove the users.';
  }
  const isUpstreamTlsDemanded = demandsTls(policy.upstreamTls.mode);
  if (policy.clientTls !== null && isUpstreamTlsDemanded && !policy.isChannelBindingOff) {
    return (
      'TLS on both legs cannot relay SCRAM logins, which bind to the TLS connection: set auth: terminate with users, ' +
      'or channelBinding: off and channel_binding=disable in every client, or take TLS off one of the legs.'
    );
  }
  return null;
}

function refuseUsers(policy: LegPolicy): string | null {
  if (policy.users.length === 0) return 'auth: terminate needs at least one entry under users.';
  const names = new Set<string>();
  for (const [index, user] of policy.users.entries()) {
    if (user.name === '') return `users[${index}] has no name.`;
    if (user.upstreamUser === '') return `users[${index}] has no upstreamUser.`;
    if (user.secret === '') return `users[${index}] has no secret.`;
    if (names.has(user.name)) return `users[${index}] has the name of an entry before it.`;
    names.add(user.name);
    if (isScramVerifierText(user.secret) && parseScramVerifier(user.secret) === null) {
      return `users[${index}].secret starts like a SCRAM-SHA-256 verifier but is not one; copy it from pg_authid.rolpassword.`;
    }
  }
  return null;
}

function demandsTls(mode: TlsMode): boolean {
  return mode === 'require' || mode === 'verify-full';
}

/** Whether the upstream's leg asks for TLS, given how this client came. */
export function asksUpstreamTls(policy: LegPolicy, isClientSecure: boolean): boolean {
  const { mode } = policy.upstreamTls;
  // The proxy's own login is one attempt, not two: it takes TLS where there is some.
  if (mode === 'allow') return policy.auth === 'terminate';
  if (mode !== 'prefer') return mode !== 'disable';
  // TLS is only preferred here, so it yields to a login that may bind to the client's own TLS connection.
  return policy.auth === 'terminate' || !isClientSecure || policy.isChannelBindingOff;
}

/** Whether a plain answer to our SSLRequest will do. */
export function acceptsPlainUpstream(policy: LegPolicy): boolean {
  return !demandsTls(policy.upstreamTls.mode);
}

/** Whether a login that the server refuses without TLS is tried again with it. */
export function retriesWithTls(policy: LegPolicy): boolean {
  return policy.upstreamTls.mode === 'allow' && policy.auth === 'relay';
}

/** Whether mechanisms that bind to TLS must be taken out of the server's offer: its channel is not the client's. */
export function stripsChannelBinding(policy: LegPolicy, isUpstreamSecure: boolean): boolean {
  return policy.auth === 'relay' && isUpstreamSecure;
}
