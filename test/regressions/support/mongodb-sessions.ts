/** Sessions of MongoDB's protocol through a watched proxy to servers that a test scripts, and what it says of their replies. */
import type { Document } from 'bson';
import * as mongodb7 from 'mongodb';
import * as mongodb6 from 'mongodb-6';
import { mongodbAdapter } from '../../../adapters/mongodb/adapter.js';
import { stopProxies } from '../../integration/proxy/scripted-ends.js';
import type { Message } from '../../support/mongodb-messages.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import {
  type MongoScript,
  type ScriptedAnswer,
  type ScriptedMongoOptions,
  ScriptedMongoServer,
  type ScriptedMongoSession,
} from '../../support/scripted-mongodb-server.js';
import { noteMark, type Watched, type WatchedProxy, type WatchOptions, watch } from './watched-proxy.js';

export type Driver = typeof mongodb7;

/** The Node.js driver in the major versions that are in use, by the name a test shows. */
export const drivers: readonly (readonly [string, Driver])[] = [
  ['mongodb 7', mongodb7],
  ['mongodb 6', mongodb6 as unknown as Driver],
];

/** `watch` with this protocol's adapter and its defaults; sessions know each other's failures, since drivers have several. */
export function watchMongo(upstream: number | string, options: WatchOptions = {}): Promise<WatchedProxy> {
  const policy = { compression: 'relay', ...options.policy } as const;
  return watch(upstream, { adapter: mongodbAdapter, failedBefore: new Set(), ...options, policy });
}

const servers: ScriptedMongoServer[] = [];

/** A scripted server that `stopMongo` ends. */
export async function listenMongo(
  script: MongoScript,
  options: ScriptedMongoOptions = {},
): Promise<ScriptedMongoServer> {
  const server = await ScriptedMongoServer.listen(script, options);
  servers.push(server);
  return server;
}

/** The same, answering what `answer` gives on every connection. */
export function serveMongo(
  answer: (command: Document, request: Message, session: ScriptedMongoSession) => ScriptedAnswer,
  options: ScriptedMongoOptions = {},
): Promise<ScriptedMongoServer> {
  return listenMongo(async (session) => {
    await session.serve((command, request) => answer(command, request, session));
    session.end();
  }, options);
}

/**
 * A primary of the set rs0 that names itself: `replicaSet=rs0` finds it, and a driver that is told of it through a proxy can
 * go past that. `more` is added to its hello.
 */
export async function servePrimary(
  answer: (command: Document, request: Message, session: ScriptedMongoSession) => ScriptedAnswer,
  more: Document = {},
): Promise<ScriptedMongoServer> {
  const hello: Document = { setName: 'rs0', setVersion: 1, ...more };
  const server = await serveMongo(answer, { hello });
  const address = `127.0.0.1:${server.port}`;
  hello['hosts'] = [address];
  hello['me'] = address;
  hello['primary'] = address;
  return server;
}

/** Ends proxies and servers; rejects with what a script threw. */
export async function stopMongo(): Promise<void> {
  await stopProxies();
  for (const server of servers.splice(0)) await server.close();
}

export interface ScriptedMongo {
  readonly upstream: ScriptedMongoServer;
  readonly proxy: WatchedProxy;
  /** The client, greeted. */
  readonly session: RawMongo;
  /** The server's side of it. */
  readonly end: ScriptedMongoSession;
}

/** A client's session through a watched proxy to a scripted server that has answered its hello, and nothing else yet. */
export async function openScriptedMongo(
  options: { readonly server?: ScriptedMongoOptions; readonly proxy?: WatchOptions } = {},
): Promise<ScriptedMongo> {
  const upstream = await listenMongo(async (end) => void (await end.handshake()), options.server);
  const proxy = await watchMongo(upstream.port, options.proxy);
  const session = await RawMongo.dial(proxy.through(upstream.url));
  await session.run({ hello: 1, $db: 'admin' });
  return { upstream, proxy, session, end: await upstream.session() };
}

/** `ok`, `E[26]`, `E[26] noted`; of writes that failed, their codes: `ok W[11000 11000 noted]`; last, `C[64]`. */
export function outcome(reply: Document): string {
  const parts = [reply['ok'] === 1 ? 'ok' : failure('E', [reply])];
  const { writeErrors, writeConcernError } = reply;
  if (writeErrors !== undefined) parts.push(failure('W', writeErrors as Document[]));
  if (writeConcernError !== undefined) parts.push(failure('C', [writeConcernError as Document]));
  return parts.join(' ');
}

function failure(letter: string, documents: readonly Document[]): string {
  const codes = documents.map(({ code, note }) => `${code ?? '-'}${note === undefined ? '' : ' noted'}`);
  return `${letter}[${codes.join(', ')}]`;
}

/** A reply of which nothing is left that only a note has. */
export function withoutNote(reply: Document): Document {
  const { note: _, ...rest } = reply;
  const plain = Object.entries(rest).map(([key, value]): [string, unknown] => {
    if (key === 'errmsg') return [key, String(value).split(`\n${noteMark}`)[0]];
    if (key === 'writeErrors') return [key, (value as Document[]).map(withoutNote)];
    if (key === 'writeConcernError') return [key, withoutNote(value as Document)];
    return [key, value];
  });
  return Object.fromEntries(plain);
}

/** What a session's observer said of failures, notes and what it passed by: all but successes. */
export function failuresOf(watched: Watched | undefined): string[] {
  return (watched?.events ?? []).filter((event) => /^(failed|note|bypassed|settled)/.test(event));
}

/** The same of all sessions, without those that are settled. */
export function failuresIn(proxy: WatchedProxy): string[] {
  return proxy.sessions.flatMap(failuresOf).filter((event) => !event.startsWith('settled'));
}
