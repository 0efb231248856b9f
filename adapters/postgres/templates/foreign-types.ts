/** Types of other databases, and those that fit in PostgreSQL. */

const pairs: readonly (readonly [own: string, foreign: string])[] = [
  ['timestamp', 'datetime datetime2 smalldatetime'],
  ['timestamptz', 'datetimeoffset timestamp_tz timestampltz'],
  ['varchar(n) or text', 'nvarchar nvarchar2 varchar2'],
  ['text', 'string clob nclob ntext longtext mediumtext tinytext'],
  ['smallint', 'tinyint int1 int8_t int16 year'],
  ['integer', 'mediumint int32 signed'],
  ['bigint', 'int64 long unsigned'],
  ['bytea', 'blob longblob mediumblob tinyblob binary varbinary image raw bytes'],
  ['double precision', 'double float64 binary_double'],
  ['real', 'float32 binary_float'],
  ['numeric', 'number smallmoney'],
  ['uuid', 'uniqueidentifier guid'],
];

const types: ReadonlyMap<string, string> = new Map(
  pairs.flatMap(([own, foreign]) => foreign.split(' ').map((name) => [name, own] as const)),
);

const extensions: ReadonlyMap<string, string> = new Map([
  ['hstore', 'hstore'],
  ['citext', 'citext'],
  ['ltree', 'ltree'],
  ['vector', 'vector'],
  ['geometry', 'postgis'],
  ['geography', 'postgis'],
]);

/** The advice for a type that is not there. */
export function missingType(name: string): string {
  const own = types.get(name);
  if (own !== undefined) return `This is not a type of PostgreSQL: write ${own}.`;
  if (name === 'enum') return 'An enum is a type of its own: CREATE TYPE name AS ENUM (labels) first.';
  const extension = extensions.get(name);
  return extension === undefined
    ? 'There is no such type: check its name and schema in pg_type, or CREATE TYPE first.'
    : `This type comes with an extension: CREATE EXTENSION ${extension} first, or have its schema in search_path.`;
}

/** True for a type of `missingType`'s own table. */
export function isKnownForeignType(name: string): boolean {
  return types.has(name) || name === 'enum' || extensions.has(name);
}
