/**
 * Connection strings as MongoDB's drivers read them (MongoDB manual, "Connection Strings"; driver specifications
 * "Connection String", "Auth"), as far as a proxy's upstream can follow them. Errors name what is wrong and never repeat
 * the URL, which holds a password.
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
import { readSwitch, readUrlOptions, type UrlOptions } from './url-options.js';

export const defaultPort = 27_017;
/** The second one is here to be refused in words of its own. */
export const urlSchemes = ['mongodb:', 'mongodb+srv:'];
/** Where a client works that names no database: the first failures to be remembered are likely to be there. */
const defaultDatabase = 'test';
/** `%2Ftmp%2Fmongodb-27017.sock`, as drivers take it. */
const socketPath = /^[./]|%2f|\.sock$/i;

export interface UpstreamUrl {
  readonly address: UpstreamAddress;
  /** Null where the URL names none: the configuration's default applies. */
  readonly tlsMode: TlsMode | null;
  readonly serverCaFile: string | null;
}

/** By mechanism: where its users are, if the URL does not say. */
const homes: Readonly<Record<string, 'admin' | '$external'>> = {
  DEFAULT: 'admin',
  'SCRAM-SHA-1': 'admin',
  'SCRAM-SHA-256': 'admin',
  'MONGODB-X509': '$external',
  PLAIN: '$external',
};

export function parseUrl(url: string): UpstreamUrl {
  if (/^mongodb\+srv:/i.test(url)) {
    throw invalidUrl(
      'is of a whole cluster (mongodb+srv), and a listener has one upstream: name one member, as mongodb://host:port/?tls=true',
    );
  }
  const { user, password, hostAndPort, path, query } = splitUrl(url, ['mongodb:']);
  if (hostAndPort.includes(',')) {
    throw invalidUrl('names several hosts, and a listener has one upstream: name one member');
  }
  const { host, port } = splitHost(hostAndPort, socketPath);
  const database = decodePart(path, 'database');
  const options = readUrlOptions(parametersOf(query));
  return {
    address: {
      host: host === '' ? 'localhost' : host,
      port: parsePort(port, defaultPort),
      user: decodePart(user, 'user'),
      password: decodePart(password, 'password'),
      database: database || defaultDatabase,
      options: loginOf(options, database),
    },
    ...tlsOf(options),
  };
}

/** What the catalog's own login needs beside user and password; as `MongoClient` names it. */
function loginOf(options: UrlOptions, database: string): Readonly<Record<string, string>> {
  const authMechanism = options.get('authMechanism') ?? 'DEFAULT';
  const home = Object.hasOwn(homes, authMechanism) ? homes[authMechanism] : undefined;
  if (home === undefined) {
    const known = Object.keys(homes).join(', ');
    throw invalidUrl(`has an authMechanism that the proxy cannot log in with; one of ${known}`);
  }
  // The path says where to work, and where users are too unless something else does.
  const implied = database === '' || authMechanism === 'MONGODB-X509' ? home : database;
  return { authMechanism, authSource: options.get('authSource') || implied };
}

function tlsOf(options: UrlOptions): Pick<UpstreamUrl, 'tlsMode' | 'serverCaFile'> {
  const tls = readSwitch(options, 'tls');
  const ssl = readSwitch(options, 'ssl');
  if (tls !== undefined && ssl !== undefined && tls !== ssl)
    throw invalidUrl('says both tls and ssl, and differently');
  const isOn = tls ?? ssl;
  const serverCaFile = options.get('tlsCAFile') || null;
  const trust = trustOf(options, serverCaFile);
  if (isOn === false) return { tlsMode: 'disable', serverCaFile: null };
  switch (trust) {
    case 'full':
      return { tlsMode: isOn === true ? 'verify-full' : null, serverCaFile };
    case 'any-name':
      return { tlsMode: 'require', serverCaFile };
    case 'anyone':
      // With an authority, `require` would still want it to have signed.
      return { tlsMode: 'require', serverCaFile: null };
  }
}

/** What of the server's certificate may be wrong. */
function trustOf(options: UrlOptions, serverCaFile: string | null): 'full' | 'any-name' | 'anyone' {
  const isInsecure = readSwitch(options, 'tlsInsecure');
  const takesAnyCertificate = readSwitch(options, 'tlsAllowInvalidCertificates');
  const takesAnyName = readSwitch(options, 'tlsAllowInvalidHostnames');
  if (isInsecure !== undefined && (takesAnyCertificate !== undefined || takesAnyName !== undefined)) {
    throw invalidUrl('says tlsInsecure beside another of what it stands for: leave one out');
  }
  if (isInsecure === true || takesAnyCertificate === true) return 'anyone';
  if (takesAnyName !== true) return 'full';
  if (serverCaFile !== null) return 'any-name';
  throw invalidUrl(
    'has tlsAllowInvalidHostnames without an authority to check by: name one with tlsCAFile, or write tlsInsecure=true',
  );
}
