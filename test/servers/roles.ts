/** The accounts every provisioned PostgreSQL server has: one per way to log in. The passwords are for tests only. */
export interface TestRole {
  readonly name: string;
  readonly password: string;
  readonly method: 'scram-sha-256' | 'md5' | 'password' | 'trust';
}

export const superuser = { name: 'app', password: 'secretpw' } as const;

/** Let in over TLS only. */
export const tlsOnlyRole: TestRole = { name: 'tls_user', password: 'tlspw', method: 'scram-sha-256' };

/** Accounts without privileges. */
export const roles: readonly TestRole[] = [
  { name: 'reader', password: 'readerpw', method: 'scram-sha-256' },
  { name: 'md5_user', password: 'md5pw', method: 'md5' },
  { name: 'plain_user', password: 'plainpw', method: 'password' },
  { name: 'trust_user', password: 'unused', method: 'trust' },
];
