/**
 * The users of one `auth: terminate` policy, with what checking and using their secrets needs. Derived keys are kept,
 * because PBKDF2 would hold the event loop for milliseconds at every login.
 *
 * Invariant: what a client sees does not tell a known name from an unknown one: both get the same salt every time.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { LegPolicy, TerminatedUser } from '../../src/core/adapter.js';
import {
  defaultScramIterations,
  deriveScramKeys,
  parseScramVerifier,
  type ScramKeys,
  type ScramVerifier,
  scramVerifier,
} from './scram.js';

const saltBytes = 16;

interface KnownUser {
  readonly user: TerminatedUser;
  readonly verifier: ScramVerifier;
  /** Upstream keys for the salt and rounds seen last. */
  upstreamKeys: { readonly salt: string; readonly iterations: number; readonly keys: ScramKeys } | null;
}

export class TerminatedUsers {
  readonly #known = new Map<string, KnownUser>();
  readonly #saltSecret = randomBytes(32);

  constructor(users: readonly TerminatedUser[]) {
    for (const user of users) {
      const verifier =
        parseScramVerifier(user.secret) ??
        scramVerifier(user.secret, this.#saltOf(user.name), defaultScramIterations);
      this.#known.set(user.name, { user, verifier, upstreamKeys: null });
    }
  }

  find(name: string): TerminatedUser | null {
    return this.#known.get(name)?.user ?? null;
  }

  /** For a name that is not known, a verifier that no proof satisfies. */
  verifierOf(name: string): ScramVerifier {
    const known = this.#known.get(name);
    if (known !== undefined) return known.verifier;
    return {
      iterations: defaultScramIterations,
      salt: this.#saltOf(name),
      storedKey: randomBytes(32),
      serverKey: randomBytes(32),
    };
  }

  /** Keys for logging in upstream as the user behind `name`. */
  upstreamKeys(name: string, salt: Buffer, iterations: number): ScramKeys | null {
    const known = this.#known.get(name);
    if (known === undefined) return null;
    const saltText = salt.toString('base64');
    const kept = known.upstreamKeys;
    if (kept !== null && kept.salt === saltText && kept.iterations === iterations) return kept.keys;
    const keys = deriveScramKeys(known.user.upstreamPassword, salt, iterations);
    known.upstreamKeys = { salt: saltText, iterations, keys };
    return keys;
  }

  #saltOf(name: string): Buffer {
    return createHmac('sha256', this.#saltSecret).update(name).digest().subarray(0, saltBytes);
  }
}

const usersByPolicy = new WeakMap<LegPolicy, TerminatedUsers>();

/** One per policy object: made at its first login. */
export function terminatedUsersOf(policy: LegPolicy): TerminatedUsers {
  let users = usersByPolicy.get(policy);
  if (users === undefined) {
    users = new TerminatedUsers(policy.users);
    usersByPolicy.set(policy, users);
  }
  return users;
}
