import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandshake } from '../../../../adapters/postgres/handshake.js';
import { asksUpstreamTls } from '../../../../adapters/postgres/leg-policy.js';
import type { Handshake, HandshakeAction, LegPolicy } from '../../../../src/core/adapter.js';
import { limits } from '../../../../src/core/limits.js';
import {
  authentication,
  cancelPacket,
  errorFields,
  frame,
  gssRequest,
  requestPacket,
  saslInitial,
  sslRequest,
  startupPacket,
} from './startup-packets.js';

const plain: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'relay',
  users: [],
  isChannelBindingOff: false,
  compression: 'clear',
};
const withClientTls: LegPolicy = { ...plain, clientTls: { cert: 'c', key: 'k', isRequired: false } };
const startup = startupPacket({ user: 'ann', database: 'shop', application_name: 'psql' });
const yes = Buffer.from('S');
const no = Buffer.from('N');

type Kind = HandshakeAction['kind'];
function kinds(actions: readonly HandshakeAction[]): Kind[] {
  return actions.map((action) => action.kind);
}
function find<K extends Kind>(
  actions: readonly HandshakeAction[],
  kind: K,
): Extract<HandshakeAction, { kind: K }> {
  const found = actions.find((action) => action.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${kinds(actions).join(', ')}`);
  return found as Extract<HandshakeAction, { kind: K }>;
}
function written(actions: readonly HandshakeAction[], end: 'write-client' | 'write-server'): Buffer {
  return Buffer.concat(actions.flatMap((action) => (action.kind === end ? [action.bytes] : [])));
}
/** A handshake whose client came over TLS, with nothing of its startup read. */
function securedHandshake(policy: LegPolicy): Handshake {
  const handshake = createHandshake(policy);
  handshake.clientBytes(sslRequest);
  expect(handshake.clientSecured()).toEqual([]);
  return handshake;
}

describe('a plain startup', () => {
  test('connects, passes the packet unchanged and relays', () => {
    const handshake = createHandshake(plain);
    expect(kinds(handshake.clientBytes(startup))).toEqual(['connect-server']);
    const actions = handshake.serverConnected();
    expect(kinds(actions)).toEqual(['write-server', 'relay']);
    expect(written(actions, 'write-server')).toEqual(startup);
    expect(find(actions, 'relay').identity).toEqual({
      engine: 'postgresql',
      user: 'ann',
      database: 'shop',
      application: 'psql',
      searchPath: null,
      blindReason: null,
      clientBacklog: Buffer.alloc(0),
      serverBacklog: Buffer.alloc(0),
      isAuthenticated: false,
    });
  });

  test('is the same wherever it is cut, and what follows becomes the backlog', () => {
    const query = frame('Q', 'select 1\0');
    const bytes = Buffer.concat([startup, query]);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const handshake = createHandshake(plain);
      const actions = [
        ...(cut === 0 ? [] : handshake.clientBytes(bytes.subarray(0, cut))),
        ...handshake.clientBytes(bytes.subarray(cut)),
        ...handshake.serverConnected(),
      ];
      expect(kinds(actions)).toEqual(['connect-server', 'write-server', 'relay']);
      expect(written(actions, 'write-server')).toEqual(startup);
      expect(find(actions, 'relay').identity.clientBacklog).toEqual(query);
    }
  });

  test('byte by byte', () => {
    const handshake = createHandshake(plain);
    const actions = [...startup].flatMap((byte) => handshake.clientBytes(Buffer.from([byte])));
    expect(kinds(actions)).toEqual(['connect-server']);
  });

  test.each([
    ['the user is the default database', { user: 'ann' }, { database: 'ann', searchPath: null }],
    ['search_path as a parameter', { user: 'a', search_path: 'App, "Odd"' }, { searchPath: ['app', 'Odd'] }],
    ['-c in options', { user: 'a', options: '-c search_path=a,b -c x=y' }, { searchPath: ['a', 'b'] }],
    ['-- in options', { user: 'a', options: '--search-path=a,\\ b' }, { searchPath: ['a', 'b'] }],
    ['-cname in options', { user: 'a', options: '-csearch_path=s' }, { searchPath: ['s'] }],
    [
      'the last one in options',
      { user: 'a', options: '-c search_path=s -c search_path=t' },
      { searchPath: ['t'] },
    ],
    ['other options', { user: 'a', options: '-c geqo=off -c' }, { searchPath: null }],
    [
      'replication is followed until it starts',
      { user: 'a', replication: 'database' },
      { blindReason: null, database: 'a' },
    ],
  ])('identity: %s', (_what, parameters, expected) => {
    const handshake = createHandshake(plain);
    handshake.clientBytes(startupPacket(parameters as Record<string, string>));
    expect(find(handshake.serverConnected(), 'relay').identity).toMatchObject(expected);
  });

  test.each([0x0003_0000, 0x0003_0002, 0x0003_270f])('protocol %i is followed', (protocol) => {
    const handshake = createHandshake(plain);
    handshake.clientBytes(startupPacket({ user: 'ann' }, protocol));
    expect(find(handshake.serverConnected(), 'relay').identity.blindReason).toBeNull();
  });

  test.each([0x0002_0000, 0x0004_0000, 80_877_105])('protocol %i is relayed blind', (protocol) => {
    const packet = requestPacket(protocol, Buffer.alloc(20));
    const handshake = createHandshake(plain);
    handshake.clientBytes(packet);
    const actions = handshake.serverConnected();
    expect(written(actions, 'write-server')).toEqual(packet);
    expect(find(actions, 'relay').identity.blindReason).toBe('unknown_protocol');
  });
});

describe('malformed first bytes', () => {
  const lengths = [0, 3, 4, 7, -1, -2_147_483_648, 2_147_483_647, limits.maxStartupPacketBytes + 1];
  test.each(lengths)('length %i is closed without a byte', (length) => {
    const packet = Buffer.alloc(8);
    packet.writeInt32BE(length, 0);
    packet.writeInt32BE(0x0003_0000, 4);
    const handshake = createHandshake(plain);
    const actions = handshake.clientBytes(packet);
    expect(kinds(actions)).toEqual(['close']);
    expect(handshake.clientBytes(startup)).toEqual([]);
  });

  test('the longest packet is accepted', () => {
    const packet = requestPacket(0x0003_0000, Buffer.alloc(limits.maxStartupPacketBytes - 8));
    expect(kinds(createHandshake(plain).clientBytes(packet))).toEqual(['connect-server']);
  });

  test('random bytes never throw, and the client is never left waiting beyond the bound', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (chunks) => {
        const handshake = createHandshake(withClientTls);
        const garbage = Buffer.alloc(limits.maxStartupPacketBytes + 64, 0x58);
        const actions = [...chunks.map((chunk) => Buffer.from(chunk)), garbage].flatMap((chunk) =>
          handshake.clientBytes(chunk),
        );
        const ends = ['close', 'connect-server', 'secure-client'];
        expect(kinds(actions).filter((kind) => ends.includes(kind))).toHaveLength(1);
      }),
    );
  });
});

describe('encryption requests', () => {
  test('without a certificate SSLRequest and GSSENCRequest are answered N, in either order, once each', () => {
    for (const order of [
      [sslRequest, gssRequest],
      [gssRequest, sslRequest],
    ]) {
      const handshake = createHandshake(plain);
      for (const request of order) {
        const actions = handshake.clientBytes(request);
        expect(kinds(actions)).toEqual(['write-client']);
        expect(written(actions, 'write-client')).toEqual(no);
      }
      expect(kinds(handshake.clientBytes(startup))).toEqual(['connect-server']);
    }
  });

  test.each([
    ['SSLRequest', sslRequest],
    ['GSSENCRequest', gssRequest],
  ])('a second %s closes without a byte', (_name, request) => {
    const handshake = createHandshake(plain);
    handshake.clientBytes(request);
    expect(kinds(handshake.clientBytes(request))).toEqual(['close']);
  });

  test('with a certificate: GSS N, SSL S, TLS, startup', () => {
    const handshake = createHandshake(withClientTls);
    expect(written(handshake.clientBytes(gssRequest), 'write-client')).toEqual(no);
    const actions = handshake.clientBytes(sslRequest);
    expect(kinds(actions)).toEqual(['write-client', 'secure-client']);
    expect(written(actions, 'write-client')).toEqual(yes);
    expect(find(actions, 'secure-client')).toMatchObject({ isAlpnRequired: false, pending: null });
    expect(handshake.clientSecured()).toEqual([]);
    expect(kinds(handshake.clientBytes(startup))).toEqual(['connect-server']);
  });

  test('an SSLRequest inside TLS closes', () => {
    expect(kinds(securedHandshake(withClientTls).clientBytes(sslRequest))).toEqual(['close']);
  });

  test.each([plain, withClientTls])('bytes in the same read are never interpreted', (policy) => {
    const handshake = createHandshake(policy);
    expect(kinds(handshake.clientBytes(Buffer.concat([sslRequest, startup])))).toEqual(['close']);
    const other = createHandshake(policy);
    expect(kinds(other.clientBytes(Buffer.concat([gssRequest, Buffer.from('x')])))).toEqual(['close']);
  });

  test('an encryption request of another length is malformed', () => {
    const actions = createHandshake(withClientTls).clientBytes(
      requestPacket(80_877_103, Buffer.from('more')),
    );
    expect(kinds(actions)).toEqual(['close']);
  });

  test('a certificate that is required refuses a plain startup, not a plain cancel', () => {
    const policy: LegPolicy = { ...plain, clientTls: { cert: 'c', key: 'k', isRequired: true } };
    const refused = createHandshake(policy).clientBytes(startup);
    expect(errorFields(written(refused, 'write-client'))['C']).toBe('28000');
    expect(kinds(createHandshake(policy).clientBytes(cancelPacket(Buffer.alloc(8))))).toEqual([
      'connect-server',
    ]);
    expect(kinds(securedHandshake(policy).clientBytes(startup))).toEqual(['connect-server']);
  });
});

describe('direct TLS', () => {
  const hello = Buffer.from('1603010200010001fc0303', 'hex');

  test('goes to TLS with the bytes already read and demands ALPN', () => {
    const actions = createHandshake(withClientTls).clientBytes(hello);
    expect(actions).toEqual([
      { kind: 'secure-client', alpn: 'postgresql', isAlpnRequired: true, pending: hello },
    ]);
  });

  test('without a certificate gets a TLS alert at once', () => {
    const actions = createHandshake(plain).clientBytes(hello.subarray(0, 1));
    expect(kinds(actions)).toEqual(['write-client', 'close']);
    expect(written(actions, 'write-client').toString('hex')).toBe('15030100020228');
  });

  test('is out of place inside TLS and after an answer', () => {
    expect(kinds(securedHandshake(withClientTls).clientBytes(hello))).toEqual(['close']);
    const handshake = createHandshake(withClientTls);
    handshake.clientBytes(gssRequest);
    expect(kinds(handshake.clientBytes(hello))).toEqual(['close']);
  });
});

describe('a cancel request', () => {
  test.each([8, 36, 260])('with a key of %i bytes passes opaquely and is never answered', (size) => {
    const key = Buffer.alloc(size, 0xf1);
    const packet = cancelPacket(key);
    const handshake = createHandshake(plain);
    expect(kinds(handshake.clientBytes(Buffer.concat([packet, Buffer.from('junk')])))).toEqual([
      'connect-server',
    ]);
    const actions = handshake.serverConnected();
    expect(kinds(actions)).toEqual(['note-cancel', 'write-server', 'close-after-server']);
    expect(find(actions, 'note-cancel').key).toBe(key.toString('latin1'));
    expect(written(actions, 'write-server')).toEqual(packet);
    expect(handshake.serverBytes(Buffer.from('anything'))).toEqual([]);
  });

  test('asks for TLS upstream where the policy does', () => {
    const handshake = createHandshake({ ...plain, upstreamTls: { mode: 'require' } });
    handshake.clientBytes(cancelPacket(Buffer.alloc(8)));
    expect(written(handshake.serverConnected(), 'write-server')).toEqual(sslRequest);
    expect(kinds(handshake.serverBytes(yes))).toEqual(['secure-server']);
    expect(kinds(handshake.serverSecured())).toEqual(['note-cancel', 'write-server', 'close-after-server']);
  });

  test('gets zero bytes when the upstream is down', () => {
    const handshake = createHandshake(plain);
    handshake.clientBytes(cancelPacket(Buffer.alloc(8)));
    expect(kinds(handshake.serverFailed('down'))).toEqual(['close']);
  });

  test('is relayed over the connection limit', () => {
    const handshake = createHandshake(plain);
    handshake.refuse({ reason: 'too_many_connections', message: 'full' });
    expect(kinds(handshake.clientBytes(cancelPacket(Buffer.alloc(8))))).toEqual(['connect-server']);
  });
});

describe('the upstream leg', () => {
  const prefer: LegPolicy = { ...plain, upstreamTls: { mode: 'prefer' } };
  const verify: LegPolicy = { ...plain, upstreamTls: { mode: 'verify-full' } };

  function connected(policy: LegPolicy): Handshake {
    const handshake = createHandshake(policy);
    handshake.clientBytes(startup);
    expect(written(handshake.serverConnected(), 'write-server')).toEqual(sslRequest);
    return handshake;
  }

  test('prefer takes a plain answer', () => {
    expect(kinds(connected(prefer).serverBytes(no))).toEqual(['write-server', 'relay']);
  });

  test('verify-full does not', () => {
    const actions = connected(verify).serverBytes(no);
    expect(errorFields(written(actions, 'write-client'))['C']).toBe('08001');
    expect(kinds(actions)).toEqual(['write-client', 'close']);
  });

  test.each([
    ['bytes after S', Buffer.from('Sx')],
    ['bytes after N', Buffer.from('Nx')],
    ['an error', frame('E', 'SFATAL\0\0')],
    ['something else', Buffer.from('H')],
  ])('%s in answer to SSLRequest is a failure', (_what, answer) => {
    for (const policy of [prefer, verify]) {
      const actions = connected(policy).serverBytes(answer);
      expect(kinds(actions)).toEqual(['write-client', 'close']);
      expect(errorFields(written(actions, 'write-client'))['C']).toBe('08001');
    }
  });

  test('prefer falls back to a plain connection when TLS cannot be made', () => {
    const handshake = connected(prefer);
    handshake.serverBytes(yes);
    expect(kinds(handshake.serverFailed('tls'))).toEqual(['connect-server']);
    expect(kinds(handshake.serverConnected())).toEqual(['write-server', 'relay']);
  });

  test('verify-full does not fall back', () => {
    const handshake = connected(verify);
    handshake.serverBytes(yes);
    const actions = handshake.serverFailed('not trusted');
    expect(errorFields(written(actions, 'write-client'))).toMatchObject({ C: '08001', M: 'not trusted' });
  });

  test('prefer stays plain for a relayed login that came over TLS', () => {
    const handshake = securedHandshake({ ...withClientTls, upstreamTls: { mode: 'prefer' } });
    handshake.clientBytes(startup);
    expect(kinds(handshake.serverConnected())).toEqual(['write-server', 'relay']);
  });

  test('an upstream that cannot be reached is FATAL 08001', () => {
    const handshake = createHandshake(plain);
    handshake.clientBytes(startup);
    const actions = handshake.serverFailed('Upstream refused.');
    expect(errorFields(written(actions, 'write-client'))).toEqual({
      S: 'FATAL',
      V: 'FATAL',
      C: '08001',
      M: 'Upstream refused.',
    });
  });
});

describe('an upstream whose TLS is taken only where it must be (allow)', () => {
  const allow: LegPolicy = { ...plain, upstreamTls: { mode: 'allow' } };
  const query = frame('Q', 'select 1\0');
  const refusal = frame('E', 'SFATAL\0VFATAL\0C28000\0Mno pg_hba.conf entry, no encryption\0\0');

  function plainlyStarted(): Handshake {
    const handshake = createHandshake(allow);
    handshake.clientBytes(startup);
    expect(written(handshake.serverConnected(), 'write-server')).toEqual(startup);
    expect(handshake.clientBytes(query)).toEqual([]);
    return handshake;
  }

  test('relays from the first word of a server that takes plain connections', () => {
    const answer = Buffer.concat([authentication(10, 'SCRAM-SHA-256\0\0'), frame('N', 'SNOTICE\0\0')]);
    const { identity } = find(plainlyStarted().serverBytes(answer), 'relay');
    expect(identity.clientBacklog).toEqual(query);
    expect(identity.serverBacklog).toEqual(answer);
    expect(identity.isAuthenticated).toBe(false);
  });

  test('tries again with TLS where pg_hba.conf refuses, wherever the refusal is cut', () => {
    for (let cut = 1; cut < refusal.length; cut += 1) {
      const handshake = plainlyStarted();
      expect(handshake.serverBytes(refusal.subarray(0, cut))).toEqual([]);
      expect(kinds(handshake.serverBytes(refusal.subarray(cut)))).toEqual(['connect-server']);
      expect(written(handshake.serverConnected(), 'write-server')).toEqual(sslRequest);
      expect(kinds(handshake.serverBytes(yes))).toEqual(['secure-server']);
      expect(written(handshake.serverSecured(), 'write-server')).toEqual(startup);
      const { identity } = find(handshake.serverBytes(authentication(0)), 'relay');
      expect(identity.clientBacklog).toEqual(query);
    }
  });

  test.each([
    ['has no TLS', (handshake: Handshake) => handshake.serverBytes(no)],
    ['cannot be reached again', (handshake: Handshake) => handshake.serverFailed('gone')],
  ])('passes the refusal of a server that %s', (_what, answer) => {
    const handshake = plainlyStarted();
    handshake.serverBytes(refusal);
    handshake.serverConnected();
    const actions = answer(handshake);
    expect(written(actions, 'write-client')).toEqual(refusal);
    expect(kinds(actions)).toEqual(['write-client', 'close']);
  });

  test('relays every other refusal as it is', () => {
    const other = frame('E', 'SFATAL\0C3D000\0Mno such database\0\0');
    expect(find(plainlyStarted().serverBytes(other), 'relay').identity.serverBacklog).toEqual(other);
  });

  test('says so when the server goes without a word', () => {
    const actions = plainlyStarted().serverFailed('Lost.');
    expect(errorFields(written(actions, 'write-client'))).toMatchObject({ C: '08006', M: 'Lost.' });
  });

  test('asks for TLS at once where the proxy logs in itself', () => {
    const user = { name: 'ann', secret: 's', upstreamUser: 'app', upstreamPassword: 'p' };
    expect(asksUpstreamTls({ ...allow, auth: 'terminate', users: [user] }, false)).toBe(true);
    expect(asksUpstreamTls(allow, false)).toBe(false);
  });
});

describe('a login relayed to a TLS upstream', () => {
  const policy: LegPolicy = { ...plain, upstreamTls: { mode: 'require' } };
  const offer = authentication(10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0');
  const shortOffer = authentication(10, 'SCRAM-SHA-256\0\0');

  function authenticating(early: Buffer = Buffer.alloc(0)): Handshake {
    const handshake = createHandshake(policy);
    handshake.clientBytes(Buffer.concat([startup, early]));
    handshake.serverConnected();
    handshake.serverBytes(yes);
    const actions = handshake.serverSecured();
    expect(written(actions, 'write-server')).toEqual(Buffer.concat([startup, early]));
    expect(kinds(actions)).not.toContain('relay');
    return handshake;
  }

  test('loses -PLUS from the offer wherever it is cut, and ends with AuthenticationOk', () => {
    const rest = frame('S', 'server_version\x0018.0\0');
    const bytes = Buffer.concat([frame('N', 'SNOTICE\0\0'), offer, authentication(0), rest]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const handshake = authenticating();
      const first = handshake.serverBytes(bytes.subarray(0, cut));
      const isOver = kinds(first).includes('relay');
      const actions = isOver ? first : [...first, ...handshake.serverBytes(bytes.subarray(cut))];
      expect(written(actions, 'write-client')).toEqual(
        Buffer.concat([frame('N', 'SNOTICE\0\0'), shortOffer, authentication(0)]),
      );
      const { identity } = find(actions, 'relay');
      expect(identity.isAuthenticated).toBe(true);
      expect(identity.serverBacklog).toEqual(isOver ? bytes.subarray(bytes.length - rest.length, cut) : rest);
    }
  });

  test.each(['y,,n=,r=abc', 'p=tls-server-end-point,,n=,r=abc'])('refuses %s by name', (message) => {
    const handshake = authenticating();
    handshake.serverBytes(offer);
    const actions = handshake.clientBytes(saslInitial('SCRAM-SHA-256', message));
    const fields = errorFields(written(actions, 'write-client'));
    expect(fields['C']).toBe('28000');
    expect(fields['M']).toContain('channel_binding=disable');
    expect(written(actions, 'write-server')).toEqual(Buffer.alloc(0));
  });

  test('passes a choice that does not bind, also in pieces', () => {
    const choice = saslInitial('SCRAM-SHA-256', 'n,,n=,r=abc');
    const handshake = authenticating();
    handshake.serverBytes(offer);
    const actions = [...choice].flatMap((byte) => handshake.clientBytes(Buffer.from([byte])));
    expect(written(actions, 'write-server')).toEqual(choice);
    const proof = frame('p', 'c=biws,r=abc,p=xyz');
    expect(written(handshake.clientBytes(proof), 'write-server')).toEqual(proof);
  });

  test('keeps statements sent ahead for the session, which has to see them', () => {
    const handshake = authenticating();
    const query = frame('Q', 'select 1\0');
    expect(written(handshake.clientBytes(query.subarray(0, 3)), 'write-server')).toEqual(Buffer.alloc(0));
    expect(written(handshake.clientBytes(query.subarray(3)), 'write-server')).toEqual(Buffer.alloc(0));
    const { identity } = find(handshake.serverBytes(authentication(0)), 'relay');
    expect(identity.clientBacklog).toEqual(query);
  });

  test('passes other methods and the server’s refusal byte for byte', () => {
    const handshake = authenticating();
    const md5 = authentication(5, 'salt');
    expect(written(handshake.serverBytes(md5), 'write-client')).toEqual(md5);
    const answer = frame('p', 'md5abc\0');
    expect(written(handshake.clientBytes(answer), 'write-server')).toEqual(answer);
    const error = frame('E', 'SFATAL\0C28P01\0Mno\0\0');
    const actions = handshake.serverBytes(error);
    expect(written(actions, 'write-client')).toEqual(error);
    expect(kinds(actions)).toEqual(['write-client', 'close']);
  });

  test('passes early client bytes in order', () => {
    authenticating(frame('p', 'early\0'));
  });

  test('is relayed unseen when the server sends what no login has', () => {
    const handshake = authenticating();
    const actions = handshake.serverBytes(Buffer.from('HTTP/1.1 400 Bad Request'));
    const { identity } = find(actions, 'relay');
    expect(identity.serverBacklog.toString()).toBe('HTTP/1.1 400 Bad Request');
    expect(identity.isAuthenticated).toBe(false);
  });

  test('a lost upstream is FATAL 08006', () => {
    const actions = authenticating().serverFailed('gone');
    expect(errorFields(written(actions, 'write-client'))['C']).toBe('08006');
  });
});

describe('a refusal by the proxy', () => {
  test.each([
    ['too_many_connections', '53300'],
    ['shutting_down', '57P03'],
  ] as const)('%s waits for the startup packet', (reason, code) => {
    const handshake = createHandshake(plain);
    expect(handshake.refuse({ reason, message: 'Not now.' })).toEqual([]);
    expect(written(handshake.clientBytes(sslRequest), 'write-client')).toEqual(no);
    const actions = handshake.clientBytes(startup);
    expect(errorFields(written(actions, 'write-client'))).toMatchObject({ C: code, M: 'Not now.' });
    expect(kinds(actions)).toEqual(['write-client', 'close']);
  });

  test('a timeout answers at once, but never inside a TLS handshake or after relaying began', () => {
    const refusal = { reason: 'handshake_timeout', message: 'Too slow.' } as const;
    expect(errorFields(written(createHandshake(plain).refuse(refusal), 'write-client'))['C']).toBe('57014');
    const securing = createHandshake(withClientTls);
    securing.clientBytes(sslRequest);
    expect(kinds(securing.refuse(refusal))).toEqual(['close']);
    const relayed = createHandshake(plain);
    relayed.clientBytes(startup);
    relayed.serverConnected();
    expect(relayed.refuse(refusal)).toEqual([]);
  });
});
