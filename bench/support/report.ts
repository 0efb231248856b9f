/** A benchmark's result as a section of docs/benchmarks.md, written to stdout. */

export function percentile(sorted: Float64Array | readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function printSection(title: string, lines: readonly string[]): void {
  process.stdout.write(`## ${title}\n\n${lines.join('\n')}\n\n`);
}

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return [
    `| ${header.join(' | ')} |`,
    `|${header.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ];
}
