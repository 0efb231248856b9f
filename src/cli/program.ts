/** The tree of commands. Each command is in a file of its own. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { configCommand } from './config-command.js';
import { demoCommand } from './demo-command.js';
import { memoryCommand } from './memory.js';
import { proxyCommand } from './proxy-command.js';
import { recallCommand } from './recall-command.js';
import { sqlCommand } from './sql-command.js';

const overview = `
Examples:
  $ twiceshy demo
      Watch a failure come back with an instruction; needs no database.
  $ twiceshy proxy --postgres postgres://me@127.0.0.1:5432/shop --listen 127.0.0.1:6432
      Stand in front of a database; point clients at port 6432.
  $ twiceshy memory list
      What has been remembered so far.

Exit codes: 0 stopped as asked, 1 failed while running, 2 wrong usage or configuration.`;

export function buildProgram(): Command {
  const program = new Command('twiceshy')
    .description(
      'A database proxy that remembers every failure the database declares, and attaches the matching instruction to the error when the same failure is repeated.',
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', overview);
  const commands = [
    proxyCommand(),
    configCommand(),
    memoryCommand(),
    recallCommand(),
    sqlCommand(),
    demoCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  applyEverywhere(program);
  return program;
}

/** Errors are thrown instead of exiting, so that main.ts alone decides the exit code. */
function applyEverywhere(command: Command): void {
  command.exitOverride().showSuggestionAfterError(true);
  command.helpOption('-h, --help', 'show help');
  if (command.parent !== null) command.showHelpAfterError(`(see ${pathOf(command)} --help)`);
  for (const child of command.commands) applyEverywhere(child);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** From the nearest package.json above: the same from sources and from the build. */
function version(): string {
  for (const up of ['../..', '../../..']) {
    try {
      const text = readFileSync(new URL(`${up}/package.json`, import.meta.url), 'utf8');
      return String((JSON.parse(text) as { version: unknown }).version);
    } catch {
      // Not here: one folder further up.
    }
  }
  return 'unknown';
}
