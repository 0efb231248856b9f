/** What a client says first decides what becomes of its connection; wherever the network cuts it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/core/limits.js';
import { clientHello, hello, oldHello, onlyReply } from '../../support/mongodb-first-requests.js';
import { opMsg, wireMessage } from '../../support/mongodb-messages.js';
import { clientTls, Dialogue, run, runAnyhow } from './dialogue.js';

const record = Buffer.concat([clientHello, Buffer.alloc(40, 7)]);
const anyReply = opMsg({ ok: 1 }, { responseTo: 7 });
const nobody = { engine: 'mongodb', user: '', database: '', application: '', searchPath: null };

describe('a request', () => {
  test.each([
    ['hello by OP_MSG', hello],
    ['isMaster by OP_QUERY', oldHello],
    ['a command that is no hello', opMsg({ ping: 1, $db: 'admin' })],
    ['an opcode that nobody knows', wireMessage(9_999, Buffer.alloc(30, 1))],
    ['a header alone', wireMessage(2013, Buffer.alloc(0))],
    ['one 790 bytes long, which begins as TLS does', wireMessage(2013, Buffer.alloc(774))],
  ])('%s: the server is dialled for it, and gets it as it is', (_what, request) => {
    const outcome = runAnyhow([['c', request, hello]]);
    expect(outcome.asked).toEqual(['connect-server', 'relay']);
    expect(outcome.identity).toEqual({
      ...{ ...nobody, blindReason: null, isAuthenticated: false },
      ...{ clientBacklog: Buffer.concat([request, hello]), serverBacklog: Buffer.alloc(0) },
    });
  });

  test('a long one is passed on as it comes', () => {
    const long = wireMessage(2013, Buffer.alloc(limits.maxFirstRequestBytes));
    expect(run([['c', long.subarray(0, 15)]]).asked).toEqual([]);
    expect(run([['c', long.subarray(0, 16)]]).asked).toEqual(['connect-server', 'relay']);
    const shorter = long.subarray(0, -16);
    shorter.writeInt32LE(shorter.length);
    expect(run([['c', shorter.subarray(0, -1)]]).asked).toEqual([]);
    expect(run([['c', shorter]]).asked).toEqual(['connect-server', 'relay']);
  });

  test('a client that has said nothing costs the server no connection', () => {
    expect(run([]).asked).toEqual([]);
    expect(run([['c', hello.subarray(0, -1)]]).asked).toEqual([]);
  });
});

describe('what is no request is for the server to judge, unread', () => {
  const ofLength = (length: number): Buffer => {
    const request = Buffer.from(hello);
    request.writeInt32LE(length);
    return request;
  };
  test.each([
    ['HTTP', Buffer.from('GET / HTTP/1.0\r\n\r\n')],
    ['a header of the PROXY protocol', Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n')],
    ['length 15', ofLength(15)],
    ['length 0', ofLength(0)],
    ['a negative length', ofLength(-1)],
    ['a length over the limit', ofLength(limits.maxMessageBytes + 1)],
    ['zeros', Buffer.alloc(64)],
  ])('%s', (_what, bytes) => {
    const outcome = runAnyhow([['c', bytes]], { policy: { clientTls, upstreamTls: { mode: 'allow' } } });
    expect(outcome.asked).toEqual(['connect-server', 'relay']);
    expect(outcome.identity).toMatchObject({ blindReason: 'unknown_protocol', clientBacklog: bytes });
  });

  test('the longest request is one', () => {
    expect(run([['c', ofLength(limits.maxMessageBytes)]]).identity?.blindReason).toBeNull();
  });
});

describe('TLS', () => {
  test('is answered where there is a certificate, with all that was read', () => {
    const outcome = new Dialogue({ policy: { clientTls } }).hear(['c', record]);
    expect(outcome.outcome.asked).toEqual(['secure-client']);
    expect(outcome.pending).toEqual(record);
    for (let cut = 1; cut < record.length; cut += 1) {
      const dialogue = new Dialogue({ policy: { clientTls } }).hear(['c', record.subarray(0, cut)]);
      expect(dialogue.outcome.asked).toEqual(cut < 6 ? [] : ['secure-client']);
    }
  });

  test('the request inside is the first one', () => {
    for (const chunking of ['whole', 'byte by byte', 3] as const) {
      const dialogue = new Dialogue({ policy: { clientTls } }).hear(['c', record]);
      dialogue.perform(dialogue.handshake.clientSecured()).hear(['c', hello], chunking);
      expect(dialogue.outcome.asked).toEqual(['secure-client', 'connect-server', 'relay']);
      expect(dialogue.outcome.observed).toEqual(hello);
    }
  });

  test('inside TLS is refused by closing', () => {
    const dialogue = new Dialogue({ policy: { clientTls } }).hear(['c', record]);
    dialogue.perform(dialogue.handshake.clientSecured()).hear(['c', record]);
    expect(dialogue.outcome).toMatchObject({ asked: ['secure-client', 'close'], closed: 'protocol_error' });
  });

  test('without a certificate: an alert, which TLS clients understand', () => {
    const { asked, toClient, closed } = run([['c', record]]);
    expect(asked).toEqual(['write-client', 'close']);
    expect(toClient.toString('hex')).toBe('15030100020228');
    expect(closed).toBe('tls_not_offered');
  });

  test.each([
    ['OP_MSG', hello, 2013],
    ['OP_QUERY', oldHello, 1],
  ])('demanded: a plain client is told so, by %s', (_what, request, opcode) => {
    const policy = { clientTls: { ...clientTls, isRequired: true } };
    const { asked, toClient, closed } = runAnyhow([['c', request]], { policy });
    expect(asked).toEqual(['write-client', 'close']);
    expect(closed).toBe('141');
    expect(onlyReply(toClient)).toMatchObject({
      ...{ opcode, responseTo: 7 },
      body: { ok: 0, code: 141, codeName: 'SSLHandshakeFailed', errmsg: expect.stringContaining('tls=true') },
    });
  });

  test('demanded: what is no request gets no answer', () => {
    const policy = { clientTls: { ...clientTls, isRequired: true } };
    expect(run([['c', Buffer.from('GET / HTTP/1.0')]], { policy }).asked).toEqual(['close']);
  });
});

test('random bytes: nothing is asked for but what words of a client may ask for', () => {
  const allowed = [
    '',
    'connect-server,relay',
    'secure-client',
    'write-server',
    'connect-server,write-server',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }),
      fc.constantFrom('allow' as const, 'disable' as const),
      (pieces, mode) => {
        const dialogue = new Dialogue({ policy: { clientTls, upstreamTls: { mode } } });
        for (const piece of pieces) dialogue.hear(['c', Buffer.from(piece)]);
        dialogue.hear(['s', anyReply]);
        expect(allowed).toContain(dialogue.outcome.asked.join());
      },
    ),
  );
});
