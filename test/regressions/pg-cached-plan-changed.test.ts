// Clients retry on the text and code of "cached plan must not change result type" (pgdogdev/pgdog#943,
// pgbouncer/pgbouncer#1038): it must reach them as it is, and it is the schema's doing, not the statement's.
import { afterEach, describe, expect, it } from 'vitest';
import { client } from '../protocol/postgres/frames.js';
import { createDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { fieldsOf, letters } from './support/frames.js';
import { type RunningApp, startApp } from './support/running-app.js';

const { bind, execute, parse, query, sync } = client;

describeEachPostgres('a cached plan whose result has changed', (server) => {
  let app: RunningApp | null = null;

  afterEach(async () => {
    await app?.stop();
    app = null;
  });

  describe.each(['agent', 'application'] as const)('for an audience of kind %s', (audience) => {
    it('fails as without a proxy each time, is not remembered, and the client’s way out works', async () => {
      const database = await createDatabase(
        server.url,
        'create table item (id int); insert into item values (1); alter table item owner to trust_user',
      );
      const running = await startApp(database.url, { audience });
      app = running;
      const session = await RawPostgres.open(running.through(database.url));
      const fetch = [bind('', 's'), execute(''), sync()];
      const errors: Record<string, string>[] = [];
      for (let time = 1; time <= 4; time += 1) {
        await session.send(Buffer.concat([parse('s', 'select * from item'), ...fetch]));
        expect(letters(await session.ready(1))).toBe('12DCZ');
        await session.send(query(`alter table item add more_${time} int`));
        await session.ready(1);
        await session.send(Buffer.concat(fetch));
        const frames = await session.ready(1);
        expect(letters(frames)).toBe('E[0A000]Z');
        errors.push(fieldsOf(frames[0]?.body ?? Buffer.alloc(0)));
        await session.send(Buffer.concat([client.close('S', 's'), sync()]));
        await session.ready(1);
      }
      expect(errors.map(({ M }) => M)).toEqual(Array(4).fill('cached plan must not change result type'));
      expect(errors.filter((fields) => 'H' in fields)).toEqual([]);
      session.close();
      app = null;
      expect(await running.stop()).toEqual([]);
      await database.drop();
    });
  });
});
