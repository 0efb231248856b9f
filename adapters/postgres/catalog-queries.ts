/**
 * What the catalog reader asks of PostgreSQL 12 to 18, as SQL and the rows it answers.
 *
 * Everything here runs with `search_path` pinned to pg_catalog, so that an unqualified operator or function is the
 * server's own and every type or table of a user comes out qualified; relations are qualified even so, because
 * pg_temp is searched before any path. Only pg_catalog is read: information_schema hides what a role may not see.
 * Settings are made with SET LOCAL: behind a pooler, or on an embedded server with one session for all clients, a
 * setting that outlives the transaction would reach somebody else's statements.
 */
import { limits } from '../../src/core/limits.js';

const timeouts = `
  set local statement_timeout = ${limits.catalogStatementTimeoutMs};
  set local lock_timeout = ${limits.catalogStatementTimeoutMs};`;

/** First the path as the server's configuration has it: the second statement hides it. */
export const beginRead = `
  begin isolation level repeatable read read only; ${timeouts}
  select setting, source, boot_val from pg_catalog.pg_settings
   where name operator(pg_catalog.=) 'search_path';
  set local search_path = pg_catalog;
  set local jit = off`;

export const endRead = 'commit';

/**
 * Tables that count. Left out: partitions (they follow their parent, and one more each month is no change of the
 * schema), temporary tables, an extension's own tables, and the shadow tables of online migrations, which come and go
 * while the table they stand for stays.
 */
const countedTables = `
  select c.oid, n.nspname, c.relname, c.relkind
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relpersistence <> 't'
     and n.nspname !~ '^(pg_|information_schema$|repack$|pgroll$)'
     and c.relname !~ '^(_.+_(gho|ghc|del)|pgosc_.+)$'
     and not exists (
       select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid and d.deptype = 'e')`;

export const countTables = `select pg_catalog.count(*)::int4 from (${countedTables}) t`;

/** oid, schema, table, relkind, attnum, column, type, not-null, type detail; a table without columns has one row. */
export type ColumnRow = [
  number,
  string,
  string,
  string,
  number | null,
  string | null,
  string | null,
  boolean | null,
  string | null,
];

export const selectColumns = `
  with labels as (
    select enumtypid, pg_catalog.array_agg(enumlabel order by enumsortorder)::text as labels
      from pg_catalog.pg_enum group by enumtypid)
  select t.oid, t.nspname, t.relname, t.relkind, a.attnum, a.attname,
         pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
         nullif(pg_catalog.concat_ws(' ', l.labels, nullif('identity ' || a.attidentity::text, 'identity '),
                                     nullif('generated ' || a.attgenerated::text, 'generated ')), '')
    from (${countedTables}) t
    left join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_catalog.pg_type y on y.oid = a.atttypid
    left join labels l on l.enumtypid = case when y.typtype = 'd' then y.typbasetype
                                             when y.typcategory = 'A' then y.typelem else y.oid end
   order by t.oid, a.attnum`;

/**
 * oid of the table, kind, name, numbers of the columns, definition, expression tree of the server, referenced table,
 * one more declared name. Kinds are the letters of `contype`, `i` for an index, `T` for a trigger, `d` for a domain's rule.
 */
export type ConstraintRow = [
  number,
  string,
  string,
  string,
  string,
  string | null,
  string | null,
  string | null,
];

/** What an index `i` says beside its expressions. */
const indexDefinition = `pg_catalog.concat_ws(' ',
  array(
    select coalesce(a.attname, '') from pg_catalog.unnest(i.indkey::int2[]) with ordinality k(attnum, place)
      left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
     order by k.place)::text,
  array(
    select o.opcname from pg_catalog.unnest(i.indclass::oid[]) with ordinality k(opclass, place)
      join pg_catalog.pg_opclass o on o.oid = k.opclass order by k.place)::text,
  i.indnkeyatts, i.indoption::text, i.indcollation::text, i.indimmediate,
  pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct')`;

/** Names of the numbered columns of a table, in the order of the numbers. */
const columnNames = (numbers: string, table: string): string => `pg_catalog.array_to_string(array(
  select coalesce(pg_catalog.quote_ident(a.attname), '?')
    from pg_catalog.unnest(${numbers}) with ordinality k(attnum, place)
    left join pg_catalog.pg_attribute a on a.attrelid = ${table} and a.attnum = k.attnum
   order by k.place), ', ')`;

/** The templates look for the words. */
const deferral = `case when r.condeferrable then 'DEFERRABLE' end, case when r.condeferred then 'INITIALLY DEFERRED' end`;

/**
 * Constraints, rules of domains, unique indexes that no constraint stands for, triggers.
 *
 * Nothing is printed by the server's own functions (pg_get_indexdef, pg_get_triggerdef, pg_get_constraintdef). Those of
 * expressions lock the table: a read would wait for every migration, and a migration for a read. All of them look past
 * the snapshot of the read, and fail where an object was dropped since. Expressions are taken as the server stores them.
 * A partial or expression index has no columns here: no list of columns names it in ON CONFLICT. The body of a
 * trigger's function is part of its definition, so that a changed rule is a changed schema.
 */
export const selectConstraints = `
  with t as materialized (${countedTables})
  select r.conrelid, r.contype::text, r.conname, r.conkey::text,
         pg_catalog.concat_ws(' ', '(' || ${columnNames('i.indkey::int2[]', 'r.conrelid')} || ')', i.indnkeyatts,
                              pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct', pg_catalog.to_jsonb(r) ->> 'conperiod',
                              ${deferral}), null::text, null::text, null::text
    from t join pg_catalog.pg_constraint r on r.conrelid = t.oid
    left join pg_catalog.pg_index i on i.indexrelid = r.conindid
   where r.contype in ('p', 'u')
  union all
  select r.conrelid, 'f', r.conname, r.conkey::text,
         pg_catalog.concat_ws(' ', 'FOREIGN KEY (' || ${columnNames('r.conkey', 'r.conrelid')} || ')',
           'REFERENCES ' || pg_catalog.quote_ident(fn.nspname) || '.' || pg_catalog.quote_ident(f.relname)
             || '(' || ${columnNames('r.confkey', 'r.confrelid')} || ')',
           'MATCH ' || nullif(r.confmatchtype::text, 's'), 'ON UPDATE ' || nullif(r.confupdtype::text, 'a'),
           'ON DELETE ' || nullif(r.confdeltype::text, 'a'), pg_catalog.to_jsonb(r) ->> 'confdelsetcols',
           ${deferral}, case when not r.convalidated then 'NOT VALID' end,
           'PERIOD ' || nullif(pg_catalog.to_jsonb(r) ->> 'conperiod', 'false'),
           'ENFORCED ' || nullif(pg_catalog.to_jsonb(r) ->> 'conenforced', 'true')),
         null, fn.nspname || '.' || f.relname, null
    from t join pg_catalog.pg_constraint r on r.conrelid = t.oid
    left join pg_catalog.pg_class f on f.oid = r.confrelid
    left join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
   where r.contype = 'f'
  union all
  select r.conrelid, 'n', r.conname, r.conkey::text,
         pg_catalog.concat_ws(' ', 'NOT NULL', r.connoinherit, r.convalidated), null, null, null
    from t join pg_catalog.pg_constraint r on r.conrelid = t.oid
   where r.contype = 'n'
  union all
  select r.conrelid, 'c', r.conname, '',
         pg_catalog.concat_ws(' ', r.connoinherit, r.convalidated, pg_catalog.to_jsonb(r) ->> 'conenforced'),
         r.conbin::text, null, null
    from t join pg_catalog.pg_constraint r on r.conrelid = t.oid
   where r.contype = 'c'
  union all
  select r.conrelid, 'x', r.conname, r.conkey::text,
         pg_catalog.concat_ws(' ', ${indexDefinition}, r.condeferrable, r.condeferred, array(
           select o.oprname from pg_catalog.unnest(r.conexclop) with ordinality k(operator, place)
             join pg_catalog.pg_operator o on o.oid = k.operator order by k.place)::text),
         pg_catalog.concat_ws(' ', i.indexprs::text, i.indpred::text), null, null
    from t join pg_catalog.pg_constraint r on r.conrelid = t.oid
    join pg_catalog.pg_index i on i.indexrelid = r.conindid
   where r.contype = 'x'
  union all
  select a.attrelid, 'd', r.conname, a.attnum::text, pg_catalog.concat_ws(' ', r.contype, r.convalidated),
         r.conbin::text, null, y.typname
    from t join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type y on y.oid = a.atttypid and y.typtype = 'd'
    join pg_catalog.pg_constraint r on r.contypid = y.oid
  union all
  select i.indrelid, 'i', c.relname,
         case when i.indexprs is null and i.indpred is null
              then pg_catalog.array_to_string((i.indkey::int2[])[0:i.indnkeyatts - 1], ' ') else '' end,
         ${indexDefinition}, pg_catalog.concat_ws(' ', i.indexprs::text, i.indpred::text), null, null
    from t join pg_catalog.pg_index i on i.indrelid = t.oid and i.indisunique and i.indisready
    join pg_catalog.pg_class c on c.oid = i.indexrelid
   where not exists (
     select from pg_catalog.pg_constraint r where r.conindid = i.indexrelid and r.contype in ('p', 'u', 'x'))
  union all
  select g.tgrelid, 'T', g.tgname, '',
         pg_catalog.concat_ws(' ', g.tgenabled::text, g.tgtype, g.tgdeferrable, g.tginitdeferred,
                              pg_catalog.encode(g.tgargs, 'hex'), g.tgoldtable, g.tgnewtable, array(
           select a.attname from pg_catalog.unnest(g.tgattr::int2[]) with ordinality k(attnum, place)
             join pg_catalog.pg_attribute a on a.attrelid = g.tgrelid and a.attnum = k.attnum
            order by k.place)::text, n.nspname, p.proname, pg_catalog.md5(p.prosrc), p.proconfig::text),
         g.tgqual::text, null, p.proname
    from t join pg_catalog.pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
    join pg_catalog.pg_proc p on p.oid = g.tgfoid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
   order by 1, 2, 3`;

/** schema and name of a partition, schema and name of the table it belongs to in the end. */
export type PartitionRow = [string, string, string, string];

export const selectPartitions = `
  select n.nspname, c.relname, rn.nspname, r.relname
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_class r on r.oid = pg_catalog.pg_partition_root(c.oid)
    join pg_catalog.pg_namespace rn on rn.oid = r.relnamespace
   where c.relispartition and c.relkind in ('r', 'p', 'f') and c.relpersistence <> 't'
   order by 1, 2`;

/** role ('' for all), whether for this database only, value. */
export type SearchPathRow = [string, boolean, string];

export const selectSearchPaths = `
  select coalesce(r.rolname, ''), s.setdatabase <> 0, pg_catalog.substr(x.setting, 13)
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_roles r on r.oid = s.setrole
    cross join pg_catalog.unnest(s.setconfig) x(setting)
   where x.setting like 'search\\_path=%' and (s.setrole = 0 or r.oid is not null)
     and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()))
   order by 1, 2`;
