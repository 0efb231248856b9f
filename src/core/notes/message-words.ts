/**
 * Words that servers build their own messages from, and the names of built-in types. A redacted message keeps these
 * and nothing else, so a word that is not here cannot carry a value into the memory. Lower case, letters only; leave
 * out words that are likely to be somebody's data (names, places, states of mind).
 */
const lines = `
a aborted about access accessor action active add after aggregate aggregates all allow allowed already also alter ambiguous
an and another any appear applied are argument arguments array arrays as assertion assigned assignment at attach attempt
attribute attributes available be because been before being between body bound bounds but by bytes cache cached call called
calls can canceled canceling cancelled cannot cardinality case cast catalog catalogs cause change changed channel
character characters check class clause clauses client close closed coerce collation collations column columns command
commands commit committed comparison composite concurrent concurrently condition conditions configuration conflict
conflicting conflicts connection connections constraint constraints contain contains content context conversion convert
copy could create created creation current cursor cursors cycle data database date datetime deadlock declared default
deferrable deferred defined definition delete deleted denied depend depends destination detected determine different
dimension dimensions disk dispatch distinct division do document does domain double drop dropped due duplicate during
element elements empty encoding end entry enum equal error escape even event exactly exceed exceeded exceeds exclusion
execute executing execution exist existing exists expected explicit expression expressions extension extra failed failing
failure family feature fetch few field fields file find finished first flag for foreign form format found from full
function functions general generated generation granted group grouping had has have having header hold identifier identity
idle if implicit in incompatible inconsistent index indexes infinite inherit inherited initialized input insert inserted
inside insufficient integrity internal into invalid is isolation it item items its join key keys label labels language
large last left length less level limit limits line list literal local locale location lock locked locks long longer
loop lower malformed many mark mask match matches matching materialized maximum may member memory message method mismatch
missing mode modified modify module more most must multiple name named names need needed negative nested new next no
non nonexistent nonnegative not null nulls number object objects of off offset on once one only open operand operation
operator operators option options or order other out outer output outside over overflow overlap owned owner parameter
parameters parse parsing partition partitioned partitions path pattern pending per performed permission plan
point policy portal position positive precision prepare prepared primary privilege privileges procedure procedures
process processed program protocol provided publication query quoted raise range reached read recursion recursive reference
referenced references referencing regular reject rejected relation relations remaining replace replica replication
requested require required requires reserved restrict restricted result results return returned returning returns right
role rollback routine row rows rule rules run runtime same savepoint savepoints scalar scale scan schema schemas search
security select sequence serializable serialization serialize server session set setting shared should simple since single
size skip slot snapshot source space specified specify stack standard state statement statements still storage string
structure subquery subscript subscription subtransaction superuser supplied supplies support supported syntax system table
tables tablespace target temporary term terminated terminating text than that the their them then there these this tid
time timed timeout timestamp timestamps to token too top tracked trailing transaction transactions transition trigger
triggers truncate truncated tuple type typed types unable unacceptable under unexpected union unique unit unknown
unrecognized unsafe unsupported unterminated until up updatable update updated upper usage use used user uses using valid
value values variable variables version very view views violate violated violates waiting was when where which while
window with within without write writes wrong yet zero zone
anyarray anycompatible anyelement bigint bigserial bit bool boolean box bpchar bytea char cidr circle daterange decimal
float hstore inet int integer interval json jsonb jsonpath lseg macaddr money numeric numrange oid polygon real record
regclass regproc serial smallint smallserial timestamptz timetz tsquery tsrange tstzrange tsvector uuid varbit varchar
varying void xid xml
`;

export const messageWords: ReadonlySet<string> = new Set(lines.split(/\s+/).filter((word) => word !== ''));
