/** PREPARE, EXECUTE and DEALLOCATE as SQL: they share their names with the protocol's prepared statements. */

const name = String.raw`("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)`;
const prepareStatement = new RegExp(
  String.raw`^\s*prepare\s+${name}\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*as\s+`,
  'iu',
);
const executeStatement = new RegExp(String.raw`^\s*execute\s+${name}`, 'iu');
const deallocateStatement = new RegExp(String.raw`^\s*deallocate\s+(?:prepare\s+)?${name}`, 'iu');

/** Name and body of `PREPARE name (types) AS body`; null for any other text. */
export function readPrepare(text: string): { readonly name: string; readonly body: string } | null {
  const match = prepareStatement.exec(text);
  if (match?.[1] === undefined) return null;
  return { name: unquote(match[1]), body: text.slice(match[0].length) };
}

/** Name in `EXECUTE name (…)`; null for any other text. */
export function readExecuteName(text: string): string | null {
  return nameIn(executeStatement.exec(text));
}

/** Name in `DEALLOCATE name`; null for any other text. */
export function readDeallocateName(text: string): string | null {
  return nameIn(deallocateStatement.exec(text));
}

function nameIn(match: RegExpExecArray | null): string | null {
  return match?.[1] === undefined ? null : unquote(match[1]);
}

/** As a key of the protocol's names: the UTF-8 bytes read as latin1. */
function unquote(written: string): string {
  const plain = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written.toLowerCase();
  return Buffer.from(plain).toString('latin1');
}
