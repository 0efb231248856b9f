/**
 * The same bytes sent directly and through the proxy get the same frames back, byte for byte but for notes, whatever
 * the pieces the network delivers them in.
 */
import { expect, it } from 'vitest';
import { createDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { type Frame, type RawOptions, RawPostgres } from '../support/raw-postgres.js';
import { startProxy } from '../support/start-proxy.js';
import { startRelay } from '../support/tcp-relay.js';
import { repetitions } from './battery/failing-statements.js';
import { hasNote, withoutNotes } from './battery/notes.js';
import { batterySchema } from './battery/schema.js';
import { normaliseText } from './battery/transcript.js';
import { type WireScenario, wireScenarios } from './battery/wire-scenarios.js';

const fieldEnd = '\0';

interface Answer {
  readonly step: string;
  readonly frames: readonly string[];
}

describeEachPostgres('the wire', (server) => {
  it('carries every frame unchanged but for notes', async () => {
    await withDatabase(server.url, async (url) => {
      const direct = await runScenarios(url, wireScenarios);
      expect(await runScenarios(url, wireScenarios)).toEqual(direct);
      const proxied = await throughProxy(url, (through) => runScenarios(through, wireScenarios));
      expectEqualFrames(direct, proxied);
      const annotated = proxied.filter(({ frames }) => frames.some(hasNote)).map(({ step }) => step);
      for (const name of annotatedScenarios) {
        expect(annotated).toContain(`${name}, time 2`);
        expect(annotated).not.toContain(`${name}, time 1`);
      }
    });
  });

  // The large rows would take minutes byte by byte.
  const short = wireScenarios.filter(({ name }) => !name.startsWith('a row that ends near'));
  for (const [pieceBytes, scenarios] of [
    [1, short],
    [1400, wireScenarios],
  ] as const) {
    it(`carries them when both legs deliver ${pieceBytes} bytes at a time`, async () => {
      await withDatabase(server.url, async (url) => {
        const direct = await runScenarios(url, scenarios);
        const { hostname, port } = new URL(url);
        const relay = await startRelay({ targetHost: hostname, targetPort: Number(port), pieceBytes });
        try {
          const run = (through: string) => runScenarios(through, scenarios, { pieceBytes });
          expectEqualFrames(direct, await throughProxy(relay.through(url), run));
        } finally {
          await relay.close();
        }
      });
    });
  }
});

/** Kinds of answer in which a repetition must have been annotated and the first must not. */
const annotatedScenarios = [
  'error at Parse',
  'error at Bind',
  'error at Execute',
  'several statements in one text',
  'a deferred constraint after CommandComplete',
  'COPY fails while the client still sends',
  'COPY out fails midway',
];

function expectEqualFrames(direct: readonly Answer[], proxied: readonly Answer[]): void {
  for (const [index, answer] of direct.entries()) {
    expect({ ...proxied[index], frames: proxied[index]?.frames.map(cleaned) }, answer.step).toEqual(answer);
  }
}

/** Field by field; a hint that was nothing but a note was not there before. */
function cleaned(frame: string): string {
  const fields = frame.split(fieldEnd).map(withoutNotes);
  return fields.filter((field) => field !== 'H').join(fieldEnd);
}

async function withDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createDatabase(serverUrl, batterySchema);
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
    expect(exit).toMatchObject({ code: 0 });
  }
}

async function runScenarios(
  url: string,
  scenarios: readonly WireScenario[],
  options: RawOptions = {},
): Promise<Answer[]> {
  const session = await RawPostgres.open(url, { user: 'trust_user', ...options });
  const answers: Answer[] = [{ step: 'login', frames: session.frames.map(describeFrame) }];
  for (const { name, exchanges } of scenarios) {
    for (let time = 1; time <= repetitions; time += 1) {
      const frames: string[] = [];
      for (const exchange of exchanges) {
        await session.send(exchange.send);
        frames.push(...(await session.take(exchange.until, exchange.count)).map(describeFrame));
      }
      answers.push({ step: `${name}, time ${time}`, frames });
    }
  }
  session.close();
  return answers;
}

function describeFrame(frame: Frame): string {
  if (frame.type === 'E' || frame.type === 'N') {
    return normaliseText(`${frame.type} ${frame.body.toString('latin1')}`);
  }
  if (frame.type === 'K') return `K of ${frame.body.length} bytes`;
  if (frame.type === 'A') return `A ${frame.body.subarray(4).toString('latin1')}`;
  return `${frame.type} ${frame.body.toString('latin1')}`;
}
