#!/usr/bin/env node
/**
 * The command line. Owns exit codes: 0 stopped as asked, 1 failed while running, 2 wrong usage or configuration.
 */
import { CommanderError } from 'commander';
import { explain, tolerateClosedPipes } from './output.js';
import { buildProgram } from './program.js';

const lingerMs = 2_000;

async function run(argv: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Already said on stderr by the parser.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return explain(error);
  }
}

tolerateClosedPipes();
process.exitCode = await run(process.argv);
// Nothing should be left to wait for; if something is, the exit does not wait for it.
setTimeout(() => process.exit(), lingerMs).unref();
