import { describe, expect, it } from 'vitest';
import { ablations, measureScenarios } from './measures.js';
import { readScenarioCorpus } from './scenario-corpus.js';
import { Share } from './wilson.js';

describe('recall benchmark', () => {
  const { scenarios } = readScenarioCorpus();
  const shipped = measureScenarios(scenarios);

  it('misses nothing on the scenario corpus', () => {
    expect(shipped.misses).toEqual([]);
    for (const share of [
      shipped.recall,
      shipped.precision,
      shipped.rightClass,
      shipped.abstention,
      shipped.noLeakage,
    ]) {
      expect(share.total).toBeGreaterThan(0);
      expect(share.value).toBe(1);
    }
  });

  it('is hard enough to tell the settings apart', () => {
    const score = (name: string): number => {
      const options = ablations.find((one) => one.name === name)?.options;
      if (options === undefined) throw new Error(`No ablation ${name}`);
      const { recall, precision, abstention } = measureScenarios(scenarios, options);
      return recall.value + precision.value + abstention.value;
    };
    expect(score('whole-database fingerprint')).toBeLessThan(3);
    expect(score('without code gate')).toBeLessThan(3);
    expect(score('exact shape only')).toBeLessThan(3);
  });

  it('computes Wilson bounds', () => {
    const share = new Share();
    for (let index = 0; index < 10; index += 1) share.add(index < 8);
    // Worked example: 8 of 10 gives 0.4902 to 0.9433.
    expect(share.lower).toBeCloseTo(0.4902, 4);
    expect(share.upper).toBeCloseTo(0.9433, 4);
  });
});
