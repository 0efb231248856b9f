import { describe, expect, it } from 'vitest';
import { audienceOf } from '../../../src/config/config.js';
import { loadConfigText } from '../../../src/config/load.js';
import { planReload } from '../../../src/config/reload.js';
import { stubAdapterFor } from './adapter-stub.js';

const base = `
log: { level: info }
upstreams: { shop: { url: "postgres://poller@127.0.0.1/shop" } }
listeners:
  - { name: a, listen: 6432, audience: agent }
`;
const load = (text: string) =>
  loadConfigText(text, 'config.yaml', '/', { env: {}, adapterFor: stubAdapterFor() });

describe('planReload', () => {
  it('finds nothing where nothing changed', () => {
    expect(planReload(load(base), load(base))).toEqual({ applied: [], refused: [] });
  });

  it('takes over audience, log level and recall', () => {
    const wanted = base
      .replace('level: info', 'level: debug')
      .replace('audience: agent', 'audience: application');
    expect(planReload(load(base), load(`${wanted}recall: { holdback: 0.5 }`))).toEqual({
      applied: ['log.level', 'recall', 'listeners.a.audience'],
      refused: [],
    });
  });

  it('names what needs a restart', () => {
    const wanted = `${base.replace('6432', '6433')}  - { name: b, listen: 6434 }\nmemory: { folder: other }`;
    expect(planReload(load(base), load(wanted)).refused).toEqual(['memory', 'listeners.a', 'listeners.b']);
    const moved = base.replace('127.0.0.1', 'localhost').replace('name: a', 'name: c');
    expect(planReload(load(base), load(moved)).refused).toEqual(['upstreams', 'listeners.c', 'listeners.a']);
  });
});

describe('audienceOf', () => {
  it('is that of the first rule that matches, else the listener’s', () => {
    const [listener] = load(
      `${base.trimEnd().slice(0, -2)}, audiences: [
      { user: bi, application: psql, audience: agent }, { user: bi, audience: application },
      { application: billing, audience: application }] }`,
    ).listeners;
    if (listener === undefined) throw new Error('no listener');
    expect(audienceOf(listener, { user: 'bi', application: 'psql' })).toBe('agent');
    expect(audienceOf(listener, { user: 'bi', application: 'x' })).toBe('application');
    expect(audienceOf(listener, { user: 'me', application: 'billing' })).toBe('application');
    expect(audienceOf(listener, { user: 'me', application: '' })).toBe('agent');
  });
});
