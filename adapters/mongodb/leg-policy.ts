/**
 * Which combinations of client leg, upstream leg and authentication can work, and how the upstream's leg is secured in
 * each. MongoDB's protocol does not ask for TLS: a connection begins with it or goes without, and only trying tells what a
 * server takes. Logins are always relayed: SCRAM, as MongoDB has it, does not bind to the TLS channel, so every pair of legs
 * carries it.
 *
 * What does not cross the proxy is a certificate. The server sees that of the proxy (`tls.cert` of the upstream) on the
 * connections of all clients, so MONGODB-X509 logs each of them in as the one user of that certificate.
 */
import type { LegPolicy } from '../../src/core/adapter.js';

/** Null when the combination can work; else one sentence that says why not and what to do. */
export function refusePolicy(policy: LegPolicy): string | null {
  if (policy.auth === 'terminate') {
    return 'auth: terminate is for PostgreSQL, logins to MongoDB are relayed only; remove it here.';
  }
  if (policy.users.length > 0) {
    return 'users are for PostgreSQL, logins to MongoDB are relayed only; remove them here.';
  }
  if (policy.isChannelBindingOff) return 'channelBinding is for PostgreSQL; remove it here.';
  return null;
}

/** Whether the upstream's leg begins with TLS. */
export function beginsWithTls({ upstreamTls }: LegPolicy): boolean {
  return upstreamTls.mode !== 'disable' && upstreamTls.mode !== 'allow';
}

/** Whether a server that takes the one kind of connection only may have it: what is not tried first is tried then. */
export function leavesTlsOpen({ upstreamTls }: LegPolicy): boolean {
  return upstreamTls.mode === 'allow' || upstreamTls.mode === 'prefer';
}
