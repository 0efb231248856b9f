/**
 * What a client's first packet wants, and the identity of the session that comes of it.
 */
import type { LegPolicy, SessionIdentity } from '../../src/core/adapter.js';
import { isWithoutDatabase, type StartupPacket, startupParameter, startupSearchPath } from './startup.js';
import { terminatedUsersOf } from './terminated-users.js';

/** The packets that lead to an upstream connection. */
export type SessionGoal = Extract<StartupPacket, { readonly kind: 'cancel' | 'startup' | 'unknown' }>;

type Relayed = Pick<SessionIdentity, 'clientBacklog' | 'serverBacklog' | 'isAuthenticated'>;

export function sessionIdentity(
  goal: SessionGoal | null,
  policy: LegPolicy,
  relayed: Relayed,
): SessionIdentity {
  if (goal?.kind !== 'startup') {
    const nobody = { user: '', database: '', application: '', searchPath: null };
    return { engine: 'postgresql', ...nobody, blindReason: 'unknown_protocol', ...relayed };
  }
  const { parameters } = goal;
  const clientUser = startupParameter(parameters, 'user') ?? '';
  const known = policy.auth === 'terminate' ? terminatedUsersOf(policy).find(clientUser) : null;
  const user = known?.upstreamUser ?? clientUser;
  return {
    engine: 'postgresql',
    user,
    ...(known === null ? {} : { clientUser }),
    // The server's own default is the name of the user.
    database: isWithoutDatabase(parameters) ? '' : startupParameter(parameters, 'database') || user,
    application: startupParameter(parameters, 'application_name') ?? '',
    searchPath: startupSearchPath(parameters),
    blindReason: null,
    ...relayed,
  };
}
