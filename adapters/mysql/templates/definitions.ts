/** Notes for definitions that contradict themselves, other tables, or what the product takes. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import { foreignFunction } from './foreign-functions.js';
import { forProduct, isMariadb } from './product.js';

/** The advice for a definition (class invalid_statement); null for any other number. */
export function definitionAdvice(input: TemplateInput): string | null {
  const { code } = input.record;
  if (isForeignKey(input)) return foreignKey(input);
  if (
    /^1(?:4(?:79|8[014-6]|9[1-8])|50[02-9]|51\d|520|531|56[2-7]|572|65[2-9]|697|73[1-46]|74[07])$/.test(code)
  ) {
    return partitioning(code);
  }
  if (code === '1067' || (code === '1978' && isMariadb(input))) return wrongDefault(input);
  if (code === (isMariadb(input) ? '1901' : '3770')) return absentDefault(input) ?? generatedExpression;
  return own[code] ?? (isMariadb(input) ? ofMariadb : ofMysql)[code] ?? byText(input);
}

function isForeignKey({ record: { code, engine } }: TemplateInput): boolean {
  return (
    /^(?:1005|1025|1215|1239|1240|182[1-5])$/.test(code) ||
    (engine === 'mysql' && /^(?:3104|3174|3175|3192|3733|3780|6125)$/.test(code)) ||
    (engine === 'mariadb' && code === '1905')
  );
}

function foreignKey(input: TemplateInput): string {
  switch (input.record.code) {
    case '1822':
    case '6125':
      return 'A foreign key must refer to a primary key or unique columns, in their order: add UNIQUE to the columns it refers to first.';
    case '1821':
      return 'The columns of the foreign key need an index of their own that begins with them: add KEY (columns) first.';
    case '3780':
      return 'The column and the one it refers to must have one type: the same INT size and UNSIGNED, the same character set and collation for texts. Declare it as the parent is.';
    case '3104':
    case '3174':
    case '3175':
    case '3192':
    case '3733':
    case '1905':
      return 'A generated column cannot be in such a foreign key: use a plain column, or leave ON UPDATE and ON DELETE out.';
    case '1239':
    case '1240':
      return 'A foreign key names as many columns as it refers to: FOREIGN KEY (a, b) REFERENCES t (x, y).';
    default:
      return `The foreign key does not fit: the parent must be there first, with one type, UNSIGNED and collation, and a primary or unique key over those columns.${forProduct(input, '', ' SHOW WARNINGS or SHOW ENGINE INNODB STATUS says which it is.')}`;
  }
}

function partitioning(code: string): string {
  switch (code) {
    case '1503':
      return 'Every primary and unique key of a partitioned table must hold all columns of the partitioning: add them to the keys, or partition by a key.';
    case '1493':
      return 'VALUES LESS THAN must grow from partition to partition: order them, with MAXVALUE last.';
    case '1505':
    case '1747':
      return 'The table is not partitioned: leave the clause out, or ALTER TABLE ... PARTITION BY first.';
    case '1508':
      return 'The last partition cannot be dropped: DROP TABLE, or REMOVE PARTITIONING.';
    case '1512':
      return 'Only RANGE and LIST partitions can be dropped: use COALESCE PARTITION n for HASH and KEY.';
    case '1486':
    case '1491':
    case '1564':
      return 'The partitioning needs a plain column or an integer function of it, such as YEAR(d) or TO_DAYS(d), or RANGE COLUMNS (d).';
    case '1736':
    case '1731':
      return 'EXCHANGE PARTITION needs a table with the very same definition, without partitions and foreign keys: make it with CREATE TABLE ... LIKE, then REMOVE PARTITIONING.';
    case '1562':
      return 'A TEMPORARY table takes no partitions: leave them out.';
    default:
      return 'The partitions are not defined as their kind needs: RANGE has VALUES LESS THAN (x), LIST has VALUES IN (x, y), HASH and KEY have PARTITIONS n, over columns in every unique key.';
  }
}

/** MariaDB says the same of a function that is not there. */
function absentDefault(input: TemplateInput): string | null {
  for (const [, name = ''] of input.shape.matchAll(/\bdefault \(?\s?([a-z_]\w*) \(/g)) {
    const instead = foreignFunction(name, input);
    if (instead !== null) return instead;
  }
  return null;
}

function wrongDefault({ shape }: TemplateInput): string {
  return /\bnot null default null\b|\bdefault null not null\b|\bdefault null primary key\b/.test(shape)
    ? 'DEFAULT NULL contradicts NOT NULL: leave one of the two out, or give a default of the type of the column.'
    : 'The default does not fit its column: write one of its type, or for times CURRENT_TIMESTAMP; NULL only where the column may be null. Zero dates depend on sql_mode, and AUTO_INCREMENT takes no default.';
}

const noDefault =
  'BLOB, TEXT, GEOMETRY and JSON columns take a default only as an expression in brackets: DEFAULT (JSON_OBJECT()), from 8.0.13 on. Else leave it out.';

/** The same on both products. */
const own: Readonly<Record<string, string>> = {
  '1063':
    'The attributes do not fit the type: AUTO_INCREMENT is for numbers, ON UPDATE for times, UNSIGNED for numbers.',
  '1068':
    'The table has a primary key already: declare one only, or DROP PRIMARY KEY in the same ALTER TABLE.',
  '1073': 'This key cannot hold a BLOB or TEXT column: index a prefix, as KEY (c(100)), or a VARCHAR.',
  '1075': 'One column alone may be AUTO_INCREMENT, and it must be a key: add PRIMARY KEY to it.',
  '1083': 'FIELDS and LINES take texts: write FIELDS TERMINATED BY a comma in quotes.',
  '1089': 'A prefix length is for texts, and not longer than the column: leave it out for numbers and dates.',
  '1090': 'A table keeps at least one column: DROP TABLE instead.',
  '1102': 'This is no name for a database: use letters, digits and _, without a space at the end.',
  '1103': 'This is no name for a table: use letters, digits and _, at most 64, without a space at the end.',
  '1113': 'A table needs at least one column.',
  '1121': 'The columns of this key must be NOT NULL: declare them so.',
  '1144':
    'This privilege is not for this level: GRANT it ON *.*, ON database.* or ON database.table, as SHOW PRIVILEGES says.',
  '1166': 'This is no name for a column: use letters, digits and _, without a space at the end.',
  '1167': 'The storage engine cannot index this column: index another, or a prefix of it.',
  '1170':
    'A key over TEXT or BLOB needs a length, as KEY (c(191)), also in PRIMARY KEY and UNIQUE: or declare the column VARCHAR(191).',
  '1171': 'Columns of a primary key must be NOT NULL: declare them so, or use UNIQUE.',
  '1173': 'This table needs a primary key: add one.',
  '1225': 'An option is given twice: give it once.',
  '1252': 'Columns of a SPATIAL index must be NOT NULL: declare them so.',
  '1280': 'This is no name for an index: PRIMARY is the primary key alone, so choose another.',
  '1283': 'A FULLTEXT index is over CHAR, VARCHAR and TEXT columns only.',
  '1291': 'The enum or set has a label twice, capitals and spaces at the end not counted: leave one out.',
  '1294':
    'ON UPDATE is for TIMESTAMP and DATETIME only, with CURRENT_TIMESTAMP of the same precision as the column.',
  '1303': 'A routine or trigger cannot be created or dropped from within one: do it outside.',
  '1307': 'The routine was not created: read the message, and check its body.',
  '1313':
    'RETURN is for functions: leave a procedure with LEAVE label, and give values back by OUT arguments.',
  '1320': 'The function needs a RETURN.',
  '1321': 'The function ended without RETURN: its body needs one on every path.',
  '1322': 'A cursor is declared FOR a SELECT.',
  '1323': 'The SELECT of a cursor takes no INTO: FETCH ... INTO does that.',
  '1328': 'FETCH needs one variable for each column of the cursor.',
  '1337': 'Variables and conditions are declared before cursors, and cursors before handlers.',
  '1338': 'Cursors are declared before handlers.',
  '1312':
    'A SELECT in a procedure gives its rows to the caller, which is not possible here: SELECT ... INTO variables instead.',
  '1350': 'A view takes no such clause: leave it out.',
  '1351':
    'A view takes no variables and parameters: write the value itself, or filter when the view is read.',
  '1352': 'A view cannot use a TEMPORARY table: use a plain one, or WITH.',
  '1361': 'Triggers are for plain tables: create it on the table behind the view.',
  '1362': 'AFTER triggers cannot change NEW, and OLD never changes: use a BEFORE trigger.',
  '1357': 'A routine cannot drop or alter one: do it outside.',
  '1391': 'A prefix in a key needs a length above zero.',
  '1407': 'An SQLSTATE is five characters, not beginning with 00: use 45000.',
  '1413': 'The block has two handlers for one condition: leave one out.',
  '1415': 'A function or trigger cannot give rows back: SELECT ... INTO variables, or make it a procedure.',
  '1418':
    'With the binary log on a function must say what it does: add DETERMINISTIC, NO SQL or READS SQL DATA to its definition, as it is true.',
  '1427': 'DECIMAL(m, d) needs m at least as large as d.',
  '1450': 'An object cannot be moved to another database like this: create it there.',
  '1453': 'A variable has the name of a column or keyword: rename it, or put it in backticks.',
  '1460': 'CREATE AGGREGATE FUNCTION is for loadable functions here: leave AGGREGATE out.',
  '1462': 'The view refers to itself: refer to the tables behind it.',
  '1465': 'Tables of the server itself take no triggers.',
  '1474': 'A name has become empty: give it letters.',
  '1553':
    'The index is needed by a foreign key: DROP FOREIGN KEY first, or ADD another index over the same columns before.',
  '1585': 'A function of the server has this name: choose another.',
  '1641': 'SIGNAL sets one item twice: set it once.',
  '1646': 'SIGNAL takes a condition that was declared FOR SQLSTATE.',
  '1687': 'A SPATIAL index is over geometry columns only.',
  '1764': 'The table has no FULLTEXT index that this query needs: ALTER TABLE ... ADD FULLTEXT (columns).',
  '1808': 'The definition does not fit the file of the table: make it as it was when the file was written.',
  '1818': 'Write YEAR without a length.',
  '1828': 'The column is needed by a foreign key: DROP FOREIGN KEY first, then the column.',
  '1829': 'A foreign key of another table needs this column: DROP FOREIGN KEY there first, then the column.',
  '1830': 'A foreign key sets this column NULL: leave it nullable, or DROP FOREIGN KEY first.',
  '1832': 'A foreign key uses this column: DROP FOREIGN KEY, change the column, then ADD it again.',
  '1833':
    'A foreign key of another table uses this column: DROP FOREIGN KEY there, change both columns, then ADD it again.',
};

const generatedExpression =
  'A generated column, check or default takes only what gives one result for one row: no subqueries, variables, RAND or NOW, and no columns declared after it or AUTO_INCREMENT.';

const ofMysql: Readonly<Record<string, string>> = {
  '1101': noDefault,
  '3061': 'A name of a variable is at most 64 letters: shorten it.',
  '3102': generatedExpression,
  '3107': generatedExpression,
  '3109': generatedExpression,
  '3108': 'A generated column is computed from this one: drop or change that first.',
  '3522': 'A primary key cannot be invisible: leave INVISIBLE out.',
  '3619': 'There is no such privilege for this level: look with SHOW PRIVILEGES.',
  '3637': 'SET_VAR does not take this variable: SET SESSION it instead.',
  '3716': 'A column uses this spatial reference system: leave it as it is.',
  '3728': 'A SPATIAL index is neither unique nor primary: leave that out.',
  '3750': 'Tables need a primary key here (sql_require_primary_key): add one to the definition.',
  '3755': 'A functional index uses this column: DROP that index first.',
  '3756': 'A primary key takes plain columns: use a generated column, or UNIQUE with an expression.',
  '3757': 'A functional index needs a short result: CAST(expression AS CHAR(64)).',
  '3762': 'A single column needs no second brackets: write KEY (c).',
  '3763': generatedExpression,
  '3764': generatedExpression,
  '3765': generatedExpression,
  '3767': generatedExpression,
  '3769': generatedExpression,
  '3770': generatedExpression,
  '3772': generatedExpression,
  '3776': 'The table is part of a foreign key, so its engine stays: DROP FOREIGN KEY first.',
  '3813':
    'A check that is written at a column sees that column alone: move it to the end of the table, behind a comma.',
  '3814': generatedExpression,
  '3815': generatedExpression,
  '3816': generatedExpression,
  '3818': 'A check cannot use the AUTO_INCREMENT column: leave it out.',
  '3823': 'A column that a foreign key sets cannot be in a check: leave the action or the check out.',
  '3837': 'A functional index uses this column: DROP that index first.',
  '3855': 'The partitioning uses this column: it stays, unless the partitioning is removed first.',
  '3959': 'A check uses this column: ALTER TABLE ... DROP CHECK first, then the column.',
  '3978': 'CREATE TABLE ... SELECT takes no foreign keys: create the table first, then INSERT ... SELECT.',
  '4028': 'A table needs at least one visible column.',
};

const ofMariadb: Readonly<Record<string, string>> = {
  '1901': generatedExpression,
  '1903': 'A primary key cannot be a generated column: use a plain one.',
  '1904': 'This generated column cannot be indexed: declare it STORED.',
  '1912': 'The option does not take this value: read the message, and give one that it takes.',
  '4029': 'A default or generated column uses one that is declared after it: change their order.',
  '4030': 'One partition alone may be DEFAULT.',
  '4093': 'A sequence is advanced with NEXT VALUE FOR s or SETVAL(s, n), not with INSERT.',
  '4097': 'A compressed column cannot be in a key: leave COMPRESSED out.',
  '4108': 'An invisible column needs a default, or must take NULL.',
  '4174': 'A primary key cannot be ignored: leave IGNORED out.',
};

function byText({ record: { verb } }: TemplateInput): string | null {
  return /^(?:create|alter)\b/.test(verb)
    ? 'The definition contradicts itself or what is there: read the message, and correct the column, key or clause that it names.'
    : null;
}
