/**
 * Statements that are refused with a value in a place where a lexer, a message or a setting could let it through: every
 * way to write a value, and every message that quotes one. Adding a case is adding a line; one that a server might take
 * must change nothing there, least of all an account.
 */
import type { MysqlFlavour } from '../../servers/mysql-programs.js';
import { secretDigits as digits, secretWord as word } from '../../support/leaks.js';

export const secretHex = Buffer.from(word).toString('hex');

/** Beside the battery's tables. */
export const privacySchema = `
create table doc (id int primary key, j json, checked varchar(40), check (checked <> '${word}'));
create procedure complains(w varchar(40)) begin
  declare m varchar(100) default concat('not allowed: ', w);
  signal sqlstate '45000' set message_text = m;
end;
create procedure pretends(w varchar(40)) begin
  declare m varchar(100) default concat('Duplicate entry ''x'' for key ''', w, '''');
  signal sqlstate '23000' set mysql_errno = 1062, message_text = m;
end;
create function refuses(w varchar(40)) returns int deterministic begin
  declare m varchar(100) default concat('Unknown column ''', w, ''' in ''field list''');
  signal sqlstate '42S22' set mysql_errno = 1054, message_text = m;
  return 1;
end;
`;

const both: readonly string[] = [
  // Ways to write a value.
  `insert into city values (1, '${word}', null)`,
  `insert into city values (1, "${word}", null)`,
  `insert into city values (1, 'a' '${word}' "b", null)`,
  `insert into city values (1, 'it\\'s ${word}', null)`,
  `insert into city values (1, 'it''s ${word}', "${word}""", 4)`,
  `insert into city values (1, '${word}\\\\', null, "\\"${word}")`,
  `insert into city values (1, N'${word}', n'${word}', 4)`,
  `insert into city values (1, _utf8mb4'${word}', _latin1 "${word}", 4)`,
  `insert into city values (1, _binary'${word}' collate binary, _ascii'${word}', 4)`,
  `insert into city values (1, x'${secretHex}', X'${secretHex}', 0x${secretHex})`,
  `insert into city values (1, _utf8mb4 0x${secretHex}, _latin1 x'${secretHex}', 4)`,
  `insert into city values (${digits}, 1.${digits}e3, -${digits}, .${digits})`,
  `insert into city set id = 1, name = '${word}'`,
  `insert into city values row('${word}'), row("${word}")`,
  `replace into city values ('${word}', "${word}", ${digits}, 1)`,
  `insert into city values (1, 'Riga', null) on duplicate key update id = 2, name = "${word}", country = nope`,
  `select nope from city where name = '${word}' and country = "${word}" and id = ${digits}`,
  `select nope from city where name like '${word}%' escape '|' or name in ('${word}', "${word}")`,
  `select nope as '${word}', name "${word}" from city`,
  `select nope, case name when '${word}' then "${word}" else ${digits} end from city`,
  `select nope, date '2024-01-01', interval '${digits}' day + name from city`,
  `select nope from city where born > timestamp'2024-01-01 ${word}'`,
  `select {d '${word}'}, nope from city`,
  `select '${word}`,
  `select nope, "${word} from city`,
  `select '${word}\n', nope from city where name = '\n${word}`,
  `select ${digits} ${digits}`,
  `select 1 from city limit ${digits}, -1`,
  `select 1 from city limit '${word}'`,
  `select 0x${secretHex}zz, '${word}' from`,
  // Comments.
  `select nope from city -- ${word} ${digits}`,
  `select nope from city # ${word} '${digits}`,
  `select nope /* ${word} '${digits} */ from city`,
  `select nope /*!999999 , '${word}' */ from city`,
  `select /*!40000 '${word}', */ nope from city`,
  `select nope from city /* ${word}`,
  `select 1--${digits}, nope from city\n, '${word}'`,
  // What messages repeat.
  `selec '${word}', ${digits}`,
  `insert into city values (1 '${word}')`,
  `insert into city values (1, "${word}" "${word}" ${digits})`,
  `insert into person (id, email) values (${digits}, 'x@example.org')`,
  `insert into person (id, email) values ('${word}', 'x@example.org')`,
  `insert into person (id, email, age) values (7, 'x@example.org', '${word}')`,
  `insert into person (id, email, age) values (7, 'x@example.org', "${word}")`,
  `insert into person (id, email, born) values (7, 'x@example.org', '${word}')`,
  `insert into person (id, email, born) values (7, 'x@example.org', str_to_date('${word}', '%Y'))`,
  `insert into person (id, email, nick) values (7, 'x@example.org', '${word}')`,
  `insert into person (id, email, mood) values (7, 'x@example.org', '${word}')`,
  `insert into person (id, email, shoe) values (7, 'x@example.org', ${digits})`,
  `insert into person (id, email, age) select 9, 'x@example.org', 1 + '${word}'`,
  `update person set age = '12${word}' where id = 1`,
  `insert into doc (id, checked) values (1, '${word}')`,
  `insert into doc (id, j) values (1, '{"${word}": ${word}}')`,
  `select 9223372036854775807 + ${digits}`,
  `select nope, exp(${digits}) from city`,
  `select exp(${digits})`,
  `select extractvalue('<a/>', concat('~', '${word}'))`,
  `select updatexml('<a/>', "${word}[", 'x')`,
  `select name from city where name regexp '(${word}'`,
  `select match (name) against ('${word}' in boolean mode) from city`,
  `signal sqlstate '45000' set message_text = '${word} ${digits}'`,
  `signal sqlstate '23000' set mysql_errno = 1062, message_text = "Duplicate entry 'x' for key '${word}'"`,
  `signal sqlstate '42S02' set mysql_errno = 1146, message_text = 'Table ''shop.${word}'' doesn''t exist'`,
  `call complains('${word}')`,
  `call pretends('${word}')`,
  `select refuses('${word}')`,
  `call no_such_routine('${word}', "${word}", ${digits})`,
  `kill ${digits}`,
  // Settings, files, secrets.
  `set names '${word}'`,
  `set time_zone = '${word}'`,
  `set sql_mode = '${word}'`,
  `set lc_time_names = "${word}"`,
  `set autocommit = '${word}'`,
  `set no_such_setting = '${word}'`,
  `set @@session.sort_buffer_size = '${word}'`,
  `set character_set_client = '${word}', @a = nope('${word}')`,
  `load data infile '/nowhere/${word}.tsv' into table city`,
  `load data local infile '/nowhere/${word}.tsv' into table nowhere fields terminated by '${word}'`,
  `load data infile '/nowhere/${word}' into table city fields enclosed by '${word}'`,
  `select * from city into outfile '/nowhere/${word}.tsv'`,
  `select nope into dumpfile "/nowhere/${word}" from city`,
  `create user app identified by '${word}'`,
  `create user app identified by "${word}"`,
  `create user nobody_new identified with no_such_plugin by '${word}'`,
  `alter user nobody_here identified by '${word}'`,
  `alter user nobody_here@'%' identified by "${word}" require ssl password expire interval ${digits} day`,
  `set password for nobody_here = '${word}'`,
  `grant select on nowhere.* to to nobody_here identified by '${word}'`,
  `change master to master_host = 'x' master_password = '${word}'`,
  `create server s foreign data wrapper mysql options (user 'x' password '${word}')`,
  `select nope, password('${word}'), aes_encrypt('${word}', "${word}"), sha2('${word}', 256) from city`,
  // Definitions.
  `create table city (a varchar(9) default '${word}' comment '${word}', check (a <> '${word}'))`,
  `create table copies (a enum('${word}', "${word}"), a int)`,
  `create table copies select '${word}', "${word}" as b, nope from city`,
  `alter table city add column c int default '${word}'`,
  `alter table city partition by list (id) (partition p values in ('${word}'))`,
  `create view city as select '${word}', "${word}"`,
  `create procedure two_sets() begin select '${word}', "${word}"; end`,
  `create procedure broken() begin select '${word}'; selec "${word}"; end`,
  `create trigger account_guard before insert on account for each row set new.balance = '${word}'`,
  // Statements in statements.
  `prepare hidden from 'select nope from city where name = ''${word}'' and country = "${word}"'`,
  `prepare hidden from "select nope from city where name = '${word}'"`,
  `execute nobody_prepared using @a, @b`,
  `select 1; insert into city values (1, '${word}', "${word}")`,
  `do '${word}'; select nope from city where name = "${word}"; select '${word}'`,
  `xa commit '${word}', "${word}", 7`,
  `explain select nope from city where name = '${word}'`,
  `select nope from (select '${word}' as a, "${word}" as b) as t`,
  `with t as (select '${word}' as a) select nope from t where a = "${word}"`,
  `handler city read first where name = '${word}'`,
];

const onMysql: readonly string[] = [
  `update city set country = 'x' where id = '${word}'`,
  `select st_geomfromtext('${word}')`,
  `select json_extract('{"${word}"', '$')`,
  `select json_extract('{}', '$.${word}[')`,
  `select uuid_to_bin('${word}')`,
  `select _utf8mb4 0x${secretHex}ff`,
  `select /*+ set_var(sql_mode = '${word}') max_execution_time(${digits}) */ nope from city`,
  `alter user nobody_here identified by '${word}' replace "${word}"`,
  `change replication source to source_host = 'x' source_password = '${word}'`,
  `create user nobody_new identified with caching_sha2_password as '${word}'`,
  `select nope from city where j->'$.${word}' = json_object('${word}', "${word}")`,
  `select cast('${word}' as json)`,
];

const onMariadb: readonly string[] = [
  `execute immediate 'select nope from city where name = ''${word}'''`,
  `execute immediate concat('select nope from city where name = ', '"${word}"') using '${word}'`,
  `create user nobody_new identified via no_such_plugin using '${word}'`,
  `create user app identified by password '${word}'`,
  `set password for nobody_here = password('${word}')`,
  `set statement max_statement_time = '${word}' for select '${word}'`,
  `begin not atomic select '${word}', "${word}"; select nope from city; end`,
  `begin not atomic declare x int default '${word}'; set x = '${word}'; end`,
  `insert into person (id, email, age) values (7, 'x@example.org', cast('${word}' as inet6))`,
  `select nope, '${word}\\n' from city procedure analyse('${word}')`,
];

export function privacyStatements(flavour: MysqlFlavour): readonly string[] {
  return [...both, ...(flavour === 'mysql' ? onMysql : onMariadb)];
}
