/** How the upstream's leg is secured, by mode and by what the server turns out to take. */
import { describe, expect, test } from 'vitest';
import { createHandshake } from '../../../adapters/mongodb/handshake.js';
import type { TlsMode } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { hello, oldHello, onlyReply } from '../../support/mongodb-first-requests.js';
import { opMsg } from '../../support/mongodb-messages.js';
import { Dialogue, type Options, policyOf, run, runAnyhow } from './dialogue.js';

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
    const outcome = run(
      [
        ['c', hello, ping],
        ['s', reply],
      ],
      mode('prefer', { what: 'tls', tries: [1] }),
    );
    expect(outcome.asked).toEqual([
      'connect-server',
      'secure-server',
      'connect-server',
      'write-server',
      'relay',
    ]);
    expect(outcome.observed).toEqual(Buffer.concat([hello, ping]));
  });

  test('what is no hello goes plain just the same, as nothing was sent before', () => {
    const outcome = run([['c', ping]], mode('prefer', { what: 'tls', tries: [1] }));
    expect(outcome.asked).toEqual(['connect-server', 'secure-server', 'connect-server', 'relay']);
  });

  test('a server that takes neither is tried twice, not for ever', () => {
    const silent = new Dialogue(mode('prefer', { what: 'tls', tries: [1] })).hear(['c', hello]).lose();
    const alerting = new Dialogue(mode('prefer', { what: 'tls', tries: [1] })).hear(['c', hello]);
    for (const dialogue of [silent, alerting.hear(['s', alert])]) {
      const { asked, toServer, toClient } = dialogue.outcome;
      expect(toServer).toEqual([Buffer.alloc(0), hello]);
      expect(asked.slice(-2)).toEqual(['write-client', 'close']);
      expect(onlyReply(toClient).body['code']).toBe(6);
    }
  });

  test('one that cannot be reached is not tried again', () => {
    const gone = run([['c', hello]], mode('prefer', { what: 'connect', tries: [1] }));
    expect(gone.asked).toEqual(['connect-server', 'write-client', 'close']);
  });

  test('is not waited for as long as a connection, unless nothing else is left', () => {
    const first = bounds('prefer');
    expect(first).toEqual([limits.optionalTlsTimeoutMs]);
    expect(bounds('allow')).toEqual([undefined]);
    expect(bounds('require')).toEqual([undefined]);
  });
});

/** Of each TLS handshake with a server that answers nothing else. */
function bounds(tls: TlsMode): (number | undefined)[] {
  const handshake = createHandshake(policyOf({ upstreamTls: { mode: tls } }));
  const steps = [
    () => handshake.clientBytes(hello),
    () => handshake.serverConnected(),
    () => (tls === 'allow' ? handshake.serverFailed('gone') : []),
    () => (tls === 'allow' ? handshake.serverConnected() : []),
  ];
  return steps
    .flatMap((step) => step())
    .flatMap((action) => (action.kind === 'secure-server' ? [action.timeoutMs] : []));
}

describe('what a server took', () => {
  const takesTlsOnly = (dialogue: Dialogue): void => void dialogue.hear(['c', hello]).lose();

  test('is believed by the next sessions, for a while', () => {
    const sharedPolicy = policyOf({ upstreamTls: { mode: 'allow' } });
    takesTlsOnly(new Dialogue({ sharedPolicy }));
    const next = (nowMs: number): readonly string[] =>
      new Dialogue({ sharedPolicy, nowMs }).hear(['c', hello]).outcome.asked;
    expect(next(limits.believedServerLegMs - 1)).toEqual(['connect-server', 'secure-server', 'relay']);
    expect(next(limits.believedServerLegMs)).toEqual(['connect-server', 'write-server']);
  });

  test('is no more than what is tried first', () => {
    const sharedPolicy = policyOf({ upstreamTls: { mode: 'allow' } });
    takesTlsOnly(new Dialogue({ sharedPolicy }));
    const changed = new Dialogue({ sharedPolicy, fails: { what: 'tls', tries: [1] } });
    changed.hear(['c', hello]).hear(['s', reply]);
    expect(changed.outcome.asked).toEqual([
      'connect-server',
      'secure-server',
      'connect-server',
      'write-server',
      'relay',
    ]);
    expect(new Dialogue({ sharedPolicy }).hear(['c', hello]).outcome.asked).toEqual([
      'connect-server',
      'write-server',
    ]);
  });

  test('of a server without TLS, once it answered', () => {
    const sharedPolicy = policyOf({ upstreamTls: { mode: 'prefer' } });
    const fails = { what: 'tls', tries: [1] } as const;
    new Dialogue({ sharedPolicy, fails }).hear(['c', hello]).lose();
    const asked = (): readonly string[] =>
      new Dialogue({ sharedPolicy, fails }).hear(['c', hello]).hear(['s', reply]).outcome.asked;
    expect(asked()).toContain('secure-server');
    expect(asked()).toEqual(['connect-server', 'write-server', 'relay']);
  });

  test("is nobody else's", () => {
    takesTlsOnly(new Dialogue(mode('allow')));
    expect(new Dialogue(mode('allow')).hear(['c', hello]).outcome.asked).not.toContain('secure-server');
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
