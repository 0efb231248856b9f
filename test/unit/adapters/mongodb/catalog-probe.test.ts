import type { Document } from 'mongodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { CatalogListing } from '../../../../adapters/mongodb/catalog-listing.js';
import { CatalogProbe } from '../../../../adapters/mongodb/catalog-probe.js';
import { FakeCatalogDb, idIndex } from './fake-catalog-db.js';

const emailIndex = { key: { email: 1 }, name: 'email_1', unique: true };
const counted = (createIndexes: number) => ({
  commands: { createIndexes: { total: createIndexes, failed: 0 } },
});

describe('CatalogProbe', () => {
  let fake: FakeCatalogDb;
  let now: number;
  let probe: CatalogProbe;
  /** What each command takes. */
  let tookMs: number;

  const probeOf = (): CatalogProbe => new CatalogProbe(new CatalogListing(fake.db, false), () => now);

  beforeEach(async () => {
    now = 0;
    tookMs = 1;
    fake = new FakeCatalogDb();
    fake.collections = [
      { name: 'users', type: 'collection', options: {}, info: { uuid: 'u1' } },
      { name: 'orders', type: 'collection', options: {}, info: { uuid: 'o1' } },
      { name: 'adults', type: 'view', options: { viewOn: 'users', pipeline: [] } },
    ];
    fake.onCommand = () => {
      now += tookMs;
    };
    probe = probeOf();
    await probe.value(true);
    fake.take();
  });

  const later = (ms: number): Promise<string> => {
    now += ms;
    return probe.value(false);
  };

  it('lists everything at first, and indexes of collections only', async () => {
    const other = probeOf();
    await other.value(false);
    expect(fake.take()).toBe('serverStatus listCollections listIndexes:orders listIndexes:users');
  });

  it('is the same on every connection, whatever the order of answers', async () => {
    const value = await probe.value(true);
    fake.collections.reverse();
    expect(await probeOf().value(true)).toBe(value);
    expect(await probeOf().value(false)).toBe(value);
  });

  it.each<[string, (collections: Document[]) => void]>([
    ['a collection', (collections) => collections.push({ name: 'extra' })],
    ['a dropped collection', (collections) => collections.shift()],
    ['a validator', ([users]) => Object.assign(users ?? {}, { options: { validator: { a: 1 } } })],
    ['a view', (collections) => Object.assign(collections[2] ?? {}, { options: { viewOn: 'orders' } })],
  ])('moves within a second for %s', async (_, change) => {
    const before = await later(1_000);
    change(fake.collections);
    expect(await later(1_000)).not.toBe(before);
  });

  it('moves for an index as soon as it is listed again, and back', async () => {
    const before = await probe.value(true);
    fake.indexes['users'] = [idIndex, emailIndex];
    expect(await later(1_000)).not.toBe(before);
    fake.indexes['users'] = [idIndex];
    expect(await later(1_000)).toBe(before);
  });

  it('does not move where nothing is declared anew: a collection made again, a command that changed nothing', async () => {
    fake.metrics = counted(1);
    probe = probeOf();
    const before = await probe.value(true);
    Object.assign(fake.collections[0] ?? {}, { info: { uuid: 'u2' } });
    expect(await later(1_000)).toBe(before);
    fake.metrics = counted(2);
    expect(await later(1_000)).toBe(before);
  });

  it('lists in a fiftieth of the time where listing is slow', async () => {
    fake.refusals['serverStatus'] = 13;
    tookMs = 100;
    probe = probeOf();
    await probe.value(true);
    fake.take();
    const startedAt = now;
    for (let second = 0; second < 600; second += 1) await later(1_000);
    const asked = fake.take().split(' ');
    expect(asked.length).toBeGreaterThan(50);
    // Collections and indexes have a share each.
    expect(asked.length * tookMs).toBeLessThan(((now - startedAt) / 50) * 2.1);
  });

  it('always sees all there is when it is thorough', async () => {
    tookMs = 10_000;
    probe = probeOf();
    const before = await probe.value(true);
    fake.indexes['users'] = [idIndex, emailIndex];
    expect(await later(1_000)).toBe(before);
    expect(await probe.value(true)).not.toBe(before);
  });

  it.each<[string, (fake: FakeCatalogDb) => void]>([
    ['the server counted a command', (fake) => Object.assign(fake, { metrics: counted(2) })],
    [
      'a collection was made again',
      ({ collections }) => Object.assign(collections[0] ?? {}, { info: { uuid: 'u2' } }),
    ],
  ])('looks at the indexes sooner when %s', async (_, hint) => {
    fake.metrics = counted(1);
    tookMs = 100;
    probe = probeOf();
    const before = await probe.value(true);
    await later(20_000);
    fake.indexes['users'] = [idIndex, emailIndex];
    // Not asked for: the indexes' turn comes after fifty times what listing them took.
    for (let second = 0; second < 6; second += 1) expect(await later(1_000)).toBe(before);
    hint(fake);
    let seconds = 0;
    while ((await later(1_000)) === before) seconds += 1;
    expect(seconds).toBeLessThan(6);
  });

  it('takes no more than a fifth of the time for each, however much the server counts', async () => {
    tookMs = 500;
    fake.metrics = counted(0);
    probe = probeOf();
    await probe.value(true);
    fake.take();
    const startedAt = now;
    for (let second = 1; second <= 300; second += 1) {
      fake.metrics = counted(second);
      await later(1_000);
    }
    const listings = fake
      .take()
      .split(' ')
      .filter((command) => command !== 'serverStatus');
    expect(listings.length * tookMs).toBeLessThan(((now - startedAt) / 5) * 2);
    expect(listings.length).toBeGreaterThan(100);
  });

  it('counts only where the server says, and asks no more where it does not', async () => {
    fake.refusals['serverStatus'] = 13;
    probe = probeOf();
    for (let second = 0; second < 5; second += 1) await later(1_000);
    expect(
      fake
        .take()
        .split(' ')
        .filter((command) => command === 'serverStatus'),
    ).toHaveLength(1);
    delete fake.refusals['serverStatus'];
    fake.metrics = { commands: 'none' };
    probe = probeOf();
    for (let second = 0; second < 5; second += 1) await later(1_000);
    expect(
      fake
        .take()
        .split(' ')
        .filter((command) => command === 'serverStatus'),
    ).toHaveLength(1);
  });

  it('hands out what it listed last, once', async () => {
    await probe.value(true);
    fake.take();
    const { collections, indexes } = await probe.listed();
    expect(fake.take()).toBe('');
    expect(collections.map(({ name }) => name)).toEqual(['adults', 'orders', 'users']);
    expect([...indexes.keys()]).toEqual(['orders', 'users']);
    await probe.listed();
    expect(fake.take()).toBe('listCollections listIndexes:orders listIndexes:users');
    await probe.value(true);
    await probe.value(false);
    fake.take();
    await probe.listed();
    expect(fake.take()).toContain('listCollections');
  });

  it('fails with the server’s own error, and not for what is gone since it was listed', async () => {
    fake.refusals['listIndexes:users'] = 26;
    fake.refusals['listIndexes:orders'] = 166;
    await expect(probe.value(true)).resolves.toMatch(/^[0-9a-f]{32}$/);
    fake.refusals['listIndexes:users'] = 11600;
    await expect(probe.value(true)).rejects.toThrow('refused listIndexes');
    fake.refusals['listCollections'] = 91;
    await expect(probe.value(true)).rejects.toThrow('refused listCollections');
    fake.onCommand = () => {
      throw new Error('connection closed');
    };
    await expect(probe.value(true)).rejects.toThrow('connection closed');
  });
});
