/** Types of other databases, and what MySQL and MariaDB have in their place. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { isMariadb } from './product.js';

type Instead = string | readonly [mysql: string, mariadb: string];

const text = 'VARCHAR(255) or TEXT';
const moment = 'DATETIME, or TIMESTAMP which is kept in UTC';

const types: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  ['bigserial', 'BIGINT AUTO_INCREMENT PRIMARY KEY'],
  ['smallserial', 'SMALLINT AUTO_INCREMENT PRIMARY KEY'],
  ['serial4', 'INT AUTO_INCREMENT PRIMARY KEY'],
  ['serial8', 'BIGINT AUTO_INCREMENT PRIMARY KEY'],
  ['timestamptz', moment],
  ['datetimeoffset', moment],
  ['datetime2', 'DATETIME(6)'],
  ['smalldatetime', 'DATETIME'],
  ['uuid', ['CHAR(36), or BINARY(16) with UUID_TO_BIN', 'UUID from 10.7 on, CHAR(36) before']],
  ['uniqueidentifier', ['CHAR(36), or BINARY(16) with UUID_TO_BIN', 'UUID from 10.7 on, CHAR(36) before']],
  ['jsonb', 'JSON'],
  ['bytea', 'BLOB or VARBINARY(255)'],
  ['raw', 'VARBINARY(255)'],
  ['image', 'LONGBLOB'],
  ['varchar2', 'VARCHAR(255)'],
  ['nvarchar2', 'VARCHAR(255)'],
  ['clob', 'LONGTEXT'],
  ['ntext', 'LONGTEXT'],
  ['string', text],
  ['citext', 'VARCHAR(255), whose default collation compares without case'],
  ['number', 'DECIMAL(10, 2), INT or BIGINT'],
  ['money', 'DECIMAL(19, 4)'],
  ['smallmoney', 'DECIMAL(10, 4)'],
  ['inet', ['VARBINARY(16) with INET6_ATON', 'INET6']],
  ['cidr', 'VARCHAR(43)'],
  ['hstore', 'JSON'],
  ['rowversion', 'TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)'],
  ['bool', 'TINYINT(1)'],
  ['tsvector', 'TEXT with a FULLTEXT index'],
  ['interval', 'INT with its unit in the name, or TIME'],
  ['xml', 'LONGTEXT'],
  ['vector', ['VECTOR(n), from 9.0 on', 'VECTOR(n) from 11.7 on, JSON before']],
]);

/** The sentence for a type that is not there; null where the word is none that is known. */
export function missingType(name: string, input: TemplateInput): string | null {
  const instead = types.get(name.toLowerCase());
  if (instead === undefined) return null;
  return `There is no such type here: write ${typeof instead === 'string' ? instead : instead[isMariadb(input) ? 1 : 0]}.`;
}
