import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHandshake } from '../../../../adapters/postgres/handshake.js';
import * as scram from '../../../../adapters/postgres/scram.js';
import type { Handshake, HandshakeAction, LegPolicy } from '../../../../src/core/adapter.js';
import { authentication, errorFields, frame, saslInitial, startupPacket } from './startup-packets.js';

const policy: LegPolicy = {
  clientTls: null,
  upstreamTls: { mode: 'disable' },
  auth: 'terminate',
  users: [{ name: 'agent', secret: 'open sesame', upstreamUser: 'app', upstreamPassword: 'upstream-only' }],
  isChannelBindingOff: false,
  compression: 'clear',
};
const parameters = { user: 'agent', database: 'shop', application_name: 'x', options: '-c geqo=off' };

function bytesTo(actions: readonly HandshakeAction[], end: 'write-client' | 'write-server'): Buffer {
  return Buffer.concat(actions.flatMap((action) => (action.kind === end ? [action.bytes] : [])));
}
function kinds(actions: readonly HandshakeAction[]): string[] {
  return actions.map((action) => action.kind);
}
function saslText(bytes: Buffer): string {
  return bytes.subarray(9).toString();
}

/** Runs the client's side of the login; the result is what the handshake answered to the proof. */
function logIn(handshake: Handshake, password: string): readonly HandshakeAction[] {
  const offer = handshake.clientBytes(startupPacket(parameters));
  expect(bytesTo(offer, 'write-client')).toEqual(authentication(10, 'SCRAM-SHA-256\0\0'));
  const challenge = handshake.clientBytes(saslInitial('SCRAM-SHA-256', 'n,,n=,r=clientnonce'));
  return handshake.clientBytes(
    frame('p', clientFinal(saslText(bytesTo(challenge, 'write-client')), password)),
  );
}

function clientFinal(serverFirst: string, password: string): string {
  const final = scram.answerServerFirst(serverFirst, 'clientnonce', (salt, iterations) =>
    scram.deriveScramKeys(password, salt, iterations),
  );
  if (final === null) throw new Error('the challenge is malformed');
  return final.message;
}

function loggedIn(over: LegPolicy = policy): Handshake {
  const handshake = createHandshake(over);
  const actions = logIn(handshake, 'open sesame');
  expect(kinds(actions)).toEqual(['write-client', 'connect-server']);
  expect(saslText(bytesTo(actions, 'write-client'))).toMatch(/^v=/);
  const startup = bytesTo(handshake.serverConnected(), 'write-server');
  expect(startup).toEqual(startupPacket({ ...parameters, user: 'app' }));
  return handshake;
}

describe('the client', () => {
  test('proves itself, and the upstream sees another user and nothing else changed', () => {
    const handshake = loggedIn();
    const rest = frame('K', Buffer.alloc(8));
    const actions = handshake.serverBytes(Buffer.concat([authentication(0), rest]));
    expect(bytesTo(actions, 'write-client')).toEqual(authentication(0));
    const relay = actions.find((action) => action.kind === 'relay');
    expect(relay?.kind === 'relay' && relay.identity).toMatchObject({
      user: 'app',
      clientUser: 'agent',
      database: 'shop',
      isAuthenticated: true,
      serverBacklog: rest,
    });
  });

  test('what the client sends ahead of time waits, in order, at every stage', () => {
    const handshake = createHandshake(policy);
    logIn(handshake, 'open sesame');
    handshake.clientBytes(Buffer.from('one '));
    handshake.serverConnected();
    handshake.clientBytes(Buffer.from('two '));
    const relay = handshake.serverBytes(authentication(0)).find((action) => action.kind === 'relay');
    expect(relay?.kind === 'relay' && relay.identity.clientBacklog.toString()).toBe('one two ');
  });

  test.each([
    ['a wrong password', 'agent', 'wrong'],
    ['an unknown name', 'nobody', 'open sesame'],
  ])('%s is FATAL 28P01 after the same exchange', (_what, user, password) => {
    const handshake = createHandshake(policy);
    handshake.clientBytes(startupPacket({ ...parameters, user }));
    const challenge = handshake.clientBytes(saslInitial('SCRAM-SHA-256', 'n,,n=,r=clientnonce'));
    const serverFirst = saslText(bytesTo(challenge, 'write-client'));
    expect(serverFirst).toMatch(/^r=clientnonce.{24},s=.{24},i=4096$/);
    const final = clientFinal(serverFirst, password);
    const actions = handshake.clientBytes(frame('p', final));
    expect(kinds(actions)).toEqual(['write-client', 'close']);
    const fields = errorFields(bytesTo(actions, 'write-client'));
    expect(fields['C']).toBe('28P01');
    expect(fields['M']).not.toContain(user);
  });

  test('who binds to TLS is told so', () => {
    const handshake = createHandshake(policy);
    handshake.clientBytes(startupPacket(parameters));
    const actions = handshake.clientBytes(saslInitial('SCRAM-SHA-256', 'p=tls-unique,,n=,r=x'));
    expect(errorFields(bytesTo(actions, 'write-client'))['M']).toContain('channel_binding');
  });

  test.each([
    ['a query instead of a login', frame('Q', 'select 1\0')],
    ['another mechanism', saslInitial('PLAIN', 'x')],
    ['a length beyond the frame', frame('p', Buffer.from('SCRAM-SHA-256\0\x7f\0\0\0x'))],
    ['a frame without end', Buffer.from('p\x7f\xff\xff\xff', 'latin1')],
    ['a body without mechanism', frame('p', 'x')],
  ])('%s is FATAL 08P01', (_what, bytes) => {
    const handshake = createHandshake(policy);
    handshake.clientBytes(startupPacket(parameters));
    expect(errorFields(bytesTo(handshake.clientBytes(bytes), 'write-client'))['C']).toBe('08P01');
  });

  test('no user name, or a protocol that we cannot check, is refused', () => {
    const nameless = createHandshake(policy).clientBytes(startupPacket({ database: 'x' }));
    expect(errorFields(bytesTo(nameless, 'write-client'))['C']).toBe('28000');
    const old = createHandshake(policy).clientBytes(startupPacket({ user: 'agent' }, 0x0002_0000));
    expect(kinds(old)).toEqual(['close']);
  });

  test('the login is the same when every byte comes alone', () => {
    const handshake = createHandshake(policy);
    const offer = [...startupPacket(parameters)].flatMap((byte) =>
      handshake.clientBytes(Buffer.from([byte])),
    );
    expect(bytesTo(offer, 'write-client')).toEqual(authentication(10, 'SCRAM-SHA-256\0\0'));
    const initial = saslInitial('SCRAM-SHA-256', 'n,,n=,r=clientnonce');
    const challenge = [...initial].flatMap((byte) => handshake.clientBytes(Buffer.from([byte])));
    expect(saslText(bytesTo(challenge, 'write-client'))).toMatch(/^r=clientnonce/);
  });
});

describe('the upstream login', () => {
  test('md5', () => {
    const actions = loggedIn().serverBytes(authentication(5, Buffer.from([1, 2, 3, 4])));
    const inner = createHash('md5').update('upstream-onlyapp').digest('hex');
    const outer = createHash('md5')
      .update(inner)
      .update(Buffer.from([1, 2, 3, 4]))
      .digest('hex');
    expect(bytesTo(actions, 'write-server')).toEqual(frame('p', `md5${outer}\0`));
    expect(bytesTo(actions, 'write-client')).toHaveLength(0);
  });

  test('a password in clear leaves only for a loopback upstream or TLS', () => {
    const refused = loggedIn().serverBytes(authentication(3));
    expect(errorFields(bytesTo(refused, 'write-client'))).toMatchObject({ C: '28000' });
    expect(bytesTo(refused, 'write-server')).toHaveLength(0);
    const near = loggedIn({ ...policy, isUpstreamLoopback: true }).serverBytes(authentication(3));
    expect(bytesTo(near, 'write-server')).toEqual(frame('p', 'upstream-only\0'));
  });

  test('SCRAM, with the server’s proof checked before the client hears of success', () => {
    const salt = Buffer.from('0123456789abcdef');
    const verifier = scram.scramVerifier('upstream-only', salt, 4096);
    for (const isHonest of [true, false]) {
      const handshake = loggedIn();
      const initial = handshake.serverBytes(authentication(10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0'));
      const sent = bytesTo(initial, 'write-server');
      const first = scram.answerClientFirst(sent.subarray(sent.indexOf('n,,')).toString(), verifier, 'srv');
      if (typeof first === 'string') throw new Error(first);
      const answer = handshake.serverBytes(authentication(11, first.message));
      const final = scram.answerClientFinal(bytesTo(answer, 'write-server').subarray(5).toString(), first);
      if (typeof final === 'string') throw new Error(final);
      const proof = isHonest ? final.message : `v=${Buffer.alloc(32).toString('base64')}`;
      const actions = handshake.serverBytes(Buffer.concat([authentication(12, proof), authentication(0)]));
      expect(kinds(actions)).toEqual(isHonest ? ['write-client', 'relay'] : ['write-client', 'close']);
    }
  });

  test.each([
    ['success in mid-exchange', [authentication(10, 'SCRAM-SHA-256\0\0'), authentication(0)]],
    ['a challenge without an offer', [authentication(11, 'r=x,s=AAAA,i=1')]],
    ['a method we lack', [authentication(7)]],
    ['no mechanism we have', [authentication(10, 'OAUTHBEARER\0\0')]],
    ['an empty request', [frame('R')]],
    ['garbage', [Buffer.from('HTTP/1.1')]],
  ])('%s is refused', (_what, frames) => {
    const handshake = loggedIn();
    const actions = frames.flatMap((bytes) => handshake.serverBytes(bytes));
    expect(errorFields(bytesTo(actions, 'write-client'))['C']).toBe('28000');
    expect(kinds(actions)).not.toContain('relay');
  });

  test('the server’s refusal passes, but not the name of the account', () => {
    const missing = frame('E', 'SFATAL\0VFATAL\0C3D000\0Mdatabase "shop" does not exist\0\0');
    expect(bytesTo(loggedIn().serverBytes(missing), 'write-client')).toEqual(missing);
    const denied = frame('E', 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "app"\0\0');
    const fields = errorFields(bytesTo(loggedIn().serverBytes(denied), 'write-client'));
    expect(fields['C']).toBe('28000');
    expect(fields['M']).toContain('28P01');
    expect(fields['M']).not.toContain('"app"');
  });
});
