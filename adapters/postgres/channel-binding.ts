/**
 * SCRAM's channel binding ties a login to the client's own TLS connection. Where that connection ends at the proxy and
 * the upstream's leg is another one, a login that binds cannot pass; this module takes the binding mechanisms out of
 * the server's offer and tells what the client then chose (docs 54.3 "SASL Authentication"; RFC 5802, section 6).
 */
import { authenticationCode, authenticationFrame } from './handshake-frames.js';
import { cstringEnd } from './messages/cstring.js';
import { serverMessage } from './messages/message-type.js';

const headerBytes = 5;
const bindingSuffix = '-PLUS';

/**
 * The AuthenticationSASL frame without its `-PLUS` mechanisms; the same object when there is nothing to take out, and
 * also when nothing would be left.
 */
export function withoutChannelBinding(frame: Buffer): Buffer {
  const mechanisms = saslMechanisms(frame);
  if (mechanisms === null) return frame;
  const kept = mechanisms.filter((mechanism) => !mechanism.endsWith(bindingSuffix));
  if (kept.length === mechanisms.length || kept.length === 0) return frame;
  const list = kept.map((mechanism) => `${mechanism}\0`).join('');
  return authenticationFrame(authenticationCode.sasl, Buffer.from(`${list}\0`, 'latin1'));
}

/** Mechanisms an AuthenticationSASL frame offers; null for any other or malformed frame. */
export function saslMechanisms(frame: Buffer): readonly string[] | null {
  if (frame.length < headerBytes + 4 || frame[0] !== serverMessage.authentication) return null;
  if (frame.readInt32BE(headerBytes) !== authenticationCode.sasl) return null;
  const mechanisms: string[] = [];
  let at = headerBytes + 4;
  while (at < frame.length && frame[at] !== 0) {
    const end = cstringEnd(frame, at, frame.length);
    if (end < 0) return null;
    mechanisms.push(frame.toString('latin1', at, end));
    at = end + 1;
  }
  return mechanisms;
}

/**
 * The channel-binding flag of a SASLInitialResponse: `n` the client does not bind, `y` it would and believes the
 * server cannot, `p` it binds. Null when the frame holds none.
 */
export function gs2Flag(frame: Buffer): 'n' | 'y' | 'p' | null {
  const mechanismEnd = cstringEnd(frame, headerBytes, frame.length);
  if (mechanismEnd < 0) return null;
  const flag = frame.toString('latin1', mechanismEnd + 5, mechanismEnd + 6);
  return flag === 'n' || flag === 'y' || flag === 'p' ? flag : null;
}
