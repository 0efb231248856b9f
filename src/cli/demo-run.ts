/** Database, proxy and client in one process, for ten seconds, leaving nothing behind. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { adapterFor, createApp } from '../app.js';
import { formatHostPort } from '../config/address.js';
import { configFromFlags } from '../config/flags.js';
import { TwiceshyError } from '../core/errors.js';
import { MemoryIndex } from '../core/memory/memory-index.js';
import { notePrefix } from '../core/notes/note.js';
import { createLog } from '../observe/log.js';
import { readJsonl } from '../storage/jsonl/read.js';
import { type DemoDatabase, startDemoDatabase } from './demo-database.js';
import { type DemoScene, type DemoStep, demoScenes, type Expected } from './demo-script.js';
import { print } from './output.js';
import { onSignals } from './signals.js';

export async function runDemo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'twiceshy-demo-'));
  // The folder is all that would outlive the process.
  const interrupt = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  const release = onSignals({ stop: interrupt, stopNow: interrupt, reload: interrupt });
  let database: DemoDatabase | null = null;
  try {
    database = await startDemoDatabase();
    await playBehindProxy(database, folder);
  } finally {
    await database?.close();
    await rm(folder, { recursive: true, force: true });
    release();
  }
}

async function playBehindProxy(database: DemoDatabase, folder: string): Promise<void> {
  const place = { url: database.url, urlFlag: 'demo', exampleUrl: database.url };
  const flags = { ...place, listen: '127.0.0.1:0', memory: folder, name: 'demo' };
  const config = configFromFlags(flags, folder, { env: {}, adapterFor });
  const app = createApp(config, { log: createLog({ level: 'error', format: 'auto' }) });
  const { listeners } = await app.start();
  try {
    const [listener] = listeners;
    if (listener === undefined) throw new TwiceshyError('LISTEN_FAILED', 'The demo has no listener.');
    const { host, port } = listener;
    print(
      `PostgreSQL ${database.version} (PGlite), with twiceshy in front of it on ${formatHostPort(host, port)}`,
    );
    for (const [i, scene] of demoScenes.entries()) await playScene(scene, i + 1, { host, port });
  } finally {
    await app.stop();
  }
  print(
    '\nEvery repeat came back with an instruction, and nothing was blocked. What was remembered, without values:\n',
  );
  const memory = new MemoryIndex();
  await readJsonl(folder, (event) => void memory.apply(event));
  for (const { failures, object, shape, ...record } of memory.records()) {
    print(`  ${failures}x ${record.class}${object === null ? '' : ` (${object.name})`}: ${shape}`);
  }
}

async function playScene(
  scene: DemoScene,
  number: number,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  print(`\n${number}. ${scene.title}`);
  const client = new pg.Client({ ...address, user: 'postgres', password: 'demo', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const step of scene.steps) await playStep(client, step);
  } finally {
    await client.end();
  }
}

async function playStep(client: pg.Client, { sql, expected }: DemoStep): Promise<void> {
  print(`\n  agent> ${sql}`);
  const answer = await ask(client, sql);
  for (const line of answer.lines) print(`  ${line}`);
  if (answer.kind === expected) return;
  throw new TwiceshyError('DEMO_FAILED', `The demo expected "${expected}" here and got "${answer.kind}".`);
}

async function ask(client: pg.Client, sql: string): Promise<{ kind: Expected; lines: string[] }> {
  try {
    const { command, rowCount, rows } = await client.query<Record<string, unknown>>(sql);
    return { kind: 'ok', lines: [`${command} ${rowCount ?? 0}`, ...rows.map((row) => JSON.stringify(row))] };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const lines = [
      ...labelled(`${error.severity ?? 'ERROR'}:`, error.message),
      ...(error.hint === undefined ? [] : labelled('HINT:', error.hint)),
    ];
    const hasNote = error.message.includes(notePrefix) && (error.hint ?? '').includes(notePrefix);
    return { kind: hasNote ? 'error with note' : 'error', lines };
  }
}

/** A field as psql shows it, line breaks indented. */
function labelled(label: string, text: string): string[] {
  return text.split('\n').map((line, i) => `${(i === 0 ? label : '').padEnd(8)}${line}`);
}
