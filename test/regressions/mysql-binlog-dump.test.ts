// COM_BINLOG_DUMP was unknown or broken (sysown/proxysql#3580, #3583, osheroff/mysql-binlog-connector-java#44).
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { debianSid, sidCommand } from '../servers/debian-sid.js';
import { createMysqlDatabase, runMysql } from '../servers/mysql-database.js';
import type { MysqlFlavour } from '../servers/mysql-programs.js';
import { command, type Packet, packets, uint } from '../support/mysql-protocol.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { until } from '../support/until.js';
import { runClient } from './support/command-line.js';
import { watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const nonBlocking = 1;

interface Position {
  readonly file: string;
  readonly at: number;
}

/** Protocol documentation, "COM_BINLOG_DUMP". */
function binlogDump({ file, at }: Position, flags: number, serverId: number): Buffer {
  const head = Buffer.from([command.binlogDump]);
  return Buffer.concat([head, uint(at, 4), uint(flags, 2), uint(serverId, 4), Buffer.from(file)]);
}

describeEachMysql('a dump of the binary log', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table t (id int primary key, word varchar(40))');
  });

  afterAll(() => database.drop());

  async function position(): Promise<Position> {
    const text = server.flavour === 'mysql' ? 'show binary log status' : 'show master status';
    const [row] = await runMysql(server.url, text);
    return { file: String(row?.['File']), at: Number(row?.['Position']) };
  }

  async function open(url: string): Promise<RawMysql> {
    const session = await RawMysql.open(url);
    await session.query("set @master_binlog_checksum = 'NONE', @source_binlog_checksum = 'NONE'");
    await session.query('set @mariadb_slave_capability = 4');
    return session;
  }

  const insert = (id: number, word: string) => `insert into t values (${id}, '${word}')`;

  it('that ends: every event as the server sent it', async () => {
    const proxy = await watchMysql(database.url);
    const from = await position();
    await runMysql(database.url, insert(1, 'marker of the dump'));
    const dumps: Packet[][] = [];
    // The direct one is the later one: others write to the same log.
    for (const [index, url] of [proxy.through(database.url), database.url].entries()) {
      const session = await open(url);
      await session.send(packets(binlogDump(from, nonBlocking, 7_000 + index)));
      const events: Packet[] = [];
      for (let isOver = false; !isOver; ) {
        const next = await session.packet();
        isOver = next.payload[0] !== 0;
        if (!isOver) events.push(next);
      }
      dumps.push(events);
      session.close();
    }
    const [proxied = [], direct = []] = dumps;
    expect(proxied.some(({ payload }) => payload.includes('marker of the dump'))).toBe(true);
    const comparable = (events: readonly Packet[]): string[] =>
      events.map(({ sequence, payload }) => `${sequence} ${payload.toString('latin1')}`);
    expect(comparable(direct).slice(0, proxied.length)).toEqual(comparable(proxied));
    expect(proxy.blind).toEqual(['not_followed']);
  });

  it('that waits: what is written is there at once', async () => {
    const proxy = await watchMysql(database.url);
    const session = await open(proxy.through(database.url));
    await session.send(packets(binlogDump(await position(), 0, 7_010)));
    for (const [index, word] of ['one event', 'another event'].entries()) {
      await runMysql(database.url, insert(10 + index, word));
      const isThere = (): boolean => session.packets.some(({ payload }) => payload.includes(word));
      await until(isThere, 10_000, `the event of ${word}`);
    }
    session.close();
    // A server that waits for events reads nothing: that nobody is there it notices, as directly, when it writes.
    const isOver = async (): Promise<boolean> => {
      await runMysql(database.url, 'create table if not exists woken (id int); drop table woken');
      return proxy.proxy.listener.sessions === 0;
    };
    await until(isOver, 10_000, 'the session to end');
  });

  it('from a position that is none: the server’s error, as it is', async () => {
    const proxy = await watchMysql(database.url);
    const errors: string[] = [];
    const from = { ...(await position()), file: 'no_such_log.000001' };
    for (const url of [database.url, proxy.through(database.url), proxy.through(database.url)]) {
      const session = await open(url);
      await session.send(packets(binlogDump(from, nonBlocking, 7_020)));
      let next = await session.packet();
      while (next.payload[0] === 0) next = await session.packet();
      errors.push(`${next.sequence} ${next.payload.toString('latin1')}`);
      session.close();
    }
    expect(errors[0]).toContain('Could not find first log file name');
    expect(errors.slice(1)).toEqual([errors[0], errors[0]]);
    expect(
      proxy.sessions.flatMap(({ events }) => events.filter((event) => event.startsWith('failed'))),
    ).toEqual([]);
  });

  const program = dumpProgram(server.flavour);
  it.skipIf(program === null)('by the server’s own program is the file that it makes directly', async () => {
    const proxy = await watchMysql(database.url);
    const from = await position();
    await runMysql(database.url, insert(20, 'for the program'));
    const to = await position();
    const files: Buffer[] = [];
    for (const url of [database.url, proxy.through(database.url)]) {
      const folder = mkdtempSync(join(tmpdir(), 'twiceshy-binlog-'));
      const { hostname, port, username, password } = new URL(url);
      const login = { host: hostname, port: Number(port), user: username, password };
      const range = [`--start-position=${from.at}`, `--stop-position=${to.at}`];
      const options = ['--no-defaults', '--read-from-remote-server', '--raw', `--result-file=${folder}/`];
      const tls = server.flavour === 'mysql' ? ['--get-server-public-key'] : ['--skip-ssl'];
      const [file = '', ...first] = program ?? [];
      const ran = await runClient([file, ...first, ...options], login, [...tls, ...range, from.file]);
      expect(ran.stderr.replace(/^WARNING.*\n/gm, '')).toBe('');
      files.push(readFileSync(join(folder, from.file)));
      rmSync(folder, { recursive: true });
    }
    expect(files[0]?.includes('for the program')).toBe(true);
    // Others may write to the log meanwhile: the later file may be the longer one.
    expect(files[1]?.subarray(0, files[0]?.length).equals(files[0] as Buffer)).toBe(true);
  });
});

/** Null: the program is not here. */
function dumpProgram(flavour: MysqlFlavour): readonly string[] | null {
  if (flavour === 'mariadb')
    return existsSync('/usr/bin/mariadb-binlog') ? ['/usr/bin/mariadb-binlog'] : null;
  const root = debianSid();
  return root === null ? null : sidCommand(root, 'usr/bin/mysqlbinlog');
}
