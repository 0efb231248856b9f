/**
 * Passwords under RSA, as caching_sha2_password and sha256_password send them without TLS: with its terminator, XORed
 * with the scramble, OAEP-padded (MySQL "Caching_sha2_password information", "sha256_password"). The proxy does both
 * ends of it: the client's towards an upstream without TLS, the server's towards a client without TLS.
 */
import {
  constants,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';

const modulusLength = 2048;
const padding = constants.RSA_PKCS1_OAEP_PADDING;

/** `password` ends with its zero byte and is wiped. Null: the key is none, or too short for the password. */
export function encryptPassword(password: Buffer, scramble: Buffer, publicKey: Buffer): Buffer | null {
  const masked = xored(password, scramble);
  password.fill(0);
  try {
    const key = createPublicKey(publicKey);
    return key.asymmetricKeyType === 'rsa' ? publicEncrypt({ key, padding }, masked) : null;
  } catch {
    return null;
  }
}

/** The proxy's key for clients without TLS. */
export interface ProxyKey {
  /** PEM. Makes a key if there is none yet. */
  publicKey(): Buffer;
  /** The password with its zero byte; null where the block was not made with our key and `scramble`. */
  decryptPassword(block: Buffer, scramble: Buffer): Buffer | null;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export class OwnProxyKey implements ProxyKey {
  #pair: KeyPair | null = null;
  #isPreparing = false;

  /** A key is being made on another thread. */
  get isPreparing(): boolean {
    return this.#isPreparing;
  }

  /** A key may be needed: makes one on another thread, as it can take most of a second. */
  prepare(): void {
    if (this.#pair !== null || this.#isPreparing) return;
    this.#isPreparing = true;
    generateKeyPair('rsa', { modulusLength }, (_error, publicKey, privateKey) => {
      this.#isPreparing = false;
      // The first pair stays: a client may hold its public half already.
      if (privateKey !== undefined) this.#pair ??= { publicKey, privateKey };
    });
  }

  publicKey(): Buffer {
    return Buffer.from(this.#keyPair().publicKey.export({ type: 'spki', format: 'pem' }));
  }

  decryptPassword(block: Buffer, scramble: Buffer): Buffer | null {
    let masked: Buffer;
    try {
      masked = privateDecrypt({ key: this.#keyPair().privateKey, padding }, block);
    } catch {
      return null;
    }
    const password = xored(masked, scramble);
    return password.indexOf(0) === password.length - 1 ? password : null;
  }

  #keyPair(): KeyPair {
    this.#pair ??= generateKeyPairSync('rsa', { modulusLength });
    return this.#pair;
  }
}

/** One for the process, made when it may be needed, or is. */
export const proxyKey = new OwnProxyKey();

function xored(bytes: Buffer, key: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (const [index, byte] of bytes.entries()) result[index] = byte ^ (key[index % key.length] ?? 0);
  return result;
}
