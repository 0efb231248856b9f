/**
 * Whether a server's schema may have changed, without reading it: the sum of the server's counters of statements that
 * change a schema, which anyone may ask for and which count whoever runs them and however: prepared, in a routine, by
 * an event, by replication.
 *
 * They count when a statement begins, also one that fails or changes only a temporary table; nothing without further
 * rights shows when it ends (`isProbeEarly`). They begin at 0 when the server starts, so the value holds the time of
 * that, and of the last reset of counters that the server knows: as differences to the server's own clock these are
 * the same for every connection.
 */
import type { CatalogConnection } from './catalog-connection.js';
import type { MysqlEngine } from './catalog-queries.js';

/** Verbs of `Com_<verb>_<object>` and the objects that matter here; a product counts those that it has. */
const counted: Readonly<Record<string, readonly string[]>> = {
  create: [
    'db',
    'table',
    'index',
    'view',
    'trigger',
    'procedure',
    'function',
    'event',
    'sequence',
    'package',
  ],
  alter: ['db', 'db_upgrade', 'table', 'procedure', 'function', 'event'],
  drop: ['db', 'table', 'index', 'view', 'trigger', 'procedure', 'function', 'event', 'sequence', 'package'],
  rename: ['table'],
  // What the account may see is part of what it reads.
  grant: ['roles', 'role'],
  revoke: ['all', 'roles', 'role'],
};

const counters = [
  ...Object.entries(counted).flatMap(([verb, objects]) => objects.map((object) => `com_${verb}_${object}`)),
  'com_grant',
  'com_revoke',
  'com_import',
];

const counterList = counters.map((name) => `'${name}'`).join(', ');

/** MariaDB's tables of status hold all of it. Names there are in upper case and compared without regard to case. */
const askMariadb = `
  select (select sum(variable_value) from information_schema.global_status where variable_name in (${counterList})),
         (select group_concat(unix_timestamp() - variable_value order by variable_name)
            from information_schema.global_status
           where variable_name in ('uptime', 'uptime_since_flush_status')),
         @@global.sql_mode`;

/** MySQL's leaves the counters of statements out, and has them in SHOW alone. */
const askMysqlCounters = `show global status where variable_name in (${counterList})`;
const askMysqlTimes = `
  select group_concat(unix_timestamp() - variable_value order by variable_name), @@global.sql_mode
    from performance_schema.global_status
   where variable_name in ('uptime', 'uptime_since_flush_status')`;

/** Comparable between connections to one server. What sessions start with (sql_mode) is part of what is read, too. */
export async function probeSchema(connection: CatalogConnection, engine: MysqlEngine): Promise<string> {
  const parts: (string | null)[] = [];
  if (engine === 'mariadb') {
    await connection.query(askMariadb, (row) => parts.push(...row));
    return parts.join(' ');
  }
  let sum = 0;
  await connection.query(askMysqlCounters, ([, count]) => {
    sum += Number(count);
  });
  await connection.query(askMysqlTimes, (row) => parts.push(...row));
  return [sum, ...parts].join(' ');
}
