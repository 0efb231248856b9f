/** The whole proxy in this process, memory and catalog included, as its command line would start it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapterFor, createApp } from '../../../src/app.js';
import { loadConfigValue } from '../../../src/config/load.js';
import { createLog } from '../../../src/observe/log.js';

export interface AppOptions {
  readonly audience?: 'agent' | 'application';
  /** More keys of the listener, and of the file, as in the configuration. */
  readonly listener?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface RunningApp {
  through(url: string): string;
  /** Everything logged so far. */
  log(): string;
  /** Stops, removes the memory and resolves to the events it held. */
  stop(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export async function startApp(upstreamUrl: string, options: AppOptions = {}): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-regression-'));
  const value = {
    memory: { folder: 'memory', fsync: 'never' },
    admin: { listen: false },
    upstreams: { up: { url: upstreamUrl } },
    listeners: [{ listen: '127.0.0.1:0', audience: options.audience ?? 'agent', ...options.listener }],
    shutdown: { drainTimeoutMs: 1000 },
    ...options.config,
  };
  const config = loadConfigValue(value, 'test', folder, { env: {}, adapterFor });
  let logged = '';
  const write = (line: string): void => {
    logged += line;
  };
  const app = createApp(config, { log: createLog({ level: 'trace', format: 'json' }, { write }) });
  const { listeners } = await app.start();
  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(listeners[0]?.port);
      return changed.href;
    },
    log: () => logged,
    async stop() {
      await app.stop();
      const lines = readFileSync(join(folder, 'memory', 'memory.jsonl'), 'utf8').split('\n');
      rmSync(folder, { recursive: true, force: true });
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

/** Text that every note has. */
export const anyNote = /\[twiceshy [0-9a-f]{8}\]/;
