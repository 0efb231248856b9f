import type { AdapterFor } from '../../../src/config/resolve.js';
import type { DatabaseAdapter, LegPolicy, TlsMode } from '../../../src/core/adapter.js';
import { TwiceshyError } from '../../../src/core/errors.js';

/** Enough of an adapter for the configuration: its URL and its policy. */
export function stubAdapterFor(refuse: (policy: LegPolicy) => string | null = () => null): AdapterFor {
  const adapter = {
    name: 'postgres',
    passwordVariable: 'PGPASSWORD',
    defaultListenPort: 6432,
    refusePolicy: refuse,
    parseUrl(text: string) {
      const url = new URL(text);
      if (url.hostname === 'bad') throw new TwiceshyError('CONFIG_INVALID', 'names no host');
      return {
        address: {
          host: url.hostname,
          port: Number(url.port || 5432),
          user: url.username,
          password: decodeURIComponent(url.password),
          database: url.pathname.slice(1),
        },
        tlsMode: (url.searchParams.get('sslmode') as TlsMode | null) ?? null,
        serverCaFile: url.searchParams.get('sslrootcert'),
      };
    },
  } as unknown as DatabaseAdapter;
  return (url) => (/^(postgres|mysql|mongodb):/.test(url) ? adapter : null);
}
