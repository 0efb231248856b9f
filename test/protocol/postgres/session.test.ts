import { describe, expect, it } from 'vitest';
import { client, server } from './frames.js';
import { eventsOf, run, type Step, sampleNote } from './scripted-session.js';

const { query, parse, bind, describe: describeMessage, execute, close, sync, flush } = client;

/** Name, script, events: adding a case is adding an entry. */
const scripts: readonly (readonly [string, readonly Step[], readonly string[]])[] = [
  [
    'a simple query that fails is settled at ReadyForQuery',
    [
      ['c', query('select 1/0')],
      ['s', server.error('22012'), server.ready('I')],
    ],
    ['failed 22012 <select 1/0> execute k=0 idle', 'settled idle'],
  ],
  [
    'a simple query that runs is reported once nothing can undo it',
    [
      ['c', query('select 1')],
      ['s', server.rowDescription(), server.row(), server.complete('SELECT 1')],
      ['s', server.ready('I')],
    ],
    ['ok <select 1> 0'],
  ],
  [
    'statement k of a multi-statement text; what ran before it is undone with it',
    [
      ['c', query('select 1; select 1/0; select 2')],
      [
        's',
        server.rowDescription(),
        server.row(),
        server.complete('SELECT 1'),
        server.error('22012'),
        server.ready('I'),
      ],
    ],
    ['failed 22012 <select 1; select 1/0; select 2> execute k=1 idle', 'settled idle'],
  ],
  [
    'in an open block the statements before the failure stay done',
    [
      ['c', query('begin')],
      ['s', server.complete('BEGIN'), server.ready('T')],
      ['c', query('insert into t values (1); insert into t values (1)')],
      ['s', server.complete('INSERT 0 1'), server.error('23505'), server.ready('E')],
    ],
    [
      'ok <begin> 0',
      'ok <insert into t values (1); insert into t values (1)> 0',
      'failed 23505 <insert into t values (1); insert into t values (1)> execute k=1 open',
      'settled aborted',
    ],
  ],
  [
    'two queries in one write keep their order',
    [
      ['c', query('select nope'), query('select 1')],
      ['s', server.error('42703'), server.ready('I'), server.complete('SELECT 1'), server.ready('I')],
    ],
    ['failed 42703 <select nope> execute k=0 idle', 'settled idle', 'ok <select 1> 0'],
  ],
  [
    'extended: the failing one of three is blamed, the third never ran, the next cycle is aligned',
    [
      ['c', parse('', 'a'), bind('', ''), execute(''), parse('', 'b'), bind('', ''), execute('')],
      ['c', parse('', 'c'), bind('', ''), execute(''), sync()],
      ['s', server.parseComplete(), server.bindComplete(), server.complete('SELECT 1')],
      ['s', server.parseComplete(), server.bindComplete(), server.error('22012'), server.ready('I')],
      ['c', parse('', 'd'), bind('', ''), execute(''), sync()],
      ['s', server.parseComplete(), server.bindComplete(), server.complete('SELECT 1'), server.ready('I')],
    ],
    ['failed 22012 <b> execute k=0 idle', 'settled idle', 'ok <d> 0'],
  ],
  [
    'extended: phases',
    [
      ['c', parse('', 'x'), sync()],
      ['s', server.error('42601'), server.ready('I')],
      ['c', parse('s', 'y'), describeMessage('S', 's'), sync()],
      ['s', server.parseComplete(), server.error('42P18'), server.ready('I')],
      ['c', bind('', 's'), execute(''), sync()],
      ['s', server.error('22P02'), server.ready('I')],
    ],
    [
      'failed 42601 <x> parse k=0 idle',
      'settled idle',
      'failed 42P18 <y> describe k=0 idle',
      'settled idle',
      'failed 22P02 <y> bind k=0 idle',
      'settled idle',
    ],
  ],
  [
    'messages sent while the server skips to Sync are not owed an answer',
    [
      ['c', parse('', 'bad'), flush()],
      ['s', server.error('42601')],
      ['c', bind('', ''), execute(''), query('skipped'), sync()],
      ['s', server.ready('I')],
      ['c', query('select 1')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
    ],
    ['failed 42601 <bad> parse k=0 idle', 'settled idle', 'ok <select 1> 0'],
  ],
  [
    'Parse and Close batched without Sync',
    [
      ['c', parse('a', 'x'), close('S', 'a'), parse('b', 'y'), close('S', 'b'), sync()],
      ['s', server.parseComplete(), server.closeComplete(), server.parseComplete(), server.closeComplete()],
      ['s', server.ready('I')],
      ['c', bind('', 'a'), execute(''), sync()],
      ['s', server.error('26000'), server.ready('I')],
    ],
    ['bypassed statement_text_unknown', 'failed 26000 <?> bind k=0 idle', 'settled idle'],
  ],
  [
    'a new cycle sent before the ReadyForQuery of a failed one is not part of it',
    [
      ['c', parse('s', 'x'), sync()],
      ['s', server.parseComplete(), server.ready('I')],
      ['c', bind('', 's'), execute(''), sync()],
      ['c', parse('', 'y'), describeMessage('S', ''), flush()],
      ['s', server.error('22P02'), server.ready('I'), server.parseComplete(), server.parameterDescription()],
      ['s', server.noData()],
      ['c', bind('', ''), execute(''), sync()],
      ['s', server.bindComplete(), server.complete('SELECT 1'), server.ready('I')],
    ],
    ['failed 22P02 <x> bind k=0 idle', 'settled idle', 'ok <y> 0'],
  ],
  [
    'the unnamed statement is replaced, and destroyed by a simple query',
    [
      ['c', parse('', 'A'), sync()],
      ['s', server.parseComplete(), server.ready('I')],
      ['c', parse('', 'B'), sync()],
      ['s', server.parseComplete(), server.ready('I')],
      ['c', bind('', ''), execute(''), sync()],
      ['s', server.bindComplete(), server.error('22012'), server.ready('I')],
      ['c', query('select 1')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
      ['c', bind('', ''), sync()],
      ['s', server.error('26000'), server.ready('I')],
    ],
    [
      'failed 22012 <B> execute k=0 idle',
      'settled idle',
      'ok <select 1> 0',
      'bypassed statement_text_unknown',
      'failed 26000 <?> bind k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a Parse that fails leaves the name as it was',
    [
      ['c', parse('s', 'good'), sync()],
      ['s', server.parseComplete(), server.ready('I')],
      ['c', parse('s', 'other'), sync()],
      ['s', server.error('42P05'), server.ready('I')],
      ['c', bind('', 's'), execute(''), sync()],
      ['s', server.bindComplete(), server.error('22012'), server.ready('I')],
    ],
    [
      'failed 42P05 <other> parse k=0 idle',
      'settled idle',
      'failed 22012 <good> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a Close that was skipped did not close',
    [
      ['c', parse('s', 'good'), sync()],
      ['s', server.parseComplete(), server.ready('I')],
      ['c', parse('', 'bad'), close('S', 's'), sync()],
      ['s', server.error('42601'), server.ready('I')],
      ['c', bind('', 's'), execute(''), sync()],
      ['s', server.bindComplete(), server.error('22012'), server.ready('I')],
    ],
    [
      'failed 42601 <bad> parse k=0 idle',
      'settled idle',
      'failed 22012 <good> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a row-limited Execute ends with PortalSuspended, which is no verdict; the next fetch fails',
    [
      ['c', parse('', 'q'), bind('', ''), execute('', 2), flush()],
      ['s', server.parseComplete(), server.bindComplete(), server.row(), server.row(), server.suspended()],
      ['c', execute('', 2), sync()],
      ['s', server.error('22012'), server.ready('I')],
    ],
    ['failed 22012 <q> execute k=0 idle', 'settled idle'],
  ],
  [
    'a deferred constraint fails after CommandComplete, at the Sync',
    [
      ['c', parse('', 'insert'), bind('', ''), execute(''), sync()],
      [
        's',
        server.parseComplete(),
        server.bindComplete(),
        server.complete('INSERT 0 1'),
        server.error('23505'),
      ],
      ['s', server.ready('I')],
    ],
    ['failed 23505 <insert> commit k=0 idle', 'settled idle'],
  ],
  [
    'a deferred constraint at COMMIT belongs to COMMIT; the state comes from ReadyForQuery',
    [
      ['c', query('begin')],
      ['s', server.complete('BEGIN'), server.ready('T')],
      ['c', query('commit')],
      ['s', server.error('23505'), server.ready('I')],
    ],
    ['ok <begin> 0', 'failed 23505 <commit> execute k=0 open', 'settled idle'],
  ],
  [
    'COMMIT answered by ROLLBACK is a success of nothing',
    [
      ['c', query('commit')],
      ['s', server.complete('ROLLBACK'), server.ready('I')],
    ],
    [],
  ],
  [
    'simple COPY in',
    [
      ['c', query('copy t from stdin')],
      ['s', server.copyIn()],
      ['c', client.copyData('1\n'), client.copyDone()],
      ['s', server.complete('COPY 1'), server.ready('I')],
    ],
    ['ok <copy t from stdin> 0'],
  ],
  [
    'COPY in refused by its data; what the client goes on sending is ignored',
    [
      ['c', query('copy t from stdin')],
      ['s', server.copyIn()],
      ['c', client.copyData('x\n')],
      ['s', server.error('22P02'), server.ready('I')],
      ['c', client.copyData('y\n'), client.copyDone()],
      ['c', query('select 1')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
    ],
    ['failed 22P02 <copy t from stdin> copy k=0 idle', 'settled idle', 'ok <select 1> 0'],
  ],
  [
    'CopyFail is the client’s own doing',
    [
      ['c', query('copy t from stdin')],
      ['s', server.copyIn()],
      ['c', client.copyFail('no')],
      ['s', server.error('57014'), server.ready('I')],
    ],
    ['failed 57014 <copy t from stdin> copy k=0 idle cancel', 'settled idle'],
  ],
  [
    'extended COPY in: the Sync sent before the data is swallowed',
    [
      ['c', parse('', 'copy'), bind('', ''), execute(''), sync()],
      ['s', server.parseComplete(), server.bindComplete(), server.copyIn()],
      ['c', client.copyData('1\n'), client.copyDone(), sync()],
      ['s', server.complete('COPY 1'), server.ready('I')],
      ['c', query('select 1/0')],
      ['s', server.error('22012'), server.ready('I')],
    ],
    ['ok <copy> 0', 'failed 22012 <select 1/0> execute k=0 idle', 'settled idle'],
  ],
  [
    'extended COPY in, data and end sent ahead of the server’s question',
    [
      [
        'c',
        parse('', 'copy'),
        bind('', ''),
        execute(''),
        sync(),
        client.copyData('1\n'),
        client.copyDone(),
        sync(),
      ],
      [
        's',
        server.parseComplete(),
        server.bindComplete(),
        server.copyIn(),
        server.complete('COPY 1'),
        server.ready('I'),
      ],
      ['c', query('select 1/0')],
      ['s', server.error('22012'), server.ready('I')],
    ],
    ['ok <copy> 0', 'failed 22012 <select 1/0> execute k=0 idle', 'settled idle'],
  ],
  [
    'COPY of a missing table with everything sent ahead: both Syncs are answered',
    [
      [
        'c',
        parse('', 'copy'),
        bind('', ''),
        execute(''),
        sync(),
        client.copyData('1\n'),
        client.copyDone(),
        sync(),
      ],
      ['s', server.error('42P01'), server.ready('I'), server.ready('I')],
      ['c', query('select 1/0')],
      ['s', server.error('22012'), server.ready('I')],
    ],
    [
      'failed 42P01 <copy> parse k=0 idle',
      'settled idle',
      'failed 22012 <select 1/0> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a COPY that fails before the server reads the Sync sent ahead: that Sync is answered as well',
    [
      ['c', parse('', 'copy'), bind('', ''), execute(''), sync()],
      ['s', server.parseComplete(), server.bindComplete(), server.copyIn()],
      ['c', client.copyData('1\n'), client.copyDone(), sync()],
      ['s', server.error('57014'), server.ready('I'), server.ready('I')],
      ['c', query('select 1/0')],
      ['s', server.error('22012'), server.ready('I')],
    ],
    [
      'failed 57014 <copy> copy k=0 idle',
      'settled idle',
      'failed 22012 <select 1/0> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'COPY out',
    [
      ['c', query('copy t to stdout')],
      [
        's',
        server.copyOut(),
        server.copyData('1\n'),
        server.copyDone(),
        server.complete('COPY 1'),
        server.ready('I'),
      ],
    ],
    ['ok <copy t to stdout> 0'],
  ],
  [
    'a replication command that fails, then one that streams',
    [
      ['c', query('START_REPLICATION SLOT nope')],
      ['s', server.error('42704'), server.ready('I')],
      ['c', query('START_REPLICATION SLOT good')],
      ['s', server.copyBoth(), server.copyData('wal'), server.copyData('keepalive')],
      ['c', client.copyData('status'), client.copyDone()],
      ['s', server.copyDone(), server.complete('COPY 0'), server.ready('I')],
    ],
    [
      'failed 42704 <START_REPLICATION SLOT nope> execute k=0 idle',
      'settled idle',
      'ok <START_REPLICATION SLOT good> 0',
    ],
  ],
  [
    'FunctionCall',
    [
      ['c', client.functionCall(999_999)],
      ['s', server.error('42883'), server.ready('I')],
      ['c', client.functionCall(1)],
      ['s', server.functionResult(), server.ready('I')],
    ],
    ['failed 42883 <fastpath function_999999> call k=0 idle', 'settled idle'],
  ],
  [
    'notifications, notices and parameters end nothing',
    [
      ['s', server.notification(), server.notification()],
      ['c', query("set timezone = 'UTC'"), query('select nope')],
      [
        's',
        server.parameter('TimeZone', 'UTC'),
        server.complete('SET'),
        server.ready('I'),
        server.notice('careful'),
      ],
      ['s', server.notification(), server.error('42703'), server.ready('I')],
    ],
    ["ok <set timezone = 'UTC'> 0", 'failed 42703 <select nope> execute k=0 idle', 'settled idle'],
  ],
  [
    'a FATAL while nothing is owed blames nothing',
    [
      ['c', query('select 1')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
      ['s', server.error('57P01', { S: 'FATAL', V: 'FATAL' })],
    ],
    ['ok <select 1> 0'],
  ],
  [
    'a FATAL that kills a statement leaves the session closed',
    [
      ['c', query('select pg_sleep(10)')],
      ['s', server.error('25P04', { S: 'FATAL', V: 'FATAL' })],
    ],
    ['failed 25P04 <select pg_sleep(10)> execute k=0 idle', 'settled closed'],
  ],
  [
    'a relayed cancel marks the statement it hits, and the one after, which it may hit too',
    [
      ['c', query('select pg_sleep(10)')],
      ['cancel'],
      ['s', server.error('57014'), server.ready('I')],
      ['c', query('select pg_sleep(20)')],
      ['s', server.error('57014'), server.ready('I')],
      ['c', query('select pg_sleep(30)')],
      ['s', server.error('57014'), server.ready('I')],
    ],
    [
      'failed 57014 <select pg_sleep(10)> execute k=0 idle cancel',
      'settled idle',
      'failed 57014 <select pg_sleep(20)> execute k=0 idle cancel',
      'settled idle',
      'failed 57014 <select pg_sleep(30)> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a cancel that came too late is forgotten after the next statement',
    [
      ['c', query('a')],
      ['cancel'],
      ['s', server.complete('SELECT 1'), server.ready('I')],
      ['c', query('b')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
      ['c', query('c')],
      ['s', server.error('57014'), server.ready('I')],
    ],
    ['ok <a> 0', 'ok <b> 0', 'failed 57014 <c> execute k=0 idle', 'settled idle'],
  ],
  [
    'DDL is announced after its transaction',
    [
      ['c', query('begin')],
      ['s', server.complete('BEGIN'), server.ready('T')],
      ['c', query('create table t ()')],
      ['s', server.complete('CREATE TABLE'), server.ready('T')],
      ['c', query('commit')],
      ['s', server.complete('COMMIT'), server.ready('I')],
    ],
    ['ok <begin> 0', 'ok <create table t ()> 0', 'ok <commit> 0', 'schema changed'],
  ],
  [
    'EXECUTE as SQL is blamed on what it was prepared from',
    [
      ['c', query('prepare p (int) as select 10 / $1')],
      ['s', server.complete('PREPARE'), server.ready('I')],
      ['c', query('execute p(0)')],
      ['s', server.error('22012', { P: '3' }), server.ready('I')],
      ['c', query('deallocate all')],
      ['s', server.complete('DEALLOCATE ALL'), server.ready('I')],
      ['c', query('execute p(0)')],
      ['s', server.error('26000'), server.ready('I')],
    ],
    [
      'ok <prepare p (int) as select 10 / $1> 0',
      'failed 22012 <select 10 / $1> execute k=0 idle',
      'settled idle',
      'ok <deallocate all> 0',
      'failed 26000 <execute p(0)> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a reply nobody asked for turns the session blind, and nothing is reported after it',
    [
      ['s', server.bindComplete()],
      ['c', query('select nope')],
      ['s', server.error('42703'), server.ready('I')],
    ],
    ['blind unexpected_server_message'],
  ],
  ['one ReadyForQuery too many', [['s', server.ready('I')]], ['blind unexpected_server_message']],
  [
    'an error without an owner that does not end the session',
    [['s', server.error('42703')]],
    ['blind unexpected_server_message'],
  ],
  [
    'unknown message types pass',
    [
      ['c', client.raw('?', 'what'), query('select nope')],
      ['s', server.raw('?', 'ever'), server.error('42703'), server.ready('I')],
    ],
    ['failed 42703 <select nope> execute k=0 idle', 'settled idle'],
  ],
  [
    'an ErrorResponse without fields is passed by and the session goes on',
    [
      ['c', query('a')],
      ['s', server.raw('E', Buffer.from([0])), server.ready('I')],
      ['c', query('b')],
      ['s', server.raw('E', 'Mno end'), server.ready('I')],
      ['c', query('c')],
      ['s', server.error('42703', { '!': 'unknown field' }), server.ready('I')],
    ],
    [
      'failed  <a> execute k=0 idle',
      'settled idle',
      'bypassed error_frame_malformed',
      'failed 42703 <c> execute k=0 idle',
      'settled idle',
    ],
  ],
];

describe('session', () => {
  it.each(scripts)('%s', (_name, steps, events) => {
    expect(eventsOf(steps)).toEqual(events);
  });

  it('reports no success that nobody wants', () => {
    const steps: Step[] = [
      ['c', query('select 1')],
      ['s', server.complete('SELECT 1'), server.ready('I')],
    ];
    expect(eventsOf(steps, { wantsSuccess: false })).toEqual([]);
  });

  it('announces the cancel key and the first ReadyForQuery', () => {
    const startup = [
      server.authenticationOk(),
      server.backendKey(-268_435_455, Buffer.alloc(32, 7)),
      server.ready('I'),
    ];
    const { events } = run([['s', ...startup]], { withoutStartup: true, chunking: 'byte by byte' });
    expect(events).toEqual([`key f0000001${'07'.repeat(32)}`, 'ready']);
  });

  it('reports no failure of a login', () => {
    const { events, received } = run([['s', server.error('28P01', { S: 'FATAL', V: 'FATAL' })]], {
      withoutStartup: true,
      note: () => sampleNote,
    });
    expect(events).toEqual([]);
    expect(received).toEqual(server.error('28P01', { S: 'FATAL', V: 'FATAL' }));
  });

  it('follows what the session says of itself', () => {
    const { session } = run([
      [
        's',
        server.parameter('application_name', 'agent-7'),
        server.parameter('standard_conforming_strings', 'off'),
      ],
      ['c', query('set search_path = app, "Mixed Case"')],
      ['s', server.complete('SET'), server.ready('I')],
    ]);
    expect(session.application).toBe('agent-7');
    expect(session.lexical.isStandardConformingStrings).toBe(false);
    expect(session.searchPath).toEqual(['app', 'Mixed Case']);
  });

  it('decodes by client_encoding', () => {
    const steps: Step[] = [
      ['s', server.parameter('client_encoding', 'LATIN1')],
      ['c', client.raw('Q', Buffer.from("select 'caf\xe9'\0", 'latin1'))],
      ['s', server.error('42703'), server.ready('I')],
    ];
    expect(eventsOf(steps)[0]).toBe("failed 42703 <select 'café'> execute k=0 idle");
  });

  it('keeps at most the bound of a statement and says that it was cut', () => {
    const long = `select '${'x'.repeat(200_000)}'`;
    const steps: Step[] = [
      ['c', query(long)],
      ['s', server.error('22001'), server.ready('I')],
    ];
    const [failed] = eventsOf(steps);
    expect(failed).toMatch(/^failed 22001 <select 'x+> execute/);
    expect(failed?.length).toBeLessThan(66_000);
  });
});
