/**
 * Frames of the time before a session is relayed: taken one by one from what was read, and built for what the proxy
 * itself has to say (docs 54.7 "Message Formats", AuthenticationXXX and ErrorResponse).
 */
import { limits } from '../../src/core/limits.js';
import { clientMessage, serverMessage } from './messages/message-type.js';

const headerBytes = 5;

/** AuthenticationXXX by its Int32. */
export const authenticationCode = {
  ok: 0,
  cleartextPassword: 3,
  md5Password: 5,
  sasl: 10,
  saslContinue: 11,
  saslFinal: 12,
} as const;

/** SQLSTATE of what the proxy itself reports. */
export const refusalCode = {
  protocolViolation: '08P01',
  cannotConnect: '08001',
  connectionLost: '08006',
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  tooManyConnections: '53300',
  shuttingDown: '57P03',
  timedOut: '57014',
  notSupported: '0A000',
} as const;

export type TakenFrame =
  /** `frame` is whole with its header; `bytes` is its length in what was read. */
  | { readonly kind: 'frame'; readonly type: number; readonly frame: Buffer; readonly body: Buffer }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' };

/** The frame at the start of `bytes`, as views; longer ones than authentication needs are malformed. */
export function takeFrame(bytes: Buffer): TakenFrame {
  if (bytes.length < headerBytes) return { kind: 'incomplete' };
  const length = bytes.readInt32BE(1);
  if (length < 4 || length > limits.maxAuthenticationFrameBytes) return { kind: 'malformed' };
  if (bytes.length < 1 + length) return { kind: 'incomplete' };
  const frame = bytes.subarray(0, 1 + length);
  return { kind: 'frame', type: frame[0] ?? 0, frame, body: frame.subarray(headerBytes) };
}

function buildFrame(type: number, body: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame[0] = type;
  frame.writeInt32BE(4 + body.length, 1);
  body.copy(frame, headerBytes);
  return frame;
}

/** AuthenticationXXX with what follows its code. */
export function authenticationFrame(code: number, rest: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.allocUnsafe(4 + rest.length);
  body.writeInt32BE(code, 0);
  rest.copy(body, 4);
  return buildFrame(serverMessage.authentication, body);
}

/** The client's answer to an authentication request. */
export function passwordFrame(body: Buffer): Buffer {
  return buildFrame(clientMessage.password, body);
}

/** A FATAL ErrorResponse with the fields every client reads; `message` must be ours, never the client's text. */
export function fatalError(code: string, message: string): Buffer {
  return buildFrame(
    serverMessage.errorResponse,
    Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message.replaceAll('\0', '')}\0\0`),
  );
}
