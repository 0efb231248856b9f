import { type Document, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.js';
import { messageOf, opMsg, readMsg } from '../../support/mongodb-messages.js';
import {
  badValue,
  documents,
  duplicate,
  exchange,
  failure,
  inTransaction,
  reply,
  request,
  retryable,
  rows,
  sessionId,
  waitedInVain,
} from './exchanges.js';
import { cases, outcomeOf, run, type Script, type Step, sampleNote, verdictsOf } from './scripted-session.js';

const insertOf = (field: string): string => `{ insert users documents [ { ${field}:number } ] }`;
const three = documents({ a: 1 }, { b: 1 }, { c: 1 });
const insert = { insert: 'users' };

const writes: readonly Script[] = [
  [
    'each failed document of an insert is a verdict of its own',
    exchange(1, insert, { n: 1, writeErrors: [duplicate(0), duplicate(2)], ok: 1 }, three),
    [
      `failed 11000 <${insertOf('a')}> execute idle`,
      'settled idle',
      `failed 11000 <${insertOf('c')}> execute idle`,
      'settled idle',
    ],
    { wantsSuccess: true },
  ],
  [
    'documents in the body',
    exchange(
      1,
      { insert: 'users', documents: [{ a: 1 }, { b: 1 }] },
      { n: 1, writeErrors: [duplicate(1)], ok: 1 },
    ),
    [`failed 11000 <${insertOf('b')}> execute idle`, 'settled idle'],
  ],
  [
    'the statement of an update that failed',
    exchange(
      1,
      {
        update: 'users',
        updates: [
          { q: { a: 1 }, u: { $set: { b: 1 } } },
          { q: { _id: 1 }, u: { $set: { _id: 2 } } },
        ],
      },
      { n: 1, writeErrors: [{ index: 1, code: 66, errmsg: 'Performing an update' }], ok: 1 },
    ),
    [
      'failed 66 <{ update users updates [ { q { _id ?number } u { $set { _id ?number } } } ] }> execute idle',
      'settled idle',
    ],
  ],
  [
    'the statement of a delete that failed, in a sequence',
    exchange(
      1,
      { delete: 'users' },
      { n: 1, writeErrors: [{ index: 1, code: 2, errmsg: 'unknown operator: $foo' }], ok: 1 },
      {
        sequences: [
          {
            identifier: 'deletes',
            documents: [
              { q: { a: 1 }, limit: 1 },
              { q: { b: { $foo: 1 } }, limit: 1 },
            ],
          },
        ],
      },
    ),
    [
      'failed 2 <{ delete users deletes [ { q { b { $foo ?number } } limit 1 } ] }> execute idle',
      'settled idle',
    ],
  ],
  [
    'an empty list of failures is a success',
    exchange(1, insert, { n: 3, writeErrors: [], ok: 1 }, documents({ a: 1 })),
    [`ok <${insertOf('a')}> 0`],
    { wantsSuccess: true },
  ],
  [
    'a write concern that is not met is a verdict on the whole command, whose write is done',
    exchange(1, insert, { n: 1, writeConcernError: waitedInVain, ok: 1 }, documents({ a: 1 })),
    [`failed 64 <${insertOf('a')}> commit idle`, 'settled idle'],
    { wantsSuccess: true },
  ],
  [
    'a schema changed, however far that has spread',
    exchange(1, { create: 'users' }, { ok: 1, writeConcernError: waitedInVain }),
    ['failed 64 <{ create users }> commit idle', 'settled idle', 'schema changed'],
  ],
  [
    'both in one reply, the writes first',
    exchange(
      1,
      insert,
      { n: 1, writeErrors: [duplicate(1)], writeConcernError: waitedInVain, ok: 1 },
      documents({ a: 1 }, { b: 1 }),
    ),
    [
      `failed 11000 <${insertOf('b')}> execute idle`,
      'settled idle',
      `failed 64 <${insertOf('a')} ${insertOf('b')}> commit idle`,
      'settled idle',
    ],
  ],
  [
    'a whole command of several operations that is refused stands with all of them',
    exchange(1, insert, failure(13, 'Unauthorized', 'not authorized'), three),
    [`failed 13 <${insertOf('a')} ${insertOf('b')} ${insertOf('c')}> execute idle`, 'settled idle'],
  ],
  [
    'ok may be a boolean',
    exchange(1, { find: 'users' }, { ...badValue, ok: false }),
    ['failed 2 <{ find users }> execute idle', 'settled idle'],
  ],
  [
    'a failure without a code, or with nothing at all',
    [
      ...exchange(1, { find: 'users' }, { ok: 0, errmsg: 'no such thing' }),
      ...exchange(2, { find: 'users' }, { ok: 0 }),
    ],
    [
      'failed  <{ find users }> execute idle',
      'settled idle',
      'failed  <{ find users }> execute idle',
      'settled idle',
    ],
  ],
];

const ops = {
  sequences: [
    {
      identifier: 'ops',
      documents: [
        { insert: 0, document: { a: 1 } },
        { delete: 1, filter: { b: 1 } },
      ],
    },
    { identifier: 'nsInfo', documents: [{ ns: 'shop.users' }, { ns: 'crm.leads' }] },
  ],
};

function bulkReply(...firstBatch: Document[]): Document {
  const nErrors = firstBatch.filter(({ ok }) => ok === 0).length;
  return { cursor: { id: Long.ZERO, firstBatch, ns: 'admin.$cmd.bulkWrite' }, nErrors, nInserted: 0, ok: 1 };
}

describe('writes', () => {
  it.each(cases(writes))('%s', (_, steps, verdicts, options) => {
    expect(verdictsOf(steps, options)).toEqual(verdicts);
  });

  it('carries what the server says of the failure', () => {
    const { errors } = run(
      exchange(1, insert, { n: 0, writeErrors: [duplicate(0)], ok: 1 }, documents({ a: 1 })),
    );
    expect(errors).toEqual([
      expect.objectContaining({ code: '11000', schema: 'shop', table: 'users', constraint: '_id_' }),
    ]);
  });

  it('looks at so many failures of one reply, and counts the rest', () => {
    const count = limits.maxFailuresPerReply + 3;
    const all = Array.from({ length: count }, (_, index) => index);
    const steps = exchange(
      1,
      insert,
      { n: 0, writeErrors: all.map((index) => duplicate(index)), ok: 1 },
      documents(...all.map(() => ({ a: 1 }))),
    );
    const { events } = run(steps);
    expect(events.filter((event) => event.startsWith('failed'))).toHaveLength(limits.maxFailuresPerReply);
    expect(events.filter((event) => event === 'bypassed failures_over_limit')).toHaveLength(3);
  });
});

describe('bulkWrite', () => {
  const failing = bulkReply(
    { ok: 1, idx: 0, n: 1 },
    { ok: 0, idx: 1, code: 2, errmsg: 'unknown operator: $foo', n: 0 },
  );

  it('fails by its operations, each in its own database', () => {
    const { events } = outcomeOf(exchange(1, { bulkWrite: 1, $db: 'admin' }, failing, ops));
    expect(events).toEqual([
      'in shop/crm',
      'failed 2 <{ delete leads deletes [ { q { b ?number } limit 1 } ] }> execute idle',
      'settled idle',
      'ready',
    ]);
  });

  it('runs where its operations say', () => {
    const steps = exchange(1, { bulkWrite: 1, $db: 'admin' }, bulkReply({ ok: 1, idx: 0, n: 1 }), ops);
    const { events } = outcomeOf(steps, { wantsSuccess: true });
    expect(events).toEqual(['in shop/shop', `ok <${insertOf('a')}> 0`, 'ready']);
  });

  it('is looked through where the reply does not count its failures', () => {
    const { nErrors: _, ...uncounted } = failing;
    const { events } = outcomeOf(exchange(1, { bulkWrite: 1, $db: 'admin' }, uncounted, ops));
    expect(events.filter((event) => event.startsWith('failed'))).toHaveLength(1);
  });
});

describe('retries', () => {
  const attemptOf = (body: Document, answer: Document): string | undefined =>
    run(exchange(1, { ...insert, ...body }, answer, documents({ a: 1 }))).attempts[0];

  it('are told by session, number and operation, on whatever connection', () => {
    const answer = { n: 0, writeErrors: [duplicate(0)], ok: 1 };
    expect(attemptOf(retryable(3), answer)).toBe(`${sessionId}:3:0:11000`);
    expect(attemptOf(retryable(3), answer)).toBe(attemptOf(retryable(3), answer));
    expect(attemptOf(retryable(4), answer)).not.toBe(attemptOf(retryable(3), answer));
  });

  it('tell another failure of the same write from the one before', () => {
    const labels = { errorLabels: ['RetryableWriteError'] };
    const first = attemptOf(retryable(3), failure(10107, 'NotWritablePrimary', 'not primary', labels));
    const second = attemptOf(retryable(3), failure(11000, 'DuplicateKey', 'E11000'));
    expect(first).toBe(`${sessionId}:3:reply:10107`);
    expect(second).not.toBe(first);
  });

  it('are none without a number, and none in a transaction', () => {
    expect(attemptOf({}, badValue)).toBeUndefined();
    expect(attemptOf(inTransaction(3), badValue)).toBeUndefined();
    expect(attemptOf({ txnNumber: Long.ONE }, badValue)).toBeUndefined();
    expect(attemptOf({ ...retryable(3), lsid: 'x' }, badValue)).toBeUndefined();
  });
});

describe('labels', () => {
  it('of the reply and of the element come with the error, once each', () => {
    const { errors } = run([
      ...exchange(1, { find: 'a' }, { ...badValue, errorLabels: ['RetryableWriteError'] }),
      ...exchange(2, insert, {
        ok: 1,
        errorLabels: ['RetryableWriteError', 'B'],
        writeConcernError: { ...waitedInVain, errorLabels: ['RetryableWriteError', 'C'] },
      }),
    ]);
    expect(errors.map(({ labels }) => labels)).toEqual([
      ['RetryableWriteError'],
      ['RetryableWriteError', 'B', 'C'],
    ]);
  });
});

const conflict = failure(112, 'WriteConflict', 'WriteConflict', {
  errorLabels: ['TransientTransactionError'],
});
const gone = failure(251, 'NoSuchTransaction', 'Transaction 1 has been aborted.', {
  errorLabels: ['TransientTransactionError'],
});
const start = { find: 'users', ...inTransaction(1, { startTransaction: true }) };
const goOn = { find: 'users', ...inTransaction(1) };
const commit = { commitTransaction: 1, $db: 'admin', ...inTransaction(1) };
const abort = { abortTransaction: 1, $db: 'admin', ...inTransaction(1) };
const findText = '{ find users }';
const commitText = '{ commitTransaction ?number }';

const transactions: readonly Script[] = [
  [
    'a write conflict aborts; what comes after it is told so',
    [...exchange(1, start, conflict), ...exchange(2, goOn, gone), ...exchange(3, commit, gone)],
    [
      `failed 112 <${findText}> execute open`,
      'settled aborted',
      `failed 251 <${findText}> execute aborted`,
      'settled aborted',
      `failed 251 <${commitText}> commit aborted`,
      'settled idle',
    ],
  ],
  [
    'a failed write aborts',
    exchange(
      1,
      { ...insert, ...inTransaction(1) },
      { n: 0, writeErrors: [duplicate(0)], ok: 1 },
      documents({ a: 1 }),
    ),
    [`failed 11000 <${insertOf('a')}> execute open`, 'settled aborted'],
  ],
  [
    'so does any other error of a command that ran',
    exchange(1, goOn, badValue),
    [`failed 2 <${findText}> execute open`, 'settled aborted'],
  ],
  [
    'what is refused before the transaction is looked for leaves it open',
    [59, 13, 263].flatMap((code, id) => exchange(id, goOn, failure(code, '', ''))),
    [59, 13, 263].flatMap((code) => [`failed ${code} <${findText}> execute open`, 'settled open']),
  ],
  [
    'the next transaction of the session is another',
    [...exchange(1, start, conflict), ...exchange(2, { find: 'users', ...inTransaction(2) }, badValue)],
    [
      `failed 112 <${findText}> execute open`,
      'settled aborted',
      `failed 2 <${findText}> execute open`,
      'settled aborted',
    ],
  ],
  [
    'a statement of another session on the same connection is in none',
    [...exchange(1, start, conflict), ...exchange(2, { find: 'users' }, badValue)],
    [
      `failed 112 <${findText}> execute open`,
      'settled aborted',
      `failed 2 <${findText}> execute idle`,
      'settled idle',
    ],
  ],
  [
    'a commit that fails',
    exchange(
      1,
      commit,
      failure(112, 'WriteConflict', 'conflict', { errorLabels: ['TransientTransactionError'] }),
    ),
    [`failed 112 <${commitText}> commit open`, 'settled idle'],
  ],
  [
    'a commit of which nobody knows',
    [
      ...exchange(
        1,
        commit,
        failure(91, 'ShutdownInProgress', '', { errorLabels: ['UnknownTransactionCommitResult'] }),
      ),
      ...exchange(2, commit, failure(50, 'MaxTimeMSExpired', '')),
    ],
    [
      `failed 91 <${commitText}> commit open`,
      'settled unknown',
      `failed 50 <${commitText}> commit open`,
      'settled unknown',
    ],
  ],
  [
    'a commit that has not spread is one',
    exchange(1, commit, { ok: 1, writeConcernError: waitedInVain }),
    [`failed 64 <${commitText}> commit open`, 'settled idle'],
  ],
  [
    'an abort that comes too late',
    exchange(1, abort, gone),
    ['failed 251 <{ abortTransaction ?number }> execute open', 'settled idle'],
  ],
  [
    'a schema changed in a transaction is seen when it is committed',
    [
      ...exchange(1, { create: 'users', ...inTransaction(1, { startTransaction: true }) }, { ok: 1 }),
      ...exchange(2, { ...commit, ...inTransaction(2) }, { ok: 1 }),
      ...exchange(3, goOn, rows()),
      ...exchange(4, commit, { ok: 1 }),
      ...exchange(5, commit, { ok: 1 }),
    ],
    ['schema changed'],
  ],
  [
    'and not at all where it was aborted',
    [
      ...exchange(1, { create: 'users', ...inTransaction(1, { startTransaction: true }) }, { ok: 1 }),
      ...exchange(2, goOn, conflict),
      ...exchange(3, commit, { ok: 1 }),
    ],
    [`failed 112 <${findText}> execute open`, 'settled aborted'],
  ],
];

describe('transactions', () => {
  it.each(cases(transactions))('%s', (_, steps, verdicts, options) => {
    expect(verdictsOf(steps, options)).toEqual(verdicts);
  });
});

describe('notes', () => {
  const note = () => sampleNote;
  const bodyOf = (bytes: Buffer): Document => readMsg(messageOf(bytes)).body;

  it('are placed, told of and settled before the next failure', () => {
    const steps = exchange(
      1,
      insert,
      { n: 1, writeErrors: [duplicate(0), duplicate(2)], writeConcernError: waitedInVain, ok: 1 },
      three,
    );
    const { events, received } = outcomeOf(steps, { note });
    expect(events.filter((event) => !event.startsWith('in '))).toEqual([
      `failed 11000 <${insertOf('a')}> execute idle`,
      `note ${sampleNote.recordId}`,
      'settled idle',
      `failed 11000 <${insertOf('c')}> execute idle`,
      `note ${sampleNote.recordId}`,
      'settled idle',
      `failed 64 <${insertOf('a')} ${insertOf('b')} ${insertOf('c')}> commit idle`,
      `note ${sampleNote.recordId}`,
      'settled idle',
      'ready',
    ]);
    const body = bodyOf(received);
    expect(body['writeErrors'].map((element: Document) => element['note'])).toEqual([
      sampleNote.long,
      sampleNote.long,
    ]);
    expect(body['writeConcernError']['note']).toBe(sampleNote.long);
    expect(body['note']).toBeUndefined();
  });

  it('are placed for the failure they are for alone', () => {
    const steps = exchange(1, insert, { n: 1, writeErrors: [duplicate(0), duplicate(2)], ok: 1 }, three);
    const only = (statement: string | null) => (statement?.includes('c:') === true ? sampleNote : null);
    const { received } = outcomeOf(steps, { note: only });
    expect(bodyOf(received)['writeErrors'].map((element: Document) => element['note'])).toEqual([
      undefined,
      sampleNote.long,
    ]);
  });

  it('go into the field alone for an application', () => {
    const steps = exchange(1, { find: 'users' }, badValue);
    const body = bodyOf(outcomeOf(steps, { note, audience: 'application' }).received);
    expect(body).toMatchObject({ errmsg: badValue['errmsg'], note: sampleNote.long });
    expect(bodyOf(outcomeOf(steps, { note }).received)['errmsg']).toBe(
      `${badValue['errmsg']}\n${sampleNote.short}`,
    );
  });

  it('go into the row of the bulkWrite', () => {
    const answer = bulkReply({ ok: 1, idx: 0, n: 1 }, { ok: 0, idx: 1, code: 2, errmsg: 'unknown operator' });
    const { received } = outcomeOf(exchange(1, { bulkWrite: 1, $db: 'admin' }, answer, ops), { note });
    expect(bodyOf(received)['cursor'].firstBatch.map((row: Document) => row['note'])).toEqual([
      undefined,
      sampleNote.long,
    ]);
  });

  it('leave a checksum that is right', () => {
    const steps: Step[] = [
      ['c', request(1, { find: 'users' }, { isChecksummed: true })],
      ['s', reply(1, badValue, { isChecksummed: true })],
    ];
    const read = readMsg(messageOf(outcomeOf(steps, { note }).received));
    expect(read).toMatchObject({ isChecksumRight: true, body: { note: sampleNote.long } });
  });

  it('are not said to be attached where they are not', () => {
    const steps = exchange(1, { find: 'users' }, { ...badValue, note: 'one of the server' });
    const { events, received } = outcomeOf(steps, { note });
    expect(events).toContain('bypassed note_does_not_fit');
    expect(events.join()).not.toContain(sampleNote.recordId);
    expect(received).toEqual(
      opMsg({ ...badValue, note: 'one of the server' }, { requestId: 9_001, responseTo: 1 }),
    );
  });
});
