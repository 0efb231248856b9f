/** What the proxy itself says, to whom, and in which form. */
import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../../src/core/adapter.js';
import { clientHello, hello, oldHello, onlyReply } from '../../support/mongodb-first-requests.js';
import { opMsg, opQuery, wireMessage } from '../../support/mongodb-messages.js';
import { clientTls, Dialogue } from './dialogue.js';

const full: Refusal = { reason: 'too_many_connections', message: 'The proxy is full.' };
const ending: Refusal = { reason: 'shutting_down', message: 'The proxy is shutting down.' };
const late: Refusal = { reason: 'handshake_timeout', message: 'Too late.' };

describe('the form follows the request', () => {
  test.each([
    ['OP_MSG', hello, 2013, 7],
    ['OP_QUERY', oldHello, 1, 7],
    ['OP_MSG with a negative id', opMsg({ hello: 1, $db: 'admin' }, { requestId: -5 }), 2013, -5],
    ['OP_QUERY of a find of old', opQuery({ a: 1 }, { namespace: 'shop.users', requestId: 7 }), 1, 7],
  ])('%s', (_what, request, opcode, responseTo) => {
    const dialogue = new Dialogue({ fails: { what: 'connect', tries: [1] } }).hear(['c', request]);
    expect(onlyReply(dialogue.outcome.toClient)).toEqual({
      ...{ opcode, responseTo },
      body: {
        ...{ ok: 0, code: 6, codeName: 'HostUnreachable' },
        errmsg: 'The upstream database server closed the connection.',
      },
    });
  });

  test.each([
    ['wants no reply', opMsg({ insert: 'a', $db: 'b' }, { flags: 2 })],
    ['is of an opcode that nobody knows', wireMessage(9_999, Buffer.alloc(30, 1))],
    ['is compressed before that was agreed on', wireMessage(2012, Buffer.alloc(30, 1))],
    ['is longer than is awaited', wireMessage(2013, Buffer.alloc(100_000))],
    ['is none', Buffer.from('GET / HTTP/1.0\r\n\r\n')],
  ])('one that %s gets the close alone', (_what, request) => {
    const dialogue = new Dialogue({ fails: { what: 'connect', tries: [1] } }).hear(['c', request]);
    expect(dialogue.outcome.asked).toEqual(['connect-server', 'close']);
  });

  test('no errmsg has words that drivers act on', () => {
    const acted = /not master|not primary|recovering|shutdown|exists|not found/i;
    const policy = { clientTls: { ...clientTls, isRequired: true } };
    for (const each of [full, ending]) {
      const dialogue = new Dialogue().perform([]).hear(['c', hello.subarray(0, 20)]);
      dialogue.perform(dialogue.handshake.refuse(each)).hear(['c', hello.subarray(20)]);
      expect(onlyReply(dialogue.outcome.toClient).body['errmsg']).not.toMatch(acted);
    }
    const plain = new Dialogue({ policy }).hear(['c', hello]);
    expect(onlyReply(plain.outcome.toClient).body['errmsg']).not.toMatch(acted);
  });
});

describe('a listener that is full', () => {
  test.each(['whole', 'byte by byte'] as const)('says so to the first request (%s)', (chunking) => {
    const dialogue = new Dialogue();
    dialogue.perform(dialogue.handshake.refuse(full));
    expect(dialogue.outcome.asked).toEqual([]);
    dialogue.hear(['c', hello], chunking);
    expect(dialogue.outcome.asked).toEqual(['write-client', 'close']);
    expect(onlyReply(dialogue.outcome.toClient).body).toMatchObject({ code: 6, errmsg: full.message });
  });

  test('inside TLS where the client brings it', () => {
    const dialogue = new Dialogue({ policy: { clientTls } });
    dialogue.perform(dialogue.handshake.refuse(full)).hear(['c', clientHello]);
    expect(dialogue.outcome.asked).toEqual(['secure-client']);
    dialogue.perform(dialogue.handshake.clientSecured()).hear(['c', oldHello]);
    expect(dialogue.outcome.asked).toEqual(['secure-client', 'write-client', 'close']);
  });
});

describe('a proxy that is shutting down', () => {
  test('leaves a client that has said nothing', () => {
    const dialogue = new Dialogue();
    dialogue.perform(dialogue.handshake.refuse(ending));
    expect(dialogue.outcome).toMatchObject({ asked: ['close'], closed: 'shutting_down' });
  });

  test('tells one that is speaking', () => {
    const dialogue = new Dialogue().hear(['c', hello.subarray(0, 10)]);
    dialogue.perform(dialogue.handshake.refuse(ending)).hear(['c', hello.subarray(10)]);
    expect(onlyReply(dialogue.outcome.toClient).body).toMatchObject({
      ...{ code: 91, codeName: 'ShutdownInProgress' },
      errmsg: ending.message,
    });
  });

  test('tells one whose server has yet to answer', () => {
    const dialogue = new Dialogue({ policy: { upstreamTls: { mode: 'allow' } } }).hear(['c', hello]);
    dialogue.perform(dialogue.handshake.refuse(ending));
    expect(dialogue.outcome.asked).toEqual(['connect-server', 'write-server', 'write-client', 'close']);
    expect(dialogue.handshake.refuse(ending)).toEqual([]);
  });
});

describe('time is up', () => {
  test.each([
    ['has said nothing', Buffer.alloc(0)],
    ['is in the middle of its request', hello.subarray(0, 20)],
  ])('for a client that %s: the close alone', (_what, bytes) => {
    const dialogue = new Dialogue().hear(['c', bytes]);
    dialogue.perform(dialogue.handshake.refuse(late));
    expect(dialogue.outcome).toMatchObject({ asked: ['close'], closed: 'handshake_timeout' });
  });

  test('for a server that has not answered: the client hears of it', () => {
    const dialogue = new Dialogue({ policy: { upstreamTls: { mode: 'allow' } } }).hear(['c', hello]);
    dialogue.perform(dialogue.handshake.refuse(late));
    expect(onlyReply(dialogue.outcome.toClient).body).toMatchObject({ code: 6, errmsg: late.message });
  });
});

describe('a client that ends', () => {
  test.each([
    ['before it said anything', Buffer.alloc(0)],
    ['in the middle of its request', hello.subarray(0, 20)],
  ])('%s is closed', (_what, bytes) => {
    const dialogue = new Dialogue().hear(['c', bytes]);
    dialogue.perform(dialogue.handshake.clientEnded?.() ?? []);
    expect(dialogue.outcome).toMatchObject({ asked: ['close'], closed: 'client_closed' });
  });

  test('behind its request may still read the answer', () => {
    const dialogue = new Dialogue({ policy: { upstreamTls: { mode: 'allow' } } }).hear(['c', hello]);
    expect(dialogue.handshake.clientEnded?.()).toEqual([]);
    dialogue.hear(['s', opMsg({ ok: 1 })]);
    expect(dialogue.outcome.asked.at(-1)).toBe('relay');
    expect(dialogue.handshake.clientEnded?.()).toEqual([]);
  });
});

test('once it is over, nothing is asked for any more', () => {
  const { handshake } = new Dialogue().hear(['c', hello]);
  for (const actions of [
    handshake.clientBytes(hello),
    handshake.serverBytes(hello),
    handshake.clientSecured(),
    handshake.serverConnected(),
    handshake.serverSecured(),
    handshake.serverFailed('late'),
    handshake.refuse(late),
  ])
    expect(actions).toEqual([]);
});
