/**
 * The same messages sent directly and through the proxy get the same messages back, byte for byte but for notes, whatever
 * pieces the network delivers them in. What a session is called is not compared: its number, its cursors, the time.
 */

import { type Document, deserialize, EJSON } from 'bson';
import { beforeAll, expect, it } from 'vitest';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { type Message, opcode, readMsg } from '../../support/mongodb-messages.js';
import { type AvailableMongo, describeEachMongo } from '../../support/mongodb-servers.js';
import { RawMongo, type RawMongoOptions } from '../../support/raw-mongodb.js';
import { startProxy } from '../../support/start-proxy.js';
import { startRelay } from '../../support/tcp-relay.js';
import { sessionScenarios, type WireScenario, wireScenarios, wireSchema } from './wire/scenarios.js';

const repetitions = 2;
const headerBytes = 16;

interface Answer {
  readonly step: string;
  readonly messages: readonly string[];
  readonly hasNote: boolean;
}

describeEachMongo('the wire', (server) => {
  let direct: readonly Answer[] = [];

  beforeAll(async () => {
    direct = await onFreshDatabase(server, (url) => runScenarios(url, wireScenarios));
    expect(direct.filter(({ hasNote }) => hasNote)).toEqual([]);
  });

  it('carries every message unchanged but for notes', async () => {
    await expectSame(wireScenarios);
  });

  it.each([
    [1, wireScenarios.filter(({ isLarge }) => isLarge !== true)],
    [7, wireScenarios.filter(({ isLarge }) => isLarge !== true)],
    [1400, wireScenarios],
  ] as const)('carries them when both legs deliver %d bytes at a time', async (pieceBytes, scenarios) => {
    await expectSame(scenarios, pieceBytes);
  });

  async function expectSame(scenarios: readonly WireScenario[], pieceBytes?: number): Promise<void> {
    const proxied = await onFreshDatabase(server, async (url) => {
      if (pieceBytes === undefined) return throughProxy(url, (through) => runScenarios(through, scenarios));
      const { hostname, port } = new URL(url);
      const relay = await startRelay({ targetHost: hostname, targetPort: Number(port), pieceBytes });
      try {
        return await throughProxy(relay.through(url), (through) =>
          runScenarios(through, scenarios, { pieceBytes }),
        );
      } finally {
        await relay.close();
      }
    });
    const byStep = new Map(direct.map((answer) => [answer.step, answer.messages]));
    for (const { step, messages } of proxied) expect(messages, step).toEqual(byStep.get(step));
    expect(proxied).toHaveLength(scenarios.length * repetitions);
    const annotated = proxied.filter(({ hasNote }) => hasNote).map(({ step }) => step);
    const repeating = scenarios
      .filter(({ isRepeated }) => isRepeated === true)
      .map((scenario) => stepOf(scenario, 1));
    expect(annotated.filter((step) => step.endsWith('time 1'))).toEqual(repeating);
    const must = scenarios
      .filter(({ isNoted }) => isNoted === true)
      .map((scenario) => stepOf(scenario, repetitions));
    expect(must.length).toBeGreaterThan(5);
    expect(must.filter((step) => !annotated.includes(step))).toEqual([]);
  }

  it('carries what ends a session, and what it cannot follow', async () => {
    const runAll = async (url: string): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (const { name, run } of sessionScenarios) {
        for (const open of [RawMongo.dial, RawMongo.open]) {
          const session = await open(url);
          answers.push([name, (await run(session)).map((message) => plain(message))]);
          session.close();
        }
      }
      return answers;
    };
    const alone = await onFreshDatabase(server, runAll);
    const proxied = await onFreshDatabase(server, (url) => throughProxy(url, runAll));
    expect(proxied).toEqual(alone);
    expect(alone).toHaveLength(2 * sessionScenarios.length);
  });
});

async function onFreshDatabase<T>(server: AvailableMongo, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createMongoDatabase(server.url, wireSchema);
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

async function runScenarios(
  url: string,
  scenarios: readonly WireScenario[],
  options: RawMongoOptions = {},
): Promise<Answer[]> {
  const session = await RawMongo.open(url, options);
  const answers: Answer[] = [];
  for (let time = 1; time <= repetitions; time += 1) {
    for (const scenario of scenarios) {
      const base = session.nextRequestId();
      const messages = await scenario.run(session);
      const hasNote = messages.some(({ bytes }) => bytes.includes('[twiceshy '));
      answers.push({
        step: stepOf(scenario, time),
        messages: messages.map((message) => plain(message, base)),
        hasNote,
      });
    }
  }
  session.close();
  return answers;
}

function stepOf({ name }: WireScenario, time: number): string {
  return `${name}, time ${time}`;
}

const varying = new Set(['localTime', 'connectionId', 'operationTime', '$clusterTime']);

/** All of a message but its own number: the bytes where nothing varies and nothing was added. */
function plain(message: Message, base = 0): string {
  const { bytes, responseTo } = message;
  const body = bodyBytesOf(message);
  const document = deserialize(body, { promoteValues: false, bsonRegExp: true });
  const { shown, isPlain } = withoutVarying(document);
  const { flags, isChecksumRight } =
    message.opcode === opcode.msg
      ? readMsg(message)
      : { flags: bytes.readInt32LE(headerBytes), isChecksumRight: null };
  const head = `${message.opcode} to ${responseTo - base} flags ${flags} checksum ${isChecksumRight}`;
  if (!isPlain) return `${head} ${EJSON.stringify(shown, { relaxed: false })}`;
  return `${head} ${bytes.subarray(headerBytes).toString('latin1')}`;
}

function bodyBytesOf({ bytes, opcode: code }: Message): Buffer {
  const at = headerBytes + (code === opcode.msg ? 5 : 20);
  return bytes.subarray(at, at + bytes.readInt32LE(at));
}

function withoutVarying(document: Document): { shown: Document; isPlain: boolean } {
  let isPlain = true;
  const shownValue = (key: string, value: unknown): unknown => {
    if (varying.has(key)) {
      isPlain = false;
      return 'varies';
    }
    if (key === 'errmsg' && String(value).includes('\n[twiceshy '))
      return String(value).split('\n[twiceshy ')[0];
    if (key === 'cursor' && Number((value as Document)['id']) !== 0) {
      isPlain = false;
      return { ...(value as Document), id: 'open', ns: 'varies' };
    }
    if (key === 'ns' || key === 'cursorsKilled') {
      isPlain = false;
      return 'varies';
    }
    return isDocument(value) || Array.isArray(value) ? shownIn(value) : value;
  };
  const shownIn = (value: Document | unknown[]): Document => {
    if (Array.isArray(value)) return value.map((one) => shownValue('', one));
    const entries = Object.entries(value).filter(
      ([key, inner]) => !(key === 'note' && String(inner).startsWith('[twiceshy ')),
    );
    return Object.fromEntries(entries.map(([key, inner]) => [key, shownValue(key, inner)]));
  };
  const shown = shownIn(document);
  // Failures are compared as documents everywhere, since one of the two may carry a note.
  return { shown, isPlain: isPlain && !('writeErrors' in document) && !('errmsg' in document) };
}

function isDocument(value: unknown): value is Document {
  return (
    Object.prototype.toString.call(value) === '[object Object]' &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
