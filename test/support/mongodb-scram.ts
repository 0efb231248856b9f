/** The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), for sessions without a client library. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const keyBytes = 32;

export class ScramClient {
  private readonly password: string;
  private readonly bare: string;
  private expected = '';

  constructor(user: string, password: string, nonce = randomBytes(18).toString('base64')) {
    this.password = password;
    const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
    this.bare = `n=${name},r=${nonce}`;
  }

  /** The first message to the server. */
  first(): Buffer {
    return Buffer.from(`n,,${this.bare}`);
  }

  /** The answer to the server's first message. */
  final(serverFirst: Buffer): Buffer {
    const said = serverFirst.toString();
    const [nonce = '', salt = '', iterations = ''] = ['r', 's', 'i'].map((name) => attribute(said, name));
    const salted = pbkdf2Sync(
      this.password,
      Buffer.from(salt, 'base64'),
      Number(iterations),
      keyBytes,
      'sha256',
    );
    const withoutProof = `c=biws,r=${nonce}`;
    const all = `${this.bare},${said},${withoutProof}`;
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), all);
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
    this.expected = hmac(hmac(salted, 'Server Key'), all).toString('base64');
    return Buffer.from(`${withoutProof},p=${Buffer.from(proof).toString('base64')}`);
  }

  /** Whether the server has shown that it knows the password too. */
  isServer(serverFinal: Buffer): boolean {
    return attribute(serverFinal.toString(), 'v') === this.expected;
  }
}

function attribute(message: string, name: string): string {
  return (
    message
      .split(',')
      .find((part) => part.startsWith(`${name}=`))
      ?.slice(2) ?? ''
  );
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
