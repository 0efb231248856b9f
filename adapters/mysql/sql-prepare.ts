/**
 * PREPARE, EXECUTE and DEALLOCATE as SQL (reference manual, "Prepared Statements"), and MariaDB's EXECUTE IMMEDIATE. Texts
 * begin with their first word.
 */

const name = String.raw`(\x60(?:[^\x60]|\x60\x60)+\x60|[\p{L}\p{N}_$]+)`;
const prepareStatement = new RegExp(String.raw`^prepare\s+${name}\s+from\s+(.*)$`, 'isu');
const immediateStatement = /^execute\s+immediate\s+(.*)$/is;
const executeStatement = new RegExp(String.raw`^execute\s+${name}`, 'iu');
const deallocateStatement = new RegExp(String.raw`^(?:deallocate|drop)\s+prepare\s+${name}`, 'iu');

/** Name and body of `PREPARE name FROM 'body'`; the body is null where it is no literal. Null for any other text. */
export function readPrepare(
  text: string,
  isBackslashLiteral: boolean,
): { readonly name: string; readonly body: string | null } | null {
  const match = prepareStatement.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { name: unquote(match[1]), body: readLiteral(match[2], isBackslashLiteral) };
}

/** What EXECUTE runs: the name of a statement, or the body of `EXECUTE IMMEDIATE 'body'`; null where it is not known. */
export function readExecute(
  text: string,
  isBackslashLiteral: boolean,
): { readonly name: string } | { readonly body: string } | null {
  const immediate = immediateStatement.exec(text);
  if (immediate?.[1] !== undefined) {
    const body = readLiteral(immediate[1], isBackslashLiteral);
    return body === null ? null : { body };
  }
  const match = executeStatement.exec(text);
  return match?.[1] === undefined ? null : { name: unquote(match[1]) };
}

/** Name in `DEALLOCATE PREPARE name`; null for any other text. */
export function readDeallocate(text: string): string | null {
  const match = deallocateStatement.exec(text);
  return match?.[1] === undefined ? null : unquote(match[1]);
}

function unquote(written: string): string {
  return written.startsWith('`') ? written.slice(1, -1).replaceAll('``', '`') : written;
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
};

/** The value of a text that is one literal in quotes and nothing more than USING behind it; else null. */
function readLiteral(written: string, isBackslashLiteral: boolean): string | null {
  const quote = written[0];
  if (quote !== "'" && quote !== '"') return null;
  let value = '';
  for (let at = 1; at < written.length; at += 1) {
    const character = written[at] as string;
    if (character === '\\' && !isBackslashLiteral) {
      at += 1;
      const escaped = written[at] ?? '';
      value += escapes[escaped] ?? escaped;
    } else if (character !== quote) {
      value += character;
    } else if (written[at + 1] === quote) {
      value += quote;
      at += 1;
    } else {
      return /^\s*(?:;|using\b|\*\/|$)/i.test(written.slice(at + 1)) ? value : null;
    }
  }
  return null;
}
