/**
 * What was compressed for test/fixtures/mongodb/compressed.json, made anew by the same arithmetic. The fixtures come from
 * zstd 1.5.4 (`zstd -<level>`, and as their names say) and from Snappy 1.1 (npm `snappy` 7.4.3): not from code in here.
 */
import { readFileSync } from 'node:fs';
import { serialize } from 'bson';

export type InputName = 'tiny' | 'run' | 'letters' | 'skewed' | 'documents' | 'repeats';

/** Numbers below `bound`, the same ones each time. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const made: Record<InputName, () => Buffer> = {
  tiny: () => Buffer.from('hello hello hello hello'),
  run: () => Buffer.alloc(200_000, 'x'),
  letters: () => {
    const next = numbers(1);
    return Buffer.from(Array.from({ length: 3_000 }, () => 97 + next(3)));
  },
  skewed: () => {
    const next = numbers(2);
    return Buffer.from(Array.from({ length: 9_000 }, () => Math.floor((next(1_000) / 1_000) ** 5 * 256)));
  },
  documents: () => {
    const next = numbers(3);
    const names = ['ann', 'bob', 'carol', 'dave', 'eve', 'mallory'];
    const all = Array.from({ length: 400 }, (_, index) =>
      serialize({
        _id: index,
        name: names[next(6)],
        email: `${names[next(6)]}${next(1_000)}@example.com`,
        age: next(90),
      }),
    );
    return Buffer.concat(all);
  },
  repeats: () => {
    const next = numbers(4);
    const noise = Buffer.from(Array.from({ length: 4_000 }, () => next(256)));
    const parts: Buffer[] = [];
    for (let size = 0; size < 300_000; ) {
      const from = next(3_000);
      const part = noise.subarray(from, from + 50 + next(950));
      parts.push(part, Buffer.from([next(256)]));
      size += part.length + 1;
    }
    return Buffer.concat(parts);
  },
};

export const inputs = Object.fromEntries(
  Object.entries(made).map(([name, make]) => [name, make()]),
) as Record<InputName, Buffer>;

interface Fixture {
  readonly input: InputName;
  readonly compressor: 'zstd' | 'snappy';
  /** How it was compressed. */
  readonly how: string;
  readonly base64: string;
}

export const fixtures: readonly Fixture[] = JSON.parse(
  readFileSync(new URL('../../fixtures/mongodb/compressed.json', import.meta.url), 'utf8'),
);
