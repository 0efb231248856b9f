// A SELECT of more than 65,535 columns, which both servers allow, was taken for an answer that cannot be (MariaDB's own tests
// send one of 68,001).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

describeEachMysql('70,000 columns', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, '');
  });

  afterAll(() => database.drop());

  it('are an answer like any other', async () => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const answer = await session.query(`select ${Array(70_000).fill('1').join()}`);
    expect(answer.length).toBeGreaterThan(70_001);
    await session.query('select nope');
    expect(failuresOf(proxy.sessions[0])).toContain('failed 1054 <select nope> execute k=0 idle');
    expect(proxy.blind).toEqual([]);
    session.close();
  }, 60_000);
});
