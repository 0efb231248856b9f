/** Logins where one leg has TLS: numbers of each leg, and passwords carried over between TLS and RSA. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LegPolicy } from '../../../src/core/adapter.js';
import { query, readLogin, rsaPassword } from '../../support/mysql-client-packets.js';
import { capability, packet } from '../../support/mysql-protocol.js';
import {
  authSwitch,
  error,
  fastAuthOk,
  fullAuthRequired,
  mysqlGreeting,
  mysqlOffer,
  scriptedNonce,
} from '../../support/mysql-server-packets.js';
import { clientTls, numbered, type Options, run, runAnyhow, type Step, shown } from './dialogue.js';
import {
  clear,
  decryptedByServer,
  greet,
  type LoginOptions,
  login,
  offerWithTls,
  okPacket,
  password,
  proxyKey,
  proxyKeyPacket,
  requestForTls,
  serverKeyPacket,
  serverKeyPem,
  switchNonce,
  underProxyKey,
} from './packets.js';

const nothing = Buffer.alloc(0);
const key = Buffer.from([2]);
const sha256Key = Buffer.from([1]);
const shortKey = generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey.export({
  type: 'spki',
  format: 'pem',
});
const statement = packet(query('select 1'), 0);
/** A password as a test sees it that was sent under the server's key. */
const encrypted = `decrypted ${password}\0`;
const reveal = (nonce: Buffer) => (block: Buffer) => `decrypted ${decryptedByServer(block, nonce)}`;

/** Packets of one end, without the login and what came before it. */
function behindLogin(bytes: Buffer, before: number, show?: (block: Buffer) => string): string[] {
  return shown(bytes, show).slice(before);
}

describe('client TLS, upstream plain', () => {
  const policy: Partial<LegPolicy> = { clientTls };
  const begin = (options: LoginOptions = {}): Step[] => [
    ['s', greet()],
    ['c', requestForTls],
    ['c', login({ isTls: true, ...options })],
  ];
  const outcomeOf = (steps: readonly Step[], nonce = scriptedNonce, more: Partial<LegPolicy> = {}) => {
    const options: Options = { policy: { ...policy, ...more }, reveal: reveal(nonce) };
    const outcome = runAnyhow(steps, options);
    return {
      ...outcome,
      shownToClient: behindLogin(outcome.toClient, 1),
      sentToServer: behindLogin(outcome.toServer, 1, reveal(nonce)),
    };
  };

  test('the login says that there is no TLS, and has the number of its leg', () => {
    const outcome = outcomeOf([...begin(), ['s', packet(fastAuthOk, 2), packet(okPacket, 3)]]);
    expect(outcome.asked).toEqual([
      'connect-server',
      'write-client',
      'secure-client',
      'write-server',
      'write-client',
      'relay',
    ]);
    const sent = outcome.toServer;
    expect(sent[3]).toBe(1);
    expect(sent.readUInt32LE(4) & capability.tls).toBe(0);
    expect(Buffer.concat([sent.subarray(8)])).toEqual(login({ isTls: true }).subarray(8));
    expect(outcome.shownToClient).toEqual(numbered([3, fastAuthOk], [4, okPacket]));
  });

  test('caching_sha2 in full: the password goes under the key of the server, which the client never sees', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 2)],
      ['c', packet(clear, 4), statement],
      ['s', packet(serverKeyPacket, 4)],
      ['s', packet(okPacket, 6)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([3, key], [5, encrypted]));
    expect(outcome.shownToClient).toEqual(numbered([3, fullAuthRequired], [5, okPacket]));
    expect(outcome.identity?.clientBacklog).toEqual(statement);
    expect(outcome.toServer.includes(password)).toBe(false);
  });

  test("a wrong password gets the server's own answer under the client's number", () => {
    const refusal = error(1045, "Access denied for user 'ann'@'%' (using password: YES)", '28000');
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 2)],
      ['c', packet(clear, 4)],
      ['s', packet(serverKeyPacket, 4)],
      ['s', packet(refusal, 6)],
    ]);
    expect(outcome.shownToClient).toEqual(numbered([3, fullAuthRequired], [5, refusal]));
    expect(outcome.closed).toBe('server_refused');
  });

  test('a server without a key refuses itself', () => {
    const refusal = error(1045, 'Access denied', '28000');
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 2)],
      ['c', packet(clear, 4)],
      ['s', packet(refusal, 4)],
    ]);
    // The client knows nothing of the packet that asked for the key.
    expect(outcome.shownToClient).toEqual(numbered([3, fullAuthRequired], [5, refusal]));
  });

  test('after a switch the new scramble counts', () => {
    const outcome = outcomeOf(
      [
        ...begin({ plugin: 'mysql_native_password' }),
        ['s', packet(authSwitch('caching_sha2_password', switchNonce), 2)],
        ['c', packet(Buffer.alloc(32, 1), 4)],
        ['s', packet(fullAuthRequired, 4)],
        ['c', packet(clear, 6)],
        ['s', packet(serverKeyPacket, 6)],
        ['s', packet(okPacket, 8)],
      ],
      switchNonce,
    );
    expect(outcome.sentToServer).toEqual(numbered([3, Buffer.alloc(32, 1)], [5, key], [7, encrypted]));
    expect(outcome.shownToClient).toEqual(
      numbered([3, authSwitch('caching_sha2_password', switchNonce)], [5, fullAuthRequired], [7, okPacket]),
    );
  });

  test('sha256_password after a switch', () => {
    const outcome = outcomeOf(
      [
        ...begin(),
        ['s', packet(authSwitch('sha256_password', switchNonce), 2)],
        ['c', packet(clear, 4)],
        ['s', packet(serverKeyPacket, 4)],
        ['s', packet(okPacket, 6)],
      ],
      switchNonce,
    );
    expect(outcome.sentToServer).toEqual(numbered([3, sha256Key], [5, encrypted]));
    expect(outcome.shownToClient.at(-1)).toBe(`5:${okPacket.toString('hex')}`);
  });

  test.each([0, capability.lenencAuthData] as const)('sha256_password in the login packet (%i)', (flag) => {
    const capabilities =
      (mysqlOffer & ~capability.connectWithDb & ~capability.lenencAuthData) | flag | capability.tls;
    const outcome = outcomeOf([
      ...begin({ plugin: 'sha256_password', capabilities }),
      ['s', packet(serverKeyPacket, 2)],
      ['s', packet(okPacket, 4)],
    ]);
    const sent = readLogin(outcome.toServer.subarray(4));
    expect(sent).toMatchObject({ user: 'ann', plugin: 'sha256_password', authData: sha256Key });
    expect(outcome.sentToServer).toEqual(numbered([3, encrypted]));
    expect(outcome.shownToClient).toEqual(numbered([3, okPacket]));
    expect(outcome.toServer.includes(password)).toBe(false);
  });

  test('sha256_password in the login packet of an account of another kind', () => {
    const outcome = outcomeOf([
      ...begin({ plugin: 'sha256_password' }),
      ['s', packet(authSwitch('mysql_native_password', switchNonce), 2)],
      ['c', packet(Buffer.alloc(20, 1), 4)],
      ['s', packet(okPacket, 4)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([3, Buffer.alloc(20, 1)]));
    expect(outcome.shownToClient.at(-1)).toBe(`5:${okPacket.toString('hex')}`);
    expect(outcome.toServer.includes(password)).toBe(false);
  });

  test.each([
    ['no password', Buffer.from([0])],
    ['an empty answer', nothing],
    ['a request for the key, of the client itself', sha256Key],
  ])('sha256_password with %s passes', (_what, data) => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(authSwitch('sha256_password', switchNonce), 2)],
      ['c', packet(data, 4)],
      ['s', packet(okPacket, 4)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([3, data]));
  });

  test('a client that goes by RSA inside TLS is let', () => {
    const block = rsaPassword(password, scriptedNonce, serverKeyPem);
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 2)],
      ['c', packet(key, 4)],
      ['s', packet(serverKeyPacket, 4)],
      ['c', packet(block, 6)],
      ['s', packet(okPacket, 6)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([3, key], [5, encrypted]));
    expect(outcome.shownToClient).toEqual(
      numbered([3, fullAuthRequired], [5, serverKeyPacket], [7, okPacket]),
    );
  });

  test('a password sent before the server asked for it does not leave', () => {
    const outcome = run([...begin(), ['c', packet(clear, 3)], ['s', packet(fastAuthOk, 2)]], { policy });
    expect(outcome.toServer.includes(password)).toBe(false);
  });

  test.each([
    ['a second factor in clear', Buffer.from('\x02mysql_clear_password\0')],
    ['a switch to clear', authSwitch('mysql_clear_password', nothing)],
    ['a switch to dialog', authSwitch('dialog', Buffer.from('\x04Password: '))],
    ['a switch to a plugin nobody knows', authSwitch('x'.repeat(100), nothing)],
  ])('%s is refused, unless the server is on this machine', (_what, asked) => {
    const capabilities = mysqlOffer | capability.multiFactor;
    const steps: Step[] = [
      ['s', greet({ ...mysqlGreeting, capabilities })],
      ['c', requestForTls],
      [
        'c',
        login({ isTls: true, capabilities: (capabilities & ~capability.connectWithDb) | capability.tls }),
      ],
      ['s', packet(asked, 2)],
    ];
    const refused = outcomeOf(steps);
    const [refusal] = refused.shownToClient;
    expect(refusal?.slice(0, 20)).toBe('3:ff570c234859303030');
    expect(Buffer.from(refusal!.slice(2), 'hex').toString()).toMatch(/without TLS: set tls\.mode to require/);
    expect(refused.closed).toBe('3159');
    const local = outcomeOf(steps, scriptedNonce, { isUpstreamLoopback: true });
    expect(local.shownToClient).toEqual(numbered([3, asked]));
    expect(local.closed).toBeNull();
  });

  test('a login packet that holds a password in clear is refused before it leaves', () => {
    const outcome = outcomeOf(begin({ plugin: 'mysql_clear_password' }));
    expect(outcome.toServer).toEqual(nothing);
    expect(outcome.closed).toBe('3159');
  });

  test.each([
    ['no key at all', Buffer.from('\x01nonsense'), clear],
    ['a key that is too short', Buffer.from(`\x01${shortKey}`), Buffer.from(`${'long'.repeat(8)}\0`)],
  ])('%s of the server ends the login', (_what, given, answer) => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 2)],
      ['c', packet(answer, 4)],
      ['s', packet(given, 4)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([3, key]));
    expect(outcome.shownToClient[1]?.slice(0, 8)).toBe('5:ff8604');
    expect(outcome.closed).toBe('1158');
  });
});

describe('client plain, upstream TLS', () => {
  const policy: Partial<LegPolicy> = { upstreamTls: { mode: 'prefer' } };
  const begin = (options: LoginOptions = {}): Step[] => [
    ['s', greet(offerWithTls)],
    ['c', login(options)],
  ];
  const outcomeOf = (steps: readonly Step[]) => {
    const outcome = runAnyhow(steps, { policy, proxyKey });
    return {
      ...outcome,
      shownToClient: behindLogin(outcome.toClient, 1),
      // The request for TLS comes first.
      sentToServer: behindLogin(outcome.toServer, 2),
    };
  };

  test("our request for TLS has the client's flags, the login the number and the flag of its leg", () => {
    const outcome = outcomeOf([...begin(), ['s', packet(fastAuthOk, 3), packet(okPacket, 4)]]);
    expect(outcome.asked).toEqual([
      'connect-server',
      'write-client',
      'write-server',
      'secure-server',
      'write-server',
      'write-client',
      'relay',
    ]);
    const [request, sent] = [outcome.toServer.subarray(0, 36), outcome.toServer.subarray(36)];
    const withTls = Buffer.from(login());
    withTls.writeUInt16LE(withTls.readUInt16LE(4) | capability.tls, 4);
    withTls[3] = 2;
    expect(request).toEqual(packet(withTls.subarray(4, 36), 1));
    expect(sent).toEqual(withTls);
    expect(outcome.shownToClient).toEqual(numbered([2, fastAuthOk], [3, okPacket]));
    expect(outcome.identity?.negotiated).toMatchObject({ engine: 'mysql' });
  });

  test('caching_sha2 in full: the client gets our key, the server the password inside TLS', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 3)],
      ['c', packet(key, 3)],
      ['c', packet(underProxyKey(), 5), statement],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.shownToClient).toEqual(
      numbered([2, fullAuthRequired], [4, proxyKeyPacket], [6, okPacket]),
    );
    expect(outcome.sentToServer).toEqual(numbered([4, clear]));
    expect(outcome.identity?.clientBacklog).toEqual(statement);
  });

  test('a client that has our key does not ask for it', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 3)],
      ['c', packet(underProxyKey(), 3)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.shownToClient).toEqual(numbered([2, fullAuthRequired], [4, okPacket]));
    expect(outcome.sentToServer).toEqual(numbered([4, clear]));
  });

  test.each([
    ['another key', rsaPassword(password, scriptedNonce, serverKeyPem)],
    ['another scramble', underProxyKey(switchNonce)],
    ['a key of another size', Buffer.alloc(512, 3)],
  ])('a password under %s is refused, and the server not told', (_what, block) => {
    const outcome = outcomeOf([...begin(), ['s', packet(fullAuthRequired, 3)], ['c', packet(block, 3)]]);
    expect(outcome.sentToServer).toEqual([]);
    expect(outcome.closed).toBe('1045');
    const refusal = outcome.toClient.toString();
    expect(refusal).toContain('#28000');
    expect(refusal).toContain("a public key that is not the proxy's");
    expect(outcome.shownToClient[1]?.startsWith('4:ff')).toBe(true);
  });

  test('sha256_password after a switch', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(authSwitch('sha256_password', switchNonce), 3)],
      ['c', packet(sha256Key, 3)],
      ['c', packet(underProxyKey(switchNonce), 5)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.shownToClient.slice(1)).toEqual(numbered([4, proxyKeyPacket], [6, okPacket]));
    expect(outcome.sentToServer).toEqual(numbered([4, clear]));
  });

  test.each([
    ['asks for the key', sha256Key, [['c', packet(underProxyKey(), 3)]] as Step[], 2],
    ['has the key', underProxyKey(), [] as Step[], 0],
  ])(
    'sha256_password in a login packet that %s: it leaves with the password',
    (_what, authData, steps, asked) => {
      const outcome = outcomeOf([
        ...begin({ plugin: 'sha256_password', authData }),
        ...steps,
        ['s', packet(okPacket, 3)],
      ]);
      const sent = readLogin(outcome.toServer.subarray(36 + 4));
      expect(sent).toMatchObject({ user: 'ann', plugin: 'sha256_password', authData: clear });
      expect(outcome.toServer[36 + 3]).toBe(2);
      expect(outcome.shownToClient.at(-1)).toBe(`${2 + asked}:${okPacket.toString('hex')}`);
    },
  );

  test.each([
    ['no password', Buffer.from([0])],
    ['an empty answer', nothing],
  ])('sha256_password with %s passes', (_what, data) => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(authSwitch('sha256_password', switchNonce), 3)],
      ['c', packet(data, 3)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([4, data]));
    expect(outcome.shownToClient.at(-1)).toBe(`4:${okPacket.toString('hex')}`);
  });

  test('a client that says its password in clear, though it has no TLS, gets in', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(fullAuthRequired, 3)],
      ['c', packet(clear, 3)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([4, clear]));
    expect(outcome.shownToClient).toEqual(numbered([2, fullAuthRequired], [4, okPacket]));
  });

  test('what the client chose to say in clear is its own affair', () => {
    const outcome = outcomeOf([
      ...begin(),
      ['s', packet(authSwitch('mysql_clear_password', nothing), 3)],
      ['c', packet(clear, 3)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.sentToServer).toEqual(numbered([4, clear]));
  });

  test('what the server said in clear behind its greeting ends the login before TLS', () => {
    const outcome = run(
      [
        ['s', greet(offerWithTls), Buffer.from([7, 0, 0])],
        ['c', login()],
      ],
      { policy },
    );
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(outcome.toServer).toEqual(nothing);
  });
});

test('no TLS anywhere, and a client that says its password in clear: it goes on under the key of the server', () => {
  const steps: Step[] = [
    ['s', greet()],
    ['c', login()],
    ['s', packet(fullAuthRequired, 2)],
    ['c', packet(clear, 3), statement],
    ['s', packet(serverKeyPacket, 4)],
    ['s', packet(okPacket, 6)],
  ];
  const outcome = runAnyhow(steps, { reveal: reveal(scriptedNonce) });
  expect(behindLogin(outcome.toServer, 1, reveal(scriptedNonce))).toEqual(numbered([3, key], [5, encrypted]));
  expect(behindLogin(outcome.toClient, 1)).toEqual(numbered([2, fullAuthRequired], [4, okPacket]));
  expect(outcome.identity?.clientBacklog).toEqual(statement);
});

test.each([
  ['allow', offerWithTls, true, true],
  ['allow', offerWithTls, false, false],
  ['allow', mysqlGreeting, true, false],
  ['prefer', offerWithTls, false, true],
  ['prefer', mysqlGreeting, true, false],
] as const)('upstream TLS %s of offer %#', (mode, offer, isTls, expected) => {
  const steps: Step[] = [
    ['s', greet(offer)],
    ...(isTls ? [['c', requestForTls] as Step] : []),
    ['c', login({ isTls })],
  ];
  const outcome = runAnyhow(steps, { policy: { clientTls, upstreamTls: { mode } }, proxyKey });
  expect(outcome.asked.includes('secure-server')).toBe(expected);
  const loginAt = expected ? 36 : 0;
  expect((outcome.toServer.readUInt32LE(loginAt + 4) & capability.tls) !== 0).toBe(expected);
  expect(outcome.toServer[loginAt + 3]).toBe(expected ? 2 : 1);
});
