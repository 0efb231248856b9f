/**
 * Words that servers build their own messages from, and the names of built-in types. A redacted message keeps these
 * and nothing else, so a word that is not here cannot carry a value into the memory. Lower case, letters only; leave
 * out words that are likely to be somebody's data (names, places, states of mind).
 */
const lines = `
a aborted about absolute accept access accessor acquired action active add affect after aggregate aggregated aggregates
aggregation algorithm alias all allow allowed already also alter altering ambiguous an analyze anchors and anonymous
another any anyarray anycompatible anycompatiblerange anyelement anyrange appear applied are argument arguments array
arrays articles as assertion assigned assignment assignments at attach attempt attribute attributes authentication auto
autocommit available backreference base be because been before beginning being between bigger bigint bigserial binary
binlog bit bitwise blob blobs block blocks body bool boolean both bound bounds box bpchar btree buffer built but by
byte bytea bytes cache cached call called calls can canceled canceling cancelled cannot cardinality cascade case cast
catalog catalogs cause change changed channel char character characters check child cidr circle class clause clauses
client close closed clustered coalesce coerce collation collations column columns command commands comment commit
committed compare comparison complex composite compressed compression concurrent concurrently condition conditional
conditions configuration conflict conflicting conflicts connection connections consecutive consisted consistent
constant constraint constraints constructor contain containing contains content context control conversion convert
converted converting copied copy corrupt corrupted could count counts create created creating creation current cursor
cursors cycle data database datatype date daterange datetime deadlock decimal declaration declarations declared default
defaults deferrable deferred defined definer definition definitions delete deleted delimited denied depend dependency
dependent depends deprecated depth derived descriptor destination detected determine deterministic dictionary different
dimension dimensions directory disabled disallowed discard disk dispatch displacement display distinct division do
document does domain double drop dropped dropping due duplicate duplicated during dynamic element elements empty
enabled encoding end engine enough entry enum enumeration equal equality errno error escape even event every exactly
examine exceed exceeded exceeds exception exchange exclusion execute executing execution exist existing exists expanded
expansion expected explain explicit expression expressions extension extra factor failed failing fails failure families
family feature fetch fetched few field fields file find finished first flag float follow for forbidden foreign form
format formatted formatting found frame frames from full fulltext function functional functions general generated
generation geometries geometry get global got grant granted grants greater group grouping had handler handlers
handshake has hash have having header hold host hstore identifier identity idle if ignored illegal immediately
immutable implement implemented implicit in include included incompatible inconsistent incorrect increasing increment
index indexes inet infile infinite inherit inheritance inherited inherits initial initialized inner innodb input insert
insertable inserted inside instead instruction insufficient int integer integrity internal interrupted intersect
interval intervals into invalid invisible invoker is isolation issued it item items iterations its itself join json
jsonb jsonpath junk key keys kind label labels language large larger last lateral least left length less level lexeme
library limit limits line list lists literal load loaded local locale location lock locked locking locks log logarithm
logging long longer loop lower lseg macaddr made malformed manipulation many mariadb mark marked mask match matched
matches matching materialized max maximum may member memory merge message method min minimum mismatch mismatched
missing mix mode modified modify modifying module money more most multi multiple must myisam mysql name named names
native near need needed negative nested nesting new next no non nonaggregated nondeterministic nonempty nonexistent
nonnegative normalization not nota nowait null nulls number numbered numeric nummultirange numrange object objects of
off offline offset oid on once one only open opened operand operands operated operation operator operators optimizer
option optional options or order ordered other out outer output outside over overall overflow overflows overlap overrun
owned owner packet packets parameter parameters parent parentheses parse parser parsing part partition partitioned
partitioning partitions parts path pattern pending per perform performed permanent permission placed placeholders plan
plugin point points policy polygon polymorphic populated portal position positional positioned positive power preceding
precision prefix prepare prepared preserve previous previously primary privilege privileges procedure procedures
process processed processing program progress protocol provided pseudo publication queries query quoted raise raised
random range reached read reading reads real recognized record recreate recursion recursive redundant refer reference
referenced references referencing referring refers refresh regclass regex regexp regproc regular reject rejected
relation relations remain remainder remaining remove rename reopen reorganize reorganizing repair replace replica
replication representation requested require required requires reserved resource resources restart restarting restrict
restricted result resulted results retry return returned returning returns revoke right rmfail role rollback rollup
routine row rows rule rules run running runtime safe same savepoint savepoints scalar scalars scale scan schema schemas
search searches secondary security select selected selects separator sequence serial serializable serialization
serialize server session set setting shared should sign signal simple since single size skip slice slot smallint
smallserial snapshot some sort sorting source space spatial specific specification specified specifier specifies
specify specifying sql sqlstate srid stack stacked standard starts state statement statements statistics step still
storage stored string structure subpartition subpartitions subqueries subquery subscript subscription subscripts
substring subtransaction such suitable sum superuser supplied supplies support supported supports syntax system table
tables tablespace target template temporal temporary term terminated terminating text than that the their them then
there these this thread tid time timed timeout timestamp timestamps timestamptz timetz to token too top total tracked
trailing transaction transactional transactions transition tried trigger triggers truncate truncated trusted try trying
tsquery tsrange tstzrange tsvector tuple tuples twice two type typed types unable unacceptable unary unbounded
unconditional undefined under underflow underlying unexpected unhandled unicode uninitialized union unique unit unknown
unmatched unnamed unquoted unreachable unrecognized unresolved unsafe unsupported unterminated until up updatable
update updated updates updating upper usage use used user uses using utf uuid valid value values varbit varchar
variable variables variadic varying vector version versioned versioning very view views violate violated violates
virtual visible void wait waiting was were when where which while whole width wildcard window with within without would
wrapper write writes writing wrong xa xid xml years yet yields you zero zlib zone
`;

export const messageWords: ReadonlySet<string> = new Set(lines.split(/\s+/).filter((word) => word !== ''));
