/** The process's counters: plain maps, so that counting costs an increment whatever the exporter. */
import { type CounterName, type Counters, counterNames } from '../core/counters.js';
import { limits } from '../core/limits.js';

/** Stands for the labels past `limits.maxLabelsPerCounter`: some of them come from what clients do. */
const overflowLabel = 'other';

export class CounterSet implements Counters {
  private readonly values = new Map<CounterName, Map<string, number>>();

  count(name: CounterName, label = '', by = 1): void {
    let labels = this.values.get(name);
    if (labels === undefined) {
      labels = new Map();
      this.values.set(name, labels);
    }
    const isNew = !labels.has(label);
    const key = isNew && labels.size >= limits.maxLabelsPerCounter ? overflowLabel : label;
    labels.set(key, (labels.get(key) ?? 0) + by);
  }

  /** Sum over all labels, or the value under one. */
  value(name: CounterName, label?: string): number {
    const labels = this.values.get(name);
    if (labels === undefined) return 0;
    if (label !== undefined) return labels.get(label) ?? 0;
    let sum = 0;
    for (const value of labels.values()) sum += value;
    return sum;
  }

  /** Every label and its value; empty for what never happened. */
  entries(name: CounterName): ReadonlyMap<string, number> {
    return this.values.get(name) ?? new Map();
  }
}

/** What the label of a counter stands for, as its description says it (`…, by class`); null where it has none. */
export function labelNameOf(name: CounterName): string | null {
  return /, by ([a-z]+)\b/.exec(counterNames[name])?.[1] ?? null;
}
