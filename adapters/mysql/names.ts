/** Names of a login packet as text. Servers take them in the character set that the packet itself names. */

/** Collation ids of latin1 (information_schema.collations). */
const latin1Collations = new Set([5, 8, 15, 31, 47, 48, 49, 94]);

/** Bytes that are no text in it become U+FFFD. */
export function decodeName(bytes: Buffer, characterSet: number): string {
  return bytes.toString(latin1Collations.has(characterSet) ? 'latin1' : 'utf8');
}
