/** `twiceshy recall`: what the memory would say of a statement before it runs. The work is in recall-run.ts. */
import { Command } from 'commander';

const help = `
Looks for records of the same statement shape. Failures that do not depend on values (a missing table, a right not
granted) speak at once; the others when most runs of the shape failed.

With --postgres, --mysql or --mongodb the schema is read first: records made under another schema stay silent, similar
shapes count, and only that server's records are looked at. Without it, each record is believed to be current and only the exact shape
is found; the output says so.

Examples:
  $ twiceshy recall "insert into users (email) values ('a@example.org')"
  $ twiceshy recall --postgres postgres://me@127.0.0.1/shop --json "select e_mail from users"
  $ twiceshy recall --mongodb mongodb://127.0.0.1/shop 'db.users.insertOne({ email: "a@example.org" })'
  $ cat migration.sql | twiceshy recall -`;

export function recallCommand(): Command {
  return new Command('recall')
    .description('ask the memory about a statement without running it')
    .argument('<statement>', 'SQL or, for MongoDB, a command; - reads it from stdin')
    .option('--memory <folder>', 'the memory', '.twiceshy')
    .option('--database <name>', 'only records of this database')
    .option('--upstream <name>', 'only records of this server, as named in the memory (default: any)')
    .option('--postgres <url>', 'read the schema from this server and judge records by it')
    .option('--mysql <url>', 'the same, for MySQL and MariaDB')
    .option('--mongodb <url>', 'the same, for MongoDB')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (sql: string, options: import('./recall-run.js').RecallOptions) => {
      const { runRecall } = await import('./recall-run.js');
      await runRecall(sql, options);
    });
}
