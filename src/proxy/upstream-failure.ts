/** Sentences for an upstream that cannot be reached or trusted: for the client, so they name no host and no secret. */

const connectionFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'reset the connection',
  EPIPE: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EHOSTDOWN: 'cannot be reached',
  ETIMEDOUT: 'did not answer in time',
  ENOTFOUND: 'has a host name that does not resolve',
  EAI_AGAIN: 'has a host name that does not resolve at the moment',
};

export const upstreamTimedOut = 'The upstream database server did not answer in time.';
export const upstreamClosed = 'The upstream database server closed the connection.';

/** The error's code where it has one: what logs and messages may hold of it. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown';
}

export function describeConnectFailure(error: unknown): string {
  const code = errorCode(error);
  return `The upstream database server ${connectionFailures[code] ?? 'could not be connected'} (${code}).`;
}

export function describeTlsFailure(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate of the upstream database server is for another name (${code}): set tls.serverName to a name it carries, or relax tls.mode to require.`;
  }
  if (/CERT|ISSUER|SIGNATURE|CRL|UNTRUSTED/.test(code)) {
    return `The certificate of the upstream database server is not trusted (${code}): name its CA with tls.ca or sslrootcert, or relax tls.mode to require.`;
  }
  if (code in connectionFailures) return describeConnectFailure(error);
  return `TLS with the upstream database server could not be set up (${code}).`;
}
