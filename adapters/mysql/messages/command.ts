/**
 * Command bytes, the first of a payload the client sends where a command is due. MySQL: "Command Phase"; MariaDB:
 * "2 - Text Protocol", "3 - Binary Protocol (Prepared Statements)", "COM_STMT_BULK_EXECUTE".
 */
export const command = {
  quit: 0x01,
  initDb: 0x02,
  query: 0x03,
  fieldList: 0x04,
  createDb: 0x05,
  dropDb: 0x06,
  refresh: 0x07,
  shutdown: 0x08,
  statistics: 0x09,
  processInfo: 0x0a,
  processKill: 0x0c,
  debug: 0x0d,
  ping: 0x0e,
  changeUser: 0x11,
  registerReplica: 0x15,
  stmtPrepare: 0x16,
  stmtExecute: 0x17,
  stmtSendLongData: 0x18,
  stmtClose: 0x19,
  stmtReset: 0x1a,
  setOption: 0x1b,
  stmtFetch: 0x1c,
  resetConnection: 0x1f,
  /** MariaDB. */
  stmtBulkExecute: 0xfa,
} as const;
