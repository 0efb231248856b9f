import { describe, expect, it } from 'vitest';
import {
  changeUser,
  execute,
  initDb,
  ping,
  prepare,
  query,
  resetConnection,
} from '../../support/mysql-client-packets.js';
import { lenencString, status } from '../../support/mysql-protocol.js';
import { error, ok, prepareOk } from '../../support/mysql-server-packets.js';
import { eventsOf, type Options, run, type Step, withEof } from './scripted-session.js';

const ansiQuotesFlag = 0x8000;
const databaseDropped = 0x0100;
const more = status.autocommit | status.moreResults;
const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');

/** An OK with session tracking data: pairs of kind and content. */
function tracked(...changes: readonly (readonly [number, Buffer])[]): Buffer {
  const state = changes.map(([kind, data]) => Buffer.concat([Buffer.from([kind]), lenencString(data)]));
  const flags = status.autocommit | status.sessionStateChanged;
  return ok({ status: flags, rest: Buffer.concat([lenencString(''), lenencString(Buffer.concat(state))]) });
}

const variable = (name: string, value: string): readonly [number, Buffer] => [
  0,
  Buffer.concat([lenencString(name), lenencString(value)]),
];
const schema = (name: string): readonly [number, Buffer] => [1, lenencString(name)];

function stateAfter(steps: readonly Step[], options: Options = {}) {
  const { session, blind } = run(steps, options);
  expect(blind).toBeNull();
  const { isAnsiQuotes, isBackslashLiteral } = session.lexical;
  return {
    database: session.scope.database,
    searchPath: session.searchPath,
    isAnsiQuotes,
    isBackslashLiteral,
  };
}

/** The text of a statement sent as these bytes, after `steps`. */
function decoded(steps: readonly Step[], bytes: Buffer, options: Options = {}): string | undefined {
  const { events } = run([...steps, ['c', query(bytes)], ['s', noSuchColumn]], options);
  return events
    .findLast((event) => event.startsWith('failed'))
    ?.slice('failed 1054 <'.length, -'> execute k=0 idle'.length);
}

const set = (text: string): readonly Step[] => [
  ['c', query(text)],
  ['s', ok()],
];

describe('database', () => {
  const cases: readonly (readonly [string, readonly Step[], string])[] = [
    ['of the login', [], 'shop'],
    ['USE', set('use `other``db`;'), 'other`db'],
    ['USE behind a comment', set('/* a */ USE other'), 'other'],
    [
      'a USE that fails',
      [
        ['c', query('use nope')],
        ['s', error(1049, "Unknown database 'nope'", '42000')],
      ],
      'shop',
    ],
    [
      'USE as statement k',
      [
        ['c', query('select 1; use other; do 1')],
        ['s', ok({ status: more }), ok({ status: more }), ok()],
      ],
      'other',
    ],
    [
      'COM_INIT_DB',
      [
        ['c', initDb('oth`er')],
        ['s', ok()],
      ],
      'oth`er',
    ],
    [
      'COM_INIT_DB that fails',
      [
        ['c', initDb('nope')],
        ['s', noSuchColumn],
      ],
      'shop',
    ],
    [
      'session tracking',
      [
        ['c', query('call p()')],
        ['s', tracked(schema('tracked'))],
      ],
      'tracked',
    ],
    [
      'none, by session tracking',
      [
        ['c', query('drop database shop')],
        ['s', tracked(schema(''))],
      ],
      '',
    ],
    [
      'dropped, by its flag',
      [
        ['c', query('drop database shop')],
        ['s', ok({ status: status.autocommit | databaseDropped })],
      ],
      '',
    ],
    [
      'COM_CHANGE_USER',
      [
        ['c', changeUser({ user: 'b', authData: Buffer.alloc(20), database: 'theirs', plugin: 'x' })],
        ['s', ok()],
      ],
      'theirs',
    ],
    [
      'COM_CHANGE_USER that is refused',
      [
        ['c', changeUser({ user: 'b', authData: Buffer.alloc(20), database: 'theirs', plugin: 'x' })],
        ['s', noSuchColumn],
      ],
      'shop',
    ],
    ['COM_RESET_CONNECTION', [...set('use other'), ['c', resetConnection], ['s', ok()]], 'other'],
  ];

  it.each(cases)('%s', (_name, steps, database) => {
    const state = stateAfter(steps);
    expect(state.database).toBe(database);
    expect(state.searchPath).toEqual(database === '' ? [] : [database]);
    eventsOf(steps);
  });

  it('the user of COM_CHANGE_USER, once the server let it in', () => {
    const change = changeUser({ user: 'b', authData: Buffer.alloc(20), database: 'theirs', plugin: 'x' });
    const before = run([]).session.user;
    expect(
      run([
        ['c', change],
        ['s', noSuchColumn],
      ]).session.user,
    ).toBe(before);
    expect(
      run([
        ['c', change],
        ['s', ok()],
      ]).session.user,
    ).toBe('b');
  });

  it('the scope is replaced, not changed', () => {
    const before = run([]).session.scope;
    const after = run(set('use other')).session.scope;
    expect([before, after]).toEqual([
      { upstream: 'shop', database: 'shop' },
      { upstream: 'shop', database: 'other' },
    ]);
  });
});

describe('modes of text', () => {
  const noBackslash = status.autocommit | status.noBackslashEscapes;

  it('NO_BACKSLASH_ESCAPES is in every OK and EOF, the login’s too', () => {
    expect(stateAfter([], { statusFlags: noBackslash }).isBackslashLiteral).toBe(true);
    const on: Step[] = [
      ['c', ping],
      ['s', ok({ status: noBackslash })],
    ];
    expect(stateAfter(on).isBackslashLiteral).toBe(true);
    expect(stateAfter([...on, ['c', ping], ['s', ok()]]).isBackslashLiteral).toBe(false);
    expect(stateAfter(on, { capabilities: withEof }).isBackslashLiteral).toBe(true);
  });

  it('MariaDB says ANSI_QUOTES in every OK, and what a SET looks like does not count', () => {
    const options = { engine: 'mariadb' as const };
    const on: Step[] = [
      ['c', query("set sql_mode = ''")],
      ['s', ok({ status: status.autocommit | ansiQuotesFlag })],
    ];
    expect(stateAfter(on, options).isAnsiQuotes).toBe(true);
    expect(stateAfter([...on, ...set("set sql_mode = 'ansi'")], options).isAnsiQuotes).toBe(false);
    expect(stateAfter([], { ...options, statusFlags: 2 | ansiQuotesFlag }).isAnsiQuotes).toBe(true);
  });

  const sqlModes: readonly (readonly [string, readonly Step[], boolean])[] = [
    ['a list', set("set sql_mode = 'STRICT_ALL_TABLES,ANSI_QUOTES'"), true],
    ['the short word', set('set session sql_mode = ansi'), true],
    ['a list without it', [...set("set sql_mode = 'ansi'"), ...set("set sql_mode = ''")], false],
    ['the server’s own', [...set("set sql_mode = 'ansi'"), ...set('set sql_mode = default')], false],
    ['of the server', set("set global sql_mode = 'ansi'"), false],
    [
      'one that failed',
      [
        ['c', query("set sql_mode = 'ansi,nope'")],
        ['s', noSuchColumn],
      ],
      false,
    ],
    ['added to', set("set @@sql_mode := concat(@@sql_mode, ',ANSI_QUOTES')"), true],
    [
      'kept by adding',
      [...set("set sql_mode = 'ansi'"), ...set("set sql_mode = concat(@@sql_mode, ',X')")],
      true,
    ],
    ['from a variable: not sure', [...set("set sql_mode = 'ansi'"), ...set('set sql_mode = @old')], false],
    [
      'statement k',
      [
        ['c', query("do 1; set sql_mode = 'ansi'")],
        ['s', ok({ status: more }), ok()],
      ],
      true,
    ],
    [
      'prepared',
      [
        ['c', prepare("set sql_mode = 'ansi'")],
        ['s', prepareOk(1, 0, 0)],
        ['c', execute(1)],
        ['s', ok()],
      ],
      true,
    ],
    ['by EXECUTE', [...set(`prepare s from "set sql_mode = 'ansi'"`), ...set('execute s')], true],
    [
      'session tracking',
      [
        ['c', query('call p()')],
        ['s', tracked(variable('sql_mode', 'REAL_AS_FLOAT,ANSI_QUOTES'))],
      ],
      true,
    ],
    [
      'after COM_RESET_CONNECTION',
      [...set("set sql_mode = 'ansi'"), ['c', resetConnection], ['s', ok()]],
      false,
    ],
  ];

  it.each(sqlModes)('ANSI_QUOTES on MySQL: %s', (_name, steps, isAnsiQuotes) => {
    expect(stateAfter(steps).isAnsiQuotes).toBe(isAnsiQuotes);
    eventsOf(steps);
  });
});

describe('character sets', () => {
  const eAcute = Buffer.from("select 'caf\xe9'", 'latin1');

  it('of the login, by its collation', () => {
    expect(decoded([], Buffer.from("select 'café'"))).toBe("select 'café'");
    expect(decoded([], eAcute, { characterSet: 8 })).toBe("select 'café'");
    expect(decoded([], Buffer.from([0x80]), { characterSet: 8 })).toBe('€');
    expect(decoded([], Buffer.from([0xd6, 0xd0]), { characterSet: 28 })).toBe('中');
    expect(decoded([], Buffer.from([0x83, 0x5c]), { characterSet: 13 })).toBe('ソ');
  });

  it.each([
    ['SET NAMES', set("SET NAMES 'latin1'")],
    ['SET NAMES with a collation', set('set names latin1 collate latin1_bin')],
    ['SET CHARACTER SET', set('set character set latin1')],
    ['SET CHARSET', set('set charset latin1')],
    ['the variable', set("set session character_set_client = 'latin1'")],
    ['an executable comment', set('/*!40101 SET NAMES latin1 */')],
    ['several at once', set('set @a = 1, names latin1')],
    [
      'session tracking',
      [
        ['c', query('call p()')],
        ['s', tracked(variable('character_set_client', 'latin1'))],
      ] as const,
    ],
    [
      'session tracking of several at once',
      [
        ['c', query('call p()')],
        [
          's',
          tracked(
            [5, Buffer.from('T_______')],
            [99, Buffer.from('?')],
            [
              0,
              Buffer.concat([
                lenencString('x'),
                lenencString('y'),
                lenencString('character_set_client'),
                lenencString('latin1'),
              ]),
            ],
          ),
        ],
      ] as const,
    ],
  ] as readonly (readonly [string, readonly Step[]])[])('%s', (_name, steps) => {
    expect(decoded(steps, eAcute)).toBe("select 'café'");
  });

  it('go back to those of the login', () => {
    expect(decoded([...set('set names latin1'), ...set('set names default')], Buffer.from('é'))).toBe('é');
    const reset: Step[] = [...set('set names gbk'), ['c', resetConnection], ['s', ok()]];
    expect(decoded(reset, eAcute, { characterSet: 8, engine: 'mariadb' })).toBe("select 'café'");
    // MySQL goes to the server's own.
    expect(decoded(reset, Buffer.from('é'), { characterSet: 8 })).toBe('é');
  });

  it('come anew with COM_CHANGE_USER', () => {
    const change = changeUser({
      user: 'b',
      authData: Buffer.alloc(0),
      database: '',
      plugin: 'x',
      charset: 8,
    });
    expect(
      decoded(
        [
          ['c', change],
          ['s', ok()],
        ],
        eAcute,
      ),
    ).toBe("select 'café'");
  });

  it('the server’s messages are in that of results', () => {
    const message = Buffer.from("Unknown column 'caf\xe9'", 'latin1');
    const steps: Step[] = [
      ...set('set character_set_results = latin1'),
      ['c', query('select café')],
      ['s', Buffer.concat([error(1054, '', '42S22'), message])],
    ];
    const { errors, events } = run(steps);
    expect(errors[0]?.message).toBe("Unknown column 'café'");
    expect(errors[0]?.sqlState).toBe('42S22');
    expect(events).toContain('failed 1054 <select café> execute k=0 idle');
  });

  it('one without conversion leaves messages in UTF-8', () => {
    for (const text of ['set character_set_results = null', 'set character_set_results = binary']) {
      const steps: Step[] = [
        ...set('set names latin1'),
        ...set(text),
        ['c', query('select x')],
        ['s', error(1054, "Unknown column 'é'")],
      ];
      expect(run(steps).errors[0]?.message).toBe("Unknown column 'é'");
    }
  });
});

describe('session tracking', () => {
  it('announced and not there, or cut short, says nothing', () => {
    const flags = status.autocommit | status.sessionStateChanged;
    const whole = tracked(schema('other'), variable('sql_mode', 'ANSI_QUOTES'));
    const steps: Step[] = [
      ['c', query('use x')],
      ['s', ok({ status: flags })],
    ];
    for (let length = 7; length < whole.length; length += 1)
      steps.push(['c', ping], ['s', whole.subarray(0, length)]);
    expect(run(steps).blind).toBeNull();
  });

  it('longer than is looked at is read as far as that', () => {
    const long = variable('statement_id', 'x'.repeat(10_000));
    expect(
      stateAfter([
        ['c', ping],
        ['s', tracked(schema('other'), long)],
      ]).database,
    ).toBe('other');
    expect(
      stateAfter([
        ['c', ping],
        ['s', tracked(long, schema('other'))],
      ]).database,
    ).toBe('shop');
    eventsOf([
      ['c', ping],
      ['s', tracked(schema('other'), long)],
    ]);
  });

  it('is not looked for where it was not agreed on', () => {
    const steps: Step[] = [
      ['c', ping],
      ['s', tracked(schema('other'))],
    ];
    const capabilities = 512 | (1 << 24);
    expect(stateAfter(steps, { capabilities }).database).toBe('shop');
  });
});
