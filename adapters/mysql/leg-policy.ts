/**
 * Which combinations of client leg, upstream leg and authentication can work, and how the upstream's leg is secured in
 * each (docs/configuration.md has the table). Logins are always relayed: no plugin of MySQL or MariaDB binds to the TLS
 * channel, so every pair of legs can be.
 */
import type { LegPolicy } from '../../src/core/adapter.js';

/** Null when the combination can work; else one sentence that says why not and what to do. */
export function refusePolicy(policy: LegPolicy): string | null {
  if (policy.auth === 'terminate') {
    return 'auth: terminate is for PostgreSQL, logins to MySQL and MariaDB are relayed only; remove it here.';
  }
  if (policy.users.length > 0) {
    return 'users are for PostgreSQL, logins to MySQL and MariaDB are relayed only; remove them here.';
  }
  if (policy.isChannelBindingOff) return 'channelBinding is for PostgreSQL; remove it here.';
  if (policy.advertisedAddress !== undefined) return 'advertise is for MongoDB; remove it here.';
  return null;
}

/** Whether clients are offered TLS by a server that does or does not. */
export function offersClientTls({ clientTls }: LegPolicy, isOfferedByServer: boolean): boolean {
  return clientTls !== null && (isOfferedByServer || clientTls.isOwn !== true);
}

/** Whether the upstream's leg must have TLS. */
export function demandsUpstreamTls(policy: LegPolicy): boolean {
  const { mode } = policy.upstreamTls;
  return mode === 'require' || mode === 'verify-full';
}

/** Whether a client without TLS may have to put its password under the proxy's key: the upstream's leg alone has TLS. */
export function mayShowKey(policy: LegPolicy): boolean {
  return policy.clientTls?.isRequired !== true && takesUpstreamTls(policy, true, false);
}

/**
 * Whether the upstream's leg gets TLS, given what the server offers and how this client came. `allow` follows the
 * client: its greeting cannot be taken back, so a login refused for want of TLS cannot be tried again.
 */
export function takesUpstreamTls(policy: LegPolicy, isOffered: boolean, isClientSecure: boolean): boolean {
  switch (policy.upstreamTls.mode) {
    case 'disable':
      return false;
    case 'allow':
      return isOffered && isClientSecure;
    case 'prefer':
      return isOffered;
    case 'require':
    case 'verify-full':
      return true;
  }
}
