/** The accounts every provisioned MongoDB-protocol server has, all of SCRAM-SHA-256. The passwords are for tests only. */

export interface MongoAccount {
  readonly name: string;
  readonly password: string;
  /** Built-in roles, all of database admin. */
  readonly roles: readonly string[];
}

export const mongoAdmin: MongoAccount = { name: 'app', password: 'secretpw', roles: ['root'] };

/** Accounts with fewer rights, which FerretDB lists and does not enforce. */
export const mongoAccounts: readonly MongoAccount[] = [
  { name: 'reader', password: 'readerpw', roles: ['readAnyDatabase'] },
];
