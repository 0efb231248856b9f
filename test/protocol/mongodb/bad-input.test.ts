import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlindReason } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { bomb, compressed, compressedMessage, compressorId } from '../../support/mongodb-compression.js';
import { opMsg, opQuery, opReply, wireMessage } from '../../support/mongodb-messages.js';
import { badValue, documents, duplicate, exchange, reply, request, rows } from './exchanges.js';
import { run, type Step, sampleNote, sentBytes } from './scripted-session.js';

type Hits = readonly (readonly [at: number, byte: number])[];

const failing = exchange(1, { find: 'users' }, badValue);
const ask: Step = ['c', request(1, { find: 'users' })];

function withLength(message: Buffer, length: number): Buffer {
  const bytes = Buffer.from(message);
  bytes.writeInt32LE(length, 0);
  return bytes;
}

/** The message with bytes put at an offset. */
function patched(message: Buffer, at: number, ...bytes: number[]): Buffer {
  const copy = Buffer.from(message);
  copy.set(bytes, at);
  return copy;
}

const flagsAt = 16;
const kindAt = 20;
const bodyAt = 21;
const query = request(1, { find: 'users' });
const answer = reply(1, badValue);

/** What turns a session blind: the reason is told once, everything is passed, nothing is reported any more. */
const blinding: readonly (readonly [string, BlindReason, readonly Step[]])[] = [
  ['a request shorter than a header', 'malformed_client_frame', [['c', withLength(query, 15)]]],
  ['a request of a negative length', 'malformed_client_frame', [['c', withLength(query, -1)]]],
  ['a request longer than any', 'malformed_client_frame', [['c', withLength(query, 48_000_001)]]],
  ['a request that is no protocol', 'malformed_client_frame', [['c', Buffer.from('GET / HTTP/1.1\r\n\r\n')]]],
  [
    'a request with a flag that has to be known',
    'malformed_client_frame',
    [['c', patched(query, flagsAt, 4)]],
  ],
  ['a section of an unknown kind', 'malformed_client_frame', [['c', patched(query, kindAt, 7)]]],
  [
    'a section longer than its message',
    'malformed_client_frame',
    [['c', patched(query, bodyAt, 0xff, 0x7f)]],
  ],
  [
    'a section shorter than a document',
    'malformed_client_frame',
    [['c', patched(query, bodyAt, 1, 0, 0, 0)]],
  ],
  ['a body with an unknown type', 'malformed_client_frame', [['c', patched(query, bodyAt + 4, 0x55)]]],
  [
    'a body whose key does not end',
    'malformed_client_frame',
    [['c', opMsg(Buffer.from([7, 0, 0, 0, 2, 65, 0]))]],
  ],
  ['a message without sections', 'malformed_client_frame', [['c', wireMessage(2013, Buffer.alloc(4))]]],
  ['a message without flags', 'malformed_client_frame', [['c', wireMessage(2013, Buffer.alloc(0))]]],
  ['a query without a name', 'malformed_client_frame', [['c', wireMessage(2004, Buffer.alloc(3, 65))]]],
  [
    'a query whose document is cut',
    'malformed_client_frame',
    [['c', withLength(opQuery({ isMaster: 1 }).subarray(0, -3), opQuery({ isMaster: 1 }).length - 3)]],
  ],
  ['a reply shorter than a header', 'malformed_server_frame', [ask, ['s', withLength(answer, 0)]]],
  ['a reply longer than any', 'malformed_server_frame', [ask, ['s', withLength(answer, 0x7fff_ffff)]]],
  [
    'a reply with a flag that has to be known',
    'malformed_server_frame',
    [ask, ['s', patched(answer, flagsAt, 8)]],
  ],
  [
    'a reply without a body',
    'malformed_server_frame',
    [ask, ['s', wireMessage(2013, Buffer.alloc(4), { responseTo: 1 })]],
  ],
  ['a reply with an unknown type', 'malformed_server_frame', [ask, ['s', patched(answer, bodyAt + 4, 0x55)]]],
  [
    'an OP_REPLY that promises a document',
    'malformed_server_frame',
    [ask, ['s', patched(opReply([], { responseTo: 1 }), 32, 1)]],
  ],
  [
    'a request in a compression that is not known',
    'not_followed',
    [['c', compressed(query, 'noop', { compressorId: 9 })]],
  ],
  [
    'a reply in a compression that is not known',
    'not_followed',
    [ask, ['s', compressed(answer, 'noop', { compressorId: 9 })]],
  ],
  [
    'compressed bytes that are none',
    'malformed_client_frame',
    [
      [
        'c',
        compressedMessage(query, Buffer.from('noise'), {
          declaredBytes: 40,
          compressorId: compressorId.zlib,
        }),
      ],
    ],
  ],
  [
    'a compressed message within another',
    'malformed_client_frame',
    [['c', compressed(compressed(query, 'zlib'), 'zlib')]],
  ],
  [
    'an OP_COMPRESSED without a compressor',
    'malformed_server_frame',
    [ask, ['s', wireMessage(2012, Buffer.alloc(8), { responseTo: 1 })]],
  ],
  [
    'less than was declared',
    'malformed_server_frame',
    [ask, ['s', compressed(answer, 'zlib', { declaredBytes: answer.length })]],
  ],
  ...(['snappy', 'zlib', 'zstd'] as const).map((name): (typeof blinding)[number] => [
    `a bomb of ${name}`,
    'malformed_server_frame',
    [
      ask,
      [
        's',
        compressedMessage(answer, bomb(name, 1_000_000), {
          declaredBytes: 1_000,
          compressorId: compressorId[name],
        }),
      ],
    ],
  ]),
];

describe('what makes no sense', () => {
  it.each(blinding)('%s', (_, reason, steps) => {
    const scripted = [...steps, ...failing];
    const told = [`blind ${reason}`];
    for (const chunking of ['whole', 'all at once', 1, 7] as const) {
      const { events, received, blind } = run(scripted, { chunking });
      expect(events).toEqual(told);
      expect(blind).toBe(reason);
      expect(received.equals(sentBytes(scripted))).toBe(true);
    }
  });

  it('is told once, and what was open before is left', () => {
    const steps: Step[] = [ask, ['c', request(2, { find: 'b' }), withLength(query, 3)], ['s', answer]];
    expect(run(steps).events).toEqual(['blind malformed_client_frame']);
  });

  it('in the failures of a reply costs those alone', () => {
    const broken = { n: 0, writeErrors: [duplicate(0), 'what', 5, {}], ok: 1 };
    const { events } = run(exchange(1, { insert: 'users' }, broken, documents({ a: 1 })));
    expect(events.filter((event) => event.startsWith('failed'))).toEqual([
      'failed 11000 <{ insert users documents [ { a:number } ] }> execute idle',
      'failed  <?> execute idle',
    ]);
  });

  it('in a handler is this session’s end of observing, and no one else’s', () => {
    const options = { fault: new Error('broken'), note: () => sampleNote };
    const { events, received } = run(failing, options);
    expect(events).toEqual(['in shop/shop', 'blind observer_error']);
    expect(received.equals(sentBytes(failing))).toBe(true);
    expect(run(failing).events).toContain('failed 2 <{ find users }> execute idle');
  });
});

describe('bounds', () => {
  it('of requests in flight', () => {
    const all = Array.from({ length: limits.maxRequestsInFlight + 1 }, (_, id) => request(id, { ping: 1 }));
    expect(run([['c', ...all]], { chunking: 'all at once' }).events).toEqual([
      'blind expected_replies_over_limit',
    ]);
    const fewer = all.slice(1);
    expect(run([['c', ...fewer]], { chunking: 'all at once' }).events).toEqual([]);
  });

  it('of what is kept of them', () => {
    const long = request(1, { find: 'users', comment: 'x'.repeat(limits.maxKeptRequestBytes / 2) });
    const count = Math.ceil(limits.maxExpectedReplyBytes / long.length) + 1;
    const steps: Step[] = [['c', ...Array.from({ length: count }, () => long)]];
    expect(run(steps).events).toEqual(['blind expected_replies_over_limit']);
  });

  it('of what is kept of compressed ones is what came, and not what it comes to', () => {
    const long = { find: 'users', filter: { a: 'x'.repeat(limits.maxKeptRequestBytes - 200) } };
    const count = Math.ceil(limits.maxExpectedReplyBytes / limits.maxKeptRequestBytes) + 1;
    const ids = Array.from({ length: count }, (_, id) => id);
    const { events } = run([
      ['c', ...ids.map((id) => compressed(request(id, long), 'zlib'))],
      ['s', ...ids.map((id) => reply(id, badValue))],
    ]);
    const told = ['failed 2 <{ find users filter { a ?string } }> execute idle', 'settled idle'];
    expect(events.filter((event) => !/^(?:in |ready)/.test(event))).toEqual(ids.flatMap(() => told));
  });

  it('of what compressed requests of one read come to', () => {
    const long = { find: 'users', filter: { a: 'x'.repeat(limits.maxKeptRequestBytes - 200) } };
    const count = Math.ceil(limits.maxDecompressedBytesPerRead / limits.maxKeptRequestBytes) + 1;
    const messages = Array.from({ length: count }, (_, id) => compressed(request(id, long), 'zlib'));
    expect(run([['c', ...messages]], { chunking: 'all at once' }).events).toEqual([
      'blind expected_replies_over_limit',
    ]);
    expect(run([['c', ...messages]]).events).toEqual([]);
  });

  it('of names, labels and texts of an error', () => {
    const long = 'x'.repeat(300_000);
    const labels = Array.from({ length: 1_000 }, (_, index) => `L${index}`);
    const keyPattern = Object.fromEntries(labels.map((label) => [label, 1]));
    const steps = exchange(
      1,
      { find: 'a' },
      { ok: 0, code: 2, codeName: long, errmsg: long, errorLabels: labels, keyPattern },
    );
    const [error] = run(steps).errors;
    expect(JSON.stringify(error).length).toBeLessThan(limits.maxErrorFrameBytes + 2_000);
  });

  it('of depth', () => {
    let filter: object = { a: 1 };
    for (let depth = 0; depth < 3_000; depth += 1) filter = { a: filter };
    const { events } = run(exchange(1, { find: 'users', filter }, badValue));
    expect(events.filter((event) => event.startsWith('failed'))).toHaveLength(1);
  });
});

describe('random bytes', () => {
  const chunkings = fc.constantFrom('whole' as const, 'all at once' as const, 1, 5, 64);

  it('pass, whatever they are', () => {
    const noise = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(noise, noise, chunkings, (sent, got, chunking) => {
        const steps: Step[] = [
          ['c', Buffer.from(sent)],
          ['s', Buffer.from(got)],
        ];
        expect(run(steps, { chunking, wantsSuccess: true }).received.equals(Buffer.from(got))).toBe(true);
      }),
    );
  });

  const helloScript = exchange(1, { hello: 1, $db: 'admin' }, { hosts: ['a:1'], me: 'a:1', ok: 1 });
  const oldHelloScript: Step[] = [
    ['c', opQuery({ isMaster: 1 }, { requestId: 1 })],
    ['s', opReply([{ hosts: ['a:1'], ok: 1 }], { responseTo: 1 })],
  ];
  const scripts: readonly (readonly Step[])[] = [
    failing,
    exchange(1, { insert: 'users' }, { n: 0, writeErrors: [duplicate(0)], ok: 1 }, documents({ a: 1 })),
    exchange(1, { find: 'users' }, rows({ a: 1 })),
    [
      ['c', compressed(query, 'snappy')],
      ['s', compressed(answer, 'zstd')],
    ],
    helloScript,
    oldHelloScript,
  ];
  const hits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });

  /** The messages of each step with some bytes overwritten. */
  function damaged(steps: readonly Step[], inRequest: Hits, inReply: Hits): Step[] {
    return steps.map(([side, ...messages]): Step => {
      const bytes = Buffer.concat(messages);
      for (const [at, byte] of side === 'c' ? inRequest : inReply) bytes[at % bytes.length] = byte;
      return [side, bytes];
    });
  }

  it('in the place of others end no process and cost no byte', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...scripts),
        hits,
        hits,
        chunkings,
        (steps, inRequest, inReply, chunking) => {
          const scripted: Step[] = [...damaged(steps, inRequest, inReply), ...failing];
          const { received } = run(scripted, { chunking, wantsSuccess: true });
          // nothing but what a hello tells of the topology may differ, and nothing is kept back
          const isHello = steps === helloScript || steps === oldHelloScript;
          if (isHello) expect(received.subarray(-answer.length).equals(answer)).toBe(true);
          else expect(received.equals(sentBytes(scripted))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
