/** What a benchmark needs of one database: a server, sessions that cost next to nothing, and statements to run. */
export interface BenchServer {
  readonly name: string;
  readonly url: string;
  release(): Promise<void>;
}

export interface RoundTripWorkload {
  readonly name: string;
  /** Run once in a session before the statements are measured; null for nothing. */
  readonly prepare: Buffer | null;
  /** One statement and what its protocol needs around it; answered by one end of reply. */
  readonly bytes: Buffer;
}

export interface BulkWorkload {
  readonly name: string;
  readonly sql: string;
  readonly megabytes: number;
}

export interface BenchDatabase {
  readonly name: string;
  acquire(lease: string): Promise<BenchServer>;
  openRawSession(url: string): Promise<RawSession>;
  /** Makes one statement fail at this URL, so that the memory behind it has a live record. */
  fail(url: string): Promise<void>;
  readonly roundTrips: readonly RoundTripWorkload[];
  readonly bulk: readonly BulkWorkload[];
  /** A text statement as bytes. */
  query(sql: string): Buffer;
}

/** Logged in by a client library, then only bytes: what it costs is not the client's. */
export interface RawSession {
  /** Writes the bytes of one statement; resolves at the end of its reply. */
  roundTrip(bytes: Buffer): Promise<void>;
  /** Calls back for each of `count` statements run one after the other with its time in microseconds. */
  repeat(bytes: Buffer, count: number, onTime: (us: number) => void): Promise<void>;
  /** Resolves when the socket is gone. */
  close(): Promise<void>;
}
