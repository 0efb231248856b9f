import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  gs2Flag,
  saslMechanisms,
  withoutChannelBinding,
} from '../../../../adapters/postgres/channel-binding.js';
import * as scram from '../../../../adapters/postgres/scram.js';
import { TerminatedUsers } from '../../../../adapters/postgres/terminated-users.js';
import { authentication, frame, saslInitial } from './startup-packets.js';

/** The exchange printed in RFC 7677, section 3. */
const rfc = {
  salt: Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'),
  iterations: 4096,
  clientNonce: 'rOprNGfwEbeRWgbNEkqO',
  serverNonce: '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
  clientFirst: 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
  serverFirst: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
  clientFinal:
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  serverFinal: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
};
const rfcVerifier = scram.scramVerifier('pencil', rfc.salt, rfc.iterations);

describe('the server role', () => {
  test('plays the exchange of RFC 7677', () => {
    const first = scram.answerClientFirst(rfc.clientFirst, rfcVerifier, rfc.serverNonce);
    if (typeof first === 'string') throw new Error(first);
    expect(first.message).toBe(rfc.serverFirst);
    expect(scram.answerClientFinal(rfc.clientFinal, first)).toEqual({ message: rfc.serverFinal });
  });

  test.each([
    ['a changed proof', rfc.clientFinal.replace('p=dH', 'p=eH'), 'wrong_proof'],
    ['another nonce', rfc.clientFinal.replace('r=rO', 'r=xO'), 'malformed'],
    ['another binding', rfc.clientFinal.replace('c=biws', 'c=eSws'), 'malformed'],
    ['a short proof', rfc.clientFinal.replace(/p=.*/, 'p=AAAA'), 'malformed'],
    ['no proof', 'c=biws,r=x', 'malformed'],
  ])('refuses %s', (_what, clientFinal, refusal) => {
    const first = scram.answerClientFirst(rfc.clientFirst, rfcVerifier, rfc.serverNonce);
    if (typeof first === 'string') throw new Error(first);
    expect(scram.answerClientFinal(clientFinal, first)).toBe(refusal);
  });

  test.each([
    ['p=tls-server-end-point,,n=,r=abc', 'channel_binding'],
    ['n,a=other,n=,r=abc', 'malformed'],
    ['n,,r=abc', 'malformed'],
    ['n,,n=,r=', 'malformed'],
    ['', 'malformed'],
  ])('refuses the first message %j', (message, refusal) => {
    expect(scram.answerClientFirst(message, rfcVerifier, 'nonce')).toBe(refusal);
  });
});

describe('the client role', () => {
  test('meets the server role, for passwords that SASLprep changes or refuses', () => {
    for (const password of ['pencil', 'I\u00adX', 'pass\u00a0word', '\u0007bell', 'ünï😀', '']) {
      const salt = Buffer.from('0123456789abcdef');
      const verifier = scram.scramVerifier(password, salt, 7);
      const first = scram.answerClientFirst(scram.clientFirstMessage('mine'), verifier, 'yours');
      if (typeof first === 'string') throw new Error(first);
      const final = scram.answerServerFirst(first.message, 'mine', (s, i) =>
        scram.deriveScramKeys(password, s, i),
      );
      if (final === null) throw new Error('refused');
      expect(scram.answerClientFinal(final.message, first)).toEqual({ message: final.expectedServerFinal });
    }
  });

  test('SASLprep maps as RFC 4013 does', () => {
    const salt = Buffer.from('salt');
    expect(scram.scramVerifier('I\u00adX', salt, 1)).toEqual(scram.scramVerifier('IX', salt, 1));
  });

  test.each([
    ['another nonce', 'r=other,s=AAAA,i=4096'],
    ['only our nonce', 'r=mine,s=AAAA,i=4096'],
    ['no rounds', 'r=mineyours,s=AAAA,i=0'],
    ['too many rounds', 'r=mineyours,s=AAAA,i=99999999'],
    ['an extension', 'm=x,r=mineyours,s=AAAA,i=1'],
  ])('refuses %s without deriving anything', (_what, message) => {
    const derive = (): never => {
      throw new Error('derived');
    };
    expect(scram.answerServerFirst(message, 'mine', derive)).toBeNull();
  });
});

describe('verifiers', () => {
  const text = `SCRAM-SHA-256$4096:${rfc.salt.toString('base64')}$${rfcVerifier.storedKey.toString('base64')}:${rfcVerifier.serverKey.toString('base64')}`;

  test('are read as PostgreSQL stores them', () => {
    expect(scram.isScramVerifierText(text)).toBe(true);
    expect(scram.parseScramVerifier(text)).toEqual(rfcVerifier);
  });

  test.each([
    'SCRAM-SHA-256$',
    text.slice(0, -4),
    text.replace('4096', '0'),
    text.replace('4096', 'x'),
    'plain',
  ])('%j is none', (other) => {
    expect(scram.parseScramVerifier(other)).toBeNull();
  });

  test('an unknown name gets the same salt every time, as a known one does', () => {
    const users = new TerminatedUsers([
      { name: 'ann', secret: 'secret', upstreamUser: 'app', upstreamPassword: 'p' },
    ]);
    for (const name of ['ann', 'nobody', '']) {
      expect(users.verifierOf(name).salt).toEqual(users.verifierOf(name).salt);
      expect(users.verifierOf(name).salt).toHaveLength(16);
      expect(users.verifierOf(name).iterations).toBe(4096);
    }
    expect(users.verifierOf('nobody').salt).not.toEqual(users.verifierOf('ann').salt);
    expect(users.find('nobody')).toBeNull();
  });
});

describe('channel binding', () => {
  test('-PLUS leaves the offer', () => {
    const offer = authentication(10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0');
    expect(withoutChannelBinding(offer)).toEqual(authentication(10, 'SCRAM-SHA-256\0\0'));
  });

  test.each([
    ['nothing to take out', authentication(10, 'SCRAM-SHA-256\0\0')],
    ['nothing would be left', authentication(10, 'SCRAM-SHA-256-PLUS\0\0')],
    ['another request', authentication(5, 'salt')],
    ['another message', frame('S', 'SCRAM-SHA-256-PLUS\0x\0')],
    ['an unterminated list', authentication(10, 'SCRAM-SHA-256-PLUS')],
    ['an empty body', frame('R')],
  ])('the frame stays itself: %s', (_what, given) => {
    expect(withoutChannelBinding(given)).toBe(given);
  });

  test('the flag is read behind the mechanism', () => {
    for (const flag of ['n', 'y', 'p'])
      expect(gs2Flag(saslInitial('SCRAM-SHA-256', `${flag},,n=`))).toBe(flag);
    expect(gs2Flag(frame('p', 'md5abc\0'))).toBeNull();
    expect(gs2Flag(frame('p', 'no end'))).toBeNull();
    expect(saslMechanisms(authentication(0))).toBeNull();
  });
});

test('keys are derived once for a salt', () => {
  const users = new TerminatedUsers([{ name: 'a', secret: 's', upstreamUser: 'u', upstreamPassword: 'p' }]);
  const salt = createHash('sha256').update('x').digest();
  expect(users.upstreamKeys('a', salt, 8)).toBe(users.upstreamKeys('a', salt, 8));
  expect(users.upstreamKeys('a', salt, 9)).not.toEqual(users.upstreamKeys('a', salt, 8));
  expect(users.upstreamKeys('b', salt, 8)).toBeNull();
});
