/**
 * Flags of the MySQL client/server protocol that decide how bytes are read. MySQL: "Capabilities Flags" and "Server
 * Status Flags" of the source documentation; MariaDB: "Connection", sections "Capabilities" and "Server status".
 */

/** Capability flags of greeting and login packet, one 32-bit word. Bits above 30 make numbers negative: test with `!== 0`. */
export const capability = {
  /** MySQL: CLIENT_LONG_PASSWORD. A MariaDB server leaves it off to say that the extended word follows. */
  longPassword: 1,
  foundRows: 1 << 1,
  longFlag: 1 << 2,
  connectWithDatabase: 1 << 3,
  noSchema: 1 << 4,
  compress: 1 << 5,
  odbc: 1 << 6,
  localFiles: 1 << 7,
  ignoreSpace: 1 << 8,
  protocol41: 1 << 9,
  interactive: 1 << 10,
  tls: 1 << 11,
  ignoreSigpipe: 1 << 12,
  transactions: 1 << 13,
  secureConnection: 1 << 15,
  multiStatements: 1 << 16,
  multiResults: 1 << 17,
  preparedMultiResults: 1 << 18,
  pluginAuthentication: 1 << 19,
  connectAttributes: 1 << 20,
  lengthEncodedAuthData: 1 << 21,
  canHandleExpiredPasswords: 1 << 22,
  sessionTrack: 1 << 23,
  deprecateEof: 1 << 24,
  optionalResultsetMetadata: 1 << 25,
  zstdCompression: 1 << 26,
  queryAttributes: 1 << 27,
  multiFactorAuthentication: 1 << 28,
  capabilityExtension: 1 << 29,
  verifyServerCertificate: 1 << 30,
} as const;

/** MariaDB's second word, in the reserved bytes of greeting and login packet where `longPassword` is off. */
export const extendedCapability = {
  progress: 1,
  multiCommand: 1 << 1,
  bulkExecute: 1 << 2,
  extendedMetadata: 1 << 3,
  cacheMetadata: 1 << 4,
  bulkUnitResults: 1 << 5,
} as const;

/** Status flags of OK and EOF packets. */
export const serverStatus = {
  inTransaction: 0x0001,
  autocommit: 0x0002,
  moreResultsExist: 0x0008,
  cursorExists: 0x0040,
  lastRowSent: 0x0080,
  databaseDropped: 0x0100,
  noBackslashEscapes: 0x0200,
  metadataChanged: 0x0400,
  outParameters: 0x1000,
  inReadOnlyTransaction: 0x2000,
  sessionStateChanged: 0x4000,
  ansiQuotes: 0x8000,
} as const;
