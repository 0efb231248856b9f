/** Who a session is, from its greeting, its login packet and the OK that ended the login. */
import type { SessionIdentity } from '../../src/core/adapter.js';
import type { RelayLegs } from './auth-relay.js';
import { capability } from './capabilities.js';
import { compressionFlags, type Greeting } from './greeting.js';
import type { LoginPacket } from './login-packet.js';
import { decodeOk } from './messages/ok.js';
import { Negotiated, type NegotiatedTerms } from './negotiated.js';

/** Of a session on whose legs a later COM_CHANGE_USER has to be carried over. */
export class MixedLegsTerms extends Negotiated {
  readonly legs: RelayLegs;
  /** The greeting's. */
  readonly scramble: Buffer;

  constructor(terms: NegotiatedTerms, legs: RelayLegs, scramble: Buffer) {
    super(terms);
    this.legs = legs;
    this.scramble = scramble;
  }
}

export type Backlogs = Pick<SessionIdentity, 'clientBacklog' | 'serverBacklog'>;

export function sessionIdentity(
  greeting: Greeting,
  login: LoginPacket,
  ok: Buffer,
  legs: RelayLegs,
  backlogs: Backlogs,
): SessionIdentity {
  const { engine } = greeting;
  const { database, characterSet } = login;
  const state = { status: 0, warnings: 0, rest: 0 };
  decodeOk(ok, 0, ok.length, state);
  const isExtended = (login.capabilities & capability.longPassword) === 0;
  const terms: NegotiatedTerms = {
    capabilities: greeting.capabilities & login.capabilities,
    extendedCapabilities: isExtended ? greeting.extendedCapabilities & login.extendedCapabilities : 0,
    engine,
    serverVersion: greeting.version,
    connectionId: greeting.connectionId,
    characterSet,
    statusFlags: state.status,
    database,
  };
  return {
    engine,
    user: login.user,
    database,
    application: login.application,
    searchPath: database === '' ? [] : [database],
    // What a client asks for without an offer, servers may give it.
    blindReason: (login.capabilities & compressionFlags) === 0 ? null : 'not_followed',
    ...backlogs,
    isAuthenticated: true,
    negotiated:
      legs.isClientSecure === legs.isServerSecure
        ? new Negotiated(terms)
        : new MixedLegsTerms(terms, legs, greeting.scramble),
  };
}

/** A session of a protocol that is not ours to follow. */
export function unknownIdentity(backlogs: Backlogs): SessionIdentity {
  const nobody = { user: '', database: '', application: '', searchPath: null };
  return { engine: 'mysql', ...nobody, blindReason: 'unknown_protocol', ...backlogs, isAuthenticated: false };
}
