/** Database, proxy and client in one process, for ten seconds, leaving nothing behind. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapterFor, createApp } from '../../app.js';
import { formatHostPort } from '../../config/address.js';
import { configFromFlags } from '../../config/flags.js';
import { TwiceshyError } from '../../core/errors.js';
import { MemoryIndex } from '../../core/memory/memory-index.js';
import { notePrefix } from '../../core/notes/note.js';
import { createLog } from '../../observe/log.js';
import { readJsonl } from '../../storage/jsonl/read.js';
import { print } from '../output.js';
import { onSignals } from '../signals.js';
import { openMysqlStage } from './mysql.js';
import { openPostgresStage } from './postgres.js';
import type { DemoScene, DemoStep } from './script.js';
import type { DemoClient, DemoStage } from './stage.js';

export interface DemoOptions {
  /** A server of the user's, MySQL or MariaDB, instead of the PostgreSQL that comes along. */
  readonly mysql?: string;
  /** The same, MongoDB or what speaks like it. */
  readonly mongodb?: string;
}

export async function runDemo(options: DemoOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'twiceshy-demo-'));
  let stage: DemoStage | null = null;
  const leave = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  const interrupt = () => {
    // A database made on the user's server must go too, if the server lets it.
    if (stage === null) leave();
    else void stage.close().finally(leave);
  };
  const release = onSignals({ stop: interrupt, stopNow: leave, reload: interrupt });
  try {
    stage = await openStage(options);
    await playBehindProxy(stage, folder);
  } finally {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
    release();
  }
}

async function openStage({ mysql, mongodb }: DemoOptions): Promise<DemoStage> {
  if (mysql !== undefined && mongodb !== undefined) {
    throw new TwiceshyError('USAGE', '--mysql and --mongodb: one at a time.');
  }
  if (mysql !== undefined) return openMysqlStage(mysql);
  if (mongodb !== undefined) return (await import('./mongodb.js')).openMongodbStage(mongodb);
  return openPostgresStage();
}

async function playBehindProxy(stage: DemoStage, folder: string): Promise<void> {
  const place = { url: stage.url, urlFlag: 'demo', exampleUrl: stage.url };
  const flags = { ...place, listen: '127.0.0.1:0', memory: folder, name: 'demo' };
  const config = configFromFlags(flags, folder, { env: {}, adapterFor });
  const app = createApp(config, { log: createLog({ level: 'error', format: 'auto' }) });
  const { listeners } = await app.start();
  try {
    const [listener] = listeners;
    if (listener === undefined) throw new TwiceshyError('LISTEN_FAILED', 'The demo has no listener.');
    const { host, port } = listener;
    print(`${stage.server}, with twiceshy in front of it on ${formatHostPort(host, port)}`);
    for (const [i, scene] of stage.scenes.entries()) await playScene(stage, scene, i + 1, { host, port });
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
  stage: DemoStage,
  scene: DemoScene,
  number: number,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  print(`\n${number}. ${scene.title}`);
  const client = await stage.connect(address);
  try {
    for (const step of scene.steps) await playStep(client, step);
  } finally {
    await client.end();
  }
}

async function playStep(client: DemoClient, { sql, expected }: DemoStep): Promise<void> {
  print(`\n  agent> ${sql}`);
  const { isOk, errorText, lines } = await client.ask(sql);
  for (const line of lines) print(`  ${line}`);
  const kind = isOk ? 'ok' : errorText.includes(notePrefix) ? 'error with note' : 'error';
  if (kind === expected) return;
  throw new TwiceshyError('DEMO_FAILED', `The demo expected "${expected}" here and got "${kind}".`);
}
