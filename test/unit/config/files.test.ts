import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfigFile, loadConfigText } from '../../../src/config/load.js';
import { stubAdapterFor } from './adapter-stub.js';

let folder: string;
const options = { env: {}, adapterFor: stubAdapterFor() };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twiceshy-config-'));
  for (const name of ['a', 'b']) {
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
        .concat(['-subj', `/CN=${name}`, '-keyout', join(folder, `${name}.key`)])
        .concat(['-out', join(folder, `${name}.pem`)]),
      { stdio: 'ignore' },
    );
  }
  writeFileSync(join(folder, 'password'), 'from-file\n');
  writeFileSync(join(folder, 'empty'), '\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function text(upstream: string, listener = ''): string {
  return `
upstreams:
  shop:
    url: postgres://poller@db.example.org/shop
${upstream}
listeners:
  - listen: 6432
${listener}
`;
}

function load(yaml: string) {
  return loadConfigText(yaml, 'config.yaml', folder, options);
}

describe('files', () => {
  it('are read at load, relative to the configuration', () => {
    writeFileSync(
      join(folder, 'config.yaml'),
      text('    passwordFile: password\n    tls: { ca: a.pem }', '    tls: { cert: a.pem, key: a.key }'),
    );
    const config = loadConfigFile(join(folder, 'config.yaml'), options);
    expect(config.upstreams[0]?.address.password).toBe('from-file');
    expect(config.upstreams[0]?.tls.ca).toContain('BEGIN CERTIFICATE');
    expect(config.listeners[0]?.policy.clientTls?.key).toContain('PRIVATE KEY');
    expect(config.memory.folder).toBe(join(folder, '.twiceshy'));
  });

  it.each([
    [
      'a key of another certificate',
      text('', '    tls: { cert: a.pem, key: b.key }'),
      'cannot be used together',
    ],
    ['no PEM', text('    tls: { ca: password }'), 'upstreams.shop.tls.ca: expected PEM text'],
    ['a key as authority', text('    tls: { ca: a.key }'), 'expected a certificate in PEM form'],
    ['half a pair', text('    tls: { cert: a.pem }'), 'tls.key: missing; cert and key go together'],
    ['two passwords', text('    password: x\n    passwordFile: password'), 'not both'],
    ['an empty secret', text('    passwordFile: empty'), 'the file is empty'],
    ['a folder', text('    passwordFile: .'), 'it is a folder'],
  ])('refuses %s', (_, yaml, expected) => {
    expect(() => load(yaml)).toThrow(expected);
  });

  it('names a file that is not there', () => {
    expect(() => loadConfigFile(join(folder, 'none.yaml'), options)).toThrow(
      /Cannot read .*none.yaml: ENOENT/,
    );
  });

  it('takes secrets and passwords of terminated users from files', () => {
    const config = load(
      text(
        '',
        '    auth: terminate\n    users: [{ name: agent, secretFile: password, upstreamPasswordFile: password }]',
      ),
    );
    expect(config.listeners[0]?.policy.users).toEqual([
      { name: 'agent', secret: 'from-file', upstreamUser: 'agent', upstreamPassword: 'from-file' },
    ]);
  });
});
