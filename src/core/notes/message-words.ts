/**
 * Words that servers build their own messages from, and the names of built-in types. A redacted message keeps these
 * and nothing else, so a word that is not here cannot carry a value into the memory. Lower case, letters only; leave
 * out words that are likely to be somebody's data (names, places, states of mind).
 */
const lines = `
a aborted about absolute accept access accessor action active add affect after aggregate aggregates all allow allowed
already also alter altering ambiguous an and another any anyarray anycompatible anycompatiblerange anyelement anyrange
appear applied are argument arguments array arrays articles as assertion assigned assignment assignments at attach
attempt attribute attributes available backreference be because been before beginning being between bigint bigserial
bit block blocks body bool boolean both bound bounds box bpchar btree but by byte bytea bytes cache cached call called
calls can canceled canceling cancelled cannot cardinality case cast catalog catalogs cause change changed channel char
character characters check cidr circle class clause clauses client close closed clustered coerce collation collations
column columns command commands comment commit committed compare comparison complex composite compression concurrent
concurrently condition conditional conditions configuration conflict conflicting conflicts connection connections
constant constraint constraints contain containing contains content context control conversion convert converted
copied copy could count create created creation current cursor cursors cycle data database date daterange datetime
deadlock decimal declared default defaults deferrable deferred defined definition delete deleted delimited denied
depend dependent depends depth descriptor destination detected determine dictionary different dimension dimensions
directory disk dispatch displacement distinct division do document does domain double drop dropped dropping due
duplicate during element elements empty encoding end enough entry enum equal equality error escape even event every
exactly exceed exceeded exceeds exception exclusion execute executing execution exist existing exists expanded
expected explicit expression expressions extension extra factor failed failing failure families family feature fetch
few field fields file find finished first flag float follow for foreign form format formatted formatting found from
full function functions general generated generation get got granted group grouping had handler has hash have having
header hold hstore identifier identity idle if ignored immutable implement implemented implicit in include included
incompatible inconsistent index indexes inet infinite inherit inheritance inherited inherits initial initialized input
insert inserted inside instruction insufficient int integer integrity internal interval intervals into invalid is
isolation it item items its itself join json jsonb jsonpath junk key keys kind label labels language large larger last
least left length less level lexeme limit limits line list lists literal loaded local locale location lock locked
locks logarithm long longer loop lower lseg macaddr made malformed manipulation many mark marked mask match matched
matches matching materialized maximum may member memory merge message method minimum mismatch mismatched
missing mode modified modify modifying module money more most multiple must name named names near need needed negative
nested new next no non nondeterministic nonempty nonexistent nonnegative normalization not null nulls number numbered
numeric nummultirange numrange object objects of off offset oid on once one only open opened operand operated
operation operator operators option options or order ordered other out outer output outside over overall overflow
overflows overlap owned owner parameter parameters parent parentheses parse parser parsing part partition partitioned
partitioning partitions path pattern pending per perform performed permanent permission placed plan point points
policy polygon polymorphic populated portal position positional positioned positive power precision prepare prepared
previous previously primary privilege privileges procedure procedures process processed processing program protocol
provided pseudo publication queries query quoted raise raised range reached read real recognized record recursion
recursive redundant refer reference referenced references referencing refresh regclass regproc regular reject rejected
relation relations remain remainder remaining remove rename replace replica replication representation requested
require required requires reserved restrict restricted result results return returned returning returns right role
rollback routine row rows rule rules run runtime same savepoint savepoints scalar scalars scale scan schema schemas
search searches security select separator sequence serial serializable serialization serialize server session set
setting shared should sign simple since single size skip slice slot smallint smallserial snapshot sorting source space
specification specified specifier specifies specify specifying sql stack standard state statement statements
statistics step still storage stored string structure subquery subscript subscription subscripts substring
subtransaction suitable sum superuser supplied supplies support supported syntax system table tables tablespace target
template temporary term terminated terminating text than that the their them then there these this tid time timed
timeout timestamp timestamps timestamptz timetz to token too top tracked trailing transaction transactions transition
trigger triggers truncate truncated trusted tsquery tsrange tstzrange tsvector tuple tuples two type typed types
unable unacceptable unary unconditional undefined under underflow unexpected unhandled unicode union unique unit
unknown unmatched unnamed unquoted unreachable unrecognized unsafe unsupported unterminated until up updatable update
updated updating upper usage use used user uses using uuid valid value values varbit varchar variable variables
variadic varying version very view views violate violated violates visible void waiting was were when where which
while whole wildcard window with within without would wrapper write writes writing wrong xid xml years yet yields zero
zone
`;

export const messageWords: ReadonlySet<string> = new Set(lines.split(/\s+/).filter((word) => word !== ''));
