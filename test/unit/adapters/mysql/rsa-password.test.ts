import { generateKeyPairSync, publicEncrypt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encryptPassword, OwnProxyKey } from '../../../../adapters/mysql/rsa-password.js';
import { rsaPassword } from '../../../support/mysql-client-packets.js';
import { until } from '../../../support/until.js';

const scramble = Buffer.from('abcdefghijklmnopqrst');

describe("the proxy's key", () => {
  test('is one for the process, and takes back what a client put under it', () => {
    const key = new OwnProxyKey();
    const pem = key.publicKey();
    expect(key.publicKey()).toEqual(pem);
    for (const password of ['', 'p', 'päßwörd', 'x'.repeat(200)]) {
      const block = rsaPassword(password, scramble, pem.toString());
      expect(key.decryptPassword(block, scramble)?.toString()).toBe(`${password}\0`);
    }
  });

  test('opens nothing else', () => {
    const key = new OwnProxyKey();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const foreign = rsaPassword('p', scramble, other.export({ type: 'spki', format: 'pem' }).toString());
    expect(key.decryptPassword(foreign, scramble)).toBeNull();
    expect(key.decryptPassword(Buffer.alloc(0), scramble)).toBeNull();
    expect(key.decryptPassword(Buffer.alloc(256, 1), scramble)).toBeNull();
    // Under the key, but without the terminator that tells a password from noise.
    expect(key.decryptPassword(publicEncrypt(key.publicKey(), Buffer.from('p')), scramble)).toBeNull();
  });

  test('that is being made is not made twice, and one that was needed meanwhile stays', async () => {
    const key = new OwnProxyKey();
    key.prepare();
    key.prepare();
    const pem = key.publicKey();
    await until(() => !key.isPreparing, 30_000, 'the key that was being made');
    expect(key.publicKey()).toEqual(pem);
    key.prepare();
    expect(key.isPreparing).toBe(false);
  });
});

describe("under the server's key", () => {
  test('the password is wiped, whether it fits or not', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const pem = Buffer.from(short.export({ type: 'spki', format: 'pem' }));
    for (const [bytes, fits] of [
      [80, true],
      [90, false],
    ] as const) {
      const password = Buffer.alloc(bytes, 'x');
      expect(encryptPassword(password, scramble, pem) !== null).toBe(fits);
      expect(password).toEqual(Buffer.alloc(bytes));
    }
  });

  test('a key of another kind is none', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(encryptPassword(Buffer.from('p\0'), scramble, pem)).toBeNull();
    expect(encryptPassword(Buffer.from('p\0'), scramble, Buffer.from('no PEM'))).toBeNull();
  });
});
