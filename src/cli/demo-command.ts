/** `twiceshy demo`: its help. The work is in demo-run.ts. */
import { Command } from 'commander';

const help = `
Starts PostgreSQL (PGlite, inside this process) and the proxy on free ports of 127.0.0.1, lets a scripted client fail,
repeat, follow the note and succeed, and prints what the client received. Removes everything it made.`;

export function demoCommand(): Command {
  return new Command('demo')
    .description('watch a failure come back with an instruction; needs no database')
    .addHelpText('after', help)
    .action(async () => {
      const { runDemo } = await import('./demo-run.js');
      await runDemo();
    });
}
