/** Words of the SQL that is compiled for a document backend; reserved ones are a field's name only in quotes. */

export const reservedWords: ReadonlySet<string> = new Set(
  `all and any array as asc between case cast collate cross desc distinct else end except exists false fetch for from full group
  having ilike in inner intersect into is join lateral left like limit natural not null offset on or order outer overlaps
  returning right select similar some symmetric tablesample then true union using when where window with`.split(
    /\s+/,
  ),
);

/** Words with a meaning in one place, and names elsewhere. */
export const placedWords: ReadonlySet<string> = new Set(
  `begin by call commit conflict copy create current_date current_time current_timestamp default delete do drop alter
  comment escape explain extract filter first grant ignore insert interval last localtime localtimestamp lock merge next
  nothing nowait nulls only over overriding partition recursive replace revoke rollback row rows set share show
  substring table to truncate unknown update values within zone`.split(/\s+/),
);
