/**
 * Which kind of connection a server takes, where the policy leaves it open (`allow`, `prefer`): found out by one session
 * and believed by the next ones, so that not each of them has to be turned away first. One for all sessions of a policy.
 *
 * Invariant: what is believed only decides what is tried first, and is forgotten after a while.
 */
import type { LegPolicy } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { beginsWithTls } from './leg-policy.js';

export class ServerLeg {
  readonly #isTlsFirst: boolean;
  #believedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(policy: LegPolicy) {
    this.#isTlsFirst = beginsWithTls(policy);
  }

  /** Whether the next session should begin with TLS. */
  isTls(nowMs: number): boolean {
    return nowMs < this.#believedUntilMs ? !this.#isTlsFirst : this.#isTlsFirst;
  }

  /** The server turned a session away, and took it this way. */
  tookInstead(isTls: boolean, nowMs: number): void {
    const isOwn = isTls === this.#isTlsFirst;
    this.#believedUntilMs = isOwn ? Number.NEGATIVE_INFINITY : nowMs + limits.believedServerLegMs;
  }
}

const legs = new WeakMap<LegPolicy, ServerLeg>();

export function serverLegOf(policy: LegPolicy): ServerLeg {
  const known = legs.get(policy) ?? new ServerLeg(policy);
  legs.set(policy, known);
  return known;
}
