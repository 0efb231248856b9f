/**
 * Connection URLs as MySQL's programs read them (MySQL reference manual, "Connecting to the Server Using URI-Like
 * Strings"), as far as a proxy's upstream can follow them; TLS in their words and in those of PostgreSQL's. Errors name
 * what is wrong and never repeat the URL, which holds a password.
 */
import type { TlsMode, UpstreamAddress } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';

export const defaultPort = 3306;

export interface UpstreamUrl {
  readonly address: UpstreamAddress;
  /** Null where the URL names none: the configuration's default applies. */
  readonly tlsMode: TlsMode | null;
  readonly serverCaFile: string | null;
}

/** The programs' modes in ours. Verifying the CA alone depends on there being one: see `tlsOf`. */
const tlsModes: Readonly<Record<string, TlsMode | 'verify-ca'>> = {
  disabled: 'disable',
  preferred: 'prefer',
  required: 'require',
  'verify-ca': 'verify-ca',
  'verify-identity': 'verify-full',
  disable: 'disable',
  allow: 'allow',
  prefer: 'prefer',
  require: 'require',
  'verify-full': 'verify-full',
};

const shownModes = 'DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY';

/** Spellings of one parameter differ by dashes, underscores and case. */
const parameterOf: Readonly<Record<string, 'mode' | 'ca'>> = {
  sslmode: 'mode',
  sslca: 'ca',
  sslrootcert: 'ca',
};

/** Parameters that change who is reached or how safely, and what to do instead. */
const refusedParameters: Readonly<Record<string, string>> = {
  ssl: 'write ssl-mode=REQUIRED or ssl-mode=VERIFY_IDENTITY instead',
  sslcert: 'set the client certificate with tls.cert in the configuration',
  sslkey: 'set the client key with tls.key in the configuration',
  socket: 'the proxy reaches its upstream over TCP, so name a host and port',
};

export function parseUrl(url: string): UpstreamUrl {
  const { authority, path, query } = splitUrl(url);
  const at = authority.lastIndexOf('@');
  const [user = '', password = ''] = at < 0 ? [] : splitOnce(authority.slice(0, at), ':');
  const { host, port } = splitHost(authority.slice(at + 1));
  return {
    address: {
      host: host === '' ? 'localhost' : host,
      port: parsePort(port),
      user: decode(user, 'user') || 'root',
      password: decode(password, 'password'),
      database: decode(path, 'database'),
    },
    ...tlsOf(parametersOf(query)),
  };
}

function splitUrl(url: string): { authority: string; path: string; query: string } {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  if (scheme !== 'mysql:' && scheme !== 'mariadb:') {
    throw invalid('does not start with mysql:// or mariadb://');
  }
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
  if (/^\(|^[./]|%2f/i.test(text)) {
    throw invalid('names a Unix socket: the proxy reaches its upstream over TCP, so name a host and port');
  }
  if (text.includes(',')) throw invalid('names several hosts: a listener has one upstream, so name one');
  const [host, port = ''] = splitOnce(text, ':');
  if (port.includes(':')) throw invalid('has an IPv6 address without [brackets]');
  return { host: decode(host, 'host'), port };
}

function parsePort(text: string): number {
  if (text === '') return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw invalid('has a port that is not a number from 1 to 65535');
  return port;
}

function parametersOf(query: string): { readonly mode?: string; readonly ca?: string } {
  const found: { mode?: string; ca?: string } = {};
  for (const [name, value] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
    const advice = Object.hasOwn(refusedParameters, plain) ? refusedParameters[plain] : undefined;
    if (advice !== undefined) throw invalid(`has the parameter ${name}, which is not followed: ${advice}`);
    const parameter = Object.hasOwn(parameterOf, plain) ? parameterOf[plain] : undefined;
    if (parameter === undefined) {
      const shown = /^[\w.-]{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter';
      throw invalid(`has ${shown}, which is not known here: only ssl-mode and ssl-ca are followed`);
    }
    if (found[parameter] !== undefined) throw invalid(`says ${name} twice`);
    found[parameter] = value;
  }
  return found;
}

function tlsOf(parameters: {
  readonly mode?: string;
  readonly ca?: string;
}): Pick<UpstreamUrl, 'tlsMode' | 'serverCaFile'> {
  const { mode, ca = '' } = parameters;
  const serverCaFile = ca === '' ? null : ca;
  if (mode === undefined) return { tlsMode: null, serverCaFile };
  const word = mode.toLowerCase().replaceAll('_', '-');
  const known = Object.hasOwn(tlsModes, word) ? tlsModes[word] : undefined;
  if (known === undefined) throw invalid(`has an unknown ssl-mode; one of ${shownModes}`);
  if (known !== 'verify-ca') return { tlsMode: known, serverCaFile };
  // Without a CA file this would check nothing or trust every public certificate: the name is checked then too.
  return { tlsMode: serverCaFile === null ? 'verify-full' : 'require', serverCaFile };
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
