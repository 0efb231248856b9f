/**
 * Servers whose settings change how a statement is read: names of tables in any case, double quotes around names,
 * backslashes that are only backslashes, for everyone and taken back in a session or for the sessions to come.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import { acquireMysqlWith, type MysqlServer, releaseMysqlWith } from '../../servers/provision.js';
import { leaksIn, secretWord as word } from '../../support/leaks.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { until } from '../../support/until.js';
import { Asking, ask, type Told } from './asking.js';

const settleMs = 20_000;
const modes = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES';
const settings = ['--lower-case-table-names=1', `--sql-mode=${modes}`];

for (const flavour of ['mysql', 'mariadb'] as const) {
  describe(`a server of ${flavour} with settings of its own`, () => {
    const lease = `vitest-settings-${process.pid}`;
    let server: MysqlServer;
    let database: TestDatabase | null = null;
    let proxy: RunningProxy | null = null;

    beforeAll(async () => {
      server = await acquireMysqlWith(settings, flavour, lease);
      if ('missing' in server) {
        if (process.env['CI'] !== undefined) throw new Error(server.missing);
        return;
      }
      database = await createMysqlDatabase(
        server.url,
        `create table City (id int primary key, Name varchar(40), unique key name_key (name));
         insert into city values (1, 'Oslo')`,
      );
      proxy = await startProxy({ upstreamUrl: database.url });
    });

    afterAll(async () => {
      await proxy?.stop();
      await database?.drop();
      await releaseMysqlWith(settings, flavour, lease);
    });

    /** The URL to ask, or null where the server cannot be had. */
    const through = (name?: string): string | null => {
      if (proxy === null || database === null) return null;
      const url = new URL(proxy.through(database.url));
      if (name !== undefined) url.pathname = `/${name}`;
      return url.href;
    };

    function remembered(): string {
      const folder = proxy?.memory ?? '';
      return readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n');
    }

    async function expectRemembered(shape: string): Promise<void> {
      await until(() => remembered().includes(`"shape":"${shape}"`), settleMs, `the record of ${shape}`);
      expect(leaksIn(remembered())).toEqual([]);
    }

    async function tell(sql: string, ...before: string[]): Promise<Told> {
      const session = await Asking.open(String(through()));
      await session.run(...before);
      const [told = null] = await session.ask(sql);
      await session.end();
      return told;
    }

    it('knows a table and its database by any case', async ({ skip }) => {
      const url = through();
      if (url === null || database === null) return skip();
      expect(await tell('select id, nope from CITY')).toBe('');
      expect(await tell('select id, nope from city')).toContain('undefined_object');
      expect(await tell('SELECT `id`, `nope` FROM `City`')).toContain('undefined_object');
      const upper = database.name.toUpperCase();
      expect((await ask(String(through(upper)), 'select id, nope from city'))[0]).toContain(
        'undefined_object',
      );
      const told = await ask(
        url,
        `use ${upper}`,
        'select id, nope from CITY',
        `select nope1 from ${upper}.City`,
      );
      expect(told[1]).toContain('undefined_object');
      expect(told[2]).toBe('');
      expect(await tell(`select nope1 from ${database.name}.city`)).toContain('undefined_object');
      expect(await ask(url, 'alter table CITY add column founded date')).toEqual([null]);
      expect(await tell('select id, nope from city')).toBe('');
    });

    it('knows a duplicate by its key', async ({ skip }) => {
      if (through() === null) return skip();
      expect(await tell("insert into CITY (ID, NAME) values (2, 'Oslo')")).toBe('');
      // The note names the key once the change before this is read.
      const isNamed = async (): Promise<boolean> =>
        (await tell("insert into city (ID, NAME) values (3, 'Oslo')"))?.includes('name_key') === true;
      await until(isNamed, settleMs, 'the key to be named');
    });

    it('reads double quotes and backslashes as the server does', async ({ skip }) => {
      if (through() === null) return skip();
      const quoted = `select "nope_q", '\\', 'x' from "city" where "name" = '${word}'`;
      expect(await tell(quoted)).toBe('');
      expect(await tell("select nope_q, 'y', 'z' from city where name = 'Riga'")).toContain(
        'undefined_object',
      );
      await expectRemembered('select nope_q , ? , ? from city where name = ?');
    });

    it('reads them as a session has set them', async ({ skip }) => {
      if (through() === null) return skip();
      const own = `select nope_own, 'it\\'s ${word}' from city where name = "${word}"`;
      expect(await tell(own, "set sql_mode = 'STRICT_TRANS_TABLES'")).toBe('');
      await expectRemembered('select nope_own , ? from city where name = ?');
      const half = `select nope_half, '\\', 'x' from city where name = "${word}"`;
      expect(await tell(half, "set sql_mode = 'NO_BACKSLASH_ESCAPES'")).toBe('');
      await expectRemembered('select nope_half , ? , ? from city where name = ?');
      const back = 'select "nope_back", \'\\\', \'x\' from "city"';
      expect(await tell(back, "set sql_mode = ''", 'set sql_mode = default')).toBe('');
      await expectRemembered('select nope_back , ? , ? from city');
    });

    it('reads them as the server has set them since', async ({ skip }) => {
      const url = through();
      if (url === null || database === null) return skip();
      try {
        await runMysql(database.url, "set global sql_mode = 'STRICT_TRANS_TABLES'");
        // At once, before the proxy can have seen it.
        const value = `select nope_since, 'it\\'s ${word}' from city where name = "${word}"`;
        await tell(value);
        await tell(value);
        const isSeen = async (): Promise<boolean> => {
          await tell(value.replace('nope_since', 'nope_seen'));
          return remembered().includes('"shape":"select nope_seen , ? from city where name = ?"');
        };
        await until(isSeen, settleMs, 'the new mode to be seen');
        expect(leaksIn(remembered())).toEqual([]);
      } finally {
        await runMysql(database.url, `set global sql_mode = '${modes}'`);
      }
    });
  });
}
