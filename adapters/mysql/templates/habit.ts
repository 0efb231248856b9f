/** How a habit of another database is told: by the word the server stops at, and by the form of the statement. */

export interface Habit {
  /** The word the error points at; null where it points at a text, at several things or at the end. */
  readonly token: RegExp | null;
  /** What the canonical statement must be like. */
  readonly shape: RegExp;
  /** Null: this product takes it. */
  readonly mysql: string | null;
  readonly mariadb: string | null;
}

export function both(token: RegExp | null, shape: RegExp, advice: string): Habit {
  return { token, shape, mysql: advice, mariadb: advice };
}

export function each(
  token: RegExp | null,
  shape: RegExp,
  mysql: string | null,
  mariadb: string | null,
): Habit {
  return { token, shape, mysql, mariadb };
}
