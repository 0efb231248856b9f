// An ERR in place of the greeting has no SQLSTATE: parsers ate six bytes of its message or crashed (boostorg/mysql#191,
// blackbeam/rust-mysql-simple#144, friends-of-reactphp/mysql#83), or took it for protocol version 255 (amphp/mysql#101,
// sidorares/node-mysql2#607).
import * as mariadb from 'mariadb';
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import { connectTo, ScriptedServer, stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { debianMariadb, sidMysql } from '../servers/mysql-programs.js';
import { packet } from '../support/mysql-protocol.js';
import { error, greeting } from '../support/mysql-server-packets.js';
import { failureOf } from './support/command-line.js';
import { watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

const refusals = {
  1040: 'Too many connections',
  1129: "Host '10.0.0.1' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'",
  1130: "Host '10.0.0.1' is not allowed to connect to this MySQL server",
} as const;

async function refusingServer(bytes: Buffer): Promise<ScriptedServer> {
  return new ScriptedServer((end) => void end.socket.end(bytes)).listen();
}

describe.each(Object.entries(refusals))('%s in place of the greeting', (code, message) => {
  it.each([
    ['without SQLSTATE', null, 0],
    ['with one', 'HY000', 0],
    ['with a number of its own', null, 3],
    ['of no words', null, 0],
  ] as const)('%s reaches the client byte for byte each time', async (kind, state, sequence) => {
    const refusal = packet(error(Number(code), kind === 'of no words' ? '' : message, state), sequence);
    const upstream = await refusingServer(refusal);
    const proxy = await watchMysql(upstream.port);
    for (let time = 1; time <= 3; time += 1) {
      const end = await connectTo(proxy.proxy.port);
      await end.ended();
      expect(end.bytes.equals(refusal)).toBe(true);
      end.socket.end();
      await until('the session to end', () => proxy.proxy.listener.sessions === 0);
    }
    expect(proxy.sessions.flatMap(({ events }) => events.filter((event) => event !== 'closed'))).toEqual([]);
    expect(proxy.blind).toEqual([]);
    await upstream.stopListening();
  });

  it('is what clients show', async () => {
    const upstream = await refusingServer(packet(error(Number(code), message, null), 0));
    const proxy = await watchMysql(upstream.port);
    const address = { host: '127.0.0.1', port: proxy.proxy.port, user: 'app', password: 'secretpw' };
    for (let time = 1; time <= 2; time += 1) {
      const shown = [
        await createConnection(address).catch((failure: Error) => failure),
        await mariadb
          .createConnection({ ...address, connectTimeout: 5_000 })
          .catch((failure: Error) => failure),
      ] as (Error & { errno?: number })[];
      expect(shown.map(({ errno }) => errno)).toEqual([Number(code), Number(code)]);
      expect(shown.every((failure) => failure.message.includes(message))).toBe(true);
      expect(shown.some((failure) => failure.message.includes(noteMark))).toBe(false);
    }
    const direct = { ...address, port: upstream.port };
    for (const program of [await debianMariadb(), await sidMysql(false)]) {
      if ('missing' in program) continue;
      for (const options of [[], ['--ssl']].slice(0, program.flavour === 'mariadb' ? 2 : 1)) {
        const said = await failureOf(program.client, address, [...options, '-e', 'select 1']);
        expect(said).toBe(await failureOf(program.client, direct, [...options, '-e', 'select 1']));
        expect(said).toContain(code);
        expect(said).toContain(message);
      }
    }
    await upstream.stopListening();
  });
});

it('behind the greeting, before the client has spoken, is passed on as it is', async () => {
  const said = Buffer.concat([packet(greeting(), 0), packet(error(1158, 'Got timeout', '08S01'), 1)]);
  const upstream = await refusingServer(said);
  const proxy = await watchMysql(upstream.port);
  const end = await connectTo(proxy.proxy.port);
  await end.ended();
  expect(end.bytes.equals(said)).toBe(true);
  end.socket.end();
  expect(proxy.sessions).toEqual([]);
  await upstream.stopListening();
});
