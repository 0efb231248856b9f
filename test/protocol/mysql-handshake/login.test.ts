/** Logins where both legs have TLS or neither has: every byte passes as it is. */
import { describe, expect, test } from 'vitest';
import { Negotiated } from '../../../adapters/mysql/negotiated.js';
import { query } from '../../support/mysql-client-packets.js';
import { capability, mariadbCapability, packet, status } from '../../support/mysql-protocol.js';
import {
  authMoreData,
  authSwitch,
  error,
  fastAuthOk,
  fullAuthRequired,
  mariadbGreeting,
  mariadbOffer,
  mysqlGreeting,
  mysqlOffer,
  ok,
} from '../../support/mysql-server-packets.js';
import { clientTls, run, runAnyhow, type Step } from './dialogue.js';
import {
  clear,
  clientHello,
  greet,
  login,
  offerWithTls,
  okPacket,
  password,
  requestForTls,
  serverKeyPacket,
  switchNonce,
} from './packets.js';

const nothing = Buffer.alloc(0);
const statement = packet(query('select 1'), 0);
const fromServer = (steps: readonly Step[]): Buffer =>
  Buffer.concat(steps.flatMap(([end, ...parts]) => (end === 's' ? parts : [])));
const fromClient = (steps: readonly Step[]): Buffer =>
  Buffer.concat(steps.flatMap(([end, ...parts]) => (end === 'c' ? parts : [])));

/** What follows a login packet of number 1, by the way it goes. */
const exchanges: Readonly<Record<string, readonly Step[]>> = {
  'native, at once': [['s', packet(okPacket, 2)]],
  'native, after a switch': [
    ['s', packet(authSwitch('mysql_native_password', switchNonce), 2)],
    ['c', packet(Buffer.alloc(20, 7), 3)],
    ['s', packet(okPacket, 4)],
  ],
  'the oldest form of a switch': [
    ['s', packet(Buffer.from([0xfe]), 2)],
    ['c', packet(Buffer.from('XYZ12345\0'), 3)],
    ['s', packet(okPacket, 4)],
  ],
  'caching_sha2, warm': [['s', packet(fastAuthOk, 2), packet(okPacket, 3)]],
  'caching_sha2 by RSA': [
    ['s', packet(fullAuthRequired, 2)],
    ['c', packet(Buffer.from([2]), 3)],
    ['s', packet(serverKeyPacket, 4)],
    ['c', packet(Buffer.alloc(256, 9), 5)],
    ['s', packet(okPacket, 6)],
  ],
  'sha256 by RSA': [
    ['s', packet(authSwitch('sha256_password', switchNonce), 2)],
    ['c', packet(Buffer.from([1]), 3)],
    ['s', packet(serverKeyPacket, 4)],
    ['c', packet(Buffer.alloc(256, 9), 5)],
    ['s', packet(okPacket, 6)],
  ],
  ed25519: [
    ['s', packet(authSwitch('client_ed25519', Buffer.alloc(32, 5)), 2)],
    ['c', packet(Buffer.alloc(64, 6), 3)],
    ['s', packet(okPacket, 4)],
  ],
  'parsec, whose client asks with an empty packet': [
    ['s', packet(authSwitch('parsec', Buffer.alloc(32, 5)), 2)],
    ['c', packet(nothing, 3)],
    ['s', packet(Buffer.from('P0saltsaltsaltsaltsa'), 4)],
    ['c', packet(Buffer.alloc(96, 6), 5)],
    ['s', packet(okPacket, 6)],
  ],
  'dialog, several questions': [
    ['s', packet(authSwitch('dialog', Buffer.from('\x04Password: ')), 2)],
    ['c', packet(clear, 3)],
    ['s', packet(Buffer.from('\x02Code: '), 4)],
    ['c', packet(Buffer.from('123\0'), 5)],
    ['s', packet(authMoreData(Buffer.from('\x02Once more: ')), 6)],
    ['c', packet(Buffer.from('456\0'), 7)],
    ['s', packet(okPacket, 8)],
  ],
  'in clear': [
    ['s', packet(authSwitch('mysql_clear_password', nothing), 2)],
    ['c', packet(clear, 3)],
    ['s', packet(okPacket, 4)],
  ],
  'three factors': [
    [
      's',
      packet(
        Buffer.concat([Buffer.from([2]), authSwitch('caching_sha2_password', switchNonce).subarray(1)]),
        2,
      ),
    ],
    ['c', packet(Buffer.alloc(32, 1), 3)],
    ['s', packet(fastAuthOk, 4), packet(Buffer.from('\x02authentication_webauthn_client\0abc'), 5)],
    ['c', packet(Buffer.from('signed'), 6)],
    ['s', packet(okPacket, 7)],
  ],
};

describe('a login on plain legs', () => {
  test.each(Object.entries(exchanges))('%s', (_name, steps) => {
    const capabilities = mysqlOffer | capability.multiFactor;
    const all: Step[] = [
      ['s', greet({ ...mysqlGreeting, capabilities })],
      ['c', login({ capabilities: capabilities & ~capability.connectWithDb })],
      ...steps,
    ];
    const outcome = runAnyhow(all);
    expect(outcome.toClient).toEqual(fromServer(all));
    expect(outcome.toServer).toEqual(fromClient(all));
    expect(outcome.asked.at(-1)).toBe('relay');
    expect(outcome.identity).toMatchObject({
      user: 'ann',
      isAuthenticated: true,
      blindReason: null,
      clientBacklog: nothing,
      serverBacklog: nothing,
    });
  });

  test.each(Object.entries(exchanges))('refused: %s', (_name, steps) => {
    const last = steps.at(-1)![1]!;
    for (const sqlState of ['28000', null]) {
      const refusal = packet(error(1045, 'Access denied', sqlState), last[3]!);
      const all: Step[] = [['s', greet()], ['c', login()], ...steps.slice(0, -1), ['s', refusal]];
      const outcome = runAnyhow(all);
      expect(outcome.toClient).toEqual(fromServer(all));
      expect(outcome.asked.at(-1)).toBe('close');
      expect(outcome.identity).toBeNull();
    }
  });

  test('statements sent ahead wait for the session, in order', () => {
    const more = packet(query('select 2'), 0);
    const all: Step[] = [
      ['s', greet()],
      ['c', login(), statement, more],
      ['s', packet(fastAuthOk, 2), packet(okPacket, 3), Buffer.from('rest')],
    ];
    const outcome = runAnyhow(all);
    expect(outcome.toServer).toEqual(login());
    expect(outcome.toClient).toEqual(Buffer.concat([greet(), packet(fastAuthOk, 2), packet(okPacket, 3)]));
    expect(outcome.identity?.clientBacklog).toEqual(Buffer.concat([statement, more]));
    expect(outcome.identity?.serverBacklog).toEqual(Buffer.from('rest'));
  });

  test('numbers out of step are passed for the server to judge', () => {
    const wrong = login({ sequence: 5 });
    const refusal = packet(error(1156, 'Got packets out of order', '08S01'), 1);
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', wrong],
      ['s', refusal],
    ]);
    expect(outcome.toServer).toEqual(wrong);
    expect(outcome.toClient).toEqual(Buffer.concat([greet(), refusal]));
    expect(outcome.closed).toBe('server_refused');
  });
});

describe('a login with TLS on both legs', () => {
  const policy = { clientTls, upstreamTls: { mode: 'require' } } as const;
  const tlsLogin = login({ isTls: true });

  test("the request for TLS is the client's own, and no number changes", () => {
    const outcome = runAnyhow(
      [
        ['s', greet(offerWithTls)],
        ['c', requestForTls],
        ['c', tlsLogin],
        ['s', packet(fullAuthRequired, 3)],
        ['c', packet(clear, 4)],
        ['s', packet(okPacket, 5)],
      ],
      { policy },
    );
    expect(outcome.asked).toEqual([
      'connect-server',
      'write-client',
      'secure-client',
      'write-server',
      'secure-server',
      'write-server',
      'write-client',
      'write-server',
      'write-client',
      'relay',
    ]);
    const head = packet(tlsLogin.subarray(4, 36), 1);
    expect(outcome.toServer).toEqual(Buffer.concat([head, tlsLogin, packet(clear, 4)]));
    expect(outcome.toClient).toEqual(
      Buffer.concat([greet(offerWithTls), packet(fullAuthRequired, 3), packet(okPacket, 5)]),
    );
  });

  test("MariaDB's second word of flags goes along", () => {
    const capabilities = (mariadbOffer | capability.tls) & ~capability.connectWithDb;
    const extended = mariadbCapability.bulkExecute | mariadbCapability.cacheMetadata;
    const outcome = runAnyhow(
      [
        ['s', greet({ ...mariadbGreeting, capabilities })],
        ['c', requestForTls],
        ['c', login({ isTls: true, capabilities, extendedCapabilities: extended, charset: 224 })],
        ['s', packet(okPacket, 3)],
      ],
      { policy },
    );
    expect(outcome.toServer.readUInt32LE(4 + 28)).toBe(extended);
    expect(outcome.toServer[4 + 8]).toBe(224);
    expect(outcome.identity?.negotiated).toMatchObject({ engine: 'mariadb', extendedCapabilities: extended });
  });
});

describe('who the session is', () => {
  const identityOf = (offer: Parameters<typeof greet>[0], packetOf: Buffer, final = okPacket) =>
    run([
      ['s', greet(offer)],
      ['c', packetOf],
      ['s', packet(final, 2)],
    ]).identity;
  const withDb = mysqlOffer;

  test('user, database, program, and the terms', () => {
    const identity = identityOf(
      { ...mysqlGreeting, threadId: 77 },
      login({ capabilities: withDb, database: 'shop', charset: 45 }),
      ok({ status: status.autocommit | status.noBackslashEscapes, insertId: 70_000, affectedRows: 300 }),
    );
    expect(identity).toMatchObject({
      engine: 'mysql',
      user: 'ann',
      database: 'shop',
      application: 'psql',
      searchPath: ['shop'],
    });
    expect(identity?.negotiated).toBeInstanceOf(Negotiated);
    expect(identity?.negotiated).toEqual({
      capabilities: withDb,
      extendedCapabilities: 0,
      engine: 'mysql',
      serverVersion: '9.7.0',
      connectionId: 77,
      characterSet: 45,
      statusFlags: status.autocommit | status.noBackslashEscapes,
      database: 'shop',
    });
  });

  test.each([
    ['no database', login(), { database: '', searchPath: [] }],
    ['an empty database', login({ capabilities: withDb, database: '' }), { database: '', searchPath: [] }],
    [
      'no attributes',
      login({ capabilities: 0x0200 | capability.secureConnection, plugin: '' }),
      { application: '' },
    ],
    ['attributes without a program', login({ attributes: { _os: 'x' } }), { application: '' }],
    ['a name in latin1', login({ user: '', charset: 8 }), { user: '' }],
  ])('%s', (_what, packetOf, expected) => {
    expect(identityOf(undefined, packetOf)).toMatchObject(expected);
  });

  test.each([
    ['9.7.0', 'mysql'],
    ['8.0.36-28', 'mysql'],
    ['5.5.5-10.11.6-MariaDB-1:10.11.6+maria~deb12', 'mariadb'],
    ['11.8.2-MariaDB', 'mariadb'],
  ])('version %s is %s', (version, engine) => {
    expect(identityOf({ ...mysqlGreeting, version }, login())).toMatchObject({
      engine,
      negotiated: { engine, serverVersion: version },
    });
  });

  test('terms are what both ends have', () => {
    const client = mysqlOffer & ~capability.deprecateEof & ~capability.connectWithDb;
    const offer = { ...mysqlGreeting, capabilities: mysqlOffer & ~capability.sessionTrack };
    expect(identityOf(offer, login({ capabilities: client }))?.negotiated).toMatchObject({
      capabilities: client & ~capability.sessionTrack,
    });
  });

  test("the second word counts only where both ends are MariaDB's", () => {
    const all = Object.values(mariadbCapability).reduce((sum, one) => sum | one, 0);
    const mariadbClient = mariadbOffer & ~capability.connectWithDb;
    const mysqlClient = mysqlOffer & ~capability.connectWithDb;
    const terms = [
      [mariadbGreeting, mariadbClient, all],
      [mariadbGreeting, mysqlClient, 0],
      [mysqlGreeting, mysqlClient, 0],
    ] as const;
    for (const [offer, capabilities, expected] of terms) {
      const sent = login({ capabilities, extendedCapabilities: all });
      expect(identityOf(offer, sent)?.negotiated).toMatchObject({ extendedCapabilities: expected });
    }
  });

  test.each([
    ['zlib', capability.compress],
    ['zstd', capability.zstdCompression],
  ])('a client that asks for %s is relayed unread, offered or not', (_name, flag) => {
    for (const compression of ['clear', 'relay'] as const) {
      const sent = login({ capabilities: (mysqlOffer & ~capability.connectWithDb) | flag });
      const steps: Step[] = [
        ['s', greet({ ...mysqlGreeting, capabilities: mysqlOffer | flag })],
        ['c', sent],
        ['s', packet(okPacket, 2)],
      ];
      const outcome = runAnyhow(steps, { policy: { compression } });
      expect(outcome.toServer).toEqual(sent);
      expect(outcome.identity?.blindReason).toBe('not_followed');
    }
  });
});

test('a ClientHello behind the request for TLS goes to TLS; nothing else may', () => {
  const policy = { clientTls };
  const withHello = run(
    [
      ['s', greet()],
      ['c', requestForTls, clientHello],
    ],
    { policy },
  );
  expect(withHello.asked).toEqual(['connect-server', 'write-client', 'secure-client']);
  for (const behind of [login({ sequence: 2 }), Buffer.from([0]), Buffer.from(password)]) {
    const outcome = run(
      [
        ['s', greet()],
        ['c', requestForTls, behind],
      ],
      { policy },
    );
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(outcome.toServer).toEqual(nothing);
  }
});
