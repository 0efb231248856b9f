/**
 * Whether an account sees all that a server declares. information_schema shows what one has rights on and says nothing
 * of the rest, so what is missing shows in the grants alone. Measured on MySQL 9.7 and MariaDB 10.11: SELECT on all
 * databases shows tables and columns, and on MySQL keys and checks; TRIGGER shows triggers, and on MariaDB the keys,
 * which it keeps from an account that may only select.
 */
const needed = ['SELECT', 'TRIGGER'] as const;

const onEverything = /^GRANT (.+) ON \*\.\* TO /;
/** MySQL's partial revokes: all databases but this one. */
const onAllButOne = /^REVOKE (.+) ON `[^`]*`\.\* FROM /;

/** `grants`: the lines of SHOW GRANTS, with those of active roles. Null where nothing is hidden from the account. */
export function blindSpotOf(account: string, grants: readonly string[]): string | null {
  const granted = privileges(grants, onEverything);
  const revoked = privileges(grants, onAllButOne);
  const isGranted = (privilege: string): boolean =>
    (granted.has(privilege) || granted.has('ALL PRIVILEGES')) && !revoked.has(privilege);
  const missing = needed.filter((privilege) => !isGranted(privilege));
  if (missing.length === 0) return null;
  return (
    `${account} lacks ${missing.join(' and ')} on *.*, so the catalog shows it only part of what is declared, and ` +
    `changes of the rest go unnoticed: GRANT ${missing.join(', ')} ON *.* TO it, or name another account.`
  );
}

function privileges(grants: readonly string[], form: RegExp): Set<string> {
  return new Set(grants.flatMap((line) => form.exec(line)?.[1]?.split(', ') ?? []));
}
