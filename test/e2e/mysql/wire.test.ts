/**
 * The same packets sent directly and through the proxy get the same packets back, byte for byte but for notes, whatever
 * the login agreed on and whatever pieces the network delivers them in. What a session is called is not compared: its
 * number, its scramble, and what depends on them.
 */
import { beforeAll, expect, it } from 'vitest';
import { createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../servers/mysql-programs.js';
import { capability, command, mariadbCapability, type Packet, uint } from '../../support/mysql-protocol.js';
import { mysqlOffer, usualRequest } from '../../support/mysql-server-packets.js';
import { type AvailableMysql, describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql, type RawOptions } from '../../support/raw-mysql.js';
import { startProxy } from '../../support/start-proxy.js';
import { startRelay } from '../../support/tcp-relay.js';
import { hasNote, withoutNotes } from '../battery/notes.js';
import { normaliseText } from '../battery/transcript.js';
import { type WireScenario, wireScenarios, wireSchema } from './wire/scenarios.js';
import { sessionScenarios } from './wire/session-scenarios.js';

const repetitions = 2;

interface Answer {
  readonly step: string;
  readonly packets: readonly string[];
}

interface Profile {
  readonly name: string;
  readonly options: RawOptions;
  readonly only?: MysqlFlavour;
}

const { bulkExecute, cacheMetadata, extendedMetadata } = mariadbCapability;
const extended = bulkExecute | cacheMetadata | extendedMetadata;
const { deprecateEof, sessionTrack, connectAttributes, lenencAuthData } = capability;

/** What logins agree on. */
const profiles: readonly Profile[] = [
  { name: 'usual', options: {} },
  {
    name: 'old',
    options: {
      capabilities: usualRequest & ~(deprecateEof | sessionTrack | connectAttributes | lenencAuthData),
    },
  },
  {
    name: 'everything',
    only: 'mysql',
    options: { capabilities: mysqlOffer, attributes: { program_name: 'wire' } },
  },
  {
    name: 'everything, with EOF packets',
    only: 'mysql',
    options: { capabilities: mysqlOffer & ~deprecateEof },
  },
  { name: 'everything', only: 'mariadb', options: { extendedCapabilities: extended } },
  {
    name: 'everything, with EOF packets',
    only: 'mariadb',
    options: { capabilities: usualRequest & ~deprecateEof, extendedCapabilities: extended },
  },
];

interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

const isShort = ({ isLarge }: WireScenario): boolean => isLarge !== true;

describeEachMysql('the wire', (server) => {
  const ours = profiles.filter(({ only = server.flavour }) => only === server.flavour);
  const ourScenarios = wireScenarios.filter(({ only = server.flavour }) => only === server.flavour);
  let direct: readonly Answer[] = [];

  beforeAll(async () => {
    direct = await onFreshDatabase(server, (url) => runProfiles(url, ours, ourScenarios));
  });

  it('carries every packet unchanged but for notes', async () => {
    await expectSame(['usual', 'everything'], ourScenarios, (url) => ({ url, close: async () => undefined }));
  });

  for (const [pieceBytes, profile, scenarios] of [
    [1, 'everything, with EOF packets', ourScenarios.filter(isShort)],
    [1400, 'old', ourScenarios],
  ] as const) {
    it(`carries them when both legs deliver ${pieceBytes} bytes at a time`, async () => {
      const inPieces = async (url: string): Promise<Upstream> => {
        const { hostname, port } = new URL(url);
        const relay = await startRelay({ targetHost: hostname, targetPort: Number(port), pieceBytes });
        return { url: relay.through(url), close: () => relay.close() };
      };
      await expectSame([profile], scenarios, inPieces, { pieceBytes });
    });
  }

  /** Runs these profiles through a proxy, and compares with what they got without. */
  async function expectSame(
    names: readonly string[],
    scenarios: readonly WireScenario[],
    reach: (url: string) => Upstream | Promise<Upstream>,
    options: RawOptions = {},
  ): Promise<void> {
    const some = ours
      .filter(({ name }) => names.includes(name))
      .map((profile) => ({ ...profile, options: { ...profile.options, ...options } }));
    const proxied = await onFreshDatabase(server, async (url) => {
      const upstream = await reach(url);
      try {
        return await throughProxy(upstream.url, (through) => runProfiles(through, some, scenarios));
      } finally {
        await upstream.close();
      }
    });
    const ran = new Set(proxied.map(({ step }) => step));
    const same = direct.filter(({ step }) => ran.has(step));
    expectEqualPackets(same, proxied);
    expectNotes(proxied, some, scenarios);
  }

  it('carries what ends a session, and what it cannot follow', async () => {
    const scenarios = sessionScenarios.filter(({ only = server.flavour }) => only === server.flavour);
    const runAll = async (url: string): Promise<Answer[]> => {
      // All at once: one of them waits for a timeout.
      const answers = scenarios.map(async ({ name, run }) => {
        const session = await RawMysql.open(url);
        try {
          return { step: name, packets: (await run(session, url)).map(describePacket) };
        } finally {
          session.close();
        }
      });
      return Promise.all(answers);
    };
    const alone = await onFreshDatabase(server, runAll);
    const proxied = await onFreshDatabase(server, (url) => throughProxy(url, runAll));
    expectEqualPackets(alone, proxied);
  });
});

/** A dump of what was logged while `work` ran: the same events, whoever asks for them. */
describeEachMysql('a binary log', (server) => {
  it('is dumped through the proxy as it is directly', async () => {
    await onFreshDatabase(server, async (url) => {
      const start = await logPosition(url, server.flavour);
      await runMysql(url, "insert into copied (word) values ('one'), ('two'); update held set v = 1");
      const end = await logPosition(url, server.flavour);
      const direct = await dump(url, start, end);
      expect(direct.length).toBeGreaterThan(5);
      expect(await throughProxy(url, (through) => dump(through, start, end))).toEqual(direct);
    });
  });
});

interface LogPosition {
  readonly file: string;
  readonly position: number;
}

async function logPosition(url: string, flavour: MysqlFlavour): Promise<LogPosition> {
  const text = flavour === 'mysql' ? 'show binary log status' : 'show master status';
  const [row] = await runMysql(url, text);
  return { file: String(row?.['File']), position: Number(row?.['Position']) };
}

/** COM_BINLOG_DUMP from `start`, given up once `end` has come. */
async function dump(url: string, start: LogPosition, end: LogPosition): Promise<string[]> {
  const session = await RawMysql.open(url);
  for (const name of ['master_binlog_checksum', 'source_binlog_checksum'])
    await session.query(`set @${name} = 'CRC32'`);
  await session.query('set @mariadb_slave_capability = 4');
  const serverId = 4_000_000_000;
  const body = [uint(start.position, 4), uint(0, 2), uint(serverId, 4), Buffer.from(start.file)];
  await session.sendPacket(Buffer.concat([Buffer.from([command.binlogDump]), ...body]));
  const events: string[] = [];
  for (;;) {
    const { sequence, payload } = await session.packet();
    events.push(`${sequence} ${payload.toString('hex')}`);
    // Its place in the log stands 13 bytes behind the event's start; a made-up one has none.
    const isOver = payload[0] !== 0 || payload.readUInt32LE(1 + 13) >= end.position;
    if (isOver) break;
  }
  // The server reads nothing while it dumps: it would not see that the client ended its side.
  session.socket.resetAndDestroy();
  return events;
}

async function onFreshDatabase<T>(server: AvailableMysql, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createMysqlDatabase(server.url, wireSchema);
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}

async function throughProxy<T>(upstreamUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const proxy = await startProxy({ upstreamUrl });
  try {
    return await work(proxy.through(upstreamUrl));
  } finally {
    const exit = await proxy.stop();
    if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    expect(exit).toMatchObject({ code: 0 });
  }
}

async function runProfiles(
  url: string,
  some: readonly Profile[],
  scenarios: readonly WireScenario[],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { name, options } of some) {
    const session = await RawMysql.open(url, options);
    answers.push({ step: `${name}: login`, packets: describeLogin(session) });
    for (const scenario of scenarios.filter(isPossibleOn(session))) {
      const describe = scenario.isVarying === true ? describeKind : describePacket;
      for (let time = 1; time <= repetitions; time += 1) {
        const packets = (await scenario.run(session)).map(describe);
        answers.push({ step: stepOf(name, scenario, time), packets });
      }
    }
    session.close();
  }
  return answers;
}

function isPossibleOn(session: RawMysql): (scenario: WireScenario) => boolean {
  return ({ needs = {} }) => {
    const { capabilities = 0, extendedCapabilities = 0 } = needs;
    return (
      (session.capabilities & capabilities) === capabilities &&
      (session.extendedCapabilities & extendedCapabilities) === extendedCapabilities
    );
  };
}

function stepOf(profile: string, scenario: WireScenario, time: number): string {
  return `${profile}: ${scenario.name}, time ${time}`;
}

/** Not by which way: whether a server knows an account's password already changes at any time. */
function describeLogin({ greeting, packets }: RawMysql): string[] {
  if (greeting === null) throw new Error('Not logged in');
  const { threadId: _, nonce: __, capabilities, ...same } = greeting;
  // The proxy speaks neither compression nor, without a certificate, TLS.
  const notOffered = capability.compress | capability.zstdCompression | capability.tls;
  const welcome = packets.find(({ payload }, index) => index > 0 && payload[0] === 0);
  return [
    JSON.stringify({ ...same, capabilities: capabilities & ~notOffered }),
    normaliseText(String(welcome?.payload.toString('latin1'))),
  ];
}

function describePacket({ sequence, payload }: Packet): string {
  return `${sequence} ${normaliseText(payload.toString('latin1'))}`;
}

function describeKind(packet: Packet): string {
  return describePacket(packet).replaceAll(/\d+/g, '#');
}

function expectEqualPackets(direct: readonly Answer[], proxied: readonly Answer[]): void {
  for (const [index, answer] of direct.entries()) {
    const packets = proxied[index]?.packets.map(withoutNotes);
    expect({ ...proxied[index], packets }, answer.step).toEqual(answer);
  }
  expect(proxied.length).toBe(direct.length);
}

/** Whatever must be annotated is at its repetition; in the first session of the proxy, nothing is the first time. */
function expectNotes(
  proxied: readonly Answer[],
  some: readonly Profile[],
  scenarios: readonly WireScenario[],
): void {
  const annotated = new Set(proxied.filter(({ packets }) => packets.some(hasNote)).map(({ step }) => step));
  const ran = new Set(proxied.map(({ step }) => step));
  const noted = scenarios.filter(({ isNoted }) => isNoted === true);
  expect(noted.length).toBeGreaterThan(10);
  for (const [index, { name }] of some.entries()) {
    const repeated = noted.map((scenario) => stepOf(name, scenario, 2)).filter((step) => ran.has(step));
    expect(
      repeated.filter((step) => !annotated.has(step)),
      'repetitions without a note',
    ).toEqual([]);
    const firsts = index > 0 ? [] : noted.map((scenario) => stepOf(name, scenario, 1));
    expect(
      firsts.filter((step) => annotated.has(step)),
      'first failures with a note',
    ).toEqual([]);
  }
}
