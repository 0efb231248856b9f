// A COPY TO that was refused left its client hanging, and CopyFail was never sent for a COPY FROM whose source broke
// (brianc/node-pg-copy-streams#113, #115).
import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

describeEachPostgres('COPY by pg-copy-streams', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(server.url, 'create table copied (id int)');
  });

  afterAll(() => database.drop());

  it('to the client: refused once, with the note on its repetition, and the block goes on', async () => {
    const proxy = await watch(database.url);
    const client = new pg.Client(proxy.through(database.url));
    await client.connect();
    for (let time = 1; time <= 2; time += 1) {
      await client.query('begin');
      const stream = client.query(copyTo('copy (oops) to stdout'));
      const errors: Error[] = [];
      stream.on('error', (error: Error) => errors.push(error));
      stream.resume();
      expect((await client.query('rollback')).command).toBe('ROLLBACK');
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject({ code: '42601' });
      expect(errors[0]?.message.includes(noteMark)).toBe(time === 2);
    }
    await client.end();
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(2).fill('failed 42601 <copy (oops) to stdout> execute k=0 open'));
    expect(proxy.blind).toEqual([]);
  });

  it('from a source that breaks: 57014 is of the COPY and of the client’s own making', async () => {
    const proxy = await watch(database.url);
    const client = new pg.Client(proxy.through(database.url));
    await client.connect();
    const stream = client.query(copyFrom('copy copied from stdin'));
    const broken = once(stream, 'error');
    stream.write('1\n');
    stream.destroy(new Error('the source broke'));
    await broken;
    expect((await client.query('select count(*)::int as n from copied')).rows).toEqual([{ n: 0 }]);
    await client.end();
    expect(proxy.sessions[0]?.events.slice(0, 2)).toEqual([
      'failed 57014 <copy copied from stdin> copy k=0 idle cancel',
      'settled idle',
    ]);
    expect(proxy.blind).toEqual([]);
  });
});
