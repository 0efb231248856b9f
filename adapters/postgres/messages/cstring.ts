/** Index of the NUL that ends the string starting at `start`, or -1 when none comes before `end`. */
export function cstringEnd(bytes: Buffer, start: number, end: number): number {
  // Names are empty in most messages: spare those the native call.
  if (start < end && bytes[start] === 0) return start;
  const at = bytes.indexOf(0, start);
  return at >= 0 && at < end ? at : -1;
}
