import type { Document } from 'bson';
import { describe, expect, it } from 'vitest';
import { opQuery, opReply } from '../../support/mongodb-messages.js';
import { badValue, exchange, failure, reply, request, rows } from './exchanges.js';
import { type Outcome, outcomeOf, run, type Step, verdictsOf } from './scripted-session.js';

const secret = 'r=fyko+d2lbbFgONRv9qkxdawL';
const clientFirst = (user: string): Buffer => Buffer.from(`n,,n=${user},${secret}`);

function saslStart(user: string, mechanism = 'SCRAM-SHA-256', payload = clientFirst(user)): Document {
  return { saslStart: 1, mechanism, payload, options: { skipEmptyExchange: true }, $db: 'admin' };
}

const saslContinue = {
  saslContinue: 1,
  conversationId: 1,
  payload: Buffer.from('c=biws,p=proof'),
  $db: 'admin',
};
const goesOn = { conversationId: 1, done: false, payload: Buffer.from('r=s,s=t,i=4096'), ok: 1 };
const done = { conversationId: 1, done: true, payload: Buffer.from('v=sig'), ok: 1 };
const refused = failure(18, 'AuthenticationFailed', 'Authentication failed.');

function logIn(user: string): Step[] {
  return [...exchange(1, saslStart(user), goesOn), ...exchange(2, saslContinue, done)];
}

function hello(more: Document = {}): Document {
  return {
    hello: 1,
    client: { application: { name: 'shop-web' }, driver: { name: 'nodejs' } },
    $db: 'admin',
    ...more,
  };
}

const helloOk = { isWritablePrimary: true, maxWireVersion: 21, ok: 1 };

/** What is known of the session, and what was told. */
function known({ session, events }: Outcome): object {
  return { user: session.user, application: session.application, events };
}

describe('SCRAM', () => {
  it('names the user once the server has said that it is done', () => {
    expect(known(outcomeOf(logIn('app')))).toMatchObject({ user: 'app', events: ['ready'] });
    expect(known(run(logIn('app').slice(0, 3)))).toMatchObject({ user: '', events: [] });
  });

  it.each([
    ['a=2Cb=3Dc', 'a,b=c'],
    ['a=3D2Cb', 'a=2Cb'],
    ['jürgen', 'jürgen'],
  ])('reads %s', (escaped, user) => {
    expect(outcomeOf(logIn(escaped)).session.user).toBe(user);
  });

  it('may act for another, and still is who it is', () => {
    const payload = Buffer.from(`n,a=boss,n=app,${secret}`);
    const steps = [
      ...exchange(1, saslStart('', 'SCRAM-SHA-1', payload), goesOn),
      ...exchange(2, saslContinue, done),
    ];
    expect(run(steps).session.user).toBe('app');
  });

  it('begins within hello, and goes on with saslContinue', () => {
    const speculativeAuthenticate = { ...saslStart('app'), db: 'admin' };
    const steps = [
      ...exchange(1, hello({ speculativeAuthenticate }), { ...helloOk, speculativeAuthenticate: goesOn }),
      ...exchange(2, saslContinue, done),
    ];
    expect(known(outcomeOf(steps))).toEqual({ user: 'app', application: 'shop-web', events: ['ready'] });
    expect(known(run(steps.slice(0, 2)))).toMatchObject({ user: '', events: [] });
  });

  it('that failed within hello shows by a field that is missing, and is no failure', () => {
    const steps = [
      ...exchange(1, hello({ speculativeAuthenticate: saslStart('app') }), helloOk),
      ...exchange(2, saslStart('app'), goesOn),
      ...exchange(3, saslContinue, refused),
    ];
    expect(known(outcomeOf(steps))).toMatchObject({
      user: '',
      events: ['failed 18 <{ saslContinue ?number }> execute idle', 'settled idle'],
    });
  });

  it('that failed names nobody, also if another one succeeds that names nobody', () => {
    const steps = [
      ...exchange(1, saslStart('mallory'), refused),
      ...exchange(2, saslStart('', 'MONGODB-OIDC', Buffer.from([5, 0, 0, 0, 0])), done),
    ];
    expect(run(steps).session.user).toBe('');
  });

  it('in databases that anyone could name leaves the session where it is', () => {
    const { events } = outcomeOf(exchange(1, { ...saslStart('app'), $db: 'anything' }, refused));
    expect(events).toEqual(['failed 18 <{ saslStart ?number }> execute idle', 'settled idle']);
  });
});

describe('before a login', () => {
  const unknown = exchange(
    8,
    { nope: 1, $db: 'elsewhere' },
    failure(59, 'CommandNotFound', 'no such command'),
  );
  const failed = (events: readonly string[]) => events.filter((event) => event.startsWith('failed'));

  it('nothing is remembered of a server that others log in to', () => {
    const policy = { compression: 'relay' } as const;
    expect(failed(run(unknown, { policy }).events)).toHaveLength(1);
    run(logIn('app'), { policy });
    expect(run(unknown, { policy }).events).toEqual(['bypassed not_logged_in']);
    expect(failed(run([...logIn('app'), ...unknown], { policy }).events)).toHaveLength(1);
  });

  it('nothing is remembered of a server that asked for one', () => {
    const policy = { compression: 'relay' } as const;
    const unauthorized = failure(13, 'Unauthorized', 'command find requires authentication');
    run(exchange(1, { find: 'users' }, unauthorized), { policy });
    expect(run(unknown, { policy }).events).toEqual(['bypassed not_logged_in']);
  });

  it('everything is of a server without logins', () => {
    const policy = { compression: 'relay' } as const;
    run(exchange(1, { find: 'users' }, rows()), { policy });
    expect(failed(run(unknown, { policy }).events)).toHaveLength(1);
  });
});

describe('other mechanisms', () => {
  it.each([
    ['by the name in the request', { user: 'CN=app' }, { dbname: '$external', ok: 1 }],
    ['by the name in the reply', {}, { dbname: '$external', user: 'CN=app', ok: 1 }],
  ])('X.509 knows its user %s', (_, named, answer) => {
    const authenticate = { authenticate: 1, mechanism: 'MONGODB-X509', ...named, $db: '$external' };
    expect(known(outcomeOf(exchange(1, authenticate, answer)))).toMatchObject({
      user: 'CN=app',
      events: ['ready'],
    });
  });

  it('X.509 within hello is over with it', () => {
    const speculativeAuthenticate = { authenticate: 1, mechanism: 'MONGODB-X509', db: '$external' };
    const answer = { ...helloOk, speculativeAuthenticate: { dbname: '$external', user: 'CN=app' } };
    expect(known(outcomeOf(exchange(1, hello({ speculativeAuthenticate }), answer)))).toMatchObject({
      user: 'CN=app',
      events: ['ready'],
    });
    expect(run(exchange(1, hello({ speculativeAuthenticate }), helloOk)).session.user).toBe('');
  });

  it('a login whose user is not told makes the session ready all the same', () => {
    const payload = Buffer.from('\0app\0password');
    const steps = exchange(1, saslStart('', 'PLAIN', payload), done);
    expect(known(outcomeOf(steps))).toMatchObject({ user: '', events: ['ready'] });
  });

  it('by OP_QUERY and OP_REPLY too', () => {
    const steps: Step[] = [
      ['c', opQuery(saslStart('app'), { requestId: 1 })],
      ['s', opReply([goesOn], { responseTo: 1 })],
      ['c', opQuery(saslContinue, { requestId: 2 })],
      ['s', opReply([done], { responseTo: 2 })],
    ];
    expect(known(outcomeOf(steps))).toMatchObject({ user: 'app', events: ['ready'] });
  });
});

describe('payloads', () => {
  it('stand in nothing that is reported', () => {
    const steps = [...exchange(1, saslStart('app'), goesOn), ...exchange(2, saslContinue, refused)];
    const { events, errors } = run(steps);
    const told = JSON.stringify([events, errors]);
    for (const word of [secret, 'proof', 'biws']) expect(told).not.toContain(word);
  });

  it.each([
    ['none', undefined],
    ['empty', Buffer.alloc(0)],
    ['without commas', Buffer.from('n')],
    ['cut before the name', Buffer.from('n,,')],
    ['another attribute first', Buffer.from('n,,m=1,n=x')],
    ['text', 'n,,n=app,r=x'],
    ['longer than a name', Buffer.alloc(5_000, 'n,,n=')],
  ])('of a kind that is %s name nobody', (_, payload) => {
    const start = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload, $db: 'admin' };
    const { session, events } = run([...exchange(1, start, goesOn), ...exchange(2, saslContinue, done)]);
    expect([session.user, events]).toEqual(['', ['ready']]);
  });
});

describe('the application', () => {
  it('is named in the first hello, by either opcode', () => {
    expect(outcomeOf(exchange(1, hello(), helloOk)).session.application).toBe('shop-web');
    const steps: Step[] = [
      ['c', opQuery({ ismaster: 1, client: { application: { name: 'old' } } }, { requestId: 1 })],
      ['s', opReply([{ ismaster: true, ok: 1 }], { responseTo: 1 })],
    ];
    expect(outcomeOf(steps).session.application).toBe('old');
  });

  it.each([{}, { client: 1 }, { client: {} }, { client: { application: { name: 5 } } }])(
    'is nobody in %j',
    (more) => {
      const { client: _, ...rest } = hello();
      expect(run(exchange(1, { ...rest, ...more }, helloOk)).session.application).toBe('');
    },
  );

  it('is known from a request that the handshake has sent', () => {
    const steps: Step[] = [['s', reply(1, helloOk)]];
    const { session, events } = outcomeOf(steps, { sentBefore: request(1, hello()) });
    expect([session.application, events]).toEqual(['shop-web', []]);
  });
});

describe('readiness', () => {
  it('comes once, with the login', () => {
    const steps = [...logIn('app'), ...exchange(3, { find: 'users' }, rows()), ...logIn('app')];
    expect(run(steps).events).toEqual(['ready', 'in shop/shop']);
  });

  it('a hello that fails is a verdict, and edits nothing', () => {
    expect(verdictsOf(exchange(1, hello(), badValue))).toEqual([
      'failed 2 <{ hello ?number }> execute idle',
      'settled idle',
    ]);
  });
});
