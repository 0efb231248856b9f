/**
 * What kind of command a name is: decides what is kept of it, which failures its reply may hold and what its success means.
 * Read for every request, from the name's bytes where they lie. MongoDB manual, "Database Commands".
 */

export const commandKind = {
  /** Reads, and everything without a rule of its own. */
  plain: 0,
  /** Talk between driver and server, in no database of its own: says nothing of the session's work. */
  housekeeping: 1,
  hello: 2,
  saslStart: 3,
  saslContinue: 4,
  authenticate: 5,
  /** About the server: its failure is a verdict, its success is nobody's lesson. */
  administration: 6,
  insert: 7,
  update: 8,
  delete: 9,
  bulkWrite: 10,
  /** Changes the schema where it succeeds. */
  ddl: 11,
  /** May write to a collection, and so make one. */
  aggregate: 12,
  commitTransaction: 13,
  abortTransaction: 14,
} as const;

export type CommandKind = (typeof commandKind)[keyof typeof commandKind];

/** Commands of the driver itself, which neither move the session to another database nor count as its work. */
export function isHousekeeping(kind: CommandKind): boolean {
  return kind >= commandKind.housekeeping && kind <= commandKind.authenticate;
}

/** Its request carries credentials: nothing of it is kept. */
export function isSecret(kind: CommandKind): boolean {
  return kind >= commandKind.hello && kind <= commandKind.authenticate;
}

/** A list of operations, each of which may fail by itself. */
export function hasOperations(kind: CommandKind): boolean {
  return kind >= commandKind.insert && kind <= commandKind.bulkWrite;
}

/** A statement that may be learned from when it succeeds. */
export function isWork(kind: CommandKind): boolean {
  return kind === commandKind.plain || (kind >= commandKind.insert && kind <= commandKind.aggregate);
}

const housekeeping =
  'buildInfo buildinfo connectionStatus endSessions getnonce killCursors killAllSessions killSessions logout ping ' +
  'refreshSessions startSession whatsmyuri';

const administration =
  'currentOp dbHash dbStats dbstats features flushRouterConfig fsync fsyncUnlock getCmdLineOpts ' +
  'getLastError getlasterror getLog getParameter getFreeMonitoringStatus hostInfo isdbgrid killOp listCommands ' +
  'listDatabases lockInfo logRotate profile replSetGetConfig replSetGetStatus replSetStepDown resetError rotateCertificates ' +
  'serverStatus setFeatureCompatibilityVersion setParameter shutdown top validate';

const ddl =
  'cloneCollectionAsCapped collMod convertToCapped create createIndexes createSearchIndexes deleteIndexes drop ' +
  'dropDatabase dropIndexes dropSearchIndex renameCollection reshardCollection shardCollection updateSearchIndex';

const kinds: readonly (readonly [CommandKind, string])[] = [
  [commandKind.housekeeping, housekeeping],
  [commandKind.hello, 'hello isMaster ismaster'],
  [commandKind.saslStart, 'saslStart'],
  [commandKind.saslContinue, 'saslContinue'],
  [commandKind.authenticate, 'authenticate'],
  [commandKind.administration, administration],
  [commandKind.insert, 'insert'],
  [commandKind.update, 'update'],
  [commandKind.delete, 'delete'],
  [commandKind.bulkWrite, 'bulkWrite'],
  [commandKind.ddl, ddl],
  [commandKind.aggregate, 'aggregate'],
  [commandKind.commitTransaction, 'commitTransaction'],
  [commandKind.abortTransaction, 'abortTransaction'],
];

/** Names by hash: a power of two, large enough that hardly two of them meet. */
const slots = 1024;
const table: (readonly [name: Buffer, CommandKind][] | undefined)[] = new Array(slots).fill(undefined);
for (const [kind, names] of kinds) {
  for (const text of names.split(' ')) {
    const name = Buffer.from(text);
    const slot = hash(name, 0, name.length);
    table[slot] = [...(table[slot] ?? []), [name, kind]];
  }
}

/** Of the command whose name is `bytes[start, end)`. */
export function readCommandKind(bytes: Buffer, start: number, end: number): CommandKind {
  const candidates = table[hash(bytes, start, end)];
  if (candidates === undefined) return commandKind.plain;
  for (const [name, kind] of candidates) {
    if (name.length === end - start && name.compare(bytes, start, end) === 0) return kind;
  }
  return commandKind.plain;
}

/** No name is longer than what is read of it here. */
function hash(bytes: Buffer, start: number, end: number): number {
  const last = Math.min(end, start + 40);
  let value = end - start;
  for (let at = start; at < last; at += 1) value = (Math.imul(value, 31) + (bytes[at] as number)) | 0;
  return value & (slots - 1);
}
