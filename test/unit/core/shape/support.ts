/** What the shape tests share: one shaper a dialect, and generators of statements whose literals are known. */
import fc from 'fast-check';
import { mariadbDialect, mysqlDialect } from '../../../../adapters/mysql/dialect.js';
import { postgresDialect } from '../../../../adapters/postgres/dialect.js';
import type { Shaper, StatementShape } from '../../../../src/core/shape/shape.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import { defaultLexicalOptions, type LexicalOptions } from '../../../../src/core/verdict.js';

export const postgres = createShaper(postgresDialect);
export const mysql = createShaper(mysqlDialect);
export const mariadb = createShaper(mariadbDialect);

export function oneShape(
  sql: string,
  options: Partial<LexicalOptions> = {},
  shaper: Shaper = postgres,
): StatementShape {
  const { statements } = shaper.shape(sql, { ...defaultLexicalOptions, ...options }, false);
  if (statements.length !== 1 || statements[0] === undefined) throw new Error(`Not one statement: ${sql}`);
  return statements[0];
}

export const shapes = (sql: string, shaper: Shaper = postgres, isTruncated = false): string[] =>
  shaper.shape(sql, defaultLexicalOptions, isTruncated).statements.map((statement) => statement.shape);

/** Part of every generated literal; no shape may hold it. */
export const marker = 'zqx7k';
const markerDigits = '90817263';

const content = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/['"\\$]/g, ' '));

/** A literal in any form a client can write, holding the marker (numbers: its digits). */
export const literal = fc.oneof(
  content.map((text) => `'${marker}${text}${marker}'`),
  content.map((text) => `'${text}''${marker} '`),
  content.map((text) => `E'${text}\\'${marker}\\\\'`),
  content.map((text) => `U&'${text}${marker}'`),
  content.map((text) => `$$${marker}'${text}$$`),
  content.map((text) => `$tag$ '${marker}"$$ ${text}$tag$`),
  fc.constantFrom(
    `${markerDigits}`,
    `1.${markerDigits}`,
    `${markerDigits}e-7`,
    `.${markerDigits}`,
    `0x${markerDigits}`,
  ),
  fc.constantFrom(`X'${markerDigits}'`, `B'${markerDigits}'`, `-${markerDigits}`, `+1_${markerDigits}`),
);

export const holdsLiteral = (shape: string): boolean =>
  shape.includes(marker) || shape.includes(markerDigits);

/** Statements as token lists, with `\0` where a literal goes. */
export const templates: readonly (readonly string[])[] = [
  'select a , b . c from t where x = \0 and y like \0 order by a limit \0',
  'insert into s . t ( a , b ) values ( \0 , \0 )',
  'update t set a = \0 , b = coalesce ( \0 , c ) where id = \0',
  'delete from t where a between \0 and \0 or b in ( \0 , \0 )',
  'select case when a > \0 then \0 else \0 end from t group by a having count ( * ) > \0',
  'with x as ( select \0 as a ) select * from x join t on x . a = t . a where t . b <> \0',
  'select f ( \0 , a => \0 ) , array [ \0 , \0 ] , \0 :: text from t',
  'create table t ( a text default \0 , check ( a <> \0 ) )',
  'comment on table t is \0',
  'alter system set x = \0',
].map((template) => template.split(' '));
