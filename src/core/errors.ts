/**
 * Our own errors: one table from code to side and exit. Messages are sentences that say what is wrong, where, and what
 * to do; they hold no values of users and no secrets. A database's failure is data (a verdict), never one of these.
 */
export type ErrorSide = 'client' | 'server' | 'self' | 'usage';

const table = {
  /** Wrong command line or configuration. */
  CONFIG_INVALID: { side: 'usage', exitCode: 2 },
  USAGE: { side: 'usage', exitCode: 2 },
  /** A listener could not bind, a file could not be read while running. */
  LISTEN_FAILED: { side: 'self', exitCode: 1 },
  MEMORY_LOCKED: { side: 'self', exitCode: 1 },
  MEMORY_UNREADABLE: { side: 'self', exitCode: 1 },
  MEMORY_WRITE_FAILED: { side: 'self', exitCode: 1 },
  /** No record has the id that was asked for. */
  RECORD_NOT_FOUND: { side: 'usage', exitCode: 1 },
  /** A line of a file to import is no event; names the file and the line. */
  IMPORT_INVALID: { side: 'usage', exitCode: 1 },
  EXPORT_FAILED: { side: 'self', exitCode: 1 },
  CATALOG_FAILED: { side: 'server', exitCode: 1 },
  /** The demo did not show what it is there to show. */
  DEMO_FAILED: { side: 'self', exitCode: 1 },
  /** One statement, run from the command line, was refused by the compiler or by the server. */
  STATEMENT_FAILED: { side: 'server', exitCode: 1 },
  UPSTREAM_UNREACHABLE: { side: 'server', exitCode: 1 },
} as const satisfies Record<string, { side: ErrorSide; exitCode: 1 | 2 }>;

export type ErrorCode = keyof typeof table;

export class TwiceshyError extends Error {
  readonly code: ErrorCode;
  readonly side: ErrorSide;
  readonly exitCode: 1 | 2;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TwiceshyError';
    this.code = code;
    this.side = table[code].side;
    this.exitCode = table[code].exitCode;
  }
}
