import pg from 'pg';
import { expect, it } from 'vitest';
import { asRole, createDatabase } from '../../servers/database.js';
import { roles } from '../../servers/roles.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';

describeEachPostgres('a provisioned server', (server) => {
  it('lets every test account in, over TLS and plain, and gives a database of its own', async () => {
    const database = await createDatabase(server.url, 'create table own (id int)');
    try {
      for (const role of [null, ...roles]) {
        const connectionString = role === null ? database.url : asRole(database.url, role);
        for (const ssl of [false, { rejectUnauthorized: false }]) {
          const client = new pg.Client({ connectionString, ssl });
          await client.connect();
          const answer = await client.query(
            "select (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as tls, to_regclass('own')::text as own",
          );
          await client.end();
          expect(answer.rows).toEqual([{ tls: ssl !== false, own: 'own' }]);
        }
      }
    } finally {
      await database.drop();
    }
    const gone = new pg.Client(database.url);
    await expect(gone.connect()).rejects.toMatchObject({ code: '3D000' });
  });
});
