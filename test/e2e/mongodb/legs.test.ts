/** The combinations of TLS on the two legs carry the same session as none, with its login and its notes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { type AvailableMongo, describeEachMongo } from '../../support/mongodb-servers.js';
import { type RunningProxy, startConfiguredProxy, startProxy } from '../../support/start-proxy.js';

interface Leg {
  /** Parameters of the client's URL. */
  readonly client?: Readonly<Record<string, string>>;
}

/** What a session gets that logs in, writes, and fails twice in the same way. */
async function work(url: string): Promise<unknown[]> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  const users = client.db().collection<{ _id: number }>('users');
  const got: unknown[] = [];
  try {
    got.push(await users.insertMany([{ _id: 1 }, { _id: 2 }]), await users.find().toArray());
    for (let time = 1; time <= 2; time += 1) got.push(await failure(users.insertOne({ _id: 1 })));
    got.push(await users.deleteMany({}));
  } finally {
    await client.close();
  }
  return got;
}

async function failure(run: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  const error: unknown = await run.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof MongoServerError)) throw new Error('The server raised no error', { cause: error });
  return { code: error.code, message: error.message };
}

function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
}

describeEachMongo('a leg', (server) => {
  let certificate: Certificate;
  let database: Awaited<ReturnType<typeof createMongoDatabase>>;
  let overTls: Record<string, string>;

  beforeAll(async () => {
    certificate = await makeCertificate();
    database = await createMongoDatabase(server.url, async (db) => void (await db.createCollection('users')));
    overTls = { tls: 'true', tlsCAFile: certificate.cert };
  });

  afterAll(async () => {
    certificate.remove();
    await database.drop();
  });

  async function expectSame(proxy: RunningProxy, leg: Leg = {}): Promise<void> {
    const direct = await work(database.url);
    const proxied = await work(withParameters(proxy.through(database.url), leg.client ?? {}));
    const exit = await proxy.stop();
    const [, , first, again] = proxied as { message: string }[];
    const [, , plain] = direct as { message: string }[];
    expect(first).toEqual(plain);
    expect(again?.message.startsWith(`${plain?.message}\n[twiceshy `)).toBe(true);
    expect([...proxied.slice(0, 2), proxied[4]]).toEqual([...direct.slice(0, 2), direct[4]]);
    expect(exit.code).toBe(0);
  }

  /** Of the server's TLS port, with the database of this file. */
  function tlsUrl({ tls }: AvailableMongo, parameters: Readonly<Record<string, string>> = {}): string {
    const { host } = new URL(tls?.url ?? '');
    const changed = new URL(database.url);
    changed.host = host;
    return withParameters(changed.href, parameters);
  }

  it('without TLS on either side carries a client', async () =>
    expectSame(await startProxy({ upstreamUrl: database.url })));

  it('with TLS to the client carries a client', async () =>
    expectSame(await startProxy({ upstreamUrl: database.url, tls: certificate }), { client: overTls }));

  it('that offers TLS takes a plain client too', async () =>
    expectSame(await startProxy({ upstreamUrl: database.url, tls: certificate })));

  it.skipIf(server.tls === null)('with TLS to the server carries a plain client', async () => {
    const verified = tlsUrl(server, { tls: 'true', tlsCAFile: server.tls?.ca ?? '' });
    await expectSame(await startProxy({ upstreamUrl: verified }));
  });

  it.skipIf(server.tls === null)('with TLS on both sides carries a client', async () => {
    const insecure = tlsUrl(server, { tls: 'true', tlsInsecure: 'true' });
    await expectSame(await startProxy({ upstreamUrl: insecure, tls: certificate }), { client: overTls });
  });

  it.skipIf(server.tls === null)(
    'to a server on this machine that takes TLS only gets it unasked',
    async () => expectSame(await startProxy({ upstreamUrl: tlsUrl(server) })),
  );

  it('that prefers TLS does without where the server has none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-legs-'));
    const file = join(folder, 'config.yaml');
    const memory = join(folder, 'memory');
    const config = {
      memory: { folder: memory },
      admin: { listen: false },
      upstreams: { shop: { url: withParameters(database.url, {}), tls: { mode: 'prefer' } } },
      listeners: [{ listen: '127.0.0.1:0' }],
    };
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(config));
    try {
      await expectSame(await startConfiguredProxy(file, memory));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('with TLS demanded of clients tells a plain one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-legs-'));
    const file = join(folder, 'config.yaml');
    const { cert, key } = certificate;
    const config = {
      memory: { folder: join(folder, 'memory') },
      admin: { listen: false },
      upstreams: { shop: { url: database.url } },
      listeners: [{ listen: '127.0.0.1:0', tls: { cert, key, required: true } }],
    };
    writeFileSync(file, JSON.stringify(config));
    const proxy = await startConfiguredProxy(file, join(folder, 'memory'));
    const client = new MongoClient(proxy.through(database.url), { serverSelectionTimeoutMS: 500 });
    await expect(client.db().command({ ping: 1 })).rejects.toThrow('connect with tls=true');
    await client.close();
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  });
});
