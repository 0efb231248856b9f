/** What the dialogues of these tests are made of. */
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { OwnProxyKey } from '../../../adapters/mysql/rsa-password.js';
import {
  authAnswer,
  type LoginPacket,
  loginPacket,
  rsaPassword,
  tlsRequest,
} from '../../support/mysql-client-packets.js';
import { capability, packet } from '../../support/mysql-protocol.js';
import {
  authMoreData,
  type GreetingOptions,
  greeting,
  mysqlGreeting,
  mysqlOffer,
  ok,
  scriptedNonce,
} from '../../support/mysql-server-packets.js';

export const password = 'p4ssw0rd';
export const clear = Buffer.from(`${password}\0`);
/** Another scramble than the greeting's. */
export const switchNonce = Buffer.from('ABCDEFGHIJKLMNOPQRST');

export const offerWithTls = { ...mysqlGreeting, capabilities: mysqlOffer | capability.tls };

export function greet(options: GreetingOptions = mysqlGreeting): Buffer {
  return packet(greeting(options), 0);
}

export interface LoginOptions extends Partial<LoginPacket> {
  readonly isTls?: boolean;
  readonly sequence?: number;
}

/** A client's login packet, numbered for its leg. */
export function login(options: LoginOptions = {}): Buffer {
  const { isTls = false, sequence = isTls ? 2 : 1, ...changes } = options;
  const plugin = changes.plugin ?? 'caching_sha2_password';
  return packet(
    loginPacket({
      capabilities: (mysqlOffer & ~capability.connectWithDb) | (isTls ? capability.tls : 0),
      user: 'ann',
      authData: authAnswer(plugin, password, scriptedNonce, isTls),
      plugin,
      attributes: { _client_name: 'x', program_name: 'psql' },
      ...changes,
    }),
    sequence,
  );
}

export const requestForTls = packet(tlsRequest({ capabilities: mysqlOffer | capability.tls }), 1);
export const clientHello = Buffer.from('160301000401000000', 'hex');

export const okPacket = ok();
export const proxyKey = new OwnProxyKey();

const serverKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const serverKeyPem = serverKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
export const serverKeyPacket = authMoreData(Buffer.from(serverKeyPem));
export const proxyKeyPacket = authMoreData(proxyKey.publicKey());

/** The password as a client sends it under the proxy's key. */
export function underProxyKey(nonce: Buffer = scriptedNonce, secret = password): Buffer {
  return rsaPassword(secret, nonce, proxyKey.publicKey().toString());
}

/** What a server gets out of a block under its key. */
export function decryptedByServer(block: Buffer, nonce: Buffer = scriptedNonce): string {
  const masked = privateDecrypt(
    { key: serverKeys.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING },
    block,
  );
  return masked.map((byte, index) => byte ^ nonce[index % nonce.length]!).toString();
}
