/**
 * What a shape costs: per character over a mix of statements and over 64 KiB texts, and per statement at the 99th
 * percentile under 1 KB; always without the cache, whose hit is measured beside it.
 */
import { performance } from 'node:perf_hooks';
import { bench, do_not_optimize, run } from 'mitata';
import { postgresDialect } from '../adapters/postgres/dialect.js';
import { limits } from '../src/core/limits.js';
import { createShaper } from '../src/core/shape/shaper.js';
import { defaultLexicalOptions } from '../src/core/verdict.js';
import { bulkInsert, longQuery, statements } from './shape-statements.js';
import { percentile, printSection, table } from './support/report.js';

const shaper = createShaper(postgresDialect);
/** A text said to be truncated is never cached. */
const uncached = (text: string): void => {
  do_not_optimize(shaper.shape(text, defaultLexicalOptions, true));
};
const mixLength = statements.reduce((sum, text) => sum + text.length, 0);
const bulk = bulkInsert(limits.maxStatementBytes).slice(0, limits.maxStatementBytes);
const long = longQuery(limits.maxStatementBytes).slice(0, limits.maxStatementBytes);

const lengths = new Map<string, number>();
const add = (name: string, length: number, work: () => void): void => {
  lengths.set(name, length);
  bench(name, work);
};
add('mix of statements', mixLength, () => {
  for (const text of statements) uncached(text);
});
add('64 KiB bulk insert', bulk.length, () => uncached(bulk));
add('64 KiB of conditions', long.length, () => uncached(long));
add('mix of statements, cached', mixLength, () => {
  for (const text of statements) do_not_optimize(shaper.shape(text, defaultLexicalOptions, false));
});

const result = await run({ format: 'quiet' });
const rows = result.benchmarks.map((trial) => {
  const stats = trial.runs[0]?.stats;
  const length = lengths.get(trial.alias);
  if (stats === undefined || length === undefined) throw new Error(`No measurement of ${trial.alias}`);
  return [trial.alias, ...[stats.avg, stats.min, stats.p99].map((ns) => (ns / length).toFixed(2))];
});

const under = statements.filter((text) => text.length < 1024);
const rounds = 2_000;
const samples = new Float64Array(under.length * rounds);
for (let i = 0; i < samples.length; i++) {
  const text = under[i % under.length] ?? '';
  const start = performance.now();
  uncached(text);
  samples[i] = (performance.now() - start) * 1e3;
}
samples.sort();
const at = (share: number): string => percentile(samples, share).toFixed(2);
printSection('Shape of a statement', [
  'Without the cache, but for the last row. Targets of the design: at most 25 ns a character, and below 5 us at p99 for a',
  'statement under 1 KB.',
  '',
  ...table(['what', 'ns per character', 'fastest', 'p99'], rows),
  '',
  `Statements under 1 KB, one by one: p50 ${at(0.5)} us, p99 ${at(0.99)} us (${under.length} texts).`,
]);
