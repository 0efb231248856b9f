/**
 * Where the names stand in the messages of MySQL and MariaDB, by error number. An ERR packet has no fields, so this is
 * all there is. Data alone; read by error-fields.ts.
 *
 * A pattern is the English text with slots. In quotes of any kind: `{key}` an index, with its table where MySQL says it;
 * `{constraint}`; `{column}`, with its table and database where the server says them; `{field}` the same, of a table
 * that may be an alias; `{table}` with its database where the server says it; `{schema}`. Names that clients made up
 * because nothing is called so: `{missing}` a table, `{noSchema}`, `{written}` a column, `{name}` a variable, alias or
 * window, `{type}`, `{routine}`. Without a name: `{*}` a value, which may be any text, `{_}` anything but a quote, `{?}` a
 * word of the server that some languages do not quote. Text behind the last slot may be missing or go on, unless a value
 * stands before a name: then the message must end as the pattern does. A leading `~` says that the name is the last thing
 * in quotes in every language.
 */
export type Pattern = string | RegExp;

/** Inside of the brackets nothing is ever translated; the message is cut at 192 bytes of it. */
const foreignKey = /\(`(?<schema>[^`]+)`\.`(?<table>[^`]+)`, CONSTRAINT `(?<constraint>[^`]+)`/;
const routine =
  /^(?:FUNCTION|PROCEDURE|PACKAGE|PACKAGE BODY|AGGREGATE FUNCTION|LIBRARY) (?<routine>[^\s'"`]+)(?=\s)/;

const duplicateEntry = "~Duplicate entry '{*}' for key '{key}'";
const cannotBeNull = "Column '{column}' cannot be null";
const neededByKey = "Cannot drop column '{column}': needed in a foreign key constraint '{constraint}'";
const changedInKey = "Cannot change column '{column}': used in a foreign key constraint '{constraint}'";
const wrongValue = "Incorrect {_} value: '{*}' for column '{column}' at row {_}";

export const messagePatterns: Readonly<Record<number, readonly Pattern[]>> = {
  1005: ["Can't create table '{table}' ({_}"],
  1007: ["Can't create database '{schema}'; database exists"],
  1008: ["Can't drop database '{noSchema}'; database doesn't exist"],
  1020: ["Record has changed since last read in table '{table}'"],
  1022: ["Can't write; duplicate key in table '{table}'"],
  1031: ["Table storage engine for '{table}' doesn't have this option"],
  1036: ["Table '{table}' is read only"],
  1044: ["Access denied for user '{*}'@'{*}' to database '{schema}'"],
  1048: [cannotBeNull],
  1049: ["Unknown database '{noSchema}'"],
  1050: ["Table '{table}' already exists"],
  1051: ["Unknown table '{missing}'"],
  1052: ["Column '{name}' in {_} is ambiguous"],
  1054: ["Unknown column '{written}' in '{?}'"],
  1055: ["Expression {_}nonaggregated column '{field}' which {_}", "'{field}' isn't in GROUP BY"],
  1060: ["Duplicate column name '{column}'"],
  1061: ["Duplicate key name '{constraint}'"],
  1062: [duplicateEntry],
  1063: ["Incorrect column specifier for column '{column}'"],
  1066: ["Not unique table/alias: '{name}'"],
  1067: ["Invalid default value for '{column}'"],
  1072: ["Key column '{written}' doesn't exist in table"],
  1073: ["BLOB column '{column}' can't be used in key specification with the used table type"],
  1074: ["Column length too big for column '{column}' (max = {_}"],
  1091: [
    "Can't DROP '{name}'; check that column/key exists",
    "Can't DROP COLUMN '{written}'; check that it exists",
    "Can't DROP {_} '{name}'; check that it exists",
  ],
  1093: [
    "You can't specify target table '{table}' for update in FROM clause",
    "Table '{table}' is specified twice, both as a target for {_}",
  ],
  1099: ["Table '{table}' was locked with a READ lock and can't be updated"],
  1100: ["Table '{table}' was not locked with LOCK TABLES"],
  1101: ["BLOB, TEXT, GEOMETRY or JSON column '{column}' can't have a default value"],
  1109: ["Unknown table '{missing}' in {_}"],
  1110: ["Column '{column}' specified twice"],
  1114: ["The table '{table}' is full"],
  1121: [
    "Table handler doesn't support NULL in given index. Please change column '{column}' to be NOT NULL {_}",
  ],
  1137: ["Can't reopen table: '{name}'"],
  1140: ["In aggregated query {_}nonaggregated column '{field}'; this is {_}"],
  1142: ["{_} command denied to user '{*}'@'{*}' for table '{table}'"],
  1143: ["{_} command denied to user '{*}'@'{*}' for column '{column}' in table '{table}'"],
  1146: ["Table '{missing}' doesn't exist"],
  1166: ["Incorrect column name '{written}'"],
  1167: ["The used storage engine can't index column '{column}'"],
  1169: ["Can't write, because of unique constraint, to table '{table}'"],
  1170: ["BLOB/TEXT column '{column}' used in key specification without a key length"],
  1176: ["Key '{name}' doesn't exist in table '{table}'"],
  1193: ["Unknown system variable '{name}'"],
  1228: ["Variable '{name}' is a {_} variable and can't be used with SET GLOBAL"],
  1229: ["Variable '{name}' is a GLOBAL variable and should be set with SET GLOBAL"],
  1230: ["Variable '{name}' doesn't have a default value"],
  1231: ["Variable '{name}' can't be set to the value of '{*}"],
  1232: ["Incorrect argument type to variable '{name}'"],
  1233: ["Variable '{name}' can only be set, not read"],
  1238: ["Variable '{name}' is a {_} variable"],
  1247: ["Reference '{name}' not supported ({_}"],
  1263: ["Column set to default value; NULL supplied to NOT NULL column '{column}' at row {_}"],
  1264: ["Out of range value for column '{column}' at row {_}"],
  1265: ["Data truncated for column '{column}' at row {_}"],
  1283: ["Column '{column}' cannot be part of FULLTEXT index"],
  1288: [/^The target table (?<name>[^\s'"`]+) of the \w+ is not updatable/],
  1291: ["Column '{column}' has duplicated value '{*}' in {_}"],
  1292: [wrongValue],
  1294: ["Invalid ON UPDATE clause for '{column}' column"],
  1304: [routine],
  1305: [routine],
  1318: [/ (?:FUNCTION|PROCEDURE) (?<routine>[^\s'"`;]+); /],
  1320: [/ FUNCTION (?<routine>[^\s'"`]+)$/],
  1321: [/^FUNCTION (?<routine>[^\s'"`]+) /],
  1347: ["'{table}' is not {_}"],
  1348: ["Column '{column}' is not updatable"],
  1356: ["View '{table}' references invalid table(s) {_}"],
  1361: ["Trigger's '{table}' is view or temporary table"],
  1364: ["Field '{column}' doesn't have a default value"],
  1366: [wrongValue],
  1369: ["CHECK OPTION failed '{table}'"],
  1370: ["{_} command denied to user '{*}'@'{*}' for routine '{routine}'"],
  1393: ["Can not modify more than one base table through a join view '{table}'"],
  1394: ["Can not insert into join view '{table}' without fields list"],
  1395: ["Can not delete from join view '{table}'"],
  1406: ["Data too long for column '{column}' at row {_}"],
  1414: [/ for routine (?<routine>[^\s'"`]+) is not /],
  1423: ["Field of view '{table}' underlying table doesn't have a default value"],
  1425: ["Too big scale {_} '{column}'. Maximum is {_}"],
  1426: ["{_} precision {_} '{column}'. Maximum is {_}"],
  1427: ["For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '{column}')"],
  1439: ["Display width out of range for column '{column}' (max = {_}"],
  1442: ["Can't update table '{table}' in stored function/trigger because {_}"],
  1443: ["The definition of table '{name}' prevents operation {_} on table '{table}'"],
  1451: [foreignKey],
  1452: [foreignKey],
  1456: [/ for routine (?<routine>[^\s'"`]+)$/],
  1463: ["Non-grouping field '{name}' is used in {_} clause"],
  1471: [/^The target table (?<name>[^\s'"`]+) of the \w+ is not insertable-into/],
  1553: ["Cannot drop index '{constraint}': needed in a foreign key constraint"],
  1582: ["Incorrect parameter count in the call to native function '{routine}'"],
  1583: ["Incorrect parameters in the call to native function '{routine}'"],
  1586: [duplicateEntry],
  1630: [/^FUNCTION (?<routine>[^\s'"`]+) does not exist/],
  1701: [foreignKey],
  1735: ["Unknown partition '{name}' in table '{table}'"],
  1761: [
    "Foreign key constraint for table '{_}', record '{*}' would lead to a duplicate entry in table '{table}', key '{constraint}'",
  ],
  1762: ["Foreign key constraint for table '{table}', record '{*}"],
  1821: [
    "Failed to add the foreign key constraint. Missing index for constraint '{constraint}' in the foreign table '{table}'",
  ],
  1822: [
    "Failed to add the foreign key constraint. Missing index for constraint '{constraint}' in the referenced table '{name}'",
  ],
  1824: ["Failed to open the referenced table '{missing}'"],
  1826: [
    "Duplicate foreign key constraint name '{constraint}'",
    "Duplicate {_} constraint name '{constraint}'",
  ],
  1828: [neededByKey],
  1829: [`${neededByKey} of table '{table}'`],
  1830: ["Column '{column}' cannot be NOT NULL: needed in a foreign key constraint '{constraint}' SET NULL"],
  1832: [changedInKey],
  1833: [`${changedInKey} of table '{table}'`],
  1834: [
    "Cannot delete rows from table which is parent in a foreign key constraint '{constraint}' of table '{table}'",
  ],
  1859: ["Duplicate entry for key '{key}'"],
  1906: ["The value specified for generated column '{column}' in table '{table}' has been ignored"],
  1932: ["Table '{table}' doesn't exist in engine"],
  1965: ["'{table}' is a view"],
  1978: ["Incorrect default value '{*}' for column '{column}'"],
  3065: ["Expression {_} references column '{field}' which is not in SELECT list; {_}"],
  3102: ["Expression of generated column '{column}' contains a disallowed function"],
  3105: ["The value specified for generated column '{column}' in table '{table}' is not allowed"],
  3108: ["Column '{column}' has a generated column dependency"],
  3109: ["Generated column '{column}' cannot refer to auto-increment column"],
  3140: ["Invalid JSON text: {*} in value for column '{column}'."],
  3643: ["The SRID of the geometry does not match the SRID of the column '{column}'. {_}"],
  3665: ["Missing value for JSON_TABLE column '{name}'"],
  3673: [cannotBeNull],
  3730: ["Cannot drop table '{_}' referenced by a foreign key constraint '{constraint}' on table '{table}'"],
  3734: [
    "Failed to add the foreign key constraint. Missing column '{written}' for constraint '{constraint}' in {_}",
  ],
  3755: ["Cannot drop column '{column}' because it is used by a functional index"],
  3763: ["Expression of generated column '{column}' contains a disallowed function: {_}"],
  3780: [
    "Referencing column '{column}' and referenced column '{_}' in foreign key constraint '{constraint}' are incompatible",
  ],
  3813: ["Column check constraint '{constraint}' references other column"],
  3819: ["Check constraint '{constraint}' is violated"],
  3820: ["Check constraint '{constraint}' refers to non-existing column '{written}'"],
  3821: ["Check constraint '{name}' is not found in the table"],
  3822: ["Duplicate check constraint name '{constraint}'"],
  3837: ["Column '{column}' has a functional index dependency and {_}"],
  3855: ["Column '{column}' has a partitioning function dependency and {_}"],
  3907: ["Data too long for functional index '{constraint}'"],
  3940: ["Constraint '{name}' does not exist"],
  3959: ["Check constraint '{constraint}' uses column '{column}', hence {_}"],
  4025: [/^[^`]*`(?<constraint>[^`]+)`[^`]*`(?<schema>[^`]+)`\.`(?<table>[^`]+)`/],
  4091: ["Unknown SEQUENCE: '{missing}'"],
  4092: ["Unknown VIEW: '{missing}'"],
  4161: ["Unknown data type: '{type}'"],
  6125: [
    "Failed to add the foreign key constraint. Missing unique key for constraint '{constraint}' in the referenced table '{name}'",
  ],
};
