import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './run-cli.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twiceshy-check-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function check(text: string) {
  writeFileSync(join(folder, 'config.yaml'), text);
  return runCli(['config', 'check', '-c', join(folder, 'config.yaml')]);
}

const good =
  'upstreams: { shop: { url: "postgres://u:hunter2@127.0.0.1/shop" } }\nlisteners: [{ listen: 6432 }]\n';

describe('twiceshy config check', () => {
  it('says what would be started, and no password', async () => {
    const { code, stdout, stderr } = await check(good);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('shop: 127.0.0.1:6432 -> shop at 127.0.0.1:5432 (TLS allow), audience agent\n');
    expect(stdout).toContain('config.yaml: ok');
    expect(stdout).not.toContain('hunter2');
  });

  it('accepts the example that comes with it', async () => {
    const { code, stderr } = await runCli(['config', 'check', 'config.example.yaml'], {
      env: { SHOP_DB_PASSWORD: 'x', STOCK_DB_PASSWORD: 'y' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('lists the problems on stderr and exits with 2', async () => {
    const { code, stdout, stderr } = await check(`${good}logg: {}\nadmin: { listn: 1 }\n`);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('config.yaml: logg: unknown key; did you mean log? (line 3)\n');
    expect(stderr).toContain('config.yaml: admin.listn: unknown key; did you mean listen? (line 4)\n');
  });

  it('refuses two TLS legs with relayed logins, and says why', async () => {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=x', ...curve, ...files], {
      stdio: 'ignore',
    });
    const twoLegs = good
      .replace('/shop"', '/shop?sslmode=require"')
      .replace('listen: 6432', 'listen: 6432, tls: { cert: cert.pem, key: key.pem }');
    const { code, stderr } = await check(twoLegs);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^config.yaml: listeners\[0\]: TLS on both legs cannot relay SCRAM/);
    const promised = twoLegs.replace('listen: 6432,', 'listen: 6432, channelBinding: off,');
    expect(await check(promised)).toMatchObject({ code: 0, stderr: '' });
  });

  it('exits with 2 for a file that is not there and for none at all', async () => {
    const missing = await runCli(['config', 'check', '-c', join(folder, 'none.yaml')]);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('none.yaml: ENOENT');
    expect(await runCli(['config', 'check'])).toMatchObject({ code: 2 });
  });
});
