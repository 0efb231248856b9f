/** Writes values and names as SQL has them. */
export function literalOf(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

export function nameOf(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
