/**
 * Keywords of MySQL 8.0 to 9.7 and MariaDB 10.6 to 12.x, lower-case. Data: the answers of a MySQL 9.7 and a MariaDB 10.11
 * server (information_schema.keywords; MariaDB, which does not say there which are reserved, was asked by trying each as
 * the name of a table), and what their manuals list for the other versions. A word that only some versions reserve
 * counts as not reserved: the others have tables of that name.
 */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Reserved by both: never a name unless quoted or behind a dot. */
export const sharedReservedKeywords = words(`
  accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call
  cascade case change char character check collate column condition constraint continue convert create cross
  current_date current_time current_timestamp current_user cursor databases day_hour day_microsecond
  day_minute day_second dec decimal declare default delayed delete desc describe deterministic distinct
  distinctrow div double drop dual each else elseif enclosed escaped except exists exit explain false fetch
  float float4 float8 for force foreign from fulltext grant group having high_priority hour_microsecond
  hour_minute hour_second if ignore in index infile inner inout insensitive insert int int1 int2 int3 int4
  int8 integer intersect interval into is iterate join key keys kill leading leave left like limit linear
  lines load localtime localtimestamp lock long longblob longtext loop low_priority match maxvalue
  mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural
  no_write_to_binlog not null numeric on optimize optionally or order out outer outfile over partition
  precision primary procedure purge range read read_write reads real recursive references regexp release
  rename repeat replace require resignal restrict return revoke right rlike row_number rows schemas
  second_microsecond select sensitive separator set show signal smallint spatial specific sql sql_big_result
  sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting straight_join table
  terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique unlock unsigned
  update usage use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying when
  where while with write xor year_month zerofill
`);

/** Reserved by MySQL 8.0 to 9.7, and not by MariaDB. */
export const mysqlReservedKeywords = words(`
  cube cume_dist database dense_rank empty first_value function generated get grouping groups io_after_gtids
  io_before_gtids json_table lag last_value lateral lead nth_value ntile of option percent_rank rank row
  schema stored system virtual window
`);

/** Reserved by MariaDB, and not by MySQL. */
export const mariadbReservedKeywords = words(`
  current_role delete_domain_id do_domain_ids ignore_domain_ids master_demote_to_replica
  master_demote_to_slave master_ssl_verify_server_cert offset page_checksum parse_vcol_expr portion
  ref_system_id returning stats_auto_recalc stats_persistent stats_sample_pages
`);

/** Not reserved by either. */
export const sharedOtherKeywords = words(`
  account action admin after against aggregate algorithm always any ascii at auto auto_increment
  autoextend_size avg avg_row_length backup begin binlog bit block bool boolean btree byte cache cascaded
  catalog_name chain changed channel charset checksum cipher class_origin client close coalesce code
  collation column_name columns comment commit committed compact completion compressed concurrent connection
  consistent constraint_catalog constraint_name constraint_schema contains context cpu current cursor_name
  data datafile date datetime day deallocate definer delay_key_write des_key_file diagnostics directory
  disable discard disk do dumpfile duplicate dynamic enable end ends engine engines enum error errors escape
  event events every exchange exclude execute expansion expire export extended extent_size fast faults
  fields file first fixed flush following follows format found full general get_format global grants handler
  hash help history host hosts hour identified ignore_server_ids import indexes initial_size insert_method
  install invisible invoker io io_thread ipc isolation issuer json key_block_size language last leaves less
  level list local locked locks logfile logs master master_connect_retry master_delay
  master_heartbeat_period master_host master_log_file master_log_pos master_password master_port
  master_server_id master_ssl master_ssl_ca master_ssl_capath master_ssl_cert master_ssl_cipher
  master_ssl_crl master_ssl_crlpath master_ssl_key master_user max_connections_per_hour max_queries_per_hour
  max_rows max_size max_updates_per_hour max_user_connections medium memory merge message_text microsecond
  migrate min_rows minute mode modify month mutex mysql_errno name names national nchar nested never next no
  no_wait nodegroup none nowait number nvarchar one only open options ordinality others owner pack_keys page
  parser partial partitioning partitions password path phase plugin plugins port precedes preceding prepare
  preserve prev privileges process processlist profile profiles proxy quarter query quick read_only rebuild
  recover redo_buffer_size redundant relay relay_log_file relay_log_pos relay_thread relaylog reload remove
  reorganize repair repeatable replica replicas replication reset restart restore resume returned_sqlstate
  returns reuse reverse role rollback rollup routine row_count row_format rtree savepoint schedule
  schema_name second security serial serializable server session share shutdown signed simple skip slave
  slow snapshot socket some soname sounds source sql_buffer_result sql_cache sql_no_cache sql_thread
  sql_tsi_day sql_tsi_hour sql_tsi_minute sql_tsi_month sql_tsi_quarter sql_tsi_second sql_tsi_week
  sql_tsi_year start starts status stop storage string subclass_origin subject subpartition subpartitions
  super suspend swaps switches table_checksum table_name tables tablespace temporary temptable text than
  ties time timestamp timestampadd timestampdiff transaction triggers truncate type unbounded uncommitted
  undefined undo_buffer_size undofile unicode uninstall unknown until upgrade use_frm user user_resources
  value variables vector view visible wait warnings week weight_string without work wrapper x509 xa xml year
`);

/** Not reserved by MySQL, or not by all of its versions. */
export const mysqlOtherKeywords = words(`
  absent active allow_missing_files array assign_gtids_to_anonymous_transactions attribute authentication
  auto_refresh auto_refresh_source bernoulli buckets bulk challenge_response clone column_format component
  compression default_auth definition description duality encryption enforced engine_attribute external
  external_format factor failed_login_attempts file_block_size file_format file_name file_pattern
  file_prefix files filter finish generate geomcollection geometry geometrycollection get_master_public_key
  get_source_public_key group_replication gtid_only gtids guided header histogram inactive initial initiate
  instance json_value keyring library linestring log manual masking master_auto_position master_bind
  master_compression_algorithms master_public_key_path master_retry_count master_ssl_verify_server_cert
  master_tls_ciphersuites master_tls_version master_zstd_compression_level materialized member
  multilinestring multipoint multipolygon ndb ndbcluster network_namespace new nulls off offset oj old
  optimizer_costs optional organization parallel parameters parse_tree password_lock_time persist
  persist_only plugin_dir point policy polygon privilege_checks_user qualify random reference registration
  relational remote replicate_do_db replicate_do_table replicate_ignore_db replicate_ignore_table
  replicate_rewrite_db replicate_wild_do_table replicate_wild_ignore_table require_row_format
  require_table_primary_key_check resource respect retain returning rotate s3 secondary secondary_engine
  secondary_engine_attribute secondary_load secondary_unload sets source_auto_position source_bind
  source_compression_algorithms source_connect_retry source_connection_auto_failover source_delay
  source_heartbeat_period source_host source_log_file source_log_pos source_password source_port
  source_public_key_path source_retry_count source_ssl source_ssl_ca source_ssl_capath source_ssl_cert
  source_ssl_cipher source_ssl_crl source_ssl_crlpath source_ssl_key source_ssl_verify_server_cert
  source_tls_ciphersuites source_tls_version source_user source_zstd_compression_level sql_after_gtids
  sql_after_mts_gaps sql_before_gtids srid stacked stats_auto_recalc stats_persistent stats_sample_pages
  stream strict_load tablesample thread_priority tls types unregister uri url validate validation vcpu
  verify_key_constraints xid zone
`);

/** Not reserved by MariaDB, or not by all of its versions. */
export const mariadbOtherKeywords = words(`
  atomic authors body checkpoint clob column_add column_check column_create column_delete column_get
  contributors conversion cube current_pos cycle database elsif empty examined exception federated function
  generated get goto hard id ignored immediate increment isopen json_table last_value lastval
  master_gtid_pos master_use_gtid max_statement_time minus minvalue monitor mysql nextval nocache nocycle
  nomaxvalue nominvalue notfound of old_password online option overlaps package period persistent previous
  raise raw redofile replay replica_pos row rowcount rownum rowtype schema sequence setval slave_pos slaves
  soft stage statement stored sysdate system system_time threads transactional varchar2 versioning via
  virtual window within
`);

/** Of both servers; with an underscore before it, each introduces a literal. */
export const characterSets = words(`
  armscii8 ascii big5 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr gb18030 gb2312
  gbk geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman sjis swe7 tis620 ucs2
  ujis utf16 utf16le utf32 utf8 utf8mb3 utf8mb4
`);

export const storageEngines = words(`
  archive aria blackhole connect csv federated innodb memory mrg_myisam myisam myrocks ndb ndbcluster rocksdb s3
  spider
`);
