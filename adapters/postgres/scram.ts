/**
 * SCRAM-SHA-256 without channel binding, both roles (RFC 5802, RFC 7677; docs 54.3.1 "SCRAM-SHA-256 Authentication").
 * Pure but for PBKDF2's time: nonces and salts are arguments, secrets go in and never come out.
 */
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { saslprep } from '@mongodb-js/saslprep';
import { limits } from '../../src/core/limits.js';

export const scramMechanism = 'SCRAM-SHA-256';
export const defaultScramIterations = 4_096;
const digestBytes = 32;

/** What a server keeps of a password: enough to check a proof, not to make one. */
export interface ScramVerifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/** What a client derives from a password for one salt; as good as the password to that server. */
export interface ScramKeys {
  readonly clientKey: Buffer;
  readonly serverKey: Buffer;
}

export function deriveScramKeys(password: string, salt: Buffer, iterations: number): ScramKeys {
  const salted = pbkdf2Sync(normalised(password), salt, iterations, digestBytes, 'sha256');
  return { clientKey: hmac(salted, 'Client Key'), serverKey: hmac(salted, 'Server Key') };
}

export function scramVerifier(password: string, salt: Buffer, iterations: number): ScramVerifier {
  const { clientKey, serverKey } = deriveScramKeys(password, salt, iterations);
  return { iterations, salt, storedKey: sha256(clientKey), serverKey };
}

/** True for a text that claims to be a verifier as PostgreSQL stores it in `pg_authid.rolpassword`. */
export function isScramVerifierText(secret: string): boolean {
  return secret.startsWith(`${scramMechanism}$`);
}

/** Null where the text is not a well-formed verifier. */
export function parseScramVerifier(secret: string): ScramVerifier | null {
  const match = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)$/.exec(
    secret,
  );
  if (match === null) return null;
  const [, iterations = '', salt = '', stored = '', server = ''] = match;
  const verifier = {
    iterations: Number(iterations),
    salt: Buffer.from(salt, 'base64'),
    storedKey: Buffer.from(stored, 'base64'),
    serverKey: Buffer.from(server, 'base64'),
  };
  const hasSizes = verifier.storedKey.length === digestBytes && verifier.serverKey.length === digestBytes;
  return hasSizes && verifier.iterations > 0 && verifier.salt.length > 0 ? verifier : null;
}

/** Where the exchange stands after the client's first message. */
export interface ScramServerFirst {
  readonly message: string;
  readonly gs2Header: string;
  readonly clientFirstBare: string;
  readonly nonce: string;
  readonly verifier: ScramVerifier;
}

export type ScramRefusal = 'malformed' | 'channel_binding' | 'wrong_proof';

/** Answers the client's first message with salt, rounds and the joint nonce. */
export function answerClientFirst(
  clientFirst: string,
  verifier: ScramVerifier,
  serverNonce: string,
): ScramServerFirst | ScramRefusal {
  if (clientFirst.startsWith('p=')) return 'channel_binding';
  // An authorization identity is not supported by the server either: nothing may stand between the commas.
  const match = /^([ny],,)(n=[^,]*,r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?)$/.exec(clientFirst);
  if (match === null) return 'malformed';
  const [, gs2Header = '', clientFirstBare = '', clientNonce = ''] = match;
  const nonce = clientNonce + serverNonce;
  const message = `r=${nonce},s=${verifier.salt.toString('base64')},i=${verifier.iterations}`;
  return { message, gs2Header, clientFirstBare, nonce, verifier };
}

/** Checks the client's proof; the result is the server's final message, which proves the server in turn. */
export function answerClientFinal(
  clientFinal: string,
  first: ScramServerFirst,
): { readonly message: string } | ScramRefusal {
  const match = /^(c=([A-Za-z0-9+/=]+),r=([^,]+)(?:,.*)?),p=([A-Za-z0-9+/=]+)$/.exec(clientFinal);
  if (match === null) return 'malformed';
  const [, withoutProof = '', binding = '', nonce = '', proofText = ''] = match;
  if (binding !== Buffer.from(first.gs2Header).toString('base64') || nonce !== first.nonce)
    return 'malformed';
  const proof = Buffer.from(proofText, 'base64');
  if (proof.length !== digestBytes) return 'malformed';
  const authMessage = `${first.clientFirstBare},${first.message},${withoutProof}`;
  const clientKey = xor(proof, hmac(first.verifier.storedKey, authMessage));
  if (!timingSafeEqual(sha256(clientKey), first.verifier.storedKey)) return 'wrong_proof';
  return { message: `v=${hmac(first.verifier.serverKey, authMessage).toString('base64')}` };
}

/** PostgreSQL takes the name from the startup packet and ignores the one in here. */
export function clientFirstMessage(clientNonce: string): string {
  return `n,,n=,r=${clientNonce}`;
}

export interface ScramClientFinal {
  readonly message: string;
  /** What the server's final message must say. */
  readonly expectedServerFinal: string;
}

/** Null when the server's message is malformed, does not carry our nonce on, or asks for too many rounds. */
export function answerServerFirst(
  serverFirst: string,
  clientNonce: string,
  derive: (salt: Buffer, iterations: number) => ScramKeys | null,
): ScramClientFinal | null {
  const match = /^r=([\x21-\x2b\x2d-\x7e]+),s=([A-Za-z0-9+/=]+),i=(\d{1,9})(?:,.*)?$/.exec(serverFirst);
  if (match === null) return null;
  const [, nonce = '', saltText = '', iterationsText = ''] = match;
  const iterations = Number(iterationsText);
  if (!nonce.startsWith(clientNonce) || nonce.length === clientNonce.length) return null;
  if (iterations < 1 || iterations > limits.maxScramIterations) return null;
  const keys = derive(Buffer.from(saltText, 'base64'), iterations);
  if (keys === null) return null;
  const { clientKey, serverKey } = keys;
  const withoutProof = `c=${Buffer.from('n,,').toString('base64')},r=${nonce}`;
  const authMessage = `n=,r=${clientNonce},${serverFirst},${withoutProof}`;
  const proof = xor(clientKey, hmac(sha256(clientKey), authMessage));
  return {
    message: `${withoutProof},p=${proof.toString('base64')}`,
    expectedServerFinal: `v=${hmac(serverKey, authMessage).toString('base64')}`,
  };
}

/** Equal in constant time for equal lengths. */
export function isSameText(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** As the server does it: a password that SASLprep prohibits is used as it is. */
function normalised(password: string): string {
  try {
    return saslprep(password, { allowUnassigned: false });
  } catch {
    return password;
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function xor(left: Buffer, right: Buffer): Buffer {
  const result = Buffer.allocUnsafe(left.length);
  for (let at = 0; at < left.length; at += 1) result[at] = (left[at] ?? 0) ^ (right[at] ?? 0);
  return result;
}
