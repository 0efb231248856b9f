import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePostgres } from '../../support/postgres-servers.js';
import { until, within } from '../../support/until.js';

describePostgres('npm run -s twiceshy', (server) => {
  // A shell between npm and the process would die of the signal and leave the proxy running without a parent.
  it('passes SIGTERM on to the proxy and returns its exit code', async () => {
    const memory = mkdtempSync(join(tmpdir(), 'twiceshy-npm-'));
    const args = ['proxy', '--postgres', server.url, '--listen', '127.0.0.1:0', '--memory', memory];
    const child = spawn('npm', ['run', '-s', 'twiceshy', '--', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    try {
      await until(() => /^ready$/m.test(stdout), 60_000, 'the proxy to be ready');
      child.kill('SIGTERM');
      expect(await within(closed, 20_000, 'npm to end')).toBe(0);
      expect(stderr).toContain('Stopped.');
    } finally {
      child.kill('SIGKILL');
      rmSync(memory, { recursive: true, force: true });
    }
  });
});
