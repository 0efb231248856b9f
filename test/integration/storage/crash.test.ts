import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idOf } from '../../contract/store-events.js';
import { until } from '../../support/until.js';
import { type StoreChild, startStoreChild } from './child-process.js';
import { type MemoryFolder, makeMemoryFolder } from './memory-folder.js';

const rounds = 8;

let memory: MemoryFolder;
let child: StoreChild | null = null;
beforeEach(async () => {
  memory = await makeMemoryFolder();
});
afterEach(async () => {
  await child?.kill();
  await memory.remove();
});

describe('a writer that is killed in the middle of appending', () => {
  it.each(['always', 'interval'])(
    'loses nothing it acknowledged, time after time (fsync %s)',
    async (fsync) => {
      const acknowledged = new Set<string>();
      let next = 0;
      for (let round = 0; round < rounds; round++) {
        child = await startStoreChild(memory.path, fsync);
        child.tell('open');
        await child.line('opened');
        child.tell(`add ${next}`);
        const { lines } = child;
        const enough = 3 + round * 7;
        await until(() => lines.length > enough + 2, 30_000, `${enough} acknowledged events`);
        await child.kill();
        for (const line of lines) {
          const [word, n] = line.split(' ');
          if (word === 'added') acknowledged.add(idOf(Number(n)));
        }

        const store = await memory.open({ isCompactedByItself: false });
        const records = await store.all();
        await store.close();
        const whole = new Set(records.filter(({ failures }) => failures === 3).map(({ id }) => id));
        expect([...acknowledged].filter((id) => !whole.has(id))).toEqual([]);
        // At most the one batch that was under way in each round.
        expect(records.length).toBeLessThanOrEqual(acknowledged.size + round + 1);
        next = records.length;
      }
      expect(memory.counted['store_lines_healed/damaged']).toBeUndefined();
    },
  );
});
