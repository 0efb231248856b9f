/** COM_CHANGE_USER where one leg has TLS, between an observer that is told as little as possible and two ends. */
import { describe, expect, test } from 'vitest';
import { MixedLegsTerms } from '../../../adapters/mysql/session-identity.js';
import { UserChangeRelay } from '../../../adapters/mysql/user-change-relay.js';
import type { ByteOutput } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { changeUser, query } from '../../support/mysql-client-packets.js';
import { maxPayloadBytes, packet, packets } from '../../support/mysql-protocol.js';
import {
  authSwitch,
  error,
  fastAuthOk,
  fullAuthRequired,
  mysqlOffer,
  scriptedNonce,
} from '../../support/mysql-server-packets.js';
import { numbered, shown } from './dialogue.js';
import {
  clear,
  decryptedByServer,
  okPacket,
  password,
  proxyKey,
  proxyKeyPacket,
  serverKeyPacket,
  switchNonce,
  underProxyKey,
} from './packets.js';

const change = (plugin = 'caching_sha2_password', authData = Buffer.alloc(32, 7)): Buffer =>
  packet(changeUser({ user: 'ben', authData, database: 'shop', plugin }), 0);
const statement = packet(query('select 1'), 0);

interface Setup {
  readonly isClientSecure: boolean;
  readonly isServerLocal?: boolean;
  isIdle?: boolean;
  isSendingFile?: boolean;
}

/** The relay, and what everybody got. */
class Session {
  readonly toServer: Buffer[] = [];
  readonly toClient: Buffer[] = [];
  readonly seenOfClient: Buffer[] = [];
  readonly seenOfServer: Buffer[] = [];
  isClosed = false;
  readonly relay: UserChangeRelay;
  readonly inner: { isIdle: boolean; isSendingFile: boolean };

  constructor({ isClientSecure, isServerLocal = false, isIdle = true, isSendingFile = false }: Setup) {
    const inner = {
      isIdle,
      isSendingFile,
      blindReason: null,
      toServer: (bytes: Buffer) => void this.seenOfClient.push(Buffer.from(bytes)),
      toClient: (bytes: Buffer, out: ByteOutput) => {
        this.seenOfServer.push(Buffer.from(bytes));
        out.write(bytes);
      },
      end: () => undefined,
      cancelRelayed: () => undefined,
    };
    this.inner = inner;
    const terms = {
      capabilities: mysqlOffer,
      extendedCapabilities: 0,
      engine: 'mysql',
      serverVersion: '9.7.0',
      connectionId: 1,
      characterSet: 255,
      statusFlags: 2,
      database: '',
    } as const;
    const legs = { isClientSecure, isServerSecure: !isClientSecure, isServerLocal };
    this.relay = new UserChangeRelay(inner, new MixedLegsTerms(terms, legs, scriptedNonce), proxyKey);
    this.relay.takeOver({
      toServer: { write: (bytes) => void this.toServer.push(Buffer.from(bytes)) },
      toClient: { write: (bytes) => void this.toClient.push(Buffer.from(bytes)) },
      close: () => {
        this.isClosed = true;
      },
    });
  }

  hear(end: 'c' | 's', bytes: Buffer, size = bytes.length): this {
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = Buffer.from(bytes.subarray(at, at + size));
      if (end === 'c') this.relay.toServer(chunk);
      else this.relay.toClient(chunk, { write: (out) => void this.toClient.push(Buffer.from(out)) });
    }
    return this;
  }

  get outcome(): Record<'toServer' | 'toClient' | 'seenOfClient' | 'seenOfServer', string[]> {
    const reveal = (block: Buffer): string => `decrypted ${decryptedByServer(block, switchNonce)}`;
    return {
      toServer: shown(Buffer.concat(this.toServer), reveal),
      toClient: shown(Buffer.concat(this.toClient)),
      seenOfClient: shown(Buffer.concat(this.seenOfClient)),
      seenOfServer: shown(Buffer.concat(this.seenOfServer)),
    };
  }
}

type Step = readonly ['c' | 's', Buffer];

/** The outcome, once it is known to be the same in pieces of any size. */
function outcomeOf(setup: Setup, steps: readonly Step[]): Session['outcome'] {
  const inPieces = (size: number): Session['outcome'] => {
    const session = new Session(setup);
    for (const [end, bytes] of steps) session.hear(end, bytes, size);
    return session.outcome;
  };
  const whole = inPieces(Number.MAX_SAFE_INTEGER);
  for (let size = 1; size <= 70; size += 1) expect(inPieces(size), `pieces of ${size}`).toEqual(whole);
  return whole;
}

const askedToSwitch = authSwitch('caching_sha2_password', switchNonce);
const answer = Buffer.alloc(32, 9);

describe('a change with a password to be carried over', () => {
  test('from TLS to none', () => {
    const outcome = outcomeOf({ isClientSecure: true }, [
      ['c', Buffer.concat([statement, change()])],
      ['s', packet(askedToSwitch, 1)],
      ['c', packet(answer, 2)],
      ['s', packet(fullAuthRequired, 3)],
      ['c', Buffer.concat([packet(clear, 4), statement])],
      ['s', packet(serverKeyPacket, 5)],
      ['s', Buffer.concat([packet(okPacket, 7), packet(okPacket, 1)])],
    ]);
    const sent = [
      [0, statement.subarray(4)],
      [0, change().subarray(4)],
    ] as const;
    expect(outcome.toServer).toEqual(
      numbered(
        ...sent,
        [2, answer],
        [4, Buffer.from([2])],
        [6, `decrypted ${password}\0`],
        [0, statement.subarray(4)],
      ),
    );
    expect(outcome.toClient).toEqual(
      numbered([1, askedToSwitch], [3, fullAuthRequired], [5, okPacket], [1, okPacket]),
    );
    // The observer is told of the change and of its end.
    expect(outcome.seenOfClient).toEqual(numbered(...sent, [0, statement.subarray(4)]));
    expect(outcome.seenOfServer).toEqual(numbered([1, okPacket], [1, okPacket]));
  });

  test('from none to TLS', () => {
    const outcome = outcomeOf({ isClientSecure: false }, [
      ['c', change()],
      ['s', packet(askedToSwitch, 1)],
      ['c', packet(answer, 2)],
      ['s', packet(fullAuthRequired, 3)],
      ['c', packet(Buffer.from([2]), 4)],
      ['c', packet(underProxyKey(switchNonce), 6)],
      ['s', packet(okPacket, 5)],
    ]);
    expect(outcome.toServer).toEqual(numbered([0, change().subarray(4)], [2, answer], [4, clear]));
    expect(outcome.toClient).toEqual(
      numbered([1, askedToSwitch], [3, fullAuthRequired], [5, proxyKeyPacket], [7, okPacket]),
    );
  });

  test('in the command itself', () => {
    const outcome = outcomeOf({ isClientSecure: true }, [
      ['c', change('sha256_password', clear)],
      ['s', packet(authSwitch('mysql_native_password', switchNonce), 1)],
      ['c', packet(answer, 2)],
      ['s', packet(okPacket, 3)],
    ]);
    expect(outcome.toServer).toEqual(
      numbered([0, change('sha256_password', Buffer.from([1])).subarray(4)], [2, answer]),
    );
  });

  test("a refused change is the server's own, and the session goes on if the server lets it", () => {
    const refusal = error(1045, 'Access denied', '28000');
    const outcome = outcomeOf({ isClientSecure: true }, [
      ['c', change()],
      ['s', packet(askedToSwitch, 1)],
      ['c', packet(answer, 2)],
      ['s', packet(refusal, 3)],
      ['c', statement],
      ['s', packet(okPacket, 1)],
    ]);
    expect(outcome.toClient).toEqual(numbered([1, askedToSwitch], [3, refusal], [1, okPacket]));
    expect(outcome.seenOfServer).toEqual(numbered([1, refusal], [1, okPacket]));
    expect(outcome.toServer.at(-1)).toBe(`0:${statement.subarray(4).toString('hex')}`);
  });

  test.each([
    ['in the command', [['c', change('mysql_clear_password', clear)]] as Step[], 1],
    [
      'asked for by the server',
      [
        ['c', change()],
        ['s', packet(authSwitch('mysql_clear_password', Buffer.alloc(0)), 1)],
      ] as Step[],
      1,
    ],
  ])(
    'a password in clear to a server elsewhere, %s: refused, and the session ends',
    (_what, steps, sequence) => {
      const session = new Session({ isClientSecure: true });
      for (const [end, bytes] of steps) session.hear(end, bytes);
      expect(session.isClosed).toBe(true);
      expect(session.outcome.toClient.map((each) => each.slice(0, 8))).toEqual([`${sequence}:ff570c`]);
      expect(Buffer.concat(session.toServer).includes(password)).toBe(false);
      const local = new Session({ isClientSecure: true, isServerLocal: true });
      for (const [end, bytes] of steps) local.hear(end, bytes);
      expect(local.isClosed).toBe(false);
    },
  );
});

describe('what comes before and behind', () => {
  test('a change waits until everything before it is answered', () => {
    const session = new Session({ isClientSecure: true, isIdle: false });
    session.hear('c', Buffer.concat([statement, change(), statement]));
    expect(session.outcome.toServer).toEqual(numbered([0, statement.subarray(4)]));
    session.hear('s', packet(okPacket, 1));
    expect(session.outcome.toServer).toHaveLength(1);
    session.inner.isIdle = true;
    session.hear('s', packet(okPacket, 1));
    expect(session.outcome.toServer).toEqual(numbered([0, statement.subarray(4)], [0, change().subarray(4)]));
    session.hear('s', packet(okPacket, 1));
    expect(session.outcome.toServer).toHaveLength(3);
    expect(session.outcome.toClient).toHaveLength(3);
  });

  test('one change behind the other', () => {
    const session = new Session({ isClientSecure: true });
    session.hear('c', Buffer.concat([change(), change(), statement]));
    session.hear('s', packet(okPacket, 1));
    expect(session.outcome.toServer).toHaveLength(2);
    session.hear('s', packet(fastAuthOk, 1)).hear('s', packet(okPacket, 2));
    expect(session.outcome.toServer).toHaveLength(3);
  });

  test('too much behind a change ends the session', () => {
    const session = new Session({ isClientSecure: true, isIdle: false });
    session.hear('c', change());
    const much = Buffer.alloc(limits.maxHandshakeBacklogBytes);
    expect(() => session.hear('c', much)).toThrow(RangeError);
  });

  test('files, continued payloads and what only looks like a change pass', () => {
    const looksAlike = Buffer.concat([
      packet(Buffer.from([0x11, 1, 2]), 1),
      packet(Buffer.from('\x03\x11'), 0),
      packet(Buffer.alloc(0), 0),
      packets(Buffer.alloc(300, 0x11).fill(0x03, 0, 1), 0),
    ]);
    expect(outcomeOf({ isClientSecure: true }, [['c', looksAlike]]).toServer).toEqual(shown(looksAlike));
    const file = Buffer.concat([packet(Buffer.from([0x11, 1, 2]), 0), packet(Buffer.alloc(0), 1)]);
    expect(outcomeOf({ isClientSecure: true, isSendingFile: true }, [['c', file]]).toServer).toEqual(
      shown(file),
    );
    const long = packets(Buffer.alloc(maxPayloadBytes + 3, 0x11).fill(0x03, 0, 1));
    const session = new Session({ isClientSecure: true }).hear('c', long, 65_536);
    expect(Buffer.concat(session.toServer).equals(long)).toBe(true);
  });

  test.each([
    ['no user', Buffer.from('\x11abc')],
    ['less data than it says', Buffer.from('\x11ann\0\x20abc')],
    ['no database', Buffer.from('\x11ann\0\0shop')],
  ])('a change that servers would not take (%s) ends the session in words', (_what, payload) => {
    const session = new Session({ isClientSecure: true }).hear('c', packet(payload, 0));
    expect(session.outcome.toClient.map((each) => each.slice(0, 8))).toEqual(['1:ff1304']);
    expect(session.isClosed).toBe(true);
    expect(session.toServer).toEqual([]);
  });

  test('16 MiB promised', () => {
    const session = new Session({ isClientSecure: true }).hear('c', Buffer.from([0xff, 0xff, 0xff, 0, 0x11]));
    expect(session.isClosed).toBe(true);
  });
});
