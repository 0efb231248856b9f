/** `npm run eval [-- --corpus <file.jsonl> …]`: the recall benchmark. Exits 1 when the scenario corpus is not at 1.00. */
import { parseArgs } from 'node:util';
import { readExternalCorpus } from './external-corpus.js';
import { ablations, type ExternalMeasures, measureExternal, measureScenarios } from './measures.js';
import { readScenarioCorpus } from './scenario-corpus.js';
import type { Share } from './wilson.js';

const { values } = parseArgs({ options: { corpus: { type: 'string', multiple: true } } });

function line(name: string, share: Share): string {
  const counts = `${share.hits}/${share.total}`;
  const value = share.total === 0 ? '   -' : share.value.toFixed(4);
  const lower = share.total === 0 ? '   -' : share.lower.toFixed(4);
  return `  ${name.padEnd(34)} ${value.padStart(7)}  (${counts.padStart(11)})  95 % lower bound ${lower}`;
}

/** Unclassified is a rate to watch: shown as such, from the share that is classified. */
function unclassified(name: string, classified: Share): string {
  const { total, hits } = classified;
  const upper = total === 0 ? Number.NaN : 1 - classified.lower;
  const rate = total === 0 ? Number.NaN : (total - hits) / total;
  return `  ${name.padEnd(34)} ${rate.toFixed(4).padStart(7)}  (${`${total - hits}/${total}`.padStart(11)})  95 % upper bound ${upper.toFixed(4)}`;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

const { scenarios, sha256 } = readScenarioCorpus();
const shipped = measureScenarios(scenarios);
print([
  `Scenario corpus: ${scenarios.length} scenarios, SHA-256 ${sha256}`,
  line('recall', shipped.recall),
  line('precision', shipped.precision),
  line('right class', shipped.rightClass),
  unclassified('unclassified per event', shipped.classifiedEvents),
  unclassified('unclassified per code', shipped.classifiedCodes),
  line('abstention', shipped.abstention),
  line('no leakage across schemas', shipped.noLeakage),
  ...shipped.misses.map((miss) => `  MISS ${miss}`),
  '',
  'Ablation on the scenario corpus (recall / precision / abstention)',
]);
for (const { name, options } of ablations) {
  const measured = measureScenarios(scenarios, options);
  const shares = [measured.recall, measured.precision, measured.abstention];
  print([`  ${name.padEnd(54)} ${shares.map((share) => share.value.toFixed(4)).join(' / ')}`]);
}

for (const path of values.corpus ?? []) {
  const corpus = readExternalCorpus(path);
  const measured = measureExternal(corpus.cases);
  print([
    '',
    `External corpus: ${corpus.cases.length} failures (${measured.notRecorded} never recorded), SHA-256 ${corpus.sha256}`,
    ...[...measured.recall].map(([name, share]) => line(`recall, reworded: ${name}`, share)),
    ...replayLines(measured),
    unclassified('unclassified per event', measured.classifiedEvents),
    unclassified('unclassified per code', measured.classifiedCodes),
    line('no leakage across databases', measured.noLeakage),
    '',
    'Ablation on the replay (answered / right class / right SQLSTATE)',
  ]);
  for (const { name, options } of ablations) {
    const one = measureExternal(corpus.cases, options);
    const shares = [one.answered, one.rightClass, one.rightCode];
    print([`  ${name.padEnd(54)} ${shares.map((share) => share.value.toFixed(4)).join(' / ')}`]);
  }
}

function replayLines(measured: ExternalMeasures): string[] {
  return [
    line('replay: answered', measured.answered),
    line('replay: right class', measured.rightClass),
    line('replay: right SQLSTATE', measured.rightCode),
  ];
}

if (shipped.recall.value < 1 || shipped.precision.value < 1 || shipped.rightClass.value < 1)
  process.exitCode = 1;
