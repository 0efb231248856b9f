/**
 * The accounts every provisioned MySQL and MariaDB server has: one per way to log in, and one per kind of rights. The
 * passwords are for tests only.
 */
import type { MysqlFlavour } from './mysql-programs.js';

export interface MysqlAccount {
  readonly name: string;
  readonly password: string;
  /** How it logs in; unset: the server's default. */
  readonly plugin?: string;
  /** `all` of the server, `databases`: everything in databases of tests, `select` there, or `none` at all. */
  readonly rights: 'all' | 'databases' | 'select' | 'none';
  readonly isTlsOnly?: true;
}

export const mysqlAdmin: MysqlAccount = { name: 'app', password: 'secretpw', rights: 'all' };

const everywhere: readonly MysqlAccount[] = [
  mysqlAdmin,
  { name: 'reader', password: 'readerpw', rights: 'select' },
  { name: 'no_rights', password: 'norightspw', rights: 'none' },
  { name: 'tls_user', password: 'tlspw', rights: 'databases', isTlsOnly: true },
];

/** mysql_native_password is not among them: MySQL 9 has no such plugin. */
const mysqlOnly: readonly MysqlAccount[] = [
  { name: 'caching_user', password: 'cachingpw', plugin: 'caching_sha2_password', rights: 'databases' },
  { name: 'sha256_user', password: 'sha256pw', plugin: 'sha256_password', rights: 'databases' },
];

const mariadbOnly: readonly MysqlAccount[] = [
  { name: 'native_user', password: 'nativepw', plugin: 'mysql_native_password', rights: 'databases' },
  { name: 'ed25519_user', password: 'ed25519pw', plugin: 'ed25519', rights: 'databases' },
];

export function mysqlAccounts(flavour: MysqlFlavour): readonly MysqlAccount[] {
  return [...everywhere, ...(flavour === 'mysql' ? mysqlOnly : mariadbOnly)];
}

/**
 * Statements that make the accounts on a new server, and leave none without a password. Accounts of plugins that are
 * not among `plugins` are left out.
 */
export function accountStatements(flavour: MysqlFlavour, plugins: ReadonlySet<string>): string[] {
  const accounts = mysqlAccounts(flavour).filter(({ plugin }) => plugin === undefined || plugins.has(plugin));
  return [
    ...accounts.flatMap((account) => creation(account, flavour)),
    // MariaDB also lets anybody in by name of nobody, and root from each of this machine's names.
    ...(flavour === 'mariadb'
      ? ["delete from mysql.global_priv where user = '' or (user = 'root' and host <> 'localhost')"]
      : []),
    `alter user root@localhost identified by '${mysqlAdmin.password}'`,
    'flush privileges',
  ];
}

function creation(account: MysqlAccount, flavour: MysqlFlavour): string[] {
  const { name, rights, isTlsOnly } = account;
  const user = `${name}@'%'`;
  const required = isTlsOnly === true ? ' require ssl' : '';
  return [
    `create user ${user} ${identified(account, flavour)}${required}`,
    ...(rights === 'none' ? [] : [`grant ${grants[rights]}`.replace('<user>', user)]),
  ];
}

const grants = {
  all: 'all on *.* to <user> with grant option',
  databases: 'all on `twiceshy\\_%`.* to <user>',
  select: 'select on `twiceshy\\_%`.* to <user>',
} as const;

function identified({ plugin, password }: MysqlAccount, flavour: MysqlFlavour): string {
  if (plugin === undefined) return `identified by '${password}'`;
  return flavour === 'mysql'
    ? `identified with ${plugin} by '${password}'`
    : `identified via ${plugin} using password('${password}')`;
}
