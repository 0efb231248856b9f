/** Errors in every language that a server speaks: a name is the right one or none, and no value is kept. */
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namesInMessage, readErrorFields } from '../../../adapters/mysql/error-fields.js';
import { positionOfNear } from '../../../adapters/mysql/near-position.js';
import { redactAround } from '../../../src/core/notes/redact.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { type AvailableMysql, describeEachMysql } from '../../support/mysql-servers.js';
import { type RaisedError, raisedBy } from './raise.js';

const languages = [
  'bg_BG cs_CZ da_DK de_DE el_GR en_US es_ES et_EE fr_FR hi_IN hu_HU it_IT ja_JP ko_KR nb_NO nl_NL pl_PL',
  'pt_PT ro_RO ru_RU sk_SK sr_RS sv_SE uk_UA zh_CN',
].flatMap((line) => line.split(' '));

const evil = "evil7' for key 'evil8' for column 'evil9' at row 1";

/** Number, statement, and the name that an English message gives. */
const cases: readonly (readonly [code: number, statement: string, name: string])[] = [
  [1062, `insert into users values (2, "${evil}", 1)`, 'users_email_key'],
  [1048, `insert into users values (3, null, 1)`, 'email'],
  [1364, `insert into users (id) values (4)`, 'email'],
  [1366, `insert into users values (5, 'q', "${evil}")`, 'age'],
  [1406, `insert into users values (7, "${'evil7'.repeat(60)}", 1)`, 'email'],
  [1054, `select nosuch from users`, 'nosuch'],
  [1146, `select * from nosuch`, 'nosuch'],
  [1305, `select nosuch(1)`, 'nosuch'],
  [1452, `insert into orders values (1, 99)`, 'o_fk'],
  [1052, `select id from users, orders`, 'id'],
  [1061, `alter table users add unique users_email_key (age)`, 'users_email_key'],
  [1050, `create table users (a int)`, 'users'],
  [1064, `select "${evil}" form users`, ''],
];

const setup = `
  create table users (id int primary key, email varchar(200) not null, age int, constraint users_email_key unique (email));
  create table orders (id int primary key, user_id int, constraint o_fk foreign key (user_id) references users (id));
  insert into users values (1, "${evil}", 1);`;

describeEachMysql('languages', (server: AvailableMysql) => {
  const { flavour } = server;
  let database: TestDatabase;
  let connection: Connection;
  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, setup);
    connection = await createConnection(database.url);
  });
  afterAll(async () => {
    connection.destroy();
    await database.drop();
  });

  function namesOf({ code, message }: RaisedError): readonly unknown[] {
    const { nameRanges: _, ...fields } = readErrorFields(code, message, flavour);
    return [...Object.values(fields), namesInMessage(code, message, flavour).object?.name];
  }

  describe.each(flavour === 'mysql' ? languages : [...languages, 'ka_GE'])('%s', (language) => {
    it.each(cases)('%i: %s', async (code, statement, name) => {
      await connection.query(`set lc_messages = '${language}'`);
      const error = await raisedBy(connection, statement);
      expect(error.code).toBe(String(code));
      const names = namesOf(error).filter((one) => one !== undefined);
      if (language === 'en_US' && name !== '') expect(names).toContain(name);
      const right = [name, database.name, 'users', 'orders', `${database.name}.nosuch`];
      for (const one of names) expect(right).toContain(one);
      const { nameRanges = [] } = readErrorFields(error.code, error.message, flavour);
      const detail = redactAround(error.message, nameRanges).replaceAll(database.name, '');
      expect(detail).not.toMatch(/evil|\d/);
    });

    it('1064: the place', async () => {
      await connection.query(`set lc_messages = '${language}'`);
      const statement = `select 'it''s',\n "${evil}" form users`;
      const error = await raisedBy(connection, statement);
      expect(positionOfNear(error.message, statement)).toBe(statement.indexOf('users') + 1);
    });
  });
});
