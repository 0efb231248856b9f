/** What the shape tests of the MySQL family share: generators of statements whose literals are known. */
import fc from 'fast-check';
import { marker } from '../../core/shape/support.js';

const markerDigits = '90817263';

const content = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/['"`\\]/g, ' '));

/** A literal in any form a client can write under the default sql_mode, holding the marker (numbers: its digits). */
export const literal = fc.oneof(
  content.map((text) => `'${marker}${text}${marker}'`),
  content.map((text) => `'${text}''${marker} '`),
  content.map((text) => `'${text}\\'${marker}\\\\'`),
  content.map((text) => `'\\"${text}"${marker}\\n'`),
  content.map((text) => `"${text}""${marker} 'x"`),
  content.map((text) => `"${text}\\"${marker}'"`),
  content.map((text) => `N'${text}\\'${marker}'`),
  content.map((text) => `_utf8mb4'${text}${marker}'`),
  content.map((text) => `_latin1 "${text}${marker}"`),
  content.map((text) => `'${text}' /* 'x */ "${marker}"`),
  fc.constantFrom(
    `${markerDigits}`,
    `1.${markerDigits}`,
    `${markerDigits}e-7`,
    `.${markerDigits}`,
    `0x${markerDigits}`,
    `0X${markerDigits}`,
    `1_${markerDigits}`,
    `-${markerDigits}`,
    `- +${markerDigits}`,
    `X'${markerDigits}'`,
    `x'${markerDigits}'`,
    `_binary 0x${markerDigits}`,
    `b'${markerDigits}'`,
  ),
);

/** A value in the wrong quotes or without any, as it stands right of a comparison or in a list. */
export const wronglyQuoted = fc.oneof(
  content.map((text) => `\`${text}${marker}\``),
  fc.constantFrom(`\`${marker}\``, `\`my ${marker}\``, `\`${marker}@x.y\``, `9${marker}`, `${marker}@x.y`),
  fc.constantFrom(`a.b@${marker}.c`, `'u'@'${marker}'`, `\`u\`@\`${marker}\``, `\u201c${marker} x\u201d`),
  fc.constant('3f2504e0-4f89-11d3-9a0c-0305e82c3301'),
);

export const holdsLiteral = (shape: string): boolean =>
  shape.includes(marker) || shape.includes(markerDigits) || shape.includes('0305e82c3301');

/** Statements as token lists, with `\0` where a literal goes and `\x01` where only a string may stand. */
export const templates: readonly (readonly string[])[] = [
  'select a , b . c from t where x = \0 and y like \0 order by a limit \0',
  'insert into s . t ( a , b ) values ( \0 , \0 ) , ( \0 , \0 ) on duplicate key update a = \0',
  'insert ignore t set a = \0 , b = coalesce ( \0 , c )',
  'replace into t values ( \0 )',
  'update t set a = \0 , b = ifnull ( \0 , c ) where i = \0 limit \0',
  'delete from t where a between \0 and \0 or b in ( \0 , \0 )',
  'select case when a > \0 then \0 else \0 end from t group by a having count ( * ) > \0',
  'with x as ( select \0 as a ) select * from x join t on x . a = t . a where t . b <=> \0',
  'select f ( \0 , a ) , @v := \0 , b -> \0 , if ( a , \0 , null ) from t use index ( i )',
  'create table t ( a varchar ( 50 ) default \0 comment \x01 , check ( a <> \0 ) ) comment = \0',
  'set @a = \0 , session b = \0',
  "create user 'u' identified by \x01",
  'alter user u @localhost identified with p as \x01',
  "load data infile \x01 into table t fields terminated by ',' ( a ) set b = \0",
  'call p ( \0 , \0 )',
  'signal sqlstate \x01 set message_text = \0',
  'create procedure p ( ) begin declare a int default \0 ; if a = \0 then select \0 ; end if ; end',
  'select * from t where match ( a ) against ( \0 in boolean mode ) and b regexp \0 xor c div \0',
  'select group_concat ( a separator \x01 ) , cast ( \0 as char ( 10 ) ) , convert ( \0 using utf8mb4 )',
].map((template) => template.split(' '));

/** The template's tokens with the values put in, over and over. */
export function fill(tokens: readonly string[], values: readonly string[]): string[] {
  const strings = values.filter((value) => /['"?]/.test(value));
  let next = 0;
  const pick = (some: readonly string[]): string => some[next++ % some.length] ?? "'x'";
  return tokens.map((token) => (token === '\0' ? pick(values) : token === '\x01' ? pick(strings) : token));
}
