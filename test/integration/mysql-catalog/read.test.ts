import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSchema, type SchemaInput } from '../../../src/core/schema/schema.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { CatalogBench } from './support.js';

const setup = `
  create table users (
    id int unsigned not null auto_increment primary key,
    email varchar(50) collate utf8mb4_bin not null,
    name varchar(100),
    mood enum('sad','o''k') default 'sad',
    price decimal(10,2) not null default 0,
    doubled int generated always as (price * 2) virtual,
    kept varchar(60) generated always as (concat(email, 'x')) stored,
    hidden int invisible,
    flag tinyint(1),
    big bigint(20) unsigned zerofill,
    born year,
    made timestamp not null default current_timestamp on update current_timestamp,
    constraint email_key unique (email),
    unique key name_prefix (name(10), email),
    key plain_index (name),
    constraint price_check check (price >= 0)
  );
  create table orders (
    id int primary key,
    user_id int unsigned,
    line int unsigned,
    unique key pair (user_id, line),
    constraint orders_user foreign key (user_id) references users (id) on delete cascade on update set null
  );
  create table parts (
    order_user int unsigned, order_line int unsigned,
    constraint parts_pair foreign key (order_user, order_line) references orders (user_id, line)
  );
  create trigger priced before insert on users for each row set new.price = new.price + 1;
  create view mails as select id, email from users;
  create view order_ids as select id from orders;
  create procedure archive() select 1;
  create function answer() returns int deterministic return 42;
  create event nightly on schedule every 1 day do select 1;
  create table partitioned (id int, unique key (id)) partition by hash (id) partitions 4;
  create table \`Odd "Name\` (\`a.b\` text);
  create table _users_gho (id int);
  create table _users_20260101000000_del (id int);
  create table _orders_new (id int);
  create table _kept_new (id int);`;

function byName<Named extends { readonly name: string }>(list: readonly Named[]): Record<string, Named> {
  return Object.fromEntries(list.map((one) => [one.name, one]));
}

describeEachMysql('reading the catalog', (server) => {
  const bench = new CatalogBench();
  let input: SchemaInput;

  beforeAll(async () => {
    await bench.open(server, setup);
    await bench.session.query('create temporary table scratch (id int)');
    await bench.session.query('drop table _users_gho; create table _users_gho (id int)');
    input = await bench.reader.read();
  });
  afterAll(() => bench.close());

  it('finds tables of every kind and leaves out what is not declared by users', () => {
    const own = input.tables.filter(({ schema }) => schema === bench.database.name);
    expect(own.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      'Odd "Name table',
      '_kept_new table',
      'mails view',
      'order_ids view',
      'orders table',
      'partitioned table',
      'parts table',
      'users table',
    ]);
    const schemas = new Set(input.tables.map(({ schema }) => schema));
    for (const name of ['mysql', 'information_schema', 'performance_schema', 'sys']) {
      expect(schemas).not.toContain(name);
    }
  });

  it('finds columns in order, with whole types and what makes a statement fail', async () => {
    const [rows] = await bench.session.query('select @@collation_database as collation');
    const { collation } = (rows as { collation: string }[])[0] ?? { collation: '' };
    const columns = bench.table(input, 'users').columns;
    expect(
      columns.map(({ name, type, isNotNull }) => `${name} ${type} ${isNotNull ? 'not null' : 'null'}`),
    ).toEqual([
      'id int unsigned not null',
      'email varchar(50) not null',
      'name varchar(100) null',
      'mood enum null',
      'price decimal(10,2) not null',
      'doubled int null',
      'kept varchar(60) null',
      'hidden int null',
      'flag tinyint null',
      'big bigint unsigned zerofill null',
      'born year null',
      'made timestamp not null',
    ]);
    expect(columns.filter(({ typeDetail }) => typeDetail !== undefined)).toMatchObject([
      { name: 'id', typeDetail: 'auto_increment' },
      { name: 'email', typeDetail: 'utf8mb4_bin' },
      { name: 'name', typeDetail: collation },
      { name: 'mood', typeDetail: `enum('sad','o''k'); ${collation}` },
      { name: 'price', typeDetail: 'default' },
      { name: 'doubled', typeDetail: expect.stringMatching(/^virtual \(?`price` \* 2\)?$/) },
      { name: 'kept', typeDetail: expect.stringMatching(/^utf8mb4.*; stored concat\(`email`,.*x.*\)$/) },
      { name: 'hidden', typeDetail: 'invisible' },
      { name: 'made', typeDetail: 'default' },
    ]);
    expect(bench.table(input, 'Odd "Name').columns).toMatchObject([{ name: 'a.b', type: 'text' }]);
  });

  it('finds keys with their columns in order, and prefixes', () => {
    const { PRIMARY, email_key, name_prefix, plain_index } = byName(bench.table(input, 'users').constraints);
    expect([PRIMARY, email_key, name_prefix, plain_index]).toEqual([
      { kind: 'primary_key', name: 'PRIMARY', columns: ['id'], definition: 'PRIMARY KEY (id)' },
      { kind: 'unique', name: 'email_key', columns: ['email'], definition: 'UNIQUE (email)' },
      {
        ...{ kind: 'unique_index', name: 'name_prefix' },
        ...{ columns: ['name', 'email'], definition: 'UNIQUE (name(10), email)' },
      },
      undefined,
    ]);
  });

  it('finds foreign keys with what they reference and do', () => {
    const schema = bench.database.name;
    const orders = byName(bench.table(input, 'orders').constraints);
    expect(orders['orders_user']).toEqual({
      kind: 'foreign_key',
      name: 'orders_user',
      columns: ['user_id'],
      definition: `FOREIGN KEY (user_id) REFERENCES ${schema}.users (id) ON DELETE CASCADE ON UPDATE SET NULL`,
      references: `${schema}.users`,
    });
    expect(byName(bench.table(input, 'parts').constraints)['parts_pair']).toMatchObject({
      columns: ['order_user', 'order_line'],
      definition: `FOREIGN KEY (order_user, order_line) REFERENCES ${schema}.orders (user_id, line) ON DELETE RESTRICT ON UPDATE RESTRICT`,
    });
  });

  it('finds checks and triggers', () => {
    const { price_check, priced } = byName(bench.table(input, 'users').constraints);
    expect(price_check).toMatchObject({ kind: 'check', columns: [] });
    expect(price_check?.definition).toMatch(/^CHECK \(\(?`price` >= 0\)?\)$/);
    expect(priced).toMatchObject({ kind: 'trigger', columns: [] });
    expect(priced?.definition).toMatch(/^BEFORE INSERT 1 \S+ [0-9a-f]{64}$/);
  });

  it("knows other names that are declared, and which are the product's own", () => {
    const model = buildSchema(input, 1);
    for (const name of ['archive', 'answer', 'nightly', 'priced', bench.database.name]) {
      expect([name, model.knows(name)]).toEqual([name, true]);
    }
    const isAbsent = (schema: string | null, name: string) =>
      model.resolve([{ schema, name }], [bench.database.name], 'app').hasAbsent;
    expect(isAbsent(null, 'users')).toBe(false);
    expect(isAbsent(null, 'scratch')).toBe(true);
    expect(isAbsent('mysql', 'user')).toBe(false);
    expect(isAbsent('INFORMATION_SCHEMA', 'TABLES')).toBe(false);
    expect(isAbsent('performance_schema', 'threads')).toBe(false);
    expect(isAbsent('sys', 'version')).toBe(false);
    expect(isAbsent(null, 'pg_class')).toBe(true);
  });

  it('says how statements are read', () => {
    expect(input.lexical).toEqual({
      isNameCaseIgnored: false,
      isAnsiQuotes: false,
      isBackslashLiteral: false,
    });
    expect(input.defaultSearchPath).toEqual([]);
    expect(bench.reader.engine).toBe(server.flavour);
    expect(bench.reader.blindSpot).toBeNull();
  });
});
