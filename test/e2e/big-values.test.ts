/** Values far larger than any buffer pass in pieces: the proxy's memory stays flat and other sessions stay responsive. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describePostgres } from '../support/postgres-servers.js';
import { type Load, loadDuring } from '../support/process-figures.js';
import { type RunningProxy, startProxy } from '../support/start-proxy.js';

const mebibyte = 1024 * 1024;
const valueBytes = 100 * mebibyte;
/** Well below one copy of the value; what it leaves room for is the runtime's own heap growth. */
const allowedGrowthBytes = 64 * mebibyte;

describePostgres('a value of 100 MB', (server) => {
  let database: TestDatabase;
  let proxy: RunningProxy;
  let client: pg.Client;
  let bystander: pg.Client;

  beforeAll(async () => {
    database = await createDatabase(server.url, 'create table blob (id int primary key, body bytea)');
    proxy = await startProxy({ upstreamUrl: database.url });
    client = new pg.Client(proxy.through(database.url));
    bystander = new pg.Client(proxy.through(database.url));
    await client.connect();
    await bystander.connect();
    // The runtime grows its heap once for its first load, whatever the size: that is not what is measured here.
    await client.query("select repeat('x', 20000000)");
  });

  afterAll(async () => {
    await client.end();
    await bystander.end();
    await proxy.stop();
    await database.drop();
  });

  const observed = (work: () => Promise<void>): Promise<Load> =>
    loadDuring(proxy.pid, () => bystander.query('select 1'), work);

  it('comes as a row', async () => {
    const { growthBytes, answers } = await observed(async () => {
      const text = 'select convert_to(repeat($1, $2), $3) as body';
      const result = await client.query<{ body: Buffer }>({
        text,
        values: ['x', valueBytes, 'UTF8'],
        binary: true,
      } as pg.QueryConfig);
      expect(result.rows[0]?.body.length).toBe(valueBytes);
    });
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
    expect(answers).toBeGreaterThan(3);
  });

  it('goes as a parameter', async () => {
    const body = Buffer.alloc(valueBytes, 'y');
    const { growthBytes, answers } = await observed(async () => {
      const stored = await client.query<{ digest: string }>(
        'insert into blob values ($1, $2) returning encode(sha256(body), $3) as digest',
        [1, body, 'hex'],
      );
      expect(stored.rows[0]?.digest).toBe(createHash('sha256').update(body).digest('hex'));
    });
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
    expect(answers).toBeGreaterThan(3);
  });

  it('goes as a parameter of a statement that fails, again and again', async () => {
    const body = Buffer.alloc(valueBytes, 'z');
    const errors: string[] = [];
    const { growthBytes } = await observed(async () => {
      for (let time = 1; time <= 2; time += 1) {
        const failed = await client
          .query('insert into blob values ($1, $2)', [1, body])
          .catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: '23505', constraint: 'blob_pkey' });
        errors.push((failed as Error).message);
      }
    });
    expect(errors[0]).not.toContain('[twiceshy ');
    expect(errors[1]).toContain('[twiceshy ');
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
  });

  it('goes as the literal of a statement, which ends in an error', async () => {
    const text = `select nope, '${'l'.repeat(valueBytes)}' from blob`;
    const { growthBytes } = await observed(async () => {
      await expect(client.query(text)).rejects.toMatchObject({ code: '42703' });
    });
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
  });
});
