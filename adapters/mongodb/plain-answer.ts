/**
 * The server's first bytes to a `hello` that went without TLS: does it take plain connections? MongoDB's servers hang up
 * without a word where they do not; what terminates TLS in front of one may send an alert (RFC 8446, 6).
 */
const alertRecord = 0x15;
/** As many as a reply's length has: with fewer an alert cannot be told from it. */
const tellingBytes = 4;

export class PlainAnswer {
  /** Everything read. */
  bytes: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): 'incomplete' | 'accepted' | 'wants-tls' {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    if (this.bytes.length < tellingBytes) return 'incomplete';
    const [type, major, minor = 0, high] = this.bytes;
    // Read as a reply's length it would be 64 KiB at least, and no server has that much to say of itself.
    return type === alertRecord && major === 3 && minor > 0 && high === 0 ? 'wants-tls' : 'accepted';
  }
}
