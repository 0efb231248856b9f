/**
 * The demonstration on a MySQL or MariaDB server of the user's: there is none that comes along. Everything happens in a
 * database of its own, dropped at the end.
 */
import { randomBytes } from 'node:crypto';
import {
  type Connection,
  createConnection,
  type QueryResult,
  type ResultSetHeader,
  type RowDataPacket,
} from 'mysql2/promise';
import { adapterFor } from '../../app.js';
import { TwiceshyError } from '../../core/errors.js';
import { visible } from '../memory-output.js';
import { mysqlScenes } from './script.js';
import { type DemoAnswer, type DemoClient, type DemoStage, labelled } from './stage.js';

const setup = [
  `create table users (
     id    int auto_increment primary key,
     email varchar(120) not null,
     name  varchar(120) not null,
     constraint users_email_key unique (email)
   )`,
  "insert into users (email, name) values ('ada@example.org', 'Ada')",
  `create table accounts (
     owner   varchar(40) primary key,
     balance int not null,
     constraint balance_not_negative check (balance >= 0)
   )`,
  "insert into accounts values ('ada', 100), ('ben', 20)",
];

export async function openMysqlStage(url: string): Promise<DemoStage> {
  const adapter = adapterFor(url);
  if (adapter?.name !== 'mysql') {
    throw new TwiceshyError('USAGE', '--mysql: expected a URL such as mysql://user@host:3306');
  }
  const { host, port, user, password } = adapter.parseUrl(url).address;
  const login = { user, password: password === '' ? (process.env['MYSQL_PWD'] ?? '') : password };
  const database = `twiceshy_demo_${randomBytes(4).toString('hex')}`;
  const owner = await createConnection({ host, port, ...login }).catch((cause: unknown) => {
    throw new TwiceshyError('DEMO_FAILED', `--mysql: the server cannot be reached: ${reason(cause)}`, {
      cause,
    });
  });
  const close = async () => {
    await owner.query(`drop database if exists ${database}`);
    await owner.end();
  };
  try {
    await owner.query(`create database ${database}`);
    await owner.query(`use ${database}`);
    for (const statement of setup) await owner.query(statement);
    const version = await serverVersion(owner);
    const inDatabase = new URL(url);
    inDatabase.password = encodeURIComponent(login.password);
    inDatabase.pathname = `/${database}`;
    return {
      server: `${/mariadb/i.test(version) ? 'MariaDB' : 'MySQL'} ${version}`,
      url: inDatabase.href,
      scenes: mysqlScenes,
      connect: async (address) => client(await createConnection({ ...address, ...login, database })),
      close,
    };
  } catch (cause) {
    await close().catch(() => undefined);
    if (!isServerError(cause)) throw cause;
    const said = visible(cause.message);
    throw new TwiceshyError('DEMO_FAILED', `--mysql: a database of its own cannot be made: ${said}`, {
      cause,
    });
  }
}

async function serverVersion(connection: Connection): Promise<string> {
  const [rows] = await connection.query<({ version: string } & RowDataPacket)[]>(
    'select version() as version',
  );
  return rows[0]?.version ?? 'unknown';
}

function client(connection: Connection): DemoClient {
  return {
    ask: async (sql) => answerOf(connection, sql),
    end: () => connection.end(),
  };
}

async function answerOf(connection: Connection, sql: string): Promise<DemoAnswer> {
  try {
    const [result] = await connection.query<QueryResult>(sql);
    return { isOk: true, errorText: '', lines: linesOf(result) };
  } catch (error) {
    if (!isServerError(error)) throw error;
    const { errno, sqlState, message } = error;
    return { isOk: false, errorText: message, lines: labelled(`ERROR ${errno} (${sqlState}): `, message) };
  }
}

interface ServerRefusal {
  readonly errno: number;
  readonly sqlState: string;
  readonly message: string;
}

function isServerError(error: unknown): error is ServerRefusal {
  return error instanceof Error && 'errno' in error && 'sqlState' in error;
}

function linesOf(result: QueryResult): string[] {
  if (Array.isArray(result)) return result.map((row) => JSON.stringify(row));
  const { affectedRows } = result as ResultSetHeader;
  return [`Query OK, ${affectedRows} row${affectedRows === 1 ? '' : 's'} affected`];
}

function reason(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
}
