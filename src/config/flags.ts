/**
 * The one-database configuration from command-line flags: the same document as a file would hold, judged by the same
 * rules, with problems named by their flag. The scope's upstream is `host:port` unless a name is given, so that one
 * memory folder used for two servers does not mix them.
 */
import { TwiceshyError } from '../core/errors.js';
import { formatHostPort } from './address.js';
import type { Config } from './config.js';
import { type LoadOptions, loadConfigValue } from './load.js';

export interface ProxyFlags {
  /** Connection URL; its scheme picks the database. */
  readonly url: string;
  /** The flag the URL came with, and what it should look like, for messages. */
  readonly urlFlag: string;
  readonly exampleUrl: string;
  readonly listen?: string | undefined;
  readonly memory?: string | undefined;
  readonly audience?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly admin?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly name?: string | undefined;
}

/** Throws `CONFIG_INVALID`; `folder` is what relative paths start from. */
export function configFromFlags(flags: ProxyFlags, folder: string, options: LoadOptions): Config {
  const adapter = options.adapterFor(flags.url);
  if (adapter === null) {
    throw new TwiceshyError(
      'CONFIG_INVALID',
      `${flags.urlFlag}: expected a connection URL such as ${flags.exampleUrl}`,
    );
  }
  const { address } = parsed(flags, () => adapter.parseUrl(flags.url));
  const upstream = flags.name ?? formatHostPort(address.host, address.port);
  const variable = address.password === '' ? adapter.passwordVariable : null;
  const password = variable === null ? undefined : options.env[variable];
  const names = flagNames(flags.urlFlag, upstream);
  const value = {
    memory: { folder: flags.memory },
    admin: { listen: flags.admin ?? false },
    log: { level: flags.logLevel },
    upstreams: { [upstream]: { url: flags.url, password: password === '' ? undefined : password } },
    listeners: [
      {
        name: adapter.name,
        listen: flags.listen ?? `127.0.0.1:${adapter.defaultListenPort}`,
        audience: flags.audience,
        tls: clientTls(flags),
      },
    ],
  };
  return loadConfigValue(value, 'command line', folder, options, names);
}

function clientTls({ tlsCert, tlsKey }: ProxyFlags): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  throw new TwiceshyError('CONFIG_INVALID', 'command line: --tls-cert and --tls-key go together');
}

function parsed<T>(flags: ProxyFlags, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof TwiceshyError)) throw cause;
    throw new TwiceshyError('CONFIG_INVALID', `${flags.urlFlag}: ${cause.message}`, { cause });
  }
}

function flagNames(urlFlag: string, upstream: string): Readonly<Record<string, string>> {
  return {
    [`upstreams.${upstream}`]: urlFlag,
    'listeners[0].listen': '--listen',
    'listeners[0].audience': '--audience',
    'listeners[0].tls.cert': '--tls-cert',
    'listeners[0].tls.key': '--tls-key',
    'listeners[0]': '',
    'admin.listen': '--admin',
    'log.level': '--log-level',
    'memory.folder': '--memory',
  };
}
