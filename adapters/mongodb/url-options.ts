/**
 * Which options of a connection string are followed, which are of no concern to a proxy, and which would mislead if they were
 * passed over (driver specifications "URI Options", "Connection String"; names are read without regard to case).
 */
import { invalidUrl } from '../../src/core/upstream-url.js';

export type UrlOption = (typeof followedNames)[number];
export type UrlOptions = ReadonlyMap<UrlOption, string>;

const followedNames = [
  'authMechanism',
  'authSource',
  'ssl',
  'tls',
  'tlsAllowInvalidCertificates',
  'tlsAllowInvalidHostnames',
  'tlsCAFile',
  'tlsInsecure',
] as const;

/**
 * How a driver keeps its pool, watches, reads and writes: of its own sessions, which pass through whatever they say. The
 * proxy connects to the one host that is named, without a set's name, a load balancer's terms or compression.
 */
const ownAffairs =
  'appName authMechanismProperties compressors connect connectTimeoutMS directConnection enableOverloadRetargeting fsync ' +
  'gssapiServiceName heartbeatFrequencyMS j journal loadBalanced localThresholdMS maxAdaptiveRetries maxConnecting ' +
  'maxIdleTimeMS maxPoolSize maxStalenessSeconds minPoolSize readConcernLevel readPreference readPreferenceTags replicaSet ' +
  'retryReads retryWrites safe serverMonitoringMode serverSelectionTimeoutMS serverSelectionTryOnce slaveOk socketTimeoutMS ' +
  'srvMaxHosts srvServiceName timeoutMS tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck uuidRepresentation ' +
  'w waitQueueMultiple waitQueueTimeoutMS wtimeout wTimeoutMS zlibCompressionLevel zstdCompressionLevel';

const clientCertificate = 'set the client certificate with tls.cert and tls.key in the configuration';
const otherWay = 'the proxy connects to the host itself';
/** What changes who is reached or how safely, and what to do instead. */
const refused: Readonly<Record<string, string>> = {
  tlscertificatekeyfile: clientCertificate,
  tlscertificatekeyfilepassword: clientCertificate,
  tlscertificatefile: clientCertificate,
  tlsprivatekeyfile: clientCertificate,
  tlscrlfile: 'lists of revoked certificates are not read',
  proxyhost: otherWay,
  proxyport: otherWay,
  proxyusername: otherWay,
  proxypassword: otherWay,
};

const followed = new Map(followedNames.map((name) => [name.toLowerCase(), name]));
const passedOver = new Set(ownAffairs.toLowerCase().split(' '));

/** The options that are followed, by their names. */
export function readUrlOptions(parameters: URLSearchParams): UrlOptions {
  const found = new Map<UrlOption, string>();
  for (const [name, value] of parameters) {
    const plain = name.toLowerCase();
    if (passedOver.has(plain)) continue;
    const option = followed.get(plain);
    if (option === undefined) throw refusal(name, plain);
    if (found.has(option)) throw invalidUrl(`says ${option} twice`);
    found.set(option, value);
  }
  return found;
}

function refusal(name: string, plain: string): Error {
  const advice = Object.hasOwn(refused, plain) ? refused[plain] : undefined;
  if (advice !== undefined) return invalidUrl(`has the option ${name}, which is not followed: ${advice}`);
  const shown = /^[\w.-]{1,40}$/.test(name) ? `the option ${name}` : 'an option';
  return invalidUrl(`has ${shown}, which is not one of a connection string`);
}

/** Undefined where the URL does not say. */
export function readSwitch(options: UrlOptions, name: UrlOption): boolean | undefined {
  const value = options.get(name);
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalidUrl(`has a ${name} that is neither true nor false`);
  return value === 'true';
}
