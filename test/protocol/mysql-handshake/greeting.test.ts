/** What the client sees of the server's first packet. */
import { describe, expect, test } from 'vitest';
import { capability, packet } from '../../support/mysql-protocol.js';
import {
  error,
  type GreetingOptions,
  greeting,
  mariadbGreeting,
  mariadbOffer,
  mysqlGreeting,
  mysqlOffer,
  readGreeting,
} from '../../support/mysql-server-packets.js';
import { clientTls, Dialogue, run, runAnyhow } from './dialogue.js';
import { greet } from './packets.js';

const compression = capability.compress | capability.zstdCompression;
const everything: GreetingOptions = {
  ...mysqlGreeting,
  capabilities: mysqlOffer | capability.tls | compression,
};

describe('the server speaks first', () => {
  test('it is dialled at once, and its greeting goes on before the client says anything', () => {
    const outcome = runAnyhow([['s', greet()]]);
    expect(outcome.asked).toEqual(['connect-server', 'write-client']);
    expect(outcome.toClient).toEqual(greet());
  });

  test('what the client says before it waits for it', () => {
    const early = new Dialogue().hear(['c', Buffer.from('GET / HTTP/1.1\r\n\r\n')]);
    expect(early.outcome.asked).toEqual(['connect-server']);
    early.hear(['s', greet()]);
    expect(early.outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
  });
});

describe('offers that change', () => {
  const flagsOf = (bytes: Buffer): number => readGreeting(bytes.subarray(4)).capabilities;

  test.each([
    ['compression and TLS are taken out', {}, 0],
    ['TLS of ours stays in', { clientTls }, capability.tls],
    ['compression stays where it is relayed', { compression: 'relay' }, compression],
    ['both stay', { clientTls, compression: 'relay' }, capability.tls | compression],
  ] as const)('%s', (_what, policy, left) => {
    const { toClient } = runAnyhow([['s', greet(everything)]], { policy });
    expect(flagsOf(toClient)).toBe((mysqlOffer | left) >>> 0);
  });

  test('TLS of ours is offered where the server has none', () => {
    const { toClient } = runAnyhow([['s', greet()]], { policy: { clientTls } });
    expect(flagsOf(toClient)).toBe((mysqlOffer | capability.tls) >>> 0);
  });

  test('no byte but those of the flags', () => {
    for (const options of [
      everything,
      { ...mariadbGreeting, capabilities: mariadbOffer | capability.tls | compression },
    ]) {
      const sent = greeting({ ...options, threadId: 0x01020304, status: 0x4002 });
      const { toClient } = run([['s', packet(sent, 0)]]);
      const shown = toClient.subarray(4);
      const lowerAt = sent.indexOf(0, 1) + 1 + 4 + 8 + 1;
      const changed = [...sent.keys()].filter((at) => sent[at] !== shown[at]);
      // Compression and TLS in the lower half, zstd in the upper.
      expect(changed).toEqual([lowerAt, lowerAt + 1, lowerAt + 6]);
      expect(shown.length).toBe(sent.length);
    }
  });
});

describe('no greeting', () => {
  test.each([
    [1040, 'Too many connections'],
    [1129, "Host '10.0.0.1' is blocked because of many connection errors"],
    [1130, "Host '10.0.0.1' is not allowed to connect to this server"],
  ])('error %i, which has no SQLSTATE, is passed and ends both', (code, message) => {
    const refusal = packet(error(code, message, null), 0);
    const outcome = runAnyhow([['s', refusal]], { policy: { clientTls, upstreamTls: { mode: 'require' } } });
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(outcome.toClient).toEqual(refusal);
  });

  test('another version of the protocol is relayed unread', () => {
    const old = packet(Buffer.concat([Buffer.from([9]), Buffer.from('3.20.1\0')]), 0);
    const outcome = new Dialogue()
      .hear(['c', Buffer.from('early')])
      .hear(['s', old, Buffer.from('more')]).outcome;
    expect(outcome.asked).toEqual(['connect-server', 'relay']);
    expect(outcome.identity).toMatchObject({
      blindReason: 'unknown_protocol',
      isAuthenticated: false,
      clientBacklog: Buffer.from('early'),
      serverBacklog: Buffer.concat([old, Buffer.from('more')]),
    });
  });

  test('a server older than 4.1 is relayed unread', () => {
    const old = packet(greeting({ capabilities: mysqlOffer & ~capability.protocol41 }), 0);
    const outcome = run([['s', old]]);
    expect(outcome.identity).toMatchObject({ blindReason: 'unknown_protocol', serverBacklog: old });
    expect(outcome.toClient).toEqual(Buffer.alloc(0));
  });

  test.each([
    ['require upstream', { upstreamTls: { mode: 'require' } }],
    ['require of clients', { clientTls: { ...clientTls, isRequired: true } }],
  ] as const)('neither is, where TLS is demanded (%s)', (_what, policy) => {
    const outcome = runAnyhow([['s', packet(Buffer.from('\x09old\0'), 0)]], { policy });
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    // An ERR packet that has no SQLSTATE.
    expect(outcome.toClient.subarray(3, 8).toString('hex')).toBe('00ff130454');
  });

  test.each(['require', 'verify-full'] as const)('TLS that is demanded (%s) and not offered', (mode) => {
    const outcome = runAnyhow([['s', greet()]], { policy: { upstreamTls: { mode } } });
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(outcome.toClient.toString()).toContain('does not offer TLS');
    expect(outcome.toClient[3]).toBe(0);
  });
});
