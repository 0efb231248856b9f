import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../../src/cli/program.js';

async function run(...args: string[]): Promise<{ out: string; err: string; error: unknown }> {
  const program = buildProgram();
  let out = '';
  let err = '';
  const configure = (command: typeof program) => {
    command.configureOutput({
      writeOut: (text) => {
        out += text;
      },
      writeErr: (text) => {
        err += text;
      },
    });
    for (const child of command.commands) configure(child as typeof program);
  };
  configure(program);
  const error: unknown = await program.parseAsync(['node', 'twiceshy', ...args]).then(
    () => null,
    (reason: unknown) => reason,
  );
  return { out, err, error };
}

describe('help', () => {
  it('shows every command with an example', async () => {
    const { out } = await run('--help');
    for (const name of ['proxy', 'config', 'memory', 'recall', 'sql', 'demo'])
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(out).toContain('$ twiceshy demo');
  });

  it.each(['proxy', 'recall', 'sql', 'memory', 'demo'])('of %s is more than its options', async (name) => {
    const { out, error } = await run(name, '--help');
    expect(error).toMatchObject({ exitCode: 0 });
    expect(out.split('\n').length).toBeGreaterThan(8);
  });

  it('prints the version of package.json', async () => {
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('usage errors', () => {
  it.each([
    [['prxy'], 'Did you mean proxy?'],
    [['proxy', '--lisen', 'x'], 'Did you mean --listen?'],
    [['memory', 'lst'], 'Did you mean list?'],
    [['recall'], "missing required argument 'statement'"],
    [['sql'], "missing required argument 'sql'"],
    [['proxy', 'extra'], 'too many arguments'],
  ])('%j says what was meant', async (args, expected) => {
    const { err, error } = await run(...args);
    expect(error).toBeInstanceOf(CommanderError);
    expect((error as CommanderError).exitCode).not.toBe(0);
    expect(err).toContain(expected);
  });
});
