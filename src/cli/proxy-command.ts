/** `twiceshy proxy`: the options and their help. The work is in proxy-run.ts. */
import { Command } from 'commander';

const help = `
Prints "listening <name> <host>:<port>" for each listener, then "ready" on a line of its own.

Examples:
  $ twiceshy proxy --postgres postgres://me@127.0.0.1:5432/shop --listen 127.0.0.1:6432
  $ PGPASSWORD=... twiceshy proxy --postgres postgres://me@db.example.org/shop?sslrootcert=ca.pem
  $ MYSQL_PWD=... twiceshy proxy --mysql mysql://me@127.0.0.1:3306 --listen 127.0.0.1:3307
  $ twiceshy proxy --mongodb mongodb://127.0.0.1:27017 --listen 127.0.0.1:27018
  $ TWICESHY_POSTGRES_URL=postgres://... twiceshy proxy --audience application
  $ twiceshy proxy -c config.yaml

The account in the URL reads the catalog; clients bring their own. A password in a command line can be seen by other
users of the machine: leave it out and set PGPASSWORD or MYSQL_PWD, or give the URL as TWICESHY_POSTGRES_URL,
TWICESHY_MYSQL_URL or TWICESHY_MONGODB_URL.

Signals: SIGTERM and SIGINT let open sessions end, a second one stops at once; SIGHUP reads the configuration again.
Logs go to stderr.`;

export function proxyCommand(): Command {
  return new Command('proxy')
    .description('stand in front of a database: relay everything, remember failures, attach notes to repeats')
    .option('-c, --config <file>', 'configuration file; excludes the other options (see config.example.yaml)')
    .option('--postgres <url>', 'the server: postgres://user@host:port/database')
    .option('--mysql <url>', 'the server, MySQL or MariaDB: mysql://user@host:port')
    .option('--mongodb <url>', 'the server: mongodb://user@host:port/database')
    .option(
      '--listen <host:port>',
      'where clients connect; port 0 takes a free one (default: 127.0.0.1:6432, for MySQL 127.0.0.1:3307, for MongoDB 127.0.0.1:27018)',
    )
    .option('--memory <folder>', 'where failures are remembered (default: .twiceshy)')
    .option('--audience <who>', 'who reads the errors: agent or application (default: agent)')
    .option('--tls-cert <file>', 'offer TLS to clients, with this certificate')
    .option('--tls-key <file>', 'the key of that certificate')
    .option('--admin <host:port>', 'serve /healthz, /readyz and /metrics there (default: off)')
    .option('--log-level <level>', 'fatal, error, warn, info, debug or trace (default: info)')
    .option('--name <upstream>', 'name of the server in the memory (default: its host:port)')
    .addHelpText('after', help)
    .action(async (options: import('./proxy-run.js').ProxyOptions) => {
      const { runProxy } = await import('./proxy-run.js');
      await runProxy(options);
    });
}
