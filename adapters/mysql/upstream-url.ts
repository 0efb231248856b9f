/**
 * Connection URLs as MySQL's programs read them (MySQL reference manual, "Connecting to the Server Using URI-Like
 * Strings"), as far as a proxy's upstream can follow them; TLS in their words and in those of PostgreSQL's. Errors name
 * what is wrong and never repeat the URL, which holds a password.
 */
import type { TlsMode, UpstreamAddress } from '../../src/core/adapter.js';
import {
  decodePart,
  invalidUrl,
  parametersOf,
  parsePort,
  splitHost,
  splitUrl,
} from '../../src/core/upstream-url.js';

export const defaultPort = 3306;
export const urlSchemes = ['mysql:', 'mariadb:'];
/** `(/tmp/mysql.sock)` and `%2Ftmp%2Fmysql.sock`, as MySQL's programs take them. */
const socketPath = /^\(|^[./]|%2f/i;

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
  const { user, password, hostAndPort, path, query } = splitUrl(url, urlSchemes);
  const { host, port } = splitHost(hostAndPort, socketPath);
  return {
    address: {
      host: host === '' ? 'localhost' : host,
      port: parsePort(port, defaultPort),
      user: decodePart(user, 'user') || 'root',
      password: decodePart(password, 'password'),
      database: decodePart(path, 'database'),
    },
    ...tlsOf(followed(parametersOf(query))),
  };
}

function followed(parameters: URLSearchParams): { readonly mode?: string; readonly ca?: string } {
  const found: { mode?: string; ca?: string } = {};
  for (const [name, value] of parameters) {
    const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
    const advice = Object.hasOwn(refusedParameters, plain) ? refusedParameters[plain] : undefined;
    if (advice !== undefined) throw invalidUrl(`has the parameter ${name}, which is not followed: ${advice}`);
    const parameter = Object.hasOwn(parameterOf, plain) ? parameterOf[plain] : undefined;
    if (parameter === undefined) {
      const shown = /^[\w.-]{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter';
      throw invalidUrl(`has ${shown}, which is not known here: only ssl-mode and ssl-ca are followed`);
    }
    if (found[parameter] !== undefined) throw invalidUrl(`says ${name} twice`);
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
  if (known === undefined) throw invalidUrl(`has an unknown ssl-mode; one of ${shownModes}`);
  if (known !== 'verify-ca') return { tlsMode: known, serverCaFile };
  // Without a CA file this would check nothing or trust every public certificate: the name is checked then too.
  return { tlsMode: serverCaFile === null ? 'verify-full' : 'require', serverCaFile };
}
