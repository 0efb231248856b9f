/** What the benchmark measures on each corpus. */
import type { RecallOptions } from '../../src/core/recall/recall.js';
import type { FailureCase, Scenario } from './case.js';
import { rewordings } from './external-corpus.js';
import { type Keyed, keyCase, MemoryUnderTest } from './memory-under-test.js';
import { Share } from './wilson.js';

export interface ScenarioMeasures {
  /** Repeats for which the learnt record came back. */
  readonly recall: Share;
  /** Records that came back and were the right one. */
  readonly precision: Share;
  /** Failures put in the class the corpus states. */
  readonly rightClass: Share;
  readonly classifiedEvents: Share;
  readonly classifiedCodes: Share;
  /** Questions that deserve no answer and got none. */
  readonly abstention: Share;
  /** The same, of those asked from another database, upstream or engine. */
  readonly noLeakage: Share;
  /** One line for each wrong answer. */
  readonly misses: readonly string[];
}

export function measureScenarios(
  scenarios: readonly Scenario[],
  options: Partial<RecallOptions> = {},
): ScenarioMeasures {
  const memory = new MemoryUnderTest(options);
  const measures = {
    recall: new Share(),
    precision: new Share(),
    rightClass: new Share(),
    classifiedEvents: new Share(),
    classifiedCodes: new Share(),
    abstention: new Share(),
    noLeakage: new Share(),
    misses: [] as string[],
  };
  const codes = new Map<string, boolean>();
  const learnt = scenarios.map((scenario) => {
    const keyed = keyCase(scenario.learn);
    if (keyed === null) throw new Error(`${scenario.name}: what is learnt is never recorded`);
    memory.learn(keyed);
    measures.rightClass.add(keyed.class === scenario.expectedClass);
    if (keyed.class !== scenario.expectedClass)
      measures.misses.push(`${scenario.name}: class ${keyed.class}`);
    measures.classifiedEvents.add(keyed.class !== 'unclassified');
    codes.set(keyed.facts.code, keyed.class !== 'unclassified');
    return keyed;
  });
  for (const isClassified of codes.values()) measures.classifiedCodes.add(isClassified);
  for (const [index, scenario] of scenarios.entries()) {
    const wanted = (learnt[index] as Keyed).facts.id;
    for (const { kind, ask } of scenario.recall) {
      const keyed = keyCase(ask);
      const record = keyed === null ? null : memory.ask(keyed);
      measures.recall.add(record?.id === wanted);
      if (record !== null) measures.precision.add(record.id === wanted);
      if (record?.id !== wanted)
        measures.misses.push(`${scenario.name} / ${kind}: ${record?.shape ?? 'nothing recalled'}`);
    }
    for (const { kind, ask } of scenario.abstain) {
      const keyed = keyCase(ask);
      const record = keyed === null ? null : memory.ask(keyed);
      // Another scenario may have learnt just what is asked; that answer is right.
      const isRight = record === null || (keyed !== null && record.id === keyed.facts.id);
      measures.abstention.add(isRight);
      if (record !== null) measures.precision.add(isRight);
      const { scope, engine, backend } = ask;
      if (
        scope.database !== scenario.learn.scope.database ||
        scope.upstream !== scenario.learn.scope.upstream ||
        engine !== scenario.learn.engine ||
        backend !== scenario.learn.backend
      ) {
        measures.noLeakage.add(record === null);
      }
      if (!isRight)
        measures.misses.push(`${scenario.name} / ${kind}: should abstain, recalled ${record?.shape}`);
    }
  }
  return measures;
}

export interface ExternalMeasures {
  /** Reworded repeats for which the very record came back, by rewording. */
  readonly recall: ReadonlyMap<string, Share>;
  /** In a replay in order, each failure asking before it is learnt: what came back had the same class. */
  readonly rightClass: Share;
  /** The same, with the same SQLSTATE. */
  readonly rightCode: Share;
  /** Share of the replay that recalled something. */
  readonly answered: Share;
  readonly classifiedEvents: Share;
  readonly classifiedCodes: Share;
  readonly noLeakage: Share;
  readonly notRecorded: number;
}

export function measureExternal(
  cases: readonly FailureCase[],
  options: Partial<RecallOptions> = {},
): ExternalMeasures {
  const measures = {
    recall: new Map(Object.keys(rewordings).map((name) => [name, new Share()])),
    rightClass: new Share(),
    rightCode: new Share(),
    answered: new Share(),
    classifiedEvents: new Share(),
    classifiedCodes: new Share(),
    noLeakage: new Share(),
    notRecorded: 0,
  };
  const memory = new MemoryUnderTest(options);
  const codes = new Map<string, boolean>();
  const recorded: [FailureCase, Keyed][] = [];
  for (const failure of cases) {
    const keyed = keyCase(failure);
    if (keyed === null) {
      measures.notRecorded += 1;
      continue;
    }
    measures.classifiedEvents.add(keyed.class !== 'unclassified');
    codes.set(keyed.facts.code, keyed.class !== 'unclassified');
    const record = memory.ask(keyed);
    measures.answered.add(record !== null);
    if (record !== null) {
      measures.rightClass.add(record.class === keyed.class);
      measures.rightCode.add(record.code === keyed.facts.code);
    }
    memory.learn(keyed);
    recorded.push([failure, keyed]);
  }
  for (const isClassified of codes.values()) measures.classifiedCodes.add(isClassified);
  for (const [failure, learnt] of recorded) {
    for (const [name, reword] of Object.entries(rewordings)) {
      const keyed = keyCase({ ...failure, text: reword(failure.text) });
      measures.recall.get(name)?.add(keyed !== null && memory.ask(keyed)?.id === learnt.facts.id);
    }
    const elsewhere = keyCase({
      ...failure,
      scope: { ...failure.scope, database: `${failure.scope.database}, elsewhere` },
    });
    measures.noLeakage.add(elsewhere === null || memory.ask(elsewhere) === null);
  }
  return measures;
}

/** Settings whose worth the report shows, the product's own first. */
export const ablations: readonly { readonly name: string; readonly options: Partial<RecallOptions> }[] = [
  { name: 'as shipped: bigram, per-table fingerprint, code gate', options: {} },
  { name: 'unigram', options: { measure: 'unigram' } },
  { name: 'whole-database fingerprint', options: { fingerprint: 'database' } },
  { name: 'without code gate', options: { useCodeGate: false } },
  { name: 'exact shape only', options: { threshold: 1.01 } },
];
