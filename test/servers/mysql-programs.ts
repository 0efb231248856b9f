/** Finds server and client programs of MySQL (Debian sid, see debian-sid.ts) and MariaDB (Debian's package). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { debianSid, makeDebianSid, sidCommand } from './debian-sid.js';
import { type RunAs, runCommand } from './run-command.js';

export type MysqlFlavour = 'mysql' | 'mariadb';

/** Command lines: a program and the arguments that always come first. */
export interface MysqlProgram {
  readonly name: string;
  readonly flavour: MysqlFlavour;
  readonly server: readonly string[];
  readonly client: readonly string[];
  /** Fills an empty data folder; afterwards root logs in from this machine without a password. */
  initialise(data: string, runAs: RunAs | null): Promise<void>;
}

/** A program, or the sentence that says what is missing and how to get it. */
export type FoundMysqlProgram = MysqlProgram | { readonly name: string; readonly missing: string };

const mariadbd = '/usr/sbin/mariadbd';

/** `settings` are given to the server whenever it runs. */
export async function debianMariadb(settings: readonly string[] = []): Promise<FoundMysqlProgram> {
  if (!existsSync(mariadbd) || !existsSync('/usr/bin/mariadb-install-db')) {
    const missing = `MariaDB is not in ${mariadbd} (Debian: apt-get install mariadb-server mariadb-client)`;
    return { name: 'mariadb', missing };
  }
  const server = [mariadbd, '--no-defaults', ...settings];
  return {
    name: await versionName('mariadb', server),
    flavour: 'mariadb',
    server,
    client: ['mariadb', '--no-defaults'],
    async initialise(data, runAs) {
      const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
      const args = ['--no-defaults', `--datadir=${data}`, ...options];
      await runCommand('mariadb-install-db', args, { runAs });
    },
  };
}

/** With `isMaking`, gets it from Debian when the cache has none; without, only looks. `settings` as for MariaDB. */
export async function sidMysql(
  isMaking: boolean,
  settings: readonly string[] = [],
): Promise<FoundMysqlProgram> {
  try {
    const root = isMaking ? await makeDebianSid() : debianSid();
    return root === null ? { name: 'mysql', missing: 'not made yet' } : await mysqlOf(root, settings);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name: 'mysql', missing: `MySQL is not here: ${reason}` };
  }
}

async function mysqlOf(root: string, settings: readonly string[]): Promise<MysqlProgram> {
  const plugins = join(root, 'usr', 'lib', 'mysql', 'plugin');
  const base = `--basedir=${join(root, 'usr')}`;
  const server = [...sidCommand(root, 'usr/sbin/mysqld'), '--no-defaults', base, ...settings];
  return {
    name: await versionName('mysql', server),
    flavour: 'mysql',
    server,
    // Of its plugins it needs one to log in to MariaDB.
    client: [...sidCommand(root, 'usr/bin/mysql'), '--no-defaults', `--plugin-dir=${plugins}`],
    async initialise(data, runAs) {
      const [file = '', ...first] = server;
      const fast = ['--innodb-flush-method=nosync', '--innodb-flush-log-at-trx-commit=0'];
      await runCommand(file, [...first, `--datadir=${data}`, '--initialize-insecure', ...fast], { runAs });
    },
  };
}

async function versionName(product: string, [file = '', ...first]: readonly string[]): Promise<string> {
  const text = await runCommand(file, [...first, '--version']);
  const version = /Ver (\d+\.\d+)/.exec(text)?.[1];
  return version === undefined ? product : `${product}-${version}`;
}
