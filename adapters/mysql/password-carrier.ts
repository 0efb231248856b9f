/**
 * Carries a password over where the legs need it in different forms: caching_sha2_password and sha256_password send it in
 * clear inside TLS and under RSA without (MySQL "Caching_sha2_password information"). Knows what to send instead of what
 * came; numbers and packets are its caller's.
 *
 * Invariants: a password in clear that came from the client goes to a server without TLS under that server's key only. It
 * is kept from the client's packet to that key at most, and wiped then.
 */
import type { PluginKind } from './auth-plugins.js';
import { type RefusalError, refusalError } from './handshake-packets.js';
import { encryptPassword, type ProxyKey } from './rsa-password.js';

export type Carried =
  /** The client's bytes go on as they are. */
  | { readonly kind: 'pass' }
  /** The server gets a request for its key; the password waits. */
  | { readonly kind: 'ask-server'; readonly data: Buffer }
  /** The client gets our key. */
  | { readonly kind: 'show-key'; readonly data: Buffer }
  /** The server gets this instead of what the client answered its last question with. */
  | { readonly kind: 'replace'; readonly data: Buffer }
  | { readonly kind: 'failed'; readonly error: RefusalError; readonly message: string };

type Step =
  /** Nothing secret is on its way. */
  | 'open'
  /** The client's next packet holds the password, or asks for the key to put it under. */
  | 'password'
  | 'server-key'
  /** The client has our key. */
  | 'client-block';

const pass: Carried = { kind: 'pass' };

/** How a client asks the server for its key. */
const keyRequests = { 'caching-sha2': 0x02, sha256: 0x01 } as const;

const foreignKey =
  "The password could not be decrypted: this client holds a public key that is not the proxy's. Let it ask for the " +
  'key (--get-server-public-key, allowPublicKeyRetrieval) or connect with TLS.';
const unusableKey =
  'The upstream database server gave no public key under which the password could be sent: set tls.mode to require.';

export interface Legs {
  readonly isClientSecure: boolean;
  readonly isServerSecure: boolean;
}

export class PasswordCarrier {
  readonly #legs: Legs;
  readonly #proxyKey: ProxyKey;
  #keyRequest = 0;
  #step: Step = 'open';
  #password: Buffer | null = null;

  constructor(legs: Legs, proxyKey: ProxyKey) {
    this.#legs = legs;
    this.#proxyKey = proxyKey;
  }

  get isServerKeyAwaited(): boolean {
    return this.#step === 'server-key';
  }

  /** Another plugin: what the one before left is forgotten. */
  begin(kind: PluginKind): void {
    this.forget();
    if (kind === 'caching-sha2' || kind === 'sha256') this.#keyRequest = keyRequests[kind];
    if (kind === 'sha256') this.#step = 'password';
  }

  /** The server asked for the password itself. */
  expectPassword(): void {
    this.#step = 'password';
  }

  forget(): void {
    this.#password?.fill(0);
    this.#password = null;
    this.#step = 'open';
  }

  clientData(data: Buffer, scramble: Buffer): Carried {
    if (this.#step === 'client-block') return this.#unwrap(data, scramble);
    if (this.#step !== 'password') return pass;
    this.#step = 'open';
    // No password: the same on any leg.
    if (data.length === 0 || (data.length === 1 && data[0] === 0)) return pass;
    const { isClientSecure, isServerSecure } = this.#legs;
    const isKeyRequest = data.length === 1 && data[0] === this.#keyRequest;
    const isInClear = !isKeyRequest && (isClientSecure || looksClear(data));
    if (isServerSecure) {
      if (isClientSecure || isInClear) return pass;
      return isKeyRequest ? this.#showKey() : this.#unwrap(data, scramble);
    }
    // Under the server's own key, or on the way to it: as the server needs it.
    if (!isInClear) return pass;
    this.#password = terminated(data);
    data.fill(0);
    this.#step = 'server-key';
    return { kind: 'ask-server', data: Buffer.from([this.#keyRequest]) };
  }

  /** PEM, in answer to `ask-server`. */
  serverKey(publicKey: Buffer, scramble: Buffer): Carried {
    const password = this.#password;
    const block = password === null ? null : encryptPassword(password, scramble, publicKey);
    this.forget();
    return block === null
      ? { kind: 'failed', error: refusalError.upstreamFailed, message: unusableKey }
      : { kind: 'replace', data: block };
  }

  #showKey(): Carried {
    this.#step = 'client-block';
    return { kind: 'show-key', data: this.#proxyKey.publicKey() };
  }

  #unwrap(block: Buffer, scramble: Buffer): Carried {
    this.#step = 'open';
    const password = this.#proxyKey.decryptPassword(block, scramble);
    return password === null
      ? { kind: 'failed', error: refusalError.accessDenied, message: foreignKey }
      : { kind: 'replace', data: password };
  }
}

/** RSA blocks are as long as their key. */
const blockStepBytes = 64;

/** MariaDB's Connector/C sends passwords in clear where the server has no TLS, though servers do not take them so. */
function looksClear(data: Buffer): boolean {
  return data.length % blockStepBytes !== 0 && data.indexOf(0) === data.length - 1;
}

function terminated(data: Buffer): Buffer {
  return data.at(-1) === 0 ? Buffer.from(data) : Buffer.concat([data, Buffer.from([0])]);
}
