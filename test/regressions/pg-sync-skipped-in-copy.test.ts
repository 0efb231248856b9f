// A server reading COPY data ignores Sync, and whoever counted one ReadyForQuery for each Sync lost its place for good
// (pgbouncer/pgbouncer#1023, #1024, #1025; pgdogdev/pgdog#885). Whether a COPY that fails had read the Sync cannot be
// seen from outside (rust-postgres/rust-postgres#789).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { eventsOf, run, type Step } from '../protocol/postgres/scripted-session.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { letters } from './support/frames.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, copyData, copyDone, copyFail, execute, parse, query, sync } = client;
const copyCycle = (text: string): Buffer[] => [parse('', text), bind('', ''), execute('')];

interface Case {
  readonly what: string;
  readonly text: string;
  readonly data: string;
  readonly end: Buffer;
  /** The code it fails with on a real server; null: it succeeds. */
  readonly code: string | null;
  /** Whether it comes to ask for data. */
  readonly asks: boolean;
}

const ends = { CopyDone: copyDone(), CopyFail: copyFail('no') };
const cases: readonly Case[] = [
  {
    what: 'good data',
    text: 'copy copied from stdin',
    data: '1\n',
    end: ends.CopyDone,
    code: null,
    asks: true,
  },
  {
    what: 'bad data',
    text: 'copy copied from stdin',
    data: 'x\n',
    end: ends.CopyDone,
    code: '22P02',
    asks: true,
  },
  {
    what: 'CopyFail',
    text: 'copy copied from stdin',
    data: '2\n',
    end: ends.CopyFail,
    code: '57014',
    asks: true,
  },
  // Found out only after the server has asked for the data, and before it reads any.
  {
    what: 'a view',
    text: 'copy seen from stdin',
    data: '1\n',
    end: ends.CopyDone,
    code: '42809',
    asks: true,
  },
  {
    what: 'no signature',
    text: 'copy copied from stdin (format binary)',
    data: 'none',
    end: ends.CopyDone,
    code: '22P04',
    asks: true,
  },
  {
    what: 'no table',
    text: 'copy nowhere from stdin',
    data: '1\n',
    end: ends.CopyDone,
    code: '42P01',
    asks: false,
  },
];

describeEachPostgres('COPY from the client in the extended protocol', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    const tables = 'create table copied (id int); create view seen as select * from copied;';
    database = await createDatabase(server.url, `${tables} grant all on copied, seen to trust_user`);
  });

  afterAll(() => database.drop());

  for (const { what, text, data, end, code, asks } of cases) {
    for (const early of ['with a Sync ahead of the data', 'without'] as const) {
      for (const pace of ['in one write', 'waiting for the server to ask'] as const) {
        it(`${what}, ${early}, ${pace}: the next failure gets its own verdict`, async () => {
          const proxy = await watch(server.url);
          const session = await RawPostgres.open(proxy.through(database.url));
          const opening = Buffer.concat([...copyCycle(text), ...(early === 'without' ? [] : [sync()])]);
          const closing = Buffer.concat([copyData(data), end, sync()]);
          if (pace === 'in one write') {
            await session.send(Buffer.concat([opening, closing]));
          } else {
            await session.send(opening);
            // A server that does not ask answers nothing it was not asked to flush.
            if (asks) await session.take('G', 1);
            await session.send(closing);
          }
          await session.send(query('select nope'));
          // Its ReadyForQuery may come in a read of its own: it belongs to this failure, not to what is asked next.
          let answers = '';
          while (!answers.includes('E[42703]Z')) answers += letters(await session.ready(1));
          const copied = code === null ? [`ok <${text}> 0`] : [`failed ${code} <${text}>`, 'settled idle'];
          const seen = proxy.sessions[0]?.events.map((event) => event.replace(/(?<=failed .*>) .*/, ''));
          expect(seen?.slice(0, copied.length)).toEqual(copied);
          expect(seen?.[copied.length]).toBe('failed 42703 <select nope>');
          await session.send(query('select 1'));
          expect(letters(await session.ready(1))).toMatch(/TDCZ$/);
          expect(proxy.sessions[0]?.events.slice(copied.length + 1)).toEqual([
            'settled idle',
            'ok <select 1> 0',
          ]);
          expect(proxy.blind).toEqual([]);
          session.close();
        });
      }
    }
  }

  it('a client that leaves it at the error is followed on', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(database.url));
    await session.send(Buffer.concat([...copyCycle('copy seen from stdin'), sync()]));
    expect(letters(await session.ready(1))).toBe('12GE[42809]Z');
    await session.send(query('select nope'));
    expect(letters(await session.ready(1))).toBe('E[42703]Z');
    expect(proxy.sessions[0]?.events[2]).toBe('failed 42703 <select nope> execute k=0 idle');
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('a thousand Syncs within the data are none too many', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(database.url));
    const rows = Array.from({ length: 1000 }, () => Buffer.concat([copyData('7\n'), sync()]));
    await session.send(Buffer.concat([...copyCycle('copy copied from stdin'), ...rows, copyDone(), sync()]));
    expect(letters(await session.ready(1))).toBe('12GCZ');
    await session.send(query('select 1/0'));
    await session.ready(1);
    expect(proxy.sessions[0]?.events.slice(1)).toEqual([
      'failed 22012 <select 1/0> execute k=0 idle',
      'settled idle',
    ]);
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});

describe('after a COPY that failed', () => {
  const opened = [reply.parseComplete(), reply.bindComplete(), reply.copyIn()];
  const failed = ['failed 42809 <copy t> copy k=0 idle', 'settled idle'];
  const next: Step[] = [
    ['c', query('select nope')],
    ['s', reply.error('42703'), reply.ready('I')],
  ];
  const ofNext = ['failed 42703 <select nope> execute k=0 idle', 'settled idle'];

  it('the Sync ahead of the data is answered before the client has ended it', () => {
    const steps: Step[] = [
      ['c', ...copyCycle('copy t'), sync()],
      ['s', ...opened, reply.error('42809'), reply.ready('I')],
    ];
    expect(eventsOf([...steps, ...next])).toEqual([...failed, ...ofNext]);
    const late: Step = ['c', copyData('1\n'), copyDone()];
    expect(eventsOf([...steps, late, ...next])).toEqual([...failed, ...ofNext]);
  });

  it('statements sent behind the end of the data have run, or were skipped, as the answers say', () => {
    const sent = [...copyCycle('copy t'), sync(), copyDone(), ...copyCycle('select 2'), sync()];
    const start: Step[] = [
      ['c', ...sent],
      ['s', ...opened, reply.error('42809'), reply.ready('I')],
    ];
    const ran: Step = [
      's',
      reply.parseComplete(),
      reply.bindComplete(),
      reply.complete('SELECT 1'),
      reply.ready('I'),
    ];
    expect(eventsOf([...start, ran, ...next])).toEqual([...failed, 'ok <select 2> 0', ...ofNext]);
    const good: Step[] = [
      ['c', query('select 1')],
      ['s', reply.complete('SELECT 1'), reply.ready('I')],
    ];
    expect(eventsOf([...start, ...good, ...next])).toEqual([...failed, 'ok <select 1> 0', ...ofNext]);
  });

  it('an answer that fits two places is not guessed at', () => {
    const sent = [...copyCycle('copy t'), sync(), copyDone(), ...copyCycle('select 2'), sync()];
    const steps: Step[] = [
      ['c', ...sent, ...copyCycle('select 3'), sync()],
      ['s', ...opened, reply.error('42809'), reply.ready('I')],
      ['s', reply.error('42601'), reply.ready('I')],
    ];
    expect(run(steps)).toMatchObject({
      blind: 'unexpected_server_message',
      events: [...failed, expect.any(String)],
    });
  });
});
