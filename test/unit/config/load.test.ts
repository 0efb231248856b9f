// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has placeholders of its own
import { describe, expect, it } from 'vitest';
import { loadConfigText } from '../../../src/config/load.js';
import { TwiceshyError } from '../../../src/core/errors.js';
import { stubAdapterFor } from './adapter-stub.js';

const minimal = `
upstreams:
  shop: { url: "postgres://poller@127.0.0.1:5432/shop" }
listeners:
  - listen: 6432
`;

function load(text: string, env: Record<string, string> = {}, refuse?: Parameters<typeof stubAdapterFor>[0]) {
  return loadConfigText(text, 'config.yaml', '/etc/twiceshy', { env, adapterFor: stubAdapterFor(refuse) });
}

function problems(text: string, env: Record<string, string> = {}): string[] {
  try {
    load(text, env);
  } catch (error) {
    expect(error).toBeInstanceOf(TwiceshyError);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 2 });
    return (error as TwiceshyError).message.split('\n');
  }
  throw new Error('expected the configuration to be refused');
}

describe('defaults', () => {
  it('are in place for the smallest file', () => {
    const config = load(minimal);
    expect(config.memory).toEqual({ folder: '/etc/twiceshy/.twiceshy', fsync: 'interval' });
    expect(config.admin).toEqual({ host: '127.0.0.1', port: 9477 });
    expect(config.recall).toEqual({ isEnabled: true, holdback: 0, notesPerSession: 3 });
    expect(config.listeners[0]).toMatchObject({
      name: 'shop',
      host: '127.0.0.1',
      port: 6432,
      audience: 'agent',
      maxConnections: 1000,
    });
  });

  it('ask for a verified server unless it is on this machine', () => {
    const modeOf = (host: string) => load(minimal.replace('127.0.0.1', host)).listeners[0]?.upstream.tls.mode;
    expect(modeOf('127.0.0.1')).toBe('allow');
    expect(modeOf('localhost')).toBe('allow');
    expect(modeOf('db.example.org')).toBe('verify-full');
    expect(modeOf('127.0.0.1.example.org')).toBe('verify-full');
  });
});

describe('problems', () => {
  it('name the key, what was expected and what was meant', () => {
    const text = `${minimal}    audiance: agent\n`;
    expect(problems(text)).toEqual([
      'config.yaml: listeners[0].audiance: unknown key; did you mean audience? (line 6)',
    ]);
  });

  it('come all at once', () => {
    const found = problems(`
memory: { folder: 5, fsync: intervall }
admin: { listen: true }
upstreams:
  shop: { tls: { mode: verify } }
listeners:
  - { listen: nowhere, maxConnections: 0, zzzzzzzzzzzz: red }
`);
    expect(found).toEqual([
      'config.yaml: memory.folder: expected text, found a number: put it in quotes (line 2)',
      'config.yaml: memory.fsync: expected one of always, interval, never; did you mean interval? (line 2)',
      'config.yaml: admin.listen: expected host:port or false (line 3)',
      'config.yaml: upstreams.shop.url: missing; expected text (line 5)',
      expect.stringMatching(
        /^config.yaml: upstreams.shop.tls.mode: expected one of disable, allow, prefer, require, verify-full/,
      ),
      'config.yaml: listeners[0].maxConnections: expected a number of at least 1 (line 7)',
      expect.stringMatching(
        /^config.yaml: listeners\[0\].zzzzzzzzzzzz: unknown key; expected one of name, listen, /,
      ),
    ]);
  });

  it.each([
    ['an empty file', '', 'config.yaml: upstreams: missing; expected a mapping of names'],
    ['a list', '- a', 'config.yaml: expected a mapping of keys, found a list'],
    ['no listeners', 'upstreams: {}\nlisteners: []', 'listeners: expected at least one entry'],
    ['an address', minimal.replace('6432', '"nowhere"'), 'listeners[0].listen: expected host:port'],
    ['a port', minimal.replace('6432', '"127.0.0.1:70000"'), 'listeners[0].listen: expected host:port'],
    ['a scheme', minimal.replace('postgres:', 'oracle:'), 'upstreams.shop.url: expected a URL such as'],
    ['a bad URL', minimal.replace('127.0.0.1:5432', 'bad'), 'upstreams.shop.url: names no host'],
    ['an upstream', `${minimal}    upstream: shopp`, 'no such upstream; expected one of shop'],
    ['its own address', minimal.replace('listen: 6432', 'listen: 0.0.0.0:5432'), 'upstream’s own address'],
    ['two of a name', `${minimal}  - listen: 6433`, 'listeners[1].name: another listener has this name'],
    ['two on a port', `${minimal}  - { name: b, listen: 6432 }`, 'listeners[1].listen: another listener'],
    ['an empty rule', `${minimal}    audiences: [{ audience: agent }]`, 'audiences[0]: expected a user'],
    [
      'a missing file',
      `${minimal}    tls: { cert: no.pem, key: no.key }`,
      'cannot read /etc/twiceshy/no.pem',
    ],
    ['an unset variable', minimal.replace('6432', '${PORT_X}'), 'PORT_X is not set'],
    [
      'a share over 1',
      `${minimal}recall: { holdback: 2 }`,
      'recall.holdback: expected a number of at most 1',
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text).join('\n')).toContain(expected);
  });

  it('say where the YAML itself is broken, without the text that stands there', () => {
    const [line] = problems('upstreams:\n  shop: { url: "postgres://u:hunter2@h/db\n');
    expect(line).toMatch(/^config.yaml:\d+:\d+: not valid YAML: /);
    expect(line).not.toContain('hunter2');
  });

  it('hold no value of the file', () => {
    const text = minimal
      .replace('shop: {', 'shop: { password: [hunter2],')
      .replace('6432', '"hunter2:hunter2"');
    expect(problems(`${text}    audience: hunter2\n    auth: hunter2\n`).join('\n')).not.toContain('hunter2');
  });

  it('include the reason why two legs cannot work together', () => {
    expect(() => load(minimal, {}, () => 'Both legs are TLS.')).toThrow(
      'config.yaml: listeners[0]: Both legs are TLS.',
    );
  });

  it('refuse control characters a key might carry to a terminal', () => {
    expect(problems(`"\\e[31mred": 1\n${minimal}`).join('')).not.toContain('\u001b');
  });
});

describe('secrets', () => {
  it('come from the environment whatever characters they hold', () => {
    const text = minimal.replace('shop: {', 'shop: { password: "${DB_PASSWORD}",');
    const config = load(text, { DB_PASSWORD: 'a: "b" # ${c}' });
    expect(config.upstreams[0]?.address.password).toBe('a: "b" # ${c}');
  });

  it('may hold what looks like a variable, escaped', () => {
    const config = load(minimal.replace('shop: {', () => "shop: { password: 'pa$$word$${X}',"));
    expect(config.upstreams[0]?.address.password).toBe('pa$$word${X}');
  });

  it('a number from the environment is a number', () => {
    const config = load(`${minimal}    maxConnections: \${MAX}\n`, { MAX: '12' });
    expect(config.listeners[0]?.maxConnections).toBe(12);
  });
});
