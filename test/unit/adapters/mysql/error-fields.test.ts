/** Names taken out of messages; all but the made-up values are as MySQL 9.7 and MariaDB 10.11 wrote them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Flavour } from '../../../../adapters/mysql/error-codes.js';
import { namesInMessage, readErrorFields } from '../../../../adapters/mysql/error-fields.js';
import { messagePatterns } from '../../../../adapters/mysql/error-messages.js';
import { redactAround } from '../../../../src/core/notes/redact.js';

function fieldsOf(code: number, message: string, flavour: Flavour) {
  const { nameRanges = [], ...fields } = readErrorFields(String(code), message, flavour);
  expect(nameRanges.every(([start, end]) => start < end && end <= message.length)).toBe(true);
  return fields;
}

const foreignKey =
  'a foreign key constraint fails (`shop`.`orders`, CONSTRAINT `orders_user_fk` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`))';
const ofForeignKey = { schema: 'shop', table: 'orders', constraint: 'orders_user_fk' };

type Case = readonly [code: number, message: string, fields: object];

const onBoth: readonly Case[] = [
  [1048, "Column 'email' cannot be null", { column: 'email' }],
  [1049, "Unknown database 'nodb'", { schema: 'nodb' }],
  [1050, "Table 'users' already exists", { table: 'users' }],
  [1051, "Unknown table 'shop.nosuch'", { schema: 'shop', table: 'nosuch' }],
  [1051, "Unknown table 'shop.a,shop.b'", {}],
  [1054, "Unknown column 'u.emial' in 'field list'", { column: 'u.emial' }],
  [1054, "Unknown column 'alice@example.com' in 'where clause'", {}],
  [1060, "Duplicate column name 'a'", { column: 'a' }],
  [1061, "Duplicate key name 'users_email_key'", { constraint: 'users_email_key' }],
  [1072, "Key column 'nosuch' doesn't exist in table", { column: 'nosuch' }],
  [1099, "Table 'users' was locked with a READ lock and can't be updated", { table: 'users' }],
  [1110, "Column 'email' specified twice", { column: 'email' }],
  [1146, "Table 'shop.nosuch' doesn't exist", { schema: 'shop', table: 'nosuch' }],
  [1264, "Out of range value for column 'tiny' at row 1", { column: 'tiny' }],
  [1265, "Data truncated for column 'kind' at row 12", { column: 'kind' }],
  [1364, "Field 'email' doesn't have a default value", { column: 'email' }],
  [1406, "Data too long for column 'name' at row 1", { column: 'name' }],
  [1451, `Cannot delete or update a parent row: ${foreignKey}`, ofForeignKey],
  [1452, `Cannot add or update a child row: ${foreignKey}`, ofForeignKey],
  [1451, 'Cannot delete or update a parent row: a foreign key constraint fails', {}],
  [1553, "Cannot drop index 'k': needed in a foreign key constraint", { constraint: 'k' }],
  [1690, "BIGINT UNSIGNED value is out of range in '(`shop`.`t`.`a` - 1)'", {}],
  [1292, "Truncated incorrect DOUBLE value: 'a@x'", {}],
  [1213, 'Deadlock found when trying to get lock; try restarting transaction', {}],
  [1064, "You have an error in your SQL syntax; … near 'users' at line 1", {}],
];

const onMysql: readonly Case[] = [
  [1062, "Duplicate entry '1' for key 'users.PRIMARY'", { table: 'users', constraint: 'PRIMARY' }],
  [1062, "Duplicate entry 'O'Brien' for key 'users.name'", { table: 'users', constraint: 'name' }],
  [1062, "Duplicate entry '1' for key 'PRIMARY'", { constraint: 'PRIMARY' }],
  [1062, "Duplicate entry '1' for key 'a.b.c'", {}],
  [1062, "Duplicate entry '1' for key '<group_key>'", {}],
  [
    1055,
    "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'shop.u.name' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
    { column: 'name' },
  ],
  [
    1140,
    "In aggregated query without GROUP BY, expression #2 of SELECT list contains nonaggregated column 'shop.users.id'; this is incompatible with sql_mode=only_full_group_by",
    { column: 'id' },
  ],
  [1142, "SELECT command denied to user 'lim'@'localhost' for table 'big'", { table: 'big' }],
  [
    1143,
    "SELECT command denied to user 'lim'@'localhost' for column 'secret' in table 'u'",
    { table: 'u', column: 'secret' },
  ],
  [1044, "Access denied for user 'app'@'%' to database 'mysql'", { schema: 'mysql' }],
  [1292, "Incorrect date value: 'nonsense' for column 'born' at row 1", { column: 'born' }],
  [1366, "Incorrect integer value: 'abc' for column 'age' at row 1", { column: 'age' }],
  [
    1701,
    'Cannot truncate a table referenced in a foreign key constraint (`shop`.`orders`, CONSTRAINT `orders_user_fk`)',
    ofForeignKey,
  ],
  [
    3105,
    "The value specified for generated column 'b' in table 'gen' is not allowed.",
    { column: 'b', table: 'gen' },
  ],
  [
    3140,
    'Invalid JSON text: "Missing a name for object member." at position 1 in value for column \'users.doc\'.',
    { table: 'users', column: 'doc' },
  ],
  [
    3730,
    "Cannot drop table 'users' referenced by a foreign key constraint 'orders_user_fk' on table 'orders'.",
    { constraint: 'orders_user_fk', table: 'orders' },
  ],
  [
    3780,
    "Referencing column 'a' and referenced column 'id' in foreign key constraint 'fk_bad' are incompatible.",
    { column: 'a', constraint: 'fk_bad' },
  ],
  [3819, "Check constraint 'users_age_check' is violated.", { constraint: 'users_age_check' }],
];

const onMariadb: readonly Case[] = [
  [1062, "Duplicate entry '1' for key 'PRIMARY'", { constraint: 'PRIMARY' }],
  [1062, "Duplicate entry '1' for key 'idx.of.old'", { constraint: 'idx.of.old' }],
  [
    1005,
    'Can\'t create table `shop`.`b1` (errno: 150 "Foreign key constraint is incorrectly formed")',
    { schema: 'shop', table: 'b1' },
  ],
  [1055, "'shop.u.name' isn't in GROUP BY", { column: 'name' }],
  [1091, "Can't DROP COLUMN `nosuch`; check that it exists", { column: 'nosuch' }],
  [
    1142,
    "INSERT command denied to user 'lim'@'localhost' for table `shop`.`t`",
    { schema: 'shop', table: 't' },
  ],
  [
    1292,
    "Incorrect date value: 'nonsense' for column `shop`.`users`.`born` at row 1",
    { schema: 'shop', table: 'users', column: 'born' },
  ],
  [1369, 'CHECK OPTION failed `shop`.`v_chk`', { schema: 'shop', table: 'v_chk' }],
  [
    1829,
    "Cannot drop column 'id': needed in a foreign key constraint 'shop/fk1' of table `shop`.`plain`",
    { schema: 'shop', table: 'plain', column: 'id', constraint: 'fk1' },
  ],
  [
    1906,
    "The value specified for generated column 'b' in table 'gen' has been ignored",
    { column: 'b', table: 'gen' },
  ],
  [1965, "'shop.v_users' is a view", { schema: 'shop', table: 'v_users' }],
  [
    4025,
    'CONSTRAINT `users_age_check` failed for `shop`.`users`',
    { constraint: 'users_age_check', schema: 'shop', table: 'users' },
  ],
  [
    4025,
    'CONSTRAINT `users.doc` failed for `shop`.`users`',
    { constraint: 'doc', column: 'doc', schema: 'shop', table: 'users' },
  ],
  [4092, "Unknown VIEW: 'shop.nosuch'", { schema: 'shop', table: 'nosuch' }],
  [4161, "Unknown data type: 'nosuch'", { dataType: 'nosuch' }],
];

describe('readErrorFields', () => {
  it.each([...onBoth, ...onMysql])('of MySQL %i %s', (code, message, fields) => {
    expect(fieldsOf(code, message, 'mysql')).toEqual(fields);
  });
  it.each([...onBoth, ...onMariadb])('of MariaDB %i %s', (code, message, fields) => {
    expect(fieldsOf(code, message, 'mariadb')).toEqual(fields);
  });

  it.each([
    [
      "Doppelter Eintrag 'x' for key 'evil' für Schlüssel 'users.users_email_key'",
      1062,
      { table: 'users', constraint: 'users_email_key' },
    ],
    [
      "'x' for key 'evil' は索引 'users.users_email_key' で重複しています。",
      1062,
      { table: 'users', constraint: 'users_email_key' },
    ],
    ["La table 'shop.nosuch' n'existe pas", 1146, { schema: 'shop', table: 'nosuch' }],
    ["Champ 'nosuch' inconnu dans field list", 1054, { column: 'nosuch' }],
    ["列 'nosuch' は 'field list' にはありません。", 1054, { column: 'nosuch' }],
    ["칼럼 'email'는 널(Null)이 되면 안됩니다.", 1048, { column: 'email' }],
    [`Kann Kind-Zeile nicht hinzufügen: ${foreignKey.replace('a foreign', '')}`, 1452, ofForeignKey],
    // Which of the two is the column is not certain.
    ["칼럼: 'id' in 'field list' 이 모호함", 1052, {}],
    ["Falscher integer-Wert: 'abc' for column 'evil' at row 1' für Feld 'age' in Zeile 1", 1366, {}],
  ])('of a message in another language: %s', (message, code, fields) => {
    expect(fieldsOf(code, message, 'mysql')).toEqual(fields);
  });

  it.each([
    ['1305', 'FUNCTION shop.nofunc does not exist', { kind: 'routine', name: 'nofunc' }],
    ['1305', 'FUNCTION shop.nofunc existiert nicht', { kind: 'routine', name: 'nofunc' }],
    ['1305', 'SAVEPOINT a does not exist', null],
    [
      '1318',
      'Incorrect number of arguments for PROCEDURE shop.p_in; expected 1, got 0',
      { kind: 'routine', name: 'p_in' },
    ],
    ['1066', "Not unique table/alias: 'u'", { kind: 'name', name: 'u' }],
    ['1193', "Unknown system variable 'tx_nosuch'", { kind: 'name', name: 'tx_nosuch' }],
    [
      '1231',
      "Variable 'sql_mode' can't be set to the value of 'no' can't be set to'",
      { kind: 'name', name: 'sql_mode' },
    ],
    ['1231', "Variable 'a b' can't be set to the value of 'x'", null],
  ])('%s %s names %j where no field is for it', (code, message, object) => {
    expect(namesInMessage(code, message, 'mysql').object).toEqual(object);
  });

  it('takes nothing from behind a value that the server may have cut', () => {
    const message = `Duplicate entry '${'\u{1f600}'.repeat(130)}' for key 'evil'`;
    expect(fieldsOf(1062, message, 'mysql')).toEqual({});
    expect(fieldsOf(1062, message.replace('Duplicate entry', 'Doppelter Eintrag'), 'mysql')).toEqual({});
  });

  it('keeps in the detail what is declared, at its place', () => {
    const detail = (code: string, message: string) =>
      redactAround(message, readErrorFields(code, message, 'mariadb').nameRanges ?? []);
    expect(detail('1062', "Duplicate entry 'email' for key 'email'")).toBe(
      'Duplicate entry ? for key "email"',
    );
    expect(detail('1366', "Incorrect integer value: 'age' for column `shop`.`users`.`age` at row 1")).toBe(
      'Incorrect integer value: ? for column "shop"."users"."age" at row ?',
    );
    expect(detail('1054', "Unknown column 'alice' in 'WHERE'")).toBe('Unknown column ?');
    expect(detail('1146', "Table 'shop.nosuch' doesn't exist")).toBe('Table "shop"."nosuch" does not exist');
  });
});

/** Messages of all patterns, with slots filled in as a client that means harm would have it. */
const quoteParts = [
  "'",
  '`',
  '"',
  ' ',
  "' for key 'evil",
  "' for column 'evil' at row 1",
  'evil',
  "'.'",
  '\n',
  "isn't",
  '…',
];
const anyValue = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.array(fc.constantFrom(...quoteParts), { maxLength: 8 }).map((parts) => parts.join('')),
);

function filled(pattern: string, value: string): string {
  return pattern
    .replace(/^~/, '')
    .replace(/\{\*\}/g, () => value)
    .replace(/\{_\}/g, '1')
    .replace(/\{\?\}/g, 'field list')
    .replace(/\{(column|field)\}/g, 'good_column')
    .replace(/\{[a-zA-Z]+\}/g, 'good');
}

const valuePatterns = Object.entries(messagePatterns).flatMap(([code, patterns]) =>
  patterns.flatMap((pattern) =>
    typeof pattern === 'string' && pattern.includes('{*}') ? [[code, pattern] as const] : [],
  ),
);

describe('a value', () => {
  it('stands in more than ten patterns', () => {
    expect(valuePatterns.length).toBeGreaterThan(10);
  });

  it.each(valuePatterns)('never passes for a name: %s %s', (code, pattern) => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom<Flavour>('mysql', 'mariadb'), (value, flavour) => {
        const message = filled(pattern, value);
        const { nameRanges = [], ...fields } = readErrorFields(code, message, flavour);
        for (const name of Object.values(fields)) expect(name).toMatch(/^good/);
        for (const [start, end] of nameRanges) expect(message.slice(start, end)).toMatch(/^good/);
      }),
    );
  });

  it('never passes for a name in another language', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const message = `Doppelter Eintrag '${value}' für Schlüssel 'good'`;
        expect(readErrorFields('1062', message, 'mysql').constraint).toBe('good');
      }),
    );
  });

  it('leaves no word of its own in what is remembered, whatever the message', () => {
    const secret = 's3kr1t';
    const codes = Object.keys(messagePatterns);
    fc.assert(
      fc.property(fc.constantFrom(...codes), anyValue, anyValue, (code, before, after) => {
        for (const pattern of messagePatterns[Number(code)] ?? []) {
          const text = typeof pattern === 'string' ? pattern : "x '{*}' y";
          const message = filled(text.includes('{*}') ? text : `${text} '{*}'`, `${before}${secret}${after}`);
          const { nameRanges = [] } = readErrorFields(code, message, 'mysql');
          expect(redactAround(message, nameRanges)).not.toContain(secret);
        }
      }),
    );
  });

  it('is gone from a message of any code with ranges of any kind', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.tuple(fc.nat(60), fc.nat(60))), (noise, ranges) => {
        const message = `${noise} 's3kr1t' ${noise}`;
        const secretAt = message.indexOf('s3kr1t');
        const elsewhere = ranges
          .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
          .filter(([start, end]) => end <= secretAt || start >= secretAt + 6)
          .sort((a, b) => a[0] - b[0]);
        expect(redactAround(message, elsewhere)).not.toContain('s3kr1t');
      }),
    );
  });
});
