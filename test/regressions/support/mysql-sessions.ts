/** Sessions of the MySQL family through a watched proxy, and what a test says of their packets. */
import { mysqlAdapter } from '../../../adapters/mysql/adapter.js';
import type { Packet } from '../../support/mysql-protocol.js';
import { readError } from '../../support/mysql-server-packets.js';
import { RawMysql, type RawOptions } from '../../support/raw-mysql.js';
import {
  ScriptedMysqlServer,
  type ScriptedServerOptions,
  type ScriptedSession,
} from '../../support/scripted-mysql-server.js';
import { noteMark, type Watched, type WatchedProxy, type WatchOptions, watch } from './watched-proxy.js';

/** `watch` with this family's adapter. */
export function watchMysql(upstream: number | string, options: WatchOptions = {}): Promise<WatchedProxy> {
  return watch(upstream, { adapter: mysqlAdapter, ...options });
}

export interface ScriptedOptions {
  readonly server?: ScriptedServerOptions;
  readonly client?: RawOptions;
  readonly proxy?: WatchOptions;
}

/** A client's session through a watched proxy to a scripted server that has let it in; `end` is the server's side. */
export async function openScriptedMysql(options: ScriptedOptions = {}): Promise<{
  readonly upstream: ScriptedMysqlServer;
  readonly proxy: WatchedProxy;
  readonly end: ScriptedSession;
  readonly session: RawMysql;
}> {
  const script = async (scripted: ScriptedSession): Promise<void> => void (await scripted.login());
  const upstream = await ScriptedMysqlServer.listen(script, options.server);
  const proxy = await watchMysql(upstream.port, options.proxy);
  const session = await RawMysql.open(proxy.through(upstream.url), options.client);
  return { upstream, proxy, end: await upstream.session(), session };
}

/** How an answer ended: `OK`, `E[1054]`, `E[1054] noted`, or the number of its packets. */
export function outcome(answer: readonly Packet[]): string {
  const last = answer.at(-1)?.payload;
  if (last === undefined) return 'nothing';
  if (last[0] !== 0xff) return answer.length === 1 ? 'OK' : `${answer.length} packets`;
  const { code, message } = readError(last);
  return `E[${code}]${message.includes(noteMark) ? ' noted' : ''}`;
}

/** Numbers and bytes of packets, without notes: what must be as the server sent it. */
export function plain(answer: readonly Packet[]): string[] {
  return answer.map(
    ({ sequence, payload }) =>
      `${sequence} ${payload.toString('latin1').replace(new RegExp(`\\n\\${noteMark}[^]*$`), '')}`,
  );
}

/** What a session's observer said of failures, notes and lost places: all but successes and warnings. */
export function failuresOf(watched: Watched | undefined): string[] {
  return (watched?.events ?? []).filter((event) => /^(failed|note|bypassed|settled)/.test(event));
}
