/** Every client of the battery by the name its tests show, or what is missing for those that cannot be had. */
import { goProgram } from '../../../servers/go-program.js';
import { debianMariadb, sidMysql } from '../../../servers/mysql-programs.js';
import { pythonEnvironment } from '../../../servers/python-environment.js';
import type { Battery } from '../battery/compare.js';
import { commandLineBattery, mariadbPlain, mysqlPlain } from './command-line.js';
import { goBattery, goSources } from './go.js';
import { runMariadbNpm } from './mariadb-npm.js';
import { runMysql2 } from './mysql2/battery.js';
import { pythonBattery } from './python.js';

export interface Clients {
  readonly batteries: Readonly<Record<string, Battery>>;
  /** Sentences, one for each kind of client that cannot be had. */
  readonly missing: readonly string[];
}

export async function allClients(): Promise<Clients> {
  const batteries: Record<string, Battery> = { mysql2: runMysql2, mariadb: runMariadbNpm };
  const missing: string[] = [];
  const python = await pythonEnvironment();
  if ('python' in python) {
    batteries['PyMySQL'] = pythonBattery(python.python, 'pymysql_battery.py');
    batteries['mysql-connector-python'] = pythonBattery(python.python, 'connector_battery.py', 'pure');
    batteries['mysql-connector-python in C'] = pythonBattery(python.python, 'connector_battery.py', 'c');
  } else missing.push(python.missing);
  const go = await goProgram('mysql-battery', goSources);
  if ('program' in go) batteries['go-sql-driver'] = goBattery(go.program);
  else missing.push(go.missing);
  for (const [name, plain, found] of [
    ['the mariadb command', mariadbPlain, await debianMariadb()],
    ['the mysql command', mysqlPlain, await sidMysql(false)],
  ] as const) {
    if ('client' in found) batteries[name] = commandLineBattery({ command: found.client, plain });
    else missing.push(`${name}: ${found.missing}`);
  }
  return { batteries, missing };
}

/** For a test file: the clients there are; with CI set, all of them or none. */
export async function clientsOrThrow(): Promise<Clients> {
  const clients = await allClients();
  if (process.env['CI'] !== undefined && clients.missing.length > 0)
    throw new Error(`CI needs every client: ${clients.missing.join('; ')}`);
  return clients;
}
