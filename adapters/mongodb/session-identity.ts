/** What is known of a session when it begins to be relayed: nothing yet of who it is, which the observer reads. */
import type { SessionIdentity } from '../../src/core/adapter.js';

/** What the server got before the session was relayed: the observer is to see it before anything else. */
export class RequestSentBefore {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

export type SessionBeginning = Pick<
  SessionIdentity,
  'clientBacklog' | 'serverBacklog' | 'blindReason' | 'negotiated'
>;

export function sessionIdentity(beginning: SessionBeginning): SessionIdentity {
  const nobody = { user: '', database: '', application: '', searchPath: null };
  return { engine: 'mongodb', ...nobody, isAuthenticated: false, ...beginning };
}
