/** A small shop as MySQL and MariaDB declare it, and failures on it, for tests of their notes. */
import type { Flavour } from '../../../../adapters/mysql/error-codes.js';
import { mariadbTemplates, mysqlTemplates } from '../../../../adapters/mysql/note-templates.js';
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import { templateInput } from '../../../../src/core/notes/input.js';
import type { ErrorFacts, TemplateInput } from '../../../../src/core/notes/templates.js';
import type { TableModel } from '../../../../src/core/schema/model.js';
import { constraintOf, recordOf, schemaOf, tableOf } from '../../core/notes/note-fixtures.js';

const inShop = (table: TableModel): TableModel => ({ ...table, schema: 'shop' });

// Definitions as catalog-rows.ts writes them.
const userKey = 'FOREIGN KEY (user_id) REFERENCES shop.users (id) ON DELETE RESTRICT ON UPDATE RESTRICT';

export const users = inShop(
  tableOf(
    'users',
    ['id int !', 'email varchar(120) !', 'name varchar(10)', 'age int', 'kind enum', 'doc longtext'],
    [
      constraintOf('primary_key', 'PRIMARY', ['id'], 'PRIMARY KEY (id)'),
      constraintOf('unique', 'users_email_key', ['email'], 'UNIQUE (email)'),
      constraintOf('check', 'users_age_check', [], 'CHECK (`age` > 0)'),
      constraintOf('check', 'doc', [], 'CHECK (json_valid(`doc`))'),
    ],
  ),
);

export const orders = inShop(
  tableOf(
    'orders',
    ['id int !', 'user_id int !', 'total decimal(10,2)'],
    [
      constraintOf('primary_key', 'PRIMARY', ['id'], 'PRIMARY KEY (id)'),
      constraintOf('foreign_key', 'orders_user_fk', ['user_id'], userKey, 'shop.users'),
    ],
  ),
);

/** What MariaDB has for a check at a column: the column's name. */
export const products = inShop(
  tableOf(
    'products',
    ['id int !', 'stock int unsigned !', 'delta int', 'price decimal(10,2)'],
    [
      constraintOf('primary_key', 'PRIMARY', ['id'], 'PRIMARY KEY (id)'),
      constraintOf('check', 'price', [], 'CHECK (`price` > 0)'),
    ],
  ),
);

/** A table whose rows are copied to another by a trigger. */
export const watched = inShop(
  tableOf(
    'watched',
    ['id int !'],
    [
      constraintOf('primary_key', 'PRIMARY', ['id'], 'PRIMARY KEY (id)'),
      constraintOf(
        'trigger',
        'watched_ai',
        [],
        'AFTER INSERT 1 STRICT_TRANS_TABLES insert into copies values (new.id)',
      ),
    ],
  ),
);

export interface Failure extends Partial<MemoryRecord> {
  readonly error?: ErrorFacts | null;
  readonly tables_?: readonly TableModel[];
  readonly isInTransaction?: boolean;
}

/** What a template of `flavour` is given for this failure. */
export function inputFor(flavour: Flavour, failure: Failure): TemplateInput {
  const { error = null, tables_ = [users], isInTransaction = false, ...facts } = failure;
  const schema = { ...schemaOf([...new Set([users, orders, watched, ...tables_])]), defaultSearchPath: [] };
  const record = recordOf({ engine: flavour, object: null, shape: '', verb: '', ...facts });
  return templateInput(record, tables_, schema, isInTransaction, {
    shape: record.shape,
    searchPath: ['shop'],
    user: 'app',
    ...(error === null ? {} : { error }),
  });
}

export function instructionFor(flavour: Flavour, failure: Failure): string {
  const input = inputFor(flavour, failure);
  const templates = flavour === 'mysql' ? mysqlTemplates : mariadbTemplates;
  return templates[input.record.class](input);
}
