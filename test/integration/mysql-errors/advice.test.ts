/** What the notes advise runs on the product they advise it for, and statements of other databases get the advice. */
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mysql/catalog.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { buildSchema } from '../../../src/core/schema/schema.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { type AvailableMysql, describeEachMysql } from '../../support/mysql-servers.js';
import { addressOf, plain } from '../mysql-catalog/support.js';
import { advisedFixture, advisedForms } from './advised-forms.js';
import { fixture } from './cases.js';
import { foreignCases } from './foreign-cases.js';
import { noteFor } from './note.js';
import { raisedBy } from './raise.js';

async function withFixture(server: AvailableMysql, statements: readonly string[]): Promise<TestDatabase> {
  const database = await createMysqlDatabase(server.url);
  const connection = await createConnection(database.url);
  for (const statement of statements) await connection.query(statement);
  await connection.end();
  return database;
}

describeEachMysql('advised forms', (server: AvailableMysql) => {
  // Each in a database of its own, several at a time: what they define stays out of the way of the others.
  it.concurrent.each(advisedForms[server.flavour])('%s', async (form) => {
    const database = await withFixture(server, advisedFixture);
    const connection = await createConnection(database.url);
    try {
      for (const statement of form.split(';;')) await connection.query(statement);
    } finally {
      connection.destroy();
      await database.drop();
    }
  });
});

describeEachMysql('statements of other databases', (server: AvailableMysql) => {
  const { flavour } = server;
  let database: TestDatabase;
  let connection: Connection;
  let schema: SchemaModel;
  beforeAll(async () => {
    database = await withFixture(server, fixture);
    const reader = await openCatalog(addressOf(database.url), plain);
    schema = buildSchema(await reader.read(), 1);
    await reader.close();
    connection = await createConnection(database.url);
  });
  afterAll(async () => {
    connection.destroy();
    await database.drop();
  });

  it.each(foreignCases[flavour])('%s', async (statement, advice) => {
    const error = await raisedBy(connection, statement);
    expect(noteFor(statement, error, flavour, schema, database.name)).toContain(advice);
  });
});
