/**
 * The transaction state that a failure leaves, which an ERR packet does not tell. MySQL reference manual, "InnoDB Error
 * Handling" and "Statements That Cause an Implicit Commit"; every row here was tried on MySQL 9.7 and MariaDB 10.11 where
 * a server can be made to raise it.
 */
import type { Engine, Phase, TransactionState } from '../../src/core/verdict.js';
import { type StatementKind, statementKind } from './statement-kind.js';

/** The server closes the connection with these. */
const closing: ReadonlySet<number> = new Set([
  1053, // ER_SERVER_SHUTDOWN
  1080, // ER_FORCING_CLOSE
  1152, // ER_ABORTING_CONNECTION
  1153, // ER_NET_PACKET_TOO_LARGE
  1154, // ER_NET_READ_ERROR_FROM_PIPE
  1155, // ER_NET_FCNTL_ERROR
  1156, // ER_NET_PACKETS_OUT_OF_ORDER
  1157, // ER_NET_UNCOMPRESS_ERROR
  1158, // ER_NET_READ_ERROR
  1159, // ER_NET_READ_INTERRUPTED
  1160, // ER_NET_ERROR_ON_WRITE
  1161, // ER_NET_WRITE_INTERRUPTED
  1184, // ER_NEW_ABORTING_CONNECTION
]);

const closingMysql: ReadonlySet<number> = new Set([
  3032, // ER_SERVER_OFFLINE_MODE
  3169, // ER_SESSION_WAS_KILLED
  4031, // ER_CLIENT_INTERACTION_TIMEOUT
]);

const closingMariadb: ReadonlySet<number> = new Set([
  1927, // ER_CONNECTION_KILLED
]);

/** The whole transaction is gone. */
const rolledBack: ReadonlySet<number> = new Set([
  1180, // ER_ERROR_DURING_COMMIT
  1206, // ER_LOCK_TABLE_FULL
  1213, // ER_LOCK_DEADLOCK
]);

const rolledBackMysql: ReadonlySet<number> = new Set([
  3101, // ER_TRANSACTION_ROLLBACK_DURING_COMMIT
]);

const rolledBackMariadb: ReadonlySet<number> = new Set([
  1020, // ER_CHECKREAD, under innodb_snapshot_isolation
]);

/** The branch is gone, and takes nothing but XA END and XA ROLLBACK. */
const onlyRollbackLeft: ReadonlySet<number> = new Set([
  1402, // ER_XA_RBROLLBACK
  1613, // ER_XA_RBTIMEOUT
  1614, // ER_XA_RBDEADLOCK
]);

/** Raised while the text is read, before anything is committed: syntax, no database, mistakes in the body of a routine. */
const raisedByParser: ReadonlySet<number> = new Set([
  1046, 1064, 1065, 1149, 1193, 1308, 1309, 1310, 1313, 1314, 1318, 1319, 1320, 1322, 1323, 1324, 1327, 1330,
  1331, 1332, 1333, 1335, 1336, 1337, 1338, 1413, 1415,
]);

const committing: ReadonlySet<StatementKind> = new Set([
  statementKind.ddl,
  statementKind.implicitCommit,
  statementKind.commit,
]);

/** `phase` parse: the statement was to be prepared and has not begun. */
export function stateAfterFailure(
  errno: number,
  { kind, phase }: { readonly kind: StatementKind; readonly phase: Phase },
  engine: Engine,
  before: TransactionState,
): TransactionState {
  const isMariadb = engine === 'mariadb';
  if (closing.has(errno) || (isMariadb ? closingMariadb : closingMysql).has(errno)) return 'closed';
  if (rolledBack.has(errno) || (isMariadb ? rolledBackMariadb : rolledBackMysql).has(errno)) return 'idle';
  if (onlyRollbackLeft.has(errno)) return 'aborted';
  if (phase === 'parse' || before === 'idle') return before;
  // What has run inside may have committed.
  if (kind === statementKind.compound) return 'unknown';
  return committing.has(kind) && !raisedByParser.has(errno) ? 'idle' : before;
}
