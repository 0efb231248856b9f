import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from './run-cli.js';

/** Ids hash the schema of a fresh database and days pass; the rest of the text is the same each time. */
const steady = (text: string) => text.replace(/\[twiceshy [0-9a-f]{8}\]|\d{4}-\d\d-\d\d/g, '#');

describe('twiceshy demo', () => {
  it('shows a failure coming back with an instruction, and leaves nothing behind', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'twiceshy-test-'));
    const { code, stdout, stderr } = await runCli(['demo'], { env: { TMPDIR: temporary } });
    const left = readdirSync(temporary).filter((name) => name.startsWith('twiceshy'));
    rmSync(temporary, { recursive: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('account ada would be overdrawn by 80');
    expect(stdout.match(/^ {10}\[twiceshy [0-9a-f]{8}\] .+$/gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}HINT: {3}.*\[twiceshy [0-9a-f]{8}\] /gm)).toHaveLength(3);
    expect(stdout).toContain('ON CONFLICT (email)');
    expect(stdout).toContain('  UPDATE 1\n');
    expect(left).toEqual([]);

    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const excerpt = /```\n(1\. A rule[^`]*)```/.exec(readme)?.[1] ?? '';
    const shown = excerpt.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '...');
    expect(shown.length).toBeGreaterThan(8);
    for (const line of shown) expect(steady(stdout).split('\n')).toContain(steady(line));
  });
});
