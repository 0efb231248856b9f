/** What no server of a test run shows: settings it was not started with, a catalog too large, damaged tables of its own. */
import { afterEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mysql/catalog.js';
import { limits } from '../../../src/core/limits.js';
import { error, ok, resultSet } from '../../support/mysql-server-packets.js';
import { ScriptedMysqlServer } from '../../support/scripted-mysql-server.js';
import { addressOf, plain } from './support.js';

type Rows = readonly (readonly (string | null)[])[];

const columnsOf = (rows: Rows): string[] => (rows[0] ?? ['a']).map((_, index) => `c${index}`);
const answer = (rows: Rows): Buffer[] => resultSet(columnsOf(rows), rows, { isEofDeprecated: false });

/** Rows by what is selected from; a server without tables otherwise. */
interface Catalog {
  readonly count?: string;
  readonly server?: readonly [version: string, nameCase: string, sqlMode: string];
  readonly from?: Readonly<Record<string, Rows | Buffer[]>>;
}

let server: ScriptedMysqlServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(catalog: Catalog) {
  server = await ScriptedMysqlServer.listen(async (session) => {
    await session.login();
    await session.serve((text) => {
      if (text.startsWith('set ')) return [ok()];
      if (text.startsWith('select version()')) {
        return answer([catalog.server ?? ['9.7.0', '0', 'STRICT_TRANS_TABLES']]);
      }
      if (text.startsWith('select count(*)')) return answer([[catalog.count ?? '1']]);
      if (text === 'show grants') return answer([['GRANT ALL PRIVILEGES ON *.* TO `app`@`%`']]);
      const from = /from (?:information|performance)_schema\.(\w+)/.exec(text)?.[1] ?? '';
      const rows = catalog.from?.[from] ?? [];
      return Buffer.isBuffer(rows[0]) ? (rows as Buffer[]) : answer(rows as Rows);
    });
    session.end();
  });
  return openCatalog(addressOf(server.url), plain);
}

describe('the catalog of a scripted server', () => {
  it.each([
    [
      '0',
      'STRICT_TRANS_TABLES',
      { isNameCaseIgnored: false, isAnsiQuotes: false, isBackslashLiteral: false },
    ],
    ['1', '', { isNameCaseIgnored: true, isAnsiQuotes: false, isBackslashLiteral: false }],
    [
      '0',
      'REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI',
      { isNameCaseIgnored: false, isAnsiQuotes: true, isBackslashLiteral: false },
    ],
    ['2', 'NO_BACKSLASH_ESCAPES', { isNameCaseIgnored: true, isAnsiQuotes: false, isBackslashLiteral: true }],
  ])(
    'says how statements are read: lower_case_table_names %s, sql_mode %s',
    async (nameCase, sqlMode, lexical) => {
      const reader = await open({ server: ['9.7.0', nameCase, sqlMode] });
      expect((await reader.read()).lexical).toEqual(lexical);
      await reader.close();
    },
  );

  it.each([
    ['9.7.0', 'mysql'],
    ['8.0.36-28', 'mysql'],
    ['10.11.6-MariaDB-0+deb12u1', 'mariadb'],
    ['5.5.5-12.0.2-MariaDB', 'mariadb'],
  ])('tells the products by their version: %s is %s', async (version, engine) => {
    const reader = await open({ server: [version, '0', ''] });
    expect(reader.engine).toBe(engine);
    await reader.close();
  });

  it.each(['5.7.44-log', '8.0.15'])('says that it does not read a server so old: %s', async (version) => {
    await expect(open({ server: [version, '0', ''] })).rejects.toThrow(/^The server is MySQL [58]\.\d\.\d+;/);
  });

  const named = {
    tables: [['Shop', 'Users', 'BASE TABLE', 'InnoDB']],
    columns: [['SHOP', 'users', '1', 'Id', 'int', 'NO', '0', '', '', null, null]],
    key_column_usage: [['Shop', 'users', 'To_Parent', '1', 'Id', 'Shop', 'Parent', 'Id']],
  };

  it('takes names of tables in lower case where the server compares them so and prints what was written', async () => {
    const reader = await open({ server: ['9.7.0', '2', ''], from: named });
    const [table] = (await reader.read()).tables;
    expect(table).toMatchObject({ schema: 'shop', name: 'users', columns: [{ name: 'Id' }] });
    expect(table?.constraints).toMatchObject([{ name: 'To_Parent', references: 'shop.parent' }]);
    await reader.close();
  });

  it('takes them as they are where case matters', async () => {
    const reader = await open({ from: named });
    expect((await reader.read()).tables).toMatchObject([{ schema: 'Shop', name: 'Users', columns: [] }]);
    await reader.close();
  });

  it('takes rows of a table that was dropped meanwhile for nothing', async () => {
    const reader = await open({
      from: {
        columns: [['shop', 'gone', '1', 'id', 'int', 'NO', '0', '', '', null, null]],
        statistics: [['shop', 'gone', 'PRIMARY', '1', 'id', null, null]],
        key_column_usage: [['shop', 'gone', 'k', '1', 'id', 'shop', 'parent', 'id']],
        referential_constraints: [['shop', 'gone', 'k', 'CASCADE', 'CASCADE']],
        check_constraints: [['shop', 'c', 'a > 0']],
        table_constraints: [['shop', 'gone', 'c', null, 'YES']],
        triggers: [['shop', 'gone', 't', 'BEFORE', 'INSERT', '1', '', 'ff']],
      },
    });
    expect((await reader.read()).tables).toEqual([]);
    await reader.close();
  });

  it('reads columns in whatever order they come', async () => {
    const column = (place: number) => [
      'shop',
      't',
      String(place),
      `c${place}`,
      'int',
      'YES',
      '0',
      '',
      '',
      null,
      null,
    ];
    const reader = await open({
      from: {
        tables: [['shop', 't', 'BASE TABLE', 'InnoDB']],
        columns: [10, 2, 1].map(column),
        statistics: [
          ['shop', 't', 'k', '2', 'c2', null, null],
          ['shop', 't', 'k', '1', null, null, 'lower(`c1`)'],
        ],
      },
    });
    const [table] = (await reader.read()).tables;
    expect(table?.columns.map(({ name }) => name)).toEqual(['c1', 'c2', 'c10']);
    expect(table?.constraints).toEqual([
      { kind: 'unique_index', name: 'k', columns: [], definition: 'UNIQUE ((lower(`c1`)), c2)' },
    ]);
    await reader.close();
  });

  it.each([
    ['FEDERATED', 'BASE TABLE', 'foreign'],
    ['CONNECT', 'BASE TABLE', 'foreign'],
    ['InnoDB', 'SYSTEM VERSIONED', 'table'],
    ['InnoDB', 'SEQUENCE', 'table'],
    [null, 'VIEW', 'view'],
  ])('knows the kind of a table of engine %s and type %s', async (engine, type, kind) => {
    const reader = await open({ from: { tables: [['shop', 't', type, engine]] } });
    expect((await reader.read()).tables).toMatchObject([{ kind }]);
    await reader.close();
  });

  it('refuses more tables than are kept', async () => {
    const reader = await open({ count: String(limits.maxCatalogTables + 1) });
    await expect(reader.read()).rejects.toThrow(`more than ${limits.maxCatalogTables} are not read`);
    await reader.close();
  });

  it('does without events where the server cannot read its own tables of them', async () => {
    const reader = await open({
      from: { events: [error(1577, 'Cannot proceed, system tables are damaged')] },
    });
    expect((await reader.read()).tables).toEqual([]);
    await reader.close();
    await server?.close();
    const other = await open({ from: { events: [error(1146, 'No such table', '42S02')] } });
    await expect(other.read()).rejects.toMatchObject({ errno: 1146 });
    await other.close();
  });
});
