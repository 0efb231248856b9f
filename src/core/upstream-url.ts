/**
 * What connection URLs of every database have in common: where they are cut, and what cannot be followed. Cut by hand: a
 * general URL parser rejects what clients take (an empty host, a bare `%2F` host). Errors name what is wrong and never
 * repeat the URL, which holds a password.
 */
import { TwiceshyError } from './errors.js';

/** The parts as they are written; empty where they are not. */
export interface UrlParts {
  readonly user: string;
  readonly password: string;
  readonly hostAndPort: string;
  readonly path: string;
  readonly query: string;
}

export const severalHosts = 'names several hosts: a listener has one upstream, so name one';
export const unixSocket =
  'names a Unix socket: the proxy reaches its upstream over TCP, so name a host and port';

/** `schemes` with the colon, in lower case. */
export function splitUrl(url: string, schemes: readonly string[]): UrlParts {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  if (!schemes.includes(scheme)) {
    throw invalidUrl(`does not start with ${schemes.map((each) => `${each}//`).join(' or ')}`);
  }
  const rest = url.slice(scheme.length);
  if (!rest.startsWith('//')) throw invalidUrl('has no // after its scheme');
  const [beforeFragment = ''] = rest.slice(2).split('#', 1);
  const [beforeQuery, query = ''] = splitOnce(beforeFragment, '?');
  const [authority, path = ''] = splitOnce(beforeQuery, '/');
  const at = authority.lastIndexOf('@');
  const [user = '', password = ''] = at < 0 ? [] : splitOnce(authority.slice(0, at), ':');
  return { user, password, hostAndPort: authority.slice(at + 1), path, query };
}

/** `socket` matches what stands for a Unix socket where a host should, outside brackets. */
export function splitHost(text: string, socket?: RegExp): { readonly host: string; readonly port: string } {
  const bracketed = /^\[([0-9a-f:.%]+)\](?::(.*))?$/i.exec(text);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' };
  if (socket?.test(text) === true) throw invalidUrl(unixSocket);
  if (text.includes(',')) throw invalidUrl(severalHosts);
  const [host, port = ''] = splitOnce(text, ':');
  if (port.includes(':')) throw invalidUrl('has an IPv6 address without [brackets]');
  return { host: decodePart(host, 'host'), port };
}

export function parsePort(text: string, defaultPort: number): number {
  if (text === '') return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw invalidUrl('has a port that is not a number from 1 to 65535');
  return port;
}

/** A plus sign stands for itself, unlike in forms. */
export function parametersOf(query: string): URLSearchParams {
  return new URLSearchParams(query.replaceAll('+', '%2B'));
}

export function decodePart(text: string, what: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch (cause) {
    throw invalidUrl(`has a broken percent-encoding in its ${what}`, cause);
  }
  if (decoded.includes('\0')) throw invalidUrl(`has a zero byte in its ${what}`);
  return decoded;
}

export function invalidUrl(what: string, cause?: unknown): TwiceshyError {
  return new TwiceshyError(
    'CONFIG_INVALID',
    `The upstream URL ${what}.`,
    cause === undefined ? {} : { cause },
  );
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
