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

export interface Client {
  readonly battery: Battery;
  /** Takes TLS where it is offered, and needs it for a first login: the proxy must offer it as the servers do. */
  readonly isTls?: true;
}

export interface Clients {
  readonly clients: Readonly<Record<string, Client>>;
  /** Sentences, one for each kind of client that cannot be had. */
  readonly missing: readonly string[];
}

async function allClients(): Promise<Clients> {
  const clients: Record<string, Client> = {
    mysql2: { battery: runMysql2 },
    mariadb: { battery: runMariadbNpm },
  };
  const missing: string[] = [];
  const python = await pythonEnvironment();
  if ('python' in python) {
    clients['PyMySQL'] = { battery: pythonBattery(python.python, 'pymysql_battery.py') };
    for (const [name, kind] of [
      ['mysql-connector-python', 'pure'],
      ['mysql-connector-python in C', 'c'],
    ] as const)
      clients[name] = { battery: pythonBattery(python.python, 'connector_battery.py', kind), isTls: true };
  } else missing.push(python.missing);
  const go = await goProgram('mysql-battery', goSources);
  if ('program' in go) clients['go-sql-driver'] = { battery: goBattery(go.program) };
  else missing.push(go.missing);
  for (const [name, plain, found] of [
    ['the mariadb command', mariadbPlain, await debianMariadb()],
    ['the mysql command', mysqlPlain, await sidMysql(false)],
  ] as const) {
    if ('client' in found)
      clients[name] = { battery: commandLineBattery({ command: found.client, login: plain }) };
    else missing.push(`${name}: ${found.missing}`);
  }
  return { clients, missing };
}

/** For a test file: the clients there are; with CI set, all of them or none. */
export async function clientsOrThrow(): Promise<Clients> {
  const all = await allClients();
  if (process.env['CI'] !== undefined && all.missing.length > 0)
    throw new Error(`CI needs every client: ${all.missing.join('; ')}`);
  return all;
}
