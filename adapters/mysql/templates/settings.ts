/** Settings that are called something else on this product, or are of another database (1193). */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { isMariadb } from './product.js';

type Instead = string | readonly [mysql: string, mariadb: string];

const timeLimit: Instead = [
  'SET max_execution_time = milliseconds, for SELECT only',
  'SET max_statement_time = seconds',
];
const isolation: Instead = [
  'SET transaction_isolation, or SET SESSION TRANSACTION ISOLATION LEVEL ...',
  'SET SESSION TRANSACTION ISOLATION LEVEL ...; the variable is tx_isolation before 11.1',
];
const zone = 'SET time_zone';
const cache: Instead = ['nothing: MySQL 8 has no query cache', 'SET query_cache_type, where the cache is on'];

const settings: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  ['statement_timeout', timeLimit],
  ['max_statement_time', timeLimit],
  ['max_execution_time', timeLimit],
  ['lock_timeout', 'SET innodb_lock_wait_timeout = seconds, and lock_wait_timeout for DDL'],
  ['tx_isolation', isolation],
  ['transaction_isolation', isolation],
  ['tx_read_only', 'SET TRANSACTION READ ONLY'],
  ['transaction_read_only', 'SET TRANSACTION READ ONLY'],
  ['search_path', 'USE database'],
  ['timezone', zone],
  ['time zone', zone],
  ['client_encoding', 'SET NAMES utf8mb4'],
  ['storage_engine', 'SET default_storage_engine'],
  ['foreign_key_check', 'foreign_key_checks'],
  ['query_cache_type', cache],
  ['query_cache_size', cache],
  ['nocount', 'nothing: there is no such setting'],
  ['identity_insert', 'nothing: an AUTO_INCREMENT column takes a value as it is given'],
  ['ansi_nulls', 'nothing: NULL is compared with IS NULL or <=>'],
  ['quoted_identifier', 'SET sql_mode = ANSI_QUOTES'],
  ['xact_abort', 'nothing: there is no such setting'],
  ['serveroutput', 'nothing: there is no such setting'],
]);

/** What to set instead; null where the name says nothing. */
export function foreignSetting(name: string, input: TemplateInput): string | null {
  const instead = settings.get(name.toLowerCase());
  if (instead === undefined) return null;
  return typeof instead === 'string' ? instead : instead[isMariadb(input) ? 1 : 0];
}
