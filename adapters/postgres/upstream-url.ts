/**
 * Connection URLs as libpq reads them (docs 34.1.1.2 "Connection URIs"), as far as a proxy's upstream can follow them.
 * Errors name what is wrong and never repeat the URL, which holds a password.
 */
import type { TlsMode, UpstreamAddress } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';

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

const schemes = new Set(['postgres:', 'postgresql:']);

/** Parameters that change who is reached or how safely, and that cannot be followed: leaving them out would mislead. */
const refusedParameters: Readonly<Record<string, string>> = {
  sslcert: 'set the client certificate with tls.cert in the configuration',
  sslkey: 'set the client key with tls.key in the configuration',
  ssl: 'write sslmode=require or sslmode=verify-full instead',
  hostaddr: 'write the address as the host',
  service: 'write host, port and database out',
};

export function parseUrl(url: string): UpstreamUrl {
  const { authority, path, query } = splitUrl(url);
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  for (const [name, advice] of Object.entries(refusedParameters)) {
    if (parameters.has(name)) throw invalid(`has the parameter ${name}, which is not followed: ${advice}`);
  }
  const at = authority.lastIndexOf('@');
  const [user = '', password = ''] = at < 0 ? [] : splitOnce(authority.slice(0, at), ':');
  const hostPort = authority.slice(at + 1);
  const { host, port } = splitHost(hostPort);
  const reachedHost = parameters.get('host') ?? host;
  refuseHost(reachedHost);
  const reachedUser = parameters.get('user') ?? (decode(user, 'user') || 'postgres');
  return {
    address: {
      host: reachedHost === '' ? 'localhost' : reachedHost,
      port: parsePort(parameters.get('port') ?? port),
      user: reachedUser,
      password: parameters.get('password') ?? decode(password, 'password'),
      database: parameters.get('dbname') ?? (decode(path, 'database') || reachedUser),
    },
    ...tlsOf(parameters),
  };
}

/** Cuts by hand: a general URL parser rejects what libpq takes (an empty host, a bare `%2F` host). */
function splitUrl(url: string): { authority: string; path: string; query: string } {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  if (!schemes.has(scheme)) throw invalid('does not start with postgres:// or postgresql://');
  const rest = url.slice(scheme.length);
  if (!rest.startsWith('//')) throw invalid('has no // after its scheme');
  const [beforeFragment = ''] = rest.slice(2).split('#', 1);
  const [beforeQuery, query = ''] = splitOnce(beforeFragment, '?');
  const [authority, path = ''] = splitOnce(beforeQuery, '/');
  return { authority, path, query };
}

function splitHost(text: string): { host: string; port: string } {
  const bracketed = /^\[([0-9a-f:.%]+)\](?::(.*))?$/i.exec(text);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' };
  if (text.includes(',')) throw invalid('names several hosts: a listener has one upstream, so name one');
  const [host, port = ''] = splitOnce(text, ':');
  if (port.includes(':')) throw invalid('has an IPv6 address without [brackets]');
  return { host: decode(host, 'host'), port };
}

function refuseHost(host: string): void {
  if (host.includes(',')) throw invalid('names several hosts: a listener has one upstream, so name one');
  if (host.startsWith('/') || host.startsWith('@')) {
    throw invalid('names a Unix socket: the proxy reaches its upstream over TCP, so name a host and port');
  }
}

function parsePort(text: string): number {
  if (text === '') return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw invalid('has a port that is not a number from 1 to 65535');
  return port;
}

function tlsOf(parameters: URLSearchParams): Pick<UpstreamUrl, 'tlsMode' | 'serverCaFile'> {
  const sslmode = parameters.get('sslmode');
  const rootCert = parameters.get('sslrootcert');
  const isSystemCa = rootCert === 'system';
  const serverCaFile = rootCert === null || rootCert === '' || isSystemCa ? null : rootCert;
  if (sslmode === null) return { tlsMode: isSystemCa ? 'verify-full' : null, serverCaFile };
  const tlsMode = Object.hasOwn(tlsModes, sslmode) ? tlsModes[sslmode] : undefined;
  if (tlsMode === undefined)
    throw invalid(`has an unknown sslmode; one of ${Object.keys(tlsModes).join(', ')}`);
  // Without a CA file `verify-ca` would check nothing or trust every public certificate: the name is checked then too.
  if (sslmode === 'verify-ca' && serverCaFile === null) return { tlsMode: 'verify-full', serverCaFile };
  if (isSystemCa && tlsMode !== 'verify-full') {
    throw invalid('has sslrootcert=system, which needs sslmode=verify-full');
  }
  return { tlsMode, serverCaFile };
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decode(text: string, what: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch (cause) {
    throw invalid(`has a broken percent-encoding in its ${what}`, cause);
  }
  if (decoded.includes('\0')) throw invalid(`has a zero byte in its ${what}`);
  return decoded;
}

function invalid(what: string, cause?: unknown): TwiceshyError {
  return new TwiceshyError(
    'CONFIG_INVALID',
    `The upstream URL ${what}.`,
    cause === undefined ? {} : { cause },
  );
}
