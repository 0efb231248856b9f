import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfigText } from '../../../src/config/load.js';
import { allKeyPaths } from '../../../src/config/schema.js';
import { stubAdapterFor } from './adapter-stub.js';

const text = readFileSync('config.example.yaml', 'utf8');
const options = { env: { SHOP_DB_PASSWORD: 'x', STOCK_DB_PASSWORD: 'y' }, adapterFor: stubAdapterFor() };

describe('config.example.yaml', () => {
  it('loads as it stands', () => {
    const config = loadConfigText(text, 'config.example.yaml', '/', options);
    expect(config.listeners[0]).toMatchObject({ name: 'shop-agents', audience: 'agent' });
  });

  it('shows the defaults where a key has one', () => {
    const minimal = 'upstreams: { shop: { url: "postgres://h/db" } }\nlisteners: [{ listen: 1 }]';
    const defaults = loadConfigText(minimal, 'config.yaml', '/', options);
    const shown = loadConfigText(text, 'config.example.yaml', '/', options);
    for (const key of ['memory', 'admin', 'log', 'recall', 'shutdown'] as const) {
      expect(shown[key], key).toEqual(defaults[key]);
    }
    const [a, b] = [shown.listeners[0], defaults.listeners[0]];
    expect(a?.maxConnections).toBe(b?.maxConnections);
    expect(a?.handshakeTimeoutMs).toBe(b?.handshakeTimeoutMs);
  });

  it.each(['config.example.yaml', 'docs/configuration.md'])('%s names every key', (file) => {
    const shown = readFileSync(file, 'utf8');
    for (const path of allKeyPaths()) {
      const key = path.split('.').at(-1)?.replace('[]', '') ?? '';
      if (key === '*') continue;
      const isNamed = file.endsWith('.yaml')
        ? new RegExp(`^[\\s#-]*${key}:`, 'm').test(shown)
        : shown.includes(`\`${path.replace('.*', '.<name>')}\``);
      expect(isNamed, `${file} does not name ${path}`).toBe(true);
    }
  });
});
