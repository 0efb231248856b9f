/**
 * Where in a function an error was raised, from the first line of the context (field W). The words around are in the
 * server's language; what is looked for has the same form in all of them: `name(arguments)` and the line's number.
 */
const maxContextLength = 1_000;
const identifier = '[A-Za-z_][A-Za-z0-9_$]{0,62}';
/** `check_overdraft()`, `public.transfer(integer, numeric)`, `"Audit"."Check"()`; the last part is the name. */
const signature = new RegExp(
  `(?:(?:${identifier}|"[^"]{1,63}")\\.)?(?:(${identifier})|"(${identifier})")\\(([^()]*)\\)`,
);
/** A DO block has no name; PostgreSQL gives it this one. */
const anonymousBlock = /\b(inline_code_block)\b/;
/** Other languages quote the name: PL/Python function "f". */
const quotedName = new RegExp(`^PL/[A-Za-z]+[^"]{0,40}"(${identifier})"`);

/**
 * `check_overdraft:5`: the name without schema and arguments, and the line where there is one; null where no routine
 * can be told. The schema is left out because the server prints it or not by the session's search path.
 */
export function raisingRoutine(context: string): string | null {
  const [firstLine = ''] = context.slice(0, maxContextLength).split('\n', 1);
  for (const pattern of [signature, anonymousBlock, quotedName]) {
    const match = pattern.exec(firstLine);
    const name = match?.[1] ?? match?.[2];
    if (match === null || name === undefined) continue;
    const around = firstLine.slice(0, match.index) + firstLine.slice(match.index + match[0].length);
    const line = /\d{1,6}/.exec(around)?.[0];
    return line === undefined ? name : `${name}:${line}`;
  }
  return null;
}
