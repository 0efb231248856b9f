/**
 * Connection URLs as libpq reads them (docs 34.1.1.2 "Connection URIs"), as far as a proxy's upstream can follow them.
 * Errors name what is wrong and never repeat the URL, which holds a password.
 */
import type { TlsMode, UpstreamAddress } from '../../src/core/adapter.js';
import {
  decodePart,
  invalidUrl,
  parametersOf,
  parsePort,
  severalHosts,
  splitHost,
  splitUrl,
  unixSocket,
} from '../../src/core/upstream-url.js';

export const defaultPort = 5432;

export interface UpstreamUrl {
  readonly address: UpstreamAddress;
  /** Null where the URL names none: the configuration's default applies. */
  readonly tlsMode: TlsMode | null;
  readonly serverCaFile: string | null;
}

/** libpq's modes in ours. `verify-ca` depends on a CA: see `tlsOf`. */
const tlsModes: Readonly<Record<string, TlsMode>> = {
  disable: 'disable',
  allow: 'allow',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'require',
  'verify-full': 'verify-full',
};

export const urlSchemes = ['postgres:', 'postgresql:'];

/** Parameters that change who is reached or how safely, and that cannot be followed: leaving them out would mislead. */
const refusedParameters: Readonly<Record<string, string>> = {
  sslcert: 'set the client certificate with tls.cert in the configuration',
  sslkey: 'set the client key with tls.key in the configuration',
  ssl: 'write sslmode=require or sslmode=verify-full instead',
  hostaddr: 'write the address as the host',
  service: 'write host, port and database out',
};

export function parseUrl(url: string): UpstreamUrl {
  const { user, password, hostAndPort, path, query } = splitUrl(url, urlSchemes);
  const parameters = parametersOf(query);
  for (const [name, advice] of Object.entries(refusedParameters)) {
    if (parameters.has(name)) throw invalidUrl(`has the parameter ${name}, which is not followed: ${advice}`);
  }
  const { host, port } = splitHost(hostAndPort);
  const reachedHost = parameters.get('host') ?? host;
  refuseHost(reachedHost);
  const reachedUser = parameters.get('user') ?? (decodePart(user, 'user') || 'postgres');
  return {
    address: {
      host: reachedHost === '' ? 'localhost' : reachedHost,
      port: parsePort(parameters.get('port') ?? port, defaultPort),
      user: reachedUser,
      password: parameters.get('password') ?? decodePart(password, 'password'),
      database: parameters.get('dbname') ?? (decodePart(path, 'database') || reachedUser),
    },
    ...tlsOf(parameters),
  };
}

function refuseHost(host: string): void {
  if (host.includes(',')) throw invalidUrl(severalHosts);
  if (host.startsWith('/') || host.startsWith('@')) {
    throw invalidUrl(unixSocket);
  }
}

function tlsOf(parameters: URLSearchParams): Pick<UpstreamUrl, 'tlsMode' | 'serverCaFile'> {
  const sslmode = parameters.get('sslmode');
  const rootCert = parameters.get('sslrootcert');
  const isSystemCa = rootCert === 'system';
  const serverCaFile = rootCert === null || rootCert === '' || isSystemCa ? null : rootCert;
  if (sslmode === null) return { tlsMode: isSystemCa ? 'verify-full' : null, serverCaFile };
  const tlsMode = Object.hasOwn(tlsModes, sslmode) ? tlsModes[sslmode] : undefined;
  if (tlsMode === undefined)
    throw invalidUrl(`has an unknown sslmode; one of ${Object.keys(tlsModes).join(', ')}`);
  // Without a CA file `verify-ca` would check nothing or trust every public certificate: the name is checked then too.
  if (sslmode === 'verify-ca' && serverCaFile === null) return { tlsMode: 'verify-full', serverCaFile };
  if (isSystemCa && tlsMode !== 'verify-full') {
    throw invalidUrl('has sslrootcert=system, which needs sslmode=verify-full');
  }
  return { tlsMode, serverCaFile };
}
