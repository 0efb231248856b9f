/** Every client of the battery by the name its tests show, or what is missing for those that cannot be had. */
import * as mongodb from 'mongodb';
import * as mongodb6 from 'mongodb-6';
import type { Battery } from '../battery/compare.js';
import { nodeBattery } from './node/battery.js';
import type { Driver } from './node/session.js';

export interface Clients {
  readonly clients: Readonly<Record<string, Battery>>;
  /** Sentences, one for each kind of client that cannot be had. */
  readonly missing: readonly string[];
}

async function allClients(): Promise<Clients> {
  const clients: Record<string, Battery> = {
    'mongodb 7': nodeBattery(mongodb, { hasHeartbeats: true }),
    'mongodb 6': nodeBattery(mongodb6 as unknown as Driver),
  };
  const missing: string[] = [];
  return { clients, missing };
}

/** For a test file: the clients there are; with CI set, all of them or none. */
export async function clientsOrThrow(): Promise<Clients> {
  const all = await allClients();
  if (process.env['CI'] !== undefined && all.missing.length > 0)
    throw new Error(`CI needs every client: ${all.missing.join('; ')}`);
  return all;
}
