/**
 * Whether the server behind a listener wants a login, learned from its sessions: one that logged in, or one that was told
 * to. Before a login such a server still answers what it does not know (59) and cannot read, to anyone: of that nothing
 * may be remembered, or who has no account could fill the memory.
 */
import type { LegPolicy } from '../../src/core/adapter.js';

export interface LoginDemand {
  isSeen: boolean;
}

const demands = new WeakMap<object, LoginDemand>();

/** The same for all sessions of a listener, which share their policy. */
export function loginDemandOf(policy: Pick<LegPolicy, 'compression'>): LoginDemand {
  let demand = demands.get(policy);
  if (demand === undefined) {
    demand = { isSeen: false };
    demands.set(policy, demand);
  }
  return demand;
}
