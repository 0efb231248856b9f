/** `twiceshy sql`: SQL on a MongoDB database. The work is in sql-run.ts. */
import { Command } from 'commander';

const help = `
Compiles one SQL statement to MongoDB's own language, runs it, and prints a row a line as JSON. What that language cannot
say (JOIN, DISTINCT, subqueries and more) is refused before anything is sent; a refusal, like an error of the server, is
remembered, and comes back with an instruction when it is repeated.

Examples:
  $ twiceshy sql --mongodb mongodb://127.0.0.1/shop "select city, count(*) from users group by city"
  $ twiceshy sql --mongodb mongodb://127.0.0.1/shop 'select name from users where age > $1' --param 30
  $ echo "delete from users where age is null" | twiceshy sql --mongodb mongodb://127.0.0.1/shop -

What SQL can say here: docs/sql-on-documents.md.`;

export function sqlCommand(): Command {
  return new Command('sql')
    .description('run SQL on a MongoDB database, with refusals and errors remembered')
    .argument('<sql>', 'one statement, or - to read it from stdin')
    .option('--mongodb <url>', 'the database: mongodb://user@host:port/database (or TWICESHY_MONGODB_URL)')
    .option('--memory <folder>', 'the memory', '.twiceshy')
    .option('--param <json>', 'value of $1, then of $2, and so on; as JSON, else as text', collect, [])
    .option('--name <upstream>', 'name of the server in the memory (default: its host:port)')
    .option('--json', 'print one JSON object, of an error too')
    .addHelpText('after', help)
    .action(async (sql: string, options: import('./sql-run.js').SqlOptions) => {
      const { runSql } = await import('./sql-run.js');
      await runSql(sql, options);
    });
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}
