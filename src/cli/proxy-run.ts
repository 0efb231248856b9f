/** Runs the proxy until it is told to stop. */
import { type App, adapterFor, adapters, createApp } from '../app.js';
import { formatHostPort } from '../config/address.js';
import type { Config } from '../config/config.js';
import { configFromFlags } from '../config/flags.js';
import { loadConfigFile } from '../config/load.js';
import { TwiceshyError } from '../core/errors.js';
import { createLog, type Logger } from '../observe/log.js';
import { placesOf, print } from './output.js';
import { type ServerUrlOptions, serverFromEnvironment, serverFromFlags, urlVariable } from './server-url.js';
import { onSignals } from './signals.js';

export interface ProxyOptions extends ServerUrlOptions {
  readonly config?: string;
  readonly listen?: string;
  readonly memory?: string;
  readonly audience?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly admin?: string;
  readonly logLevel?: string;
  readonly name?: string;
}

export async function runProxy(options: ProxyOptions): Promise<void> {
  const config = readConfig(options);
  // Overwrites the memory that `ps` reads the command line from, where the system allows it.
  process.title = 'twiceshy proxy';
  const log = createLog(config.log);
  surviveStrayErrors(log);
  const app = createApp(config, { log });
  const stopped = stopOnSignals(app, options, log);
  const { listeners } = await app.start();
  for (const { name, host, port } of listeners) print(`listening ${name} ${formatHostPort(host, port)}`);
  if (!app.isStopping) print('ready');
  await stopped;
}

function readConfig(options: ProxyOptions): Config {
  const load = { env: process.env, adapterFor };
  const { config: file, postgres: _, mysql: __, mongodb: ___, ...others } = options;
  if (file !== undefined) {
    const extra = Object.keys(options).filter((key) => key !== 'config');
    if (extra.length === 0) return loadConfigFile(file, load);
    const flags = extra.map((key) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`);
    throw new TwiceshyError(
      'USAGE',
      `-c excludes other options; put this into the file: ${flags.join(', ')}`,
    );
  }
  const server = serverFromFlags(options) ?? serverFromEnvironment(process.env);
  if (server === null) {
    const flags = adapters.map(({ name }) => `--${name} <url>`).join(' or ');
    const variables = adapters.map(urlVariable).join(' or ');
    throw new TwiceshyError(
      'USAGE',
      `Name the database: ${flags}, the environment variable ${variables}, or a file with -c.\n` +
        '(see twiceshy proxy --help)',
    );
  }
  const { url, urlFlag, adapter } = server;
  const flags = { ...others, url, urlFlag, exampleUrl: adapter.exampleUrl };
  return configFromFlags(flags, process.cwd(), load);
}

/** Resolves once the app has stopped after a signal. */
function stopOnSignals(app: App, options: ProxyOptions, log: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    // Never let go: a signal between the end of the app and that of the process would end it as if it had failed.
    onSignals({
      stop: () => void app.stop().then(resolve, reject),
      stopNow: () => app.stopNow(),
      reload: () => reload(app, options, log),
    });
  });
}

function reload(app: App, options: ProxyOptions, log: Logger): void {
  if (options.config === undefined) {
    log.warn('Nothing to reload: the configuration came from the command line.');
    return;
  }
  try {
    app.reload(readConfig(options));
  } catch (error) {
    if (!(error instanceof TwiceshyError)) throw error;
    log.error({ problems: error.message.split('\n') }, 'Not reloaded: the configuration has problems.');
  }
}

/**
 * A defect that reaches here belongs to one session or to the memory; ending the process would end every session with
 * it. Messages are left out: they may quote what was being handled.
 */
function surviveStrayErrors(log: Logger): void {
  const survive = (error: unknown) => {
    const where = error instanceof Error ? placesOf(error).trim().split('\n').slice(0, 8) : [];
    const kind = error instanceof Error ? error.name : typeof error;
    log.error({ kind, where }, 'A defect was caught at the last line of defence; traffic goes on.');
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}
