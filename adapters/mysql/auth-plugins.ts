/**
 * What authentication plugins of the client send, as far as it matters when only one leg has TLS (MySQL "Authentication
 * Methods"; MariaDB "Authentication Plugins").
 *
 * Invariant: a plugin not known to keep its secret on a connection without TLS counts as one that tells it.
 */

export type PluginKind =
  /** Answers a challenge: the same bytes whether there is TLS or not. */
  | 'challenge'
  /** A challenge first; where the server asks for more, the password in clear over TLS and by RSA without. */
  | 'caching-sha2'
  /** The password at once, in clear over TLS and by RSA without. */
  | 'sha256'
  /** May send the password as it is. */
  | 'revealing';

const kinds: Readonly<Record<string, PluginKind>> = {
  // A client that names no plugin answers the greeting's challenge.
  '': 'challenge',
  mysql_native_password: 'challenge',
  mysql_old_password: 'challenge',
  client_ed25519: 'challenge',
  parsec: 'challenge',
  auth_gssapi_client: 'challenge',
  authentication_kerberos_client: 'challenge',
  authentication_windows_client: 'challenge',
  authentication_ldap_sasl_client: 'challenge',
  authentication_fido_client: 'challenge',
  authentication_webauthn_client: 'challenge',
  caching_sha2_password: 'caching-sha2',
  sha256_password: 'sha256',
};

export function pluginKind(plugin: string): PluginKind {
  return (Object.hasOwn(kinds, plugin) ? kinds[plugin] : undefined) ?? 'revealing';
}

/** The plugin's name for a message of ours: servers and clients may call it anything. */
export function shownPlugin(plugin: string): string {
  return /^[a-z0-9_]{1,64}$/i.test(plugin) ? plugin : 'this account uses';
}
