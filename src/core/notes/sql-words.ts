/**
 * Words of SQL and of built-in functions and types that may stand in a shape shown by a note. Lower case; only words
 * that mean the same to every reader. A name that is not here must be known to the catalog.
 */
const lines = `
add all alter always analyze and any array as asc at begin between both by cascade case cast check coalesce collate column
commit concurrently conflict constraint create cross current current_date current_timestamp current_user cycle date
default deferrable deferred delete desc distinct do drop else end escape except exists extract false fetch filter first
following for foreign from full function generated group grouping having identity if ilike immediate in index inner insert
intersect interval into is isolation join key last lateral leading left level like limit localtimestamp lock locked match
matched materialized merge natural new next no not nothing null nulls of offset old on only or order ordinality outer over
overlaps overriding partition position preceding primary procedure range recursive references refresh release rename
replace restart restrict returning right rollback row rows savepoint select sequence set share similar skip some
symmetric system table tablespace temporary then ties timestamp to trailing transaction trigger true truncate type
unbounded union unique update user using value values view wait nowait when where window with within without work
abs array_agg avg bool_and bool_or ceil char_length clock_timestamp concat count date_part date_trunc dense_rank floor
gen_random_uuid greatest jsonb_agg jsonb_build_object lag lead least length lower ltrim max min mod now nullif
percentile_cont random rank regexp_replace round row_number rtrim split_part statement_timestamp string_agg
substring sum to_char to_date to_number to_timestamp trim trunc unnest upper
any_value concat_ws convert curdate date_add date_format date_sub datediff distinctrow div dual duplicate force from_unixtime
group_concat high_priority ifnull ignore infile json_array json_arrayagg json_contains json_extract json_object json_objectagg
json_value last_insert_id lcase load locate low_priority mod month quarter quick regexp rlike separator show signed
sql_calc_found_rows str_to_date straight_join timestampdiff ucase unix_timestamp unsigned use xor year binary blob
auto_increment change modify engine week day hour minute second
bigint bigserial boolean bytea char character decimal double inet int integer json jsonb numeric precision real serial
smallint text time timestamptz uuid varchar varying zone
`;

export const sqlWords: ReadonlySet<string> = new Set(lines.split(/\s+/).filter((word) => word !== ''));
