/** Bad input, refusals and lost ends: a clear error under the right number or a close, never a throw, never a wait. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HandshakeAction, LegPolicy } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { loginPacket } from '../../support/mysql-client-packets.js';
import { capability, packet } from '../../support/mysql-protocol.js';
import {
  authSwitch,
  error,
  fullAuthRequired,
  greeting,
  mysqlOffer,
  readError,
  scriptedNonce,
} from '../../support/mysql-server-packets.js';
import { clientTls, Dialogue, type Options, run, runAnyhow, type Step } from './dialogue.js';
import { greet, login, offerWithTls, okPacket, proxyKey, requestForTls, switchNonce } from './packets.js';

/** The ERR packet behind `skip` bytes to the client, and its number. */
function refusal(toClient: Buffer, skip: number): ReturnType<typeof readError> & { sequence: number } {
  const bytes = toClient.subarray(skip);
  expect(bytes.length).toBe(4 + bytes.readUIntLE(0, 3));
  return { sequence: bytes[3]!, ...readError(bytes.subarray(4)) };
}

const greeted = greet().length;
const header = (length: number, sequence: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUIntLE(length, 0, 3);
  bytes[3] = sequence;
  return bytes;
};

describe('a client that does not speak the protocol', () => {
  const oldFlags = (flags: number): Buffer => Buffer.from([flags & 0xff, flags >> 8, 0, 0, 0]);
  const short = loginPacket({
    capabilities: mysqlOffer & ~capability.connectWithDb,
    user: 'ann',
    authData: scriptedNonce,
  });
  test.each([
    ['an empty packet', Buffer.alloc(0)],
    ['four bytes', Buffer.from('abcd')],
    ['the head alone', short.subarray(0, 32)],
    ['a user without end', short.subarray(0, 35)],
    ['no authentication data', short.subarray(0, 36)],
    ['less authentication data than it says', short.subarray(0, 45)],
    ['a request for TLS that was not on offer, in the old form', oldFlags(capability.tls)],
  ])('%s: bad handshake', (_what, payload) => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', packet(payload, 1)],
    ]);
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ sequence: 2, code: 1043, sqlState: '08S01' });
  });

  test('the head alone as a request for TLS that was not on offer', () => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', requestForTls],
    ]);
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ sequence: 2, code: 1043 });
  });

  test('a login with the flag of TLS that was not on offer goes on without it', () => {
    const flagged = login({ capabilities: (mysqlOffer & ~capability.connectWithDb) | capability.tls });
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', flagged],
      ['s', packet(okPacket, 2)],
    ]);
    expect(outcome.toServer.readUInt32LE(4) & capability.tls).toBe(0);
    expect(outcome.toServer.subarray(8)).toEqual(flagged.subarray(8));
    expect(outcome.identity?.user).toBe('ann');
  });

  test('a login with the flag of TLS that is on offer counts as a request, and is not looked at', () => {
    const flagged = login({ capabilities: mysqlOffer | capability.tls, database: 'x' });
    const outcome = runAnyhow(
      [
        ['s', greet()],
        ['c', flagged],
      ],
      { policy: { clientTls } },
    );
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'secure-client']);
    expect(outcome.toServer).toEqual(Buffer.alloc(0));
  });

  test.each([
    ['16 MiB promised', header(0xffffff, 1)],
    ['one byte more than a login may have', header(limits.maxLoginPacketBytes + 1, 1)],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('%s: refused without waiting for it', (_what, bytes) => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', bytes.subarray(0, 4)],
    ]);
    expect(outcome.closed).toBe('1153');
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ sequence: 2, code: 1153, sqlState: '08S01' });
  });

  test('64 KiB of attributes pass, and so does the longest packet', () => {
    for (const bytes of [65_000, limits.maxLoginPacketBytes - 400]) {
      const sent = login({ attributes: { program_name: 'long', pad: 'x'.repeat(bytes) } });
      const outcome = run(
        [
          ['s', greet()],
          ['c', sent],
          ['s', packet(okPacket, 2)],
        ],
        { chunking: 16_384 },
      );
      expect(outcome.toServer).toEqual(sent);
      expect(outcome.identity?.application).toBe('long');
    }
  });

  test('a request for TLS out of step', () => {
    const outOfStep = Buffer.from(requestForTls);
    outOfStep[3] = 2;
    const outcome = runAnyhow(
      [
        ['s', greet()],
        ['c', outOfStep],
      ],
      { policy: { clientTls } },
    );
    expect(outcome.asked).not.toContain('secure-client');
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ code: 1156, sqlState: '08S01' });
  });

  test('a packet that is too long for a login, in the middle of one', () => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', login()],
      ['s', packet(authSwitch('mysql_native_password', switchNonce), 2)],
      ['c', header(0xffffff, 3)],
    ]);
    expect(outcome.closed).toBe('1153');
  });
});

describe('clients older than protocol 4.1', () => {
  const old = packet(Buffer.concat([Buffer.from([0x85, 0x24, 0, 0, 0]), Buffer.from('ann\0secret12\0')]), 1);

  test('are relayed unread', () => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', old, Buffer.from('more')],
    ]);
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'relay']);
    expect(outcome.identity).toMatchObject({
      blindReason: 'unknown_protocol',
      isAuthenticated: false,
      clientBacklog: Buffer.concat([old, Buffer.from('more')]),
    });
  });

  test.each([
    ['upstream', { upstreamTls: { mode: 'require' } }, 1043],
    ['of clients', { clientTls: { ...clientTls, isRequired: true } }, 3159],
  ] as const)('are refused where TLS is required %s, in words they can read', (_what, policy, code) => {
    const outcome = runAnyhow(
      [
        ['s', greet(offerWithTls)],
        ['c', old],
      ],
      { policy },
    );
    expect(outcome.toServer).toEqual(Buffer.alloc(0));
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ code, sqlState: null });
  });
});

describe('a client without TLS where it is required', () => {
  const policy = { clientTls: { ...clientTls, isRequired: true } };

  test('is told so, and its login stays here', () => {
    const outcome = runAnyhow(
      [
        ['s', greet()],
        ['c', login()],
      ],
      { policy },
    );
    expect(outcome.toServer).toEqual(Buffer.alloc(0));
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ sequence: 2, code: 3159, sqlState: 'HY000' });
  });

  test('with TLS it gets in', () => {
    const steps: Step[] = [
      ['s', greet()],
      ['c', requestForTls],
      ['c', login({ isTls: true })],
      ['s', packet(okPacket, 2)],
    ];
    expect(runAnyhow(steps, { policy }).identity?.user).toBe('ann');
  });
});

describe('a server that does not speak the protocol', () => {
  const truncated = greeting().subarray(0, 30);
  test.each([
    ['an empty packet', packet(Buffer.alloc(0), 0)],
    ['a greeting without end of its version', packet(Buffer.from('\x0a9.7'), 0)],
    ['a greeting cut short', packet(truncated, 0)],
    ['16 MiB promised', header(0xffffff, 0)],
    ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.2p1\r\n')],
  ])('%s', (_what, bytes) => {
    const outcome = runAnyhow([['s', bytes.subarray(0, 40)]].map(([end, part]) => [end, part] as Step));
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(refusal(outcome.toClient, 0)).toMatchObject({ sequence: 0, code: 1158, sqlState: null });
  });

  test('16 MiB promised in the login', () => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['c', login()],
      ['s', header(0xffffff, 2)],
    ]);
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ sequence: 2, code: 1158, sqlState: '08S01' });
  });

  test.each([
    ['an OK', packet(okPacket, 1)],
    ['another greeting', greet()],
  ])('%s while the client is to speak', (_what, bytes) => {
    const outcome = runAnyhow([
      ['s', greet()],
      ['s', bytes],
    ]);
    expect(refusal(outcome.toClient, greeted)).toMatchObject({ code: 1158 });
    expect(outcome.closed).toBe('1158');
  });

  test.each([false, true])('an ERR while the client is to speak is passed (TLS %s)', (isTls) => {
    const timedOut = error(1159, 'Got timeout reading communication packets', '08S01');
    const steps: Step[] = [
      ['s', greet()],
      ...(isTls ? [['c', requestForTls] as Step] : []),
      ['s', packet(timedOut, 2)],
    ];
    const { toClient, closed } = runAnyhow(steps, { policy: { clientTls } });
    expect(refusal(toClient, greeted)).toMatchObject({ sequence: isTls ? 3 : 2, code: 1159 });
    expect(closed).toBe('server_refused');
  });
});

describe('refusals of the proxy', () => {
  const timeout = { reason: 'handshake_timeout', message: 'Too slow.' } as const;
  const stopping = { reason: 'shutting_down', message: 'Stopping.' } as const;
  const full = { reason: 'too_many_connections', message: 'Full.' } as const;
  type Refusing = Parameters<Dialogue['handshake']['refuse']>[0];
  const refuse = (dialogue: Dialogue, what: Refusing): Dialogue =>
    dialogue.perform(dialogue.handshake.refuse(what));
  const fresh = (options?: Options): Dialogue => new Dialogue(options);

  test.each([
    [full, 1040],
    [stopping, 1053],
    [timeout, 1159],
  ] as const)('before the greeting: %o without SQLSTATE, number 0', (what, code) => {
    const { toClient, closed } = refuse(fresh(), what).outcome;
    expect(refusal(toClient, 0)).toEqual({ sequence: 0, code, sqlState: null, message: what.message });
    expect(closed).toBe(String(code));
  });

  test.each([
    [full, 1040, '08004'],
    [stopping, 1053, '08S01'],
  ] as const)('after the greeting: %o in answer to the login', (what, code, sqlState) => {
    const waiting = refuse(fresh().hear(['s', greet()]), what);
    expect(waiting.outcome.closed).toBeNull();
    const { toClient, toServer } = waiting.hear(['c', login()]).outcome;
    expect(refusal(toClient, greeted)).toEqual({ sequence: 2, code, sqlState, message: what.message });
    expect(toServer).toEqual(Buffer.alloc(0));
  });

  test('with TLS the login is waited for too', () => {
    const waiting = refuse(fresh({ policy: { clientTls } }).hear(['s', greet()]), stopping);
    const { toClient } = waiting.hear(['c', requestForTls]).hear(['c', login({ isTls: true })]).outcome;
    expect(refusal(toClient, greeted)).toMatchObject({ sequence: 3, code: 1053 });
  });

  test('a client that takes too long is told at once, under the number it expects after its own packet', () => {
    const { toClient } = refuse(fresh().hear(['s', greet()]), timeout).outcome;
    expect(refusal(toClient, greeted)).toEqual({
      sequence: 2,
      code: 1159,
      sqlState: '08S01',
      message: timeout.message,
    });
  });

  test.each([
    ['on the server', [], 2],
    ['on the client', [['s', packet(fullAuthRequired, 2)]] as Step[], 4],
  ])('in a login that waits %s', (_what, steps, sequence) => {
    const dialogue = fresh().hear(['s', greet()]).hear(['c', login()]);
    for (const step of steps) dialogue.hear(step);
    const before = dialogue.outcome.toClient.length;
    const { toClient } = refuse(dialogue, timeout).outcome;
    expect(refusal(toClient, before)).toMatchObject({ sequence, code: 1159 });
  });

  test('nothing is said into a TLS handshake', () => {
    const dialogue = fresh({ policy: { clientTls } }).hear(['s', greet()]);
    // Not through the dialogue, which would set up TLS.
    expect(dialogue.handshake.clientBytes(requestForTls).map(({ kind }) => kind)).toEqual(['secure-client']);
    expect(dialogue.handshake.refuse(timeout).map(({ kind }) => kind)).toEqual(['close']);
  });

  test('nothing is said once relaying has begun', () => {
    const dialogue = fresh()
      .hear(['s', greet()])
      .hear(['c', login()])
      .hear(['s', packet(okPacket, 2)]);
    for (const what of [full, stopping, timeout]) expect(dialogue.handshake.refuse(what)).toEqual([]);
    expect(dialogue.handshake.serverFailed('gone')).toEqual([]);
    expect(dialogue.handshake.clientEnded?.()).toEqual([]);
  });
});

describe('an end that is lost', () => {
  test.each([
    ['before the greeting', [], 0, null],
    ['before the login', [['s', greet()]], 2, '08S01'],
    [
      'in the login',
      [
        ['s', greet()],
        ['c', login()],
      ],
      2,
      '08S01',
    ],
  ] as readonly [string, Step[], number, string | null][])(
    'the server, %s',
    (_what, steps, sequence, sqlState) => {
      const dialogue = new Dialogue();
      for (const step of steps) dialogue.hear(step);
      const before = dialogue.outcome.toClient.length;
      const { toClient, closed } = dialogue.perform(dialogue.handshake.serverFailed('It is gone.')).outcome;
      expect(refusal(toClient, before)).toEqual({ sequence, code: 1158, sqlState, message: 'It is gone.' });
      expect(closed).toBe('1158');
    },
  );

  test("the upstream's TLS cannot be set up: the login never leaves", () => {
    const dialogue = new Dialogue({ policy: { upstreamTls: { mode: 'require' } }, proxyKey });
    dialogue.hear(['s', greet(offerWithTls)]);
    const asked = dialogue.handshake.clientBytes(login());
    expect(asked.map(({ kind }) => kind)).toEqual(['write-server', 'secure-server']);
    const sent = asked[0] as Extract<HandshakeAction, { kind: 'write-server' }>;
    expect(sent.bytes.length).toBe(36);
    const { toClient } = dialogue.perform(dialogue.handshake.serverFailed('Not trusted.')).outcome;
    expect(refusal(toClient, greeted)).toMatchObject({ sequence: 2, code: 1158, message: 'Not trusted.' });
  });

  test('a client that is gone before its login lets the server go', () => {
    for (const steps of [[], [['s', greet()]]] as Step[][]) {
      const dialogue = new Dialogue();
      for (const step of steps) dialogue.hear(step);
      expect(dialogue.handshake.clientEnded?.()).toEqual([{ kind: 'close', reason: 'client_closed' }]);
    }
  });

  test('a client that ends behind its login may still read the answer', () => {
    const dialogue = new Dialogue().hear(['s', greet()]).hear(['c', login()]);
    expect(dialogue.handshake.clientEnded?.()).toEqual([]);
    expect(dialogue.hear(['s', packet(okPacket, 2)]).outcome.identity).not.toBeNull();
  });
});

describe('random bytes', () => {
  const policies: readonly Partial<LegPolicy>[] = [
    {},
    { clientTls },
    { clientTls: { ...clientTls, isRequired: true }, upstreamTls: { mode: 'require' } },
    { upstreamTls: { mode: 'prefer' }, compression: 'relay' },
  ];
  const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
  /** Whole packets get further than noise. */
  const anyPacket = fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 0xfe, 0xff), anyBytes, fc.nat(6))
    .map(([first, rest, sequence]) => packet(Buffer.concat([Buffer.from([first]), rest]), sequence));
  const mangled = fc
    .constantFrom(greet(offerWithTls), login(), login({ isTls: true }), requestForTls)
    .chain((bytes) =>
      fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, value]) => {
        const copy = Buffer.from(bytes);
        copy[at] = value;
        return copy;
      }),
    );
  const anyStep = fc
    .tuple(fc.constantFrom('c', 's'), fc.oneof(anyBytes, anyPacket, mangled))
    .map(([end, bytes]) => [end, bytes] as Step);

  test('never throw, are never asked for after the close, and never end twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...policies), fc.array(anyStep, { maxLength: 12 }), (policy, steps) => {
        const dialogue = new Dialogue({ policy, proxyKey });
        dialogue.hear(['s', greet(offerWithTls)]);
        for (const step of steps) if (dialogue.outcome.closed === null) dialogue.hear(step);
        const ends = dialogue.outcome.asked.filter((kind) => kind === 'close' || kind === 'relay');
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 1) {
          expect(dialogue.handshake.clientBytes(Buffer.from('x'))).toEqual([]);
          expect(dialogue.handshake.serverBytes(Buffer.from('x'))).toEqual([]);
        }
      }),
    );
  });

  test('the same actions however they are cut', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 6 }), (steps) => {
        const asked = (chunking: 'whole' | 'byte by byte'): string =>
          JSON.stringify(run([['s', greet()], ...steps], { chunking }));
        expect(asked('byte by byte')).toBe(asked('whole'));
      }),
      { numRuns: 200 },
    );
  });
});
