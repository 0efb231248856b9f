/** How the upstream's leg is secured, by mode and by what the server turns out to take. */
import { describe, expect, test } from 'vitest';
import type { TlsMode } from '../../../src/core/adapter.js';
import { hello, oldHello, onlyReply } from '../../support/mongodb-first-requests.js';
import { opMsg } from '../../support/mongodb-messages.js';
import { Dialogue, type Options, run, runAnyhow } from './dialogue.js';

const reply = opMsg({ ok: 1, maxWireVersion: 21 }, { requestId: 1, responseTo: 7 });
const ping = opMsg({ ping: 1, $db: 'admin' }, { requestId: 8 });
const alert = Buffer.from('15030300020246', 'hex');

function mode(upstream: TlsMode, fails?: Options['fails']): Options {
  return { policy: { upstreamTls: { mode: upstream } }, ...(fails === undefined ? {} : { fails }) };
}

describe('disable', () => {
  test('plain, whatever the server does then', () => {
    expect(run([['c', hello]], mode('disable')).asked).toEqual(['connect-server', 'relay']);
  });

  test('a server that cannot be reached is told to the client', () => {
    const outcome = run([['c', hello]], mode('disable', { what: 'connect', tries: [1] }));
    expect(outcome.asked).toEqual(['connect-server', 'write-client', 'close']);
    expect(outcome.closed).toBe('6');
  });
});

describe.each(['require', 'verify-full'] as const)('%s', (demanding) => {
  test('TLS before anything is said', () => {
    const outcome = runAnyhow([['c', hello, ping]], mode(demanding));
    expect(outcome.asked).toEqual(['connect-server', 'secure-server', 'relay']);
    expect(outcome.toServer).toEqual([Buffer.alloc(0)]);
    expect(outcome.observed).toEqual(Buffer.concat([hello, ping]));
  });

  test('no TLS, no session', () => {
    const outcome = run([['c', hello]], mode(demanding, { what: 'tls', tries: [1] }));
    expect(outcome.asked).toEqual(['connect-server', 'secure-server', 'write-client', 'close']);
    expect(outcome.toServer).toEqual([Buffer.alloc(0)]);
  });
});

describe('prefer', () => {
  test('TLS where the server has it', () => {
    expect(run([['c', hello]], mode('prefer')).asked).toEqual(['connect-server', 'secure-server', 'relay']);
  });

  test('else plain, on a connection of its own', () => {
    const outcome = run([['c', hello]], mode('prefer', { what: 'tls', tries: [1] }));
    expect(outcome.asked).toEqual(['connect-server', 'secure-server', 'connect-server', 'relay']);
    expect(outcome.observed).toEqual(hello);
  });

  test('a server that takes neither is tried twice, not for ever', () => {
    const dialogue = new Dialogue(mode('prefer', { what: 'tls', tries: [1] }));
    const handshake = dialogue.hear(['c', hello]).handshake;
    expect(dialogue.outcome.asked.at(-1)).toBe('relay');
    expect(handshake.serverFailed('late')).toEqual([]);
    const gone = run([['c', hello]], mode('prefer', { what: 'connect', tries: [1] }));
    expect(gone.asked).toEqual(['connect-server', 'write-client', 'close']);
  });
});

describe('allow', () => {
  test.each([
    ['OP_MSG', hello],
    ['OP_QUERY', oldHello],
  ])('a hello by %s goes plain, and the session begins with the answer', (_what, request) => {
    const outcome = runAnyhow(
      [
        ['c', request, ping],
        ['s', reply],
      ],
      mode('allow'),
    );
    expect(outcome.asked).toEqual(['connect-server', 'write-server', 'relay']);
    expect(outcome.toServer).toEqual([request]);
    expect(outcome.observed).toEqual(Buffer.concat([request, ping]));
    expect(outcome.identity).toMatchObject({ clientBacklog: ping, serverBacklog: reply });
  });

  test('a server that hangs up on it gets it again, once, under TLS', () => {
    const dialogue = new Dialogue(mode('allow')).hear(['c', hello, ping]).lose();
    const { asked, toServer, identity } = dialogue.outcome;
    expect(asked).toEqual(['connect-server', 'write-server', 'connect-server', 'secure-server', 'relay']);
    expect(toServer).toEqual([hello, Buffer.alloc(0)]);
    expect(identity?.clientBacklog).toEqual(Buffer.concat([hello, ping]));
    expect(identity?.negotiated).toBeUndefined();
  });

  test('so does one that answers with an alert', () => {
    for (let cut = 1; cut <= alert.length; cut += 1) {
      const dialogue = new Dialogue(mode('allow')).hear(['c', hello]).hear(['s', alert.subarray(0, cut)]);
      if (cut < 4) dialogue.hear(['s', alert.subarray(cut)]);
      expect(dialogue.outcome.asked.slice(2)).toEqual(['connect-server', 'secure-server', 'relay']);
      expect(dialogue.outcome.observed).toEqual(hello);
    }
  });

  test('no TLS either: the client hears of it', () => {
    const dialogue = new Dialogue(mode('allow', { what: 'tls', tries: [2] })).hear(['c', hello]).lose();
    expect(dialogue.outcome.asked.slice(2)).toEqual([
      'connect-server',
      'secure-server',
      'write-client',
      'close',
    ]);
    expect(onlyReply(dialogue.outcome.toClient).body['code']).toBe(6);
  });

  test('a server that began to answer is not asked again', () => {
    const dialogue = new Dialogue(mode('allow'))
      .hear(['c', hello])
      .hear(['s', reply.subarray(0, 3)])
      .lose();
    expect(dialogue.outcome.asked).toEqual(['connect-server', 'write-server', 'write-client', 'close']);
  });

  test.each([
    ['a command that may write', opMsg({ insert: 'users', documents: [{ a: 1 }], $db: 'shop' })],
    ['a hello that is malformed', hello.subarray(0, -1)],
  ])('%s is sent once at most', (_what, request) => {
    const sent = Buffer.from(request);
    sent.writeInt32LE(sent.length);
    const outcome = run([['c', sent]], mode('allow'));
    expect(outcome.asked).toEqual(['connect-server', 'relay']);
    expect(outcome.identity?.clientBacklog).toEqual(sent);
  });
});
