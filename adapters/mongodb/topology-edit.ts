/**
 * Edits the reply to `hello` or `isMaster` so that drivers stay on the listener (Server Discovery And Monitoring):
 * they go to every address in `hosts`, `passives` and `arbiters`, and leave one that is not `me`.
 */

export interface TopologyTerms {
  /** `host:port` that stands for the server; null: addresses stay as they are. */
  readonly address: string | null;
  /** The reply is to offer no compression. */
  readonly isCompressionCleared: boolean;
}

/**
 * `bytes[start, end)`: a whole OP_MSG or OP_REPLY, header included, not compressed. Null where nothing is to be changed,
 * or it cannot be (malformed, wrong checksum).
 */
export function editTopology(bytes: Buffer, start: number, end: number, terms: TopologyTerms): Buffer | null {
  void bytes;
  void start;
  void end;
  void terms;
  throw new Error('to come');
}
