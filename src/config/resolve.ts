/**
 * From a validated document to a `Config`: URLs read, files read, TLS defaults applied, keys judged against each other.
 * Notes every problem it finds instead of stopping at the first.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type {
  ClientTls,
  DatabaseAdapter,
  LegPolicy,
  TerminatedUser,
  TlsMode,
  UpstreamTls,
} from '../core/adapter.js';
import { TwiceshyError } from '../core/errors.js';
import { isLoopbackHost } from '../core/loopback.js';
import { formatHostPort, parseHostPort } from './address.js';
import type { Config, HostPort, ListenerConfig, UpstreamConfig } from './config.js';
import { createFileReader, type FileReader } from './files.js';
import type { KeyPath, Problem } from './problems.js';
import type { ConfigDocument, ListenerDocument, UpstreamDocument } from './schema.js';

/** Finds the adapter for a connection URL by its scheme; null where there is none. */
export type AdapterFor = (url: string) => DatabaseAdapter | null;

const urlExpected =
  'expected a URL such as postgres://user@host:5432/db, mysql://user@host:3306/db or mongodb://user@host:27017/db';

interface Resolving {
  readonly problems: Problem[];
  readonly files: FileReader;
  readonly adapterFor: AdapterFor;
}

/** `folder`: what relative paths start from. The result is usable only if no problem was added. */
export function resolveConfig(
  document: ConfigDocument,
  folder: string,
  adapterFor: AdapterFor,
  problems: Problem[],
): Config {
  const resolving: Resolving = { problems, files: createFileReader(folder, problems), adapterFor };
  const upstreams = new Map<string, UpstreamConfig | null>();
  for (const [name, upstream] of Object.entries(document.upstreams)) {
    upstreams.set(name, resolveUpstream(name, upstream, resolving));
  }
  const listeners = document.listeners.map((listener, i) =>
    resolveListener(listener, ['listeners', i], upstreams, resolving),
  );
  refuseDuplicates(listeners, problems);
  const admin = document.admin.listen;
  return {
    memory: { folder: resolving.files.absolute(document.memory.folder), fsync: document.memory.fsync },
    admin: admin === false ? null : resolveAddress(['admin', 'listen'], admin, problems),
    log: document.log,
    upstreams: [...upstreams.values()].filter((upstream) => upstream !== null),
    listeners: listeners.filter((listener) => listener !== null),
    recall: {
      isEnabled: document.recall.enabled,
      holdback: document.recall.holdback,
      notesPerSession: document.recall.notesPerSession,
    },
    shutdown: document.shutdown,
  };
}

function resolveAddress(path: KeyPath, written: string, problems: Problem[]): HostPort {
  const address = parseHostPort(written);
  if (address === null) problems.push({ path, message: 'expected host:port, such as 127.0.0.1:6432' });
  return address ?? { host: '127.0.0.1', port: 0 };
}

function resolveUpstream(name: string, document: UpstreamDocument, at: Resolving): UpstreamConfig | null {
  const path = ['upstreams', name];
  const adapter = at.adapterFor(document.url);
  if (adapter === null) {
    at.problems.push({
      path: [...path, 'url'],
      message: urlExpected,
    });
    return null;
  }
  const password = at.files.readSecret(path, 'password', document.password, document.passwordFile);
  try {
    const { address, tlsMode, serverCaFile } = adapter.parseUrl(document.url);
    const tls = resolveUpstreamTls(document.tls, { path, tlsMode, serverCaFile, host: address.host }, at);
    return { name, adapter, address: password === null ? address : { ...address, password }, tls };
  } catch (error) {
    if (!(error instanceof TwiceshyError)) throw error;
    at.problems.push({ path: [...path, 'url'], message: error.message });
    return null;
  }
}

function resolveUpstreamTls(
  tls: UpstreamDocument['tls'],
  url: { path: KeyPath; tlsMode: TlsMode | null; serverCaFile: string | null; host: string },
  at: Resolving,
): UpstreamTls {
  const path = [...url.path, 'tls'];
  if (tls.mode !== undefined && url.tlsMode !== null && tls.mode !== url.tlsMode) {
    at.problems.push({
      path: [...path, 'mode'],
      message: `the URL asks for ${url.tlsMode}; say it in one place`,
    });
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    const missing = tls.cert === undefined ? 'cert' : 'key';
    at.problems.push({ path: [...path, missing], message: 'missing; cert and key go together' });
  }
  const caFile = tls.ca ?? url.serverCaFile;
  const ca = caFile === null ? null : at.files.readPem([...path, 'ca'], caFile);
  const cert = tls.cert === undefined ? null : at.files.readPem([...path, 'cert'], tls.cert);
  const key = tls.key === undefined ? null : at.files.readPem([...path, 'key'], tls.key);
  if (ca !== null) refuseBadAuthority(ca, [...path, 'ca'], at.problems);
  if (cert !== null && key !== null) refuseBadPair(cert, key, [...path, 'cert'], at.problems);
  return {
    mode: tls.mode ?? url.tlsMode ?? (isLoopbackHost(url.host) ? 'allow' : 'verify-full'),
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
    ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
  };
}

function resolveListener(
  document: ListenerDocument,
  path: KeyPath,
  upstreams: ReadonlyMap<string, UpstreamConfig | null>,
  at: Resolving,
): ListenerConfig | null {
  const before = at.problems.length;
  const address = resolveAddress([...path, 'listen'], document.listen, at.problems);
  const name = document.upstream ?? (upstreams.size === 1 ? [...upstreams.keys()][0] : undefined);
  const upstream = name === undefined ? undefined : upstreams.get(name);
  if (upstream === undefined) {
    const known = [...upstreams.keys()].join(', ');
    const message =
      name === undefined ? `missing; expected one of ${known}` : `no such upstream; expected one of ${known}`;
    at.problems.push({ path: [...path, 'upstream'], message });
  }
  document.audiences.forEach((rule, i) => {
    if (rule.user !== undefined || rule.application !== undefined) return;
    at.problems.push({
      path: [...path, 'audiences', i],
      message: 'expected a user, an application, or both',
    });
  });
  const clientTls = resolveClientTls(document, path, at);
  const users = resolveUsers(document, path, at);
  const advertised = resolveAdvertised(document, path, at);
  // Null: the upstream itself is refused already.
  if (upstream === undefined || upstream === null) return null;
  const { host, port } = upstream.address;
  if (address.port !== 0 && address.port === port && isSameHost(address.host, host)) {
    at.problems.push({
      path: [...path, 'listen'],
      message: 'this is the upstream’s own address; take another',
    });
  }
  const policy: LegPolicy = {
    clientTls,
    upstreamTls: upstream.tls,
    auth: document.auth,
    users,
    isChannelBindingOff: document.channelBinding === 'off',
    compression: document.compression ?? upstream.adapter.defaultCompression,
    ...(advertised === null ? {} : { advertisedAddress: advertised }),
  };
  // A key of this listener that is wrong already would only be reported a second time.
  const refusal = at.problems.length === before ? upstream.adapter.refusePolicy(policy) : null;
  if (refusal !== null) at.problems.push({ path, message: refusal });
  return {
    ...address,
    name: document.name ?? upstream.name,
    upstream,
    audience: document.audience,
    audiences: document.audiences.map((rule) => ({
      user: rule.user ?? null,
      application: rule.application ?? null,
      audience: rule.audience,
    })),
    policy,
    makesOwnCertificate: document.tls === undefined && upstream.adapter.clientsExpectTls,
    maxConnections: document.maxConnections,
    handshakeTimeoutMs: document.handshakeTimeoutMs,
  };
}

/** `host:port`, or null where nothing is said. */
function resolveAdvertised(document: ListenerDocument, path: KeyPath, at: Resolving): string | null {
  if (document.advertise === undefined) return null;
  const { host, port } = resolveAddress([...path, 'advertise'], document.advertise, at.problems);
  return formatHostPort(host, port);
}

function resolveClientTls(document: ListenerDocument, path: KeyPath, at: Resolving): ClientTls | null {
  if (document.tls === undefined || document.tls === false) return null;
  const cert = at.files.readPem([...path, 'tls', 'cert'], document.tls.cert);
  const key = at.files.readPem([...path, 'tls', 'key'], document.tls.key);
  if (cert === null || key === null) return null;
  refuseBadPair(cert, key, [...path, 'tls', 'cert'], at.problems);
  return { cert, key, isRequired: document.tls.required };
}

function resolveUsers(document: ListenerDocument, path: KeyPath, at: Resolving): TerminatedUser[] {
  return document.users.map((user, i) => {
    const userPath = [...path, 'users', i];
    const secret = at.files.readSecret(userPath, 'secret', user.secret, user.secretFile);
    if (secret === null && user.secretFile === undefined) {
      at.problems.push({ path: [...userPath, 'secret'], message: 'missing; expected secret or secretFile' });
    }
    const upstreamPassword = at.files.readSecret(
      userPath,
      'upstreamPassword',
      user.upstreamPassword,
      user.upstreamPasswordFile,
    );
    return {
      name: user.name,
      secret: secret ?? '',
      upstreamUser: user.upstreamUser ?? user.name,
      upstreamPassword: upstreamPassword ?? '',
    };
  });
}

function refuseDuplicates(listeners: readonly (ListenerConfig | null)[], problems: Problem[]): void {
  const names = new Set<string>();
  const addresses = new Set<string>();
  listeners.forEach((listener, i) => {
    if (listener === null) return;
    const address = formatHostPort(listener.host, listener.port);
    if (names.has(listener.name)) {
      problems.push({
        path: ['listeners', i, 'name'],
        message: 'another listener has this name; give it its own',
      });
    }
    if (listener.port !== 0 && addresses.has(address)) {
      problems.push({ path: ['listeners', i, 'listen'], message: 'another listener has this address' });
    }
    names.add(listener.name);
    addresses.add(address);
  });
}

function isSameHost(a: string, b: string): boolean {
  const isAny = a === '0.0.0.0' || a === '::';
  return a === b || (isLoopbackHost(b) && (isAny || isLoopbackHost(a)));
}

function refuseBadPair(cert: string, key: string, path: KeyPath, problems: Problem[]): void {
  try {
    createSecureContext({ cert, key });
  } catch {
    problems.push({ path, message: 'the certificate and the key cannot be used together' });
  }
}

function refuseBadAuthority(ca: string, path: KeyPath, problems: Problem[]): void {
  try {
    new X509Certificate(ca);
  } catch {
    problems.push({ path, message: 'expected a certificate in PEM form' });
  }
}
