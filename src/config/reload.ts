/** Which differences between two configurations a running process can take over, and which need a restart. */
import type { Config, ListenerConfig } from './config.js';

export interface ReloadPlan {
  /** What a running process takes over, by key. */
  readonly applied: readonly string[];
  /** What differs and stays as it was until a restart, by key. */
  readonly refused: readonly string[];
}

/** Compares what can be compared; keys are named without their values. */
export function planReload(running: Config, wanted: Config): ReloadPlan {
  const applied: string[] = [];
  const refused: string[] = [];
  const compare = (into: string[], key: string, a: unknown, b: unknown) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) into.push(key);
  };
  compare(applied, 'log.level', running.log.level, wanted.log.level);
  compare(applied, 'recall', running.recall, wanted.recall);
  compare(applied, 'shutdown', running.shutdown, wanted.shutdown);
  compare(refused, 'log.format', running.log.format, wanted.log.format);
  compare(refused, 'memory', running.memory, wanted.memory);
  compare(refused, 'admin', running.admin, wanted.admin);
  compare(refused, 'upstreams', running.upstreams.map(comparable), wanted.upstreams.map(comparable));
  for (const listener of wanted.listeners) {
    const before = running.listeners.find(({ name }) => name === listener.name);
    const key = `listeners.${listener.name}`;
    if (before === undefined) {
      refused.push(key);
      continue;
    }
    compare(applied, `${key}.audience`, audienceKeys(before), audienceKeys(listener));
    compare(refused, key, otherKeys(before), otherKeys(listener));
  }
  for (const { name } of running.listeners) {
    if (!wanted.listeners.some((listener) => listener.name === name)) refused.push(`listeners.${name}`);
  }
  return { applied, refused };
}

function audienceKeys({ audience, audiences }: ListenerConfig): unknown {
  return { audience, audiences };
}

function otherKeys({ audience: _, audiences: __, upstream, ...rest }: ListenerConfig): unknown {
  return { ...rest, upstream: upstream.name };
}

function comparable(upstream: Config['upstreams'][number]): unknown {
  return { ...upstream, adapter: upstream.adapter.name };
}
