/** `twiceshy demo`: its help. The work is in demo-run.ts. */
import { Command } from 'commander';

const help = `
Starts PostgreSQL (PGlite, inside this process) and the proxy on free ports of 127.0.0.1, lets a scripted client fail,
repeat, follow the note and succeed, and prints what the client received. Removes everything it made.

With --mysql the same happens on a MySQL or MariaDB server of yours, in a database of its own that is dropped at the
end; the account must be allowed to create one. Its password may come as MYSQL_PWD. --mongodb is the same for MongoDB.`;

export function demoCommand(): Command {
  return new Command('demo')
    .description('watch a failure come back with an instruction; needs no database')
    .option('--mysql <url>', 'play it on this server: mysql://user@host:port')
    .option('--mongodb <url>', 'play it on this server: mongodb://user@host:port')
    .addHelpText('after', help)
    .action(async (options: import('./demo/run.js').DemoOptions) => {
      const { runDemo } = await import('./demo/run.js');
      await runDemo(options);
    });
}
