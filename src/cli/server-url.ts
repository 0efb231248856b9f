/** The database server named on the command line: one flag an adapter (`--postgres`, `--mysql`, `--mongodb`), or its variable. */
import { adapterFor, adapters } from '../app.js';
import type { DatabaseAdapter } from '../core/adapter.js';
import { TwiceshyError } from '../core/errors.js';

export interface ServerUrlOptions {
  readonly postgres?: string;
  readonly mysql?: string;
  readonly mongodb?: string;
}

export interface ServerUrl {
  readonly adapter: DatabaseAdapter;
  readonly url: string;
  /** Where the URL came from, for messages. */
  readonly urlFlag: string;
}

/** `TWICESHY_POSTGRES_URL` and the like. */
export function urlVariable({ name }: Pick<DatabaseAdapter, 'name'>): string {
  return `TWICESHY_${name.toUpperCase()}_URL`;
}

/** Null where no flag is given; throws USAGE where several are. */
export function serverFromFlags(options: ServerUrlOptions): ServerUrl | null {
  return onlyOne(
    adapters.flatMap((adapter) => {
      const url = options[adapter.name];
      return url === undefined ? [] : [ofItsKind({ adapter, url, urlFlag: `--${adapter.name}` })];
    }),
  );
}

/** Null where no variable is set; throws USAGE where several are. */
export function serverFromEnvironment(env: NodeJS.ProcessEnv): ServerUrl | null {
  return onlyOne(
    adapters.flatMap((adapter) => {
      const urlFlag = urlVariable(adapter);
      const url = env[urlFlag] ?? '';
      return url === '' ? [] : [ofItsKind({ adapter, url, urlFlag })];
    }),
  );
}

/** A URL of another database would start another kind of proxy than the one asked for. */
function ofItsKind(server: ServerUrl): ServerUrl {
  const { adapter, url, urlFlag } = server;
  const other = adapterFor(url);
  if (other === null || other === adapter) return server;
  throw new TwiceshyError(
    'CONFIG_INVALID',
    `${urlFlag}: expected a connection URL such as ${adapter.exampleUrl}`,
  );
}

function onlyOne(named: readonly ServerUrl[]): ServerUrl | null {
  const [server = null, ...others] = named;
  if (others.length === 0) return server;
  const flags = named.map(({ urlFlag }) => urlFlag).join(' and ');
  throw new TwiceshyError('USAGE', `${flags}: name one server here, or several in a file with -c.`);
}
