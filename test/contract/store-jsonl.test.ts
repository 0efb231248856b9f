import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJsonlStore } from '../../src/storage/jsonl/store.js';
import { describeStoreContract } from './store-contract.js';

for (const fsync of ['always', 'interval', 'never'] as const) {
  describeStoreContract(`jsonl, fsync ${fsync}`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'twiceshy-store-'));
    return {
      open: (now = Date.now) => openJsonlStore(join(root, 'memory'), { fsync, now }),
      remove: () => rm(root, { recursive: true }),
    };
  });
}
