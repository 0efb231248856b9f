/** The dialects' data, and what the session's options change in how a text is read. */
import { describe, expect, it } from 'vitest';
import { mariadbDialect, mysqlDialect } from '../../../../adapters/mysql/dialect.js';
import { mariadb, mysql, oneShape } from '../../core/shape/support.js';

describe('keywords', () => {
  it.each([
    ['MySQL', mysqlDialect],
    ['MariaDB', mariadbDialect],
  ] as const)('of %s are lower-case words, the reserved ones among them', (_name, dialect) => {
    for (const word of dialect.keywords) expect(word).toMatch(/^[a-z][a-z0-9_]*$/);
    for (const word of dialect.reserved) expect(dialect.keywords.has(word)).toBe(true);
    for (const word of dialect.callableTypes) expect(dialect.modifierTypes.has(word)).toBe(true);
    expect(dialect.keywords.size).toBeGreaterThan(650);
    expect(dialect.reserved.size).toBeGreaterThan(230);
  });

  it('differ where the servers do', () => {
    const reservedBy = (word: string): readonly boolean[] =>
      [mysqlDialect, mariadbDialect].map((dialect) => dialect.reserved.has(word));
    expect(reservedBy('select')).toEqual([true, true]);
    expect(reservedBy('rank')).toEqual([true, false]);
    expect(reservedBy('system')).toEqual([true, false]);
    expect(reservedBy('offset')).toEqual([false, true]);
    expect(reservedBy('returning')).toEqual([false, true]);
    expect(reservedBy('status')).toEqual([false, false]);
    // not by all versions of MySQL 8 and 9
    expect(reservedBy('library')).toEqual([false, false]);
  });

  it('keep their quotes where they are reserved', () => {
    expect(oneShape('select `rank`, `offset`, `status` from `select`', {}, mysql).shape).toBe(
      'select `rank` , offset , status from `select`',
    );
    expect(oneShape('select `rank`, `offset`, `status` from `select`', {}, mariadb).shape).toBe(
      'select rank , `offset` , status from `select`',
    );
  });
});

describe('executable comments', () => {
  it.each([
    [50_000, true, true, true],
    [50_699, true, true, true],
    [50_700, true, false, true],
    [80_016, true, false, true],
    [99_998, true, false, true],
    [99_999, false, false, true],
    [100_100, false, true, true],
    [110_800, false, true, true],
    [999_999, false, false, false],
  ])('version %i', (version, mysqlRuns, mariadbRuns, withLetter) => {
    expect(mysqlDialect.executableComments?.runs(version, false)).toBe(mysqlRuns);
    expect(mariadbDialect.executableComments?.runs(version, false)).toBe(mariadbRuns);
    expect(mariadbDialect.executableComments?.runs(version, true)).toBe(withLetter);
  });
});

describe.each([
  ['MySQL', mysql],
  ['MariaDB', mariadb],
] as const)('options of a session, in %s', (_name, shaper) => {
  const shapeOf = (sql: string, options = {}): string => oneShape(sql, options, shaper).shape;

  it('ANSI_QUOTES makes a name of what is in double quotes', () => {
    const sql = 'select "a", "it\'s" as "B c" from "T" where "d" = \'x\'';
    expect(shapeOf(sql)).toBe('select ? , ? as ? from ? where ? = ?');
    expect(shapeOf(sql, { isAnsiQuotes: true })).toBe('select a , ? as `b c` from T where d = ?');
    expect(oneShape(sql, { isAnsiQuotes: true }, shaper).tables).toEqual([{ schema: null, name: 'T' }]);
    // a backslash is none in a name
    expect(shapeOf('select "a\\" , b', { isAnsiQuotes: true })).toBe('select ? , b');
  });

  it('ANSI_QUOTES leaves values in the wrong quotes holes', () => {
    const options = { isAnsiQuotes: true };
    expect(shapeOf('select a from t where b = "my secret" and c in ("x")', options)).toBe(
      'select a from t where b = ? and c in ( ?+ )',
    );
    expect(shapeOf('insert into t values ("secret", "x y")', options)).toBe('insert into t values ( ? , ? )');
  });

  it('NO_BACKSLASH_ESCAPES makes a character of the backslash', () => {
    const sql = "select 'a\\', b, 'c\\\\', \"d\\\", e";
    expect(shapeOf(sql, { isBackslashLiteral: true })).toBe('select ? , b , ? , ? , e');
    expect(shapeOf(sql)).toBe('select ?');
    expect(shapeOf("select 'it\\'s', b")).toBe('select ? , b');
    expect(shapeOf("select N'a\\', b, x'00\\', c", { isBackslashLiteral: true })).toBe(
      'select ? , b , ? , c',
    );
  });

  it('lower_case_table_names folds every name, quoted or not', () => {
    const sql = 'SELECT A.`B`, `c d`, Été, @V FROM Db.`Tab` A JOIN USER AS `ÀÉ`';
    const folded = oneShape(sql, { isNameCaseIgnored: true }, shaper);
    expect(folded.shape).toBe('select a.b , `c d` , été , @v from db.tab a join user as àé');
    expect(folded.tables).toEqual([
      { schema: 'db', name: 'tab' },
      { schema: null, name: 'user' },
    ]);
    const kept = oneShape(sql, {}, shaper);
    expect(kept.shape).toBe('select A.b , `c d` , été , @v from Db.Tab A join USER as ÀÉ');
    expect(kept.tables).toEqual([
      { schema: 'Db', name: 'Tab' },
      { schema: null, name: 'USER' },
    ]);
  });

  it('lower_case_table_names folds letters that keep their length, one by one', () => {
    const { tables } = oneShape('select 1 from `ΑΣ`, `İx`', { isNameCaseIgnored: true }, shaper);
    expect(tables.map((table) => table.name)).toEqual(['ας'.replace('ς', 'σ'), 'İx']);
  });

  it('each combination has its own cached shape', () => {
    const sql = 'select "A" from T where b = \'x\\\\\'';
    const all = [false, true].flatMap((isAnsiQuotes) =>
      [false, true].flatMap((isBackslashLiteral) =>
        [false, true].map((isNameCaseIgnored) =>
          shapeOf(sql, { isAnsiQuotes, isBackslashLiteral, isNameCaseIgnored }),
        ),
      ),
    );
    expect(all).toEqual([
      'select ? from T where b = ?',
      'select ? from t where b = ?',
      'select ? from T where b = ?',
      'select ? from t where b = ?',
      'select a from T where b = ?',
      'select a from t where b = ?',
      'select a from T where b = ?',
      'select a from t where b = ?',
    ]);
  });
});

describe('names', () => {
  it('are the servers’ own in the list of tables, whatever the shape shows', () => {
    const tables = (sql: string): string =>
      oneShape(sql, {}, mysql)
        .tables.map((table) => table.name)
        .join(' ');
    expect(tables('select 1 from t_20240115, `t``x`, `a b`, 日本')).toBe('t_20240115 t`x a b 日本');
    expect(tables('insert into Event values (1)')).toBe('Event');
    expect(tables('select 1 from User, Role as R, `Order`')).toBe('User Role Order');
    expect(tables('with User as (select 1) select * from User, user')).toBe('user');
  });

  it('hold no line of their own', () => {
    expect(oneShape('select `a\u0007 b` x from `c\u202ed`', {}, mysql).shape).toBe(
      'select ? x from c\ufffdd',
    );
  });
});
