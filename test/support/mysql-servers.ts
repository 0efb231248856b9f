/**
 * How a test asks for real servers of the MySQL family: `describeMysql` and `describeMariadb` for one of them,
 * `describeEachMysql` for what must hold on both.
 */
import { describe, inject, it } from 'vitest';
import type { MysqlServer } from '../servers/provision.js';

export type AvailableMysql = Extract<MysqlServer, { readonly url: string }>;

type Body = (server: AvailableMysql) => void;

/** Declares `body` on MySQL; where it cannot be had, a skipped group that names what is missing. */
export function describeMysql(title: string, body: Body): void {
  declare(title, body, ({ flavour }) => flavour === 'mysql');
}

/** Declares `body` on MariaDB; where it cannot be had, a skipped group that names what is missing. */
export function describeMariadb(title: string, body: Body): void {
  declare(title, body, ({ flavour }) => flavour === 'mariadb');
}

/** Declares `body` once per server. */
export function describeEachMysql(title: string, body: Body): void {
  declare(title, body, () => true);
}

function declare(title: string, body: Body, isWanted: (server: MysqlServer) => boolean): void {
  for (const server of inject('mysqlServers').filter(isWanted)) {
    if ('url' in server) describe(`${title} on ${server.name}`, () => body(server));
    else
      describe.skip(`${title} (skipped: ${server.missing})`, () => {
        it('needs a server', () => {});
      });
  }
}
