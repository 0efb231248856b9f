/** Who a session is, from its greeting, its login packet and the OK that ended the login. */
import type { SessionIdentity } from '../../src/core/adapter.js';
import { capability } from './capabilities.js';
import { compressionFlags, type Greeting } from './greeting.js';
import type { LoginPacket } from './login-packet.js';
import { Negotiated } from './negotiated.js';

export type Backlogs = Pick<SessionIdentity, 'clientBacklog' | 'serverBacklog'>;

export function sessionIdentity(
  greeting: Greeting,
  login: LoginPacket,
  ok: Buffer,
  backlogs: Backlogs,
): SessionIdentity {
  const { engine } = greeting;
  const { database, characterSet } = login;
  const isExtended = (login.capabilities & capability.longPassword) === 0;
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
    negotiated: new Negotiated({
      capabilities: greeting.capabilities & login.capabilities,
      extendedCapabilities: isExtended ? greeting.extendedCapabilities & login.extendedCapabilities : 0,
      engine,
      serverVersion: greeting.version,
      connectionId: greeting.connectionId,
      characterSet,
      statusFlags: okStatusFlags(ok),
      database,
    }),
  };
}

/** A session of a protocol that is not ours to follow. */
export function unknownIdentity(backlogs: Backlogs): SessionIdentity {
  const nobody = { user: '', database: '', application: '', searchPath: null };
  return { engine: 'mysql', ...nobody, blindReason: 'unknown_protocol', ...backlogs, isAuthenticated: false };
}

/** Status flags of an OK packet, behind its header and two length-encoded counts; 0 where it is cut short. */
function okStatusFlags(ok: Buffer): number {
  const at = afterCount(ok, afterCount(ok, 1));
  return ok.length < at + 2 ? 0 : ok.readUInt16LE(at);
}

function afterCount(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0xfc) return at + 1;
  return at + 1 + (first === 0xfc ? 2 : first === 0xfd ? 3 : 8);
}
