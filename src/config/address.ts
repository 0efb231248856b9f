/** `host:port` as people write it. */
import type { HostPort } from './config.js';

const loopbackHost = '127.0.0.1';

/** Reads `host:port`, `[v6]:port`, `:port` and a bare port (both: loopback). Null when it is none of these. */
export function parseHostPort(written: string | number): HostPort | null {
  const match = /^(?:(\[[0-9A-Fa-f:.%]+\]|[^\s:[\]/@]*):)?(\d{1,5})$/.exec(String(written).trim());
  if (match === null) return null;
  const port = Number(match[2]);
  if (port > 65_535) return null;
  const host = match[1] ?? '';
  return { host: host === '' ? loopbackHost : host.replace(/^\[|\]$/g, ''), port };
}

/** The inverse of `parseHostPort`. */
export function formatHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
