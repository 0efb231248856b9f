/**
 * TLS on sockets that already exist, as server towards clients and as client towards the upstream, and the words for
 * what can go wrong. Secure contexts are made once: reading CA stores costs milliseconds.
 */
import { isIP, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  type SecureContext,
  TLSSocket,
} from 'node:tls';
import type { ClientTls, UpstreamTls } from '../core/adapter.js';
import { TwiceshyError } from '../core/errors.js';

const minVersion = 'TLSv1.2';

/** Throws a CONFIG_INVALID error when certificate and key are not what they must be. */
export function clientSecureContext(tls: ClientTls): SecureContext {
  return secureContext('the certificate or key for clients', { cert: tls.cert, key: tls.key, minVersion });
}

export function upstreamSecureContext(tls: UpstreamTls): SecureContext {
  return secureContext('the CA, certificate or key for the upstream', {
    minVersion,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
}

function secureContext(what: string, options: Parameters<typeof createSecureContext>[0]): SecureContext {
  try {
    return createSecureContext(options);
  } catch (cause) {
    throw new TwiceshyError(
      'CONFIG_INVALID',
      `TLS cannot use ${what}: it must be PEM, and a matching pair.`,
      {
        cause,
      },
    );
  }
}

/** The accepted socket as TLS server; emits `secure` when the client has agreed. `pending` was read already. */
export function secureClient(
  socket: Socket,
  secureContext: SecureContext,
  alpn: string | null,
  pending: Buffer | null,
): TLSSocket {
  socket.pause();
  if (pending !== null && pending.length > 0) socket.unshift(pending);
  return new TLSSocket(socket, {
    isServer: true,
    secureContext,
    ...(alpn === null ? {} : { ALPNProtocols: [alpn] }),
  });
}

/** The connected socket as TLS client; emits `secureConnect` once the peer is as trusted as `tls` demands. */
export function secureUpstream(
  socket: Socket,
  tls: UpstreamTls,
  secureContext: SecureContext,
  host: string,
  alpn: string | null,
): TLSSocket {
  const name = tls.serverName ?? host;
  const options: ConnectionOptions = {
    socket,
    secureContext,
    host: name,
    rejectUnauthorized: verifiesChain(tls),
    // SNI carries no addresses.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(alpn === null ? {} : { ALPNProtocols: [alpn] }),
    ...(tls.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  return connect(options);
}

/** As with libpq, `require` with a CA checks the chain, without a CA nothing. */
function verifiesChain(tls: UpstreamTls): boolean {
  return tls.mode === 'verify-full' || (tls.mode === 'require' && tls.ca !== undefined);
}
