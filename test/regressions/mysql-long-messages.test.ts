// Long messages of foreign keys were cut, and what parsed them failed (sequelize/sequelize#18125, #9838). MySQL itself ends
// them at 256 bytes, in the midst of a name or a character; MariaDB sends up to 511, which is what clients keep.
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mariadbPlain, mysqlPlain } from '../e2e/mysql/clients/command-line.js';
import { runMysql } from '../servers/mysql-database.js';
import { debianMariadb, sidMysql } from '../servers/mysql-programs.js';
import { readError } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { runClient } from './support/command-line.js';
import { anyNote, type RunningApp, startApp } from './support/running-app.js';

const maxMessageBytes = 511;

/** Names of `length` characters, each of them this one but for its first letters. */
const kinds = { ASCII: 'x', 'two-byte': '\u00e4', 'three-byte': '\u4e2d' } as const;
const lengths = [1, 10, 20, 25, 30, 35, 40, 45, 50, 56, 60, 64];
/** Tables are files, whose names have fewer of some characters. */
const maxTableName = { ASCII: 64, 'two-byte': 64, 'three-byte': 45 } as const;
const maxFromMysql = 256;

describeEachMysql('a foreign key whose message is long', (server) => {
  describe.each(Object.entries(kinds))('of %s names', (kind, letter) => {
    const database = `twiceshy_long_${kind.replaceAll('-', '_')}_${process.pid}`.padEnd(64, 'x').slice(0, 64);
    const url = Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
    /** A name of `length` characters, the first two of which make it the only one. */
    const named = (index: number, role: string, length: number): string =>
      `${String.fromCharCode(0x61 + index)}${role}${letter.repeat(Math.max(0, length - 2))}`;
    const tableNamed = (index: number, role: string): string =>
      named(index, role, Math.min(Number(lengths[index]), maxTableName[kind as keyof typeof kinds]));
    let app: RunningApp;

    beforeAll(async () => {
      await runMysql(server.url, `create database ${database}`);
      for (const [index, length] of lengths.entries()) {
        const [parent, child] = [tableNamed(index, 'p'), tableNamed(index, 'c')];
        const [key, column, constraint] = ['k', 'f', 'n'].map((role) => named(index, role, length));
        await runMysql(
          url,
          `create table \`${parent}\` (\`${key}\` int primary key);
           create table \`${child}\` (\`${column}\` int, constraint \`${constraint}\`
             foreign key (\`${column}\`) references \`${parent}\` (\`${key}\`))`,
        );
      }
      app = await startApp(url);
    });

    afterAll(async () => {
      await app.stop();
      await runMysql(server.url, `drop database ${database}`);
    });

    const insertInto = (index: number): string => `insert into \`${tableNamed(index, 'c')}\` values (1)`;

    it('is whole, and has a note as long as both fit', async () => {
      const [direct, session] = [await RawMysql.open(url), await RawMysql.open(app.through(url))];
      const sizes: number[] = [];
      const noted: boolean[] = [];
      for (const index of lengths.keys()) {
        const sql = insertInto(index);
        const expected = (await direct.query(sql)).at(-1)?.payload as Buffer;
        expect(readError(expected).code).toBe(1452);
        for (let time = 1; time <= 2; time += 1) {
          const answer = (await session.query(sql)).at(-1)?.payload as Buffer;
          expect(answer.subarray(0, expected.length).equals(expected)).toBe(true);
          const message = answer.subarray(9);
          expect(message.length).toBeLessThanOrEqual(maxMessageBytes);
          const rest = answer.subarray(expected.length).toString();
          expect(rest === '' || (rest.startsWith('\n[twiceshy ') && anyNote.test(rest))).toBe(true);
          if (time === 1) expect(rest).toBe('');
          else noted.push(rest !== '');
        }
        sizes.push(expected.length - 9);
      }
      expect(noted[0]).toBe(true);
      expect(noted.at(-1)).toBe(server.flavour === 'mysql');
      // Where a shorter message had no room, a longer one has none.
      expect(noted).toEqual([...noted].sort((one, other) => Number(other) - Number(one)));
      if (server.flavour === 'mysql') expect(Math.max(...sizes)).toBe(maxFromMysql);
      else expect(Math.max(...sizes)).toBeGreaterThan(maxMessageBytes - 20);
      direct.close();
      session.close();
    });

    it('is whole in mysql2 and in the programs', async () => {
      const programs = [await sidMysql(false), await debianMariadb()];
      for (const index of [0, 3, 6, lengths.length - 1]) {
        const sql = insertInto(index);
        const messageOf = async (target: string): Promise<string> => {
          const connection = await createConnection(target);
          const message = await connection.query(sql).then(
            () => '',
            (error: Error) => error.message,
          );
          await connection.end();
          return message;
        };
        const direct = await messageOf(url);
        expect((await messageOf(app.through(url))).startsWith(direct)).toBe(true);
        for (const program of programs) {
          if (!('client' in program) || program.flavour !== server.flavour) continue;
          const said: string[] = [];
          for (const target of [url, app.through(url)]) {
            const { hostname, port, username, password } = new URL(target);
            const login = { host: hostname, port: Number(port), user: username, password, database };
            const plain = program.flavour === 'mysql' ? mysqlPlain : mariadbPlain;
            const options = [...plain, '--default-character-set=utf8mb4', '-e', sql];
            said.push((await runClient(program.client, login, options)).stderr);
          }
          expect(said[0]).toContain('ERROR 1452');
          expect(said[1]?.replace(/\n\[twiceshy [\s\S]*$/, '\n')).toBe(said[0]);
        }
      }
    });
  });
});
