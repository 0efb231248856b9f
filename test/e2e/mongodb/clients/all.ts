/** Every client of the battery by the name its tests show, or what is missing for those that cannot be had. */
import { fileURLToPath } from 'node:url';
import * as mongodb from 'mongodb';
import * as mongodb6 from 'mongodb-6';
import { goProgram } from '../../../servers/go-program.js';
import { mongoshProgram } from '../../../servers/mongosh-program.js';
import { pythonEnvironment } from '../../../servers/python-environment.js';
import type { Battery } from '../battery/compare.js';
import { nodeBattery } from './node/battery.js';
import type { Driver } from './node/session.js';
import { programBattery } from './program.js';

export interface Clients {
  readonly clients: Readonly<Record<string, Battery>>;
  /** Sentences, one for each kind of client that cannot be had. */
  readonly missing: readonly string[];
}

async function allClients(): Promise<Clients> {
  const clients: Record<string, Battery> = {
    'mongodb 7': nodeBattery(mongodb),
    'mongodb 6': nodeBattery(mongodb6 as unknown as Driver),
  };
  const missing: string[] = [];
  const [python, go, mongosh] = await Promise.all([
    pythonEnvironment(),
    goProgram('mongodb-battery', beside('go')),
    mongoshProgram(),
  ]);
  if ('python' in python) {
    const script = beside('python/pymongo_battery.py');
    const env = { PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' };
    clients['PyMongo'] = programBattery((url, cases) => [python.python, script, url, cases], env);
  } else missing.push(python.missing);
  if ('program' in go) clients['the Go driver'] = programBattery((url, cases) => [go.program, url, cases]);
  else missing.push(go.missing);
  if ('command' in mongosh) {
    const script = beside('mongosh/battery.js');
    clients['mongosh'] = programBattery((url, cases) => [
      ...mongosh.command,
      ...['--quiet', '--norc', url, '--eval', `var casesFile = ${JSON.stringify(cases)}`, script],
    ]);
  } else missing.push(mongosh.missing);
  return { clients, missing };
}

/** For a test file: the clients there are; with CI set, all of them or none. */
export async function clientsOrThrow(): Promise<Clients> {
  const all = await allClients();
  if (process.env['CI'] !== undefined && all.missing.length > 0)
    throw new Error(`CI needs every client: ${all.missing.join('; ')}`);
  return all;
}

function beside(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
