/**
 * What each SQLSTATE of PostgreSQL 15 to 18 means to the memory: its class, and two facts about it. Reviewed row by row
 * against the servers' own errcodes.txt; codes an ordinary session cannot meet fall to the rules by class at the end.
 *
 * `structural`: raised before any value or row was looked at, so it depends on the statement, the schema and the rights
 * alone. State of a session (an open cursor, a transaction block) is neither, and such codes are not structural.
 * `drift`: the catalog held in memory may be out of date; a second read is cheap, a record keyed wrongly is not.
 *
 * Severity, routine and text refine some codes: see classify.ts.
 */
import type { FailureClass, UnrecordedClass } from '../../src/core/failure/failure-class.js';

type Flag = 'structural' | 'drift';
type Row = readonly [name: string, verdict: FailureClass | UnrecordedClass, ...flags: Flag[]];

const table: Readonly<Record<string, Row>> = {
  // 00, 01, 02: success and warnings; they travel in notices
  '00000': ['successful_completion', 'not_an_error'],
  '01000': ['warning', 'not_an_error'],
  '0100C': ['dynamic_result_sets_returned', 'not_an_error'],
  '01008': ['implicit_zero_bit_padding', 'not_an_error'],
  '01003': ['null_value_eliminated_in_set_function', 'not_an_error'],
  '01007': ['privilege_not_granted', 'not_an_error'],
  '01006': ['privilege_not_revoked', 'not_an_error'],
  '01004': ['string_data_right_truncation', 'not_an_error'],
  '01P01': ['deprecated_feature', 'not_an_error'],
  '02000': ['no_data', 'not_an_error'],
  '02001': ['no_additional_dynamic_result_sets_returned', 'not_an_error'],

  '03000': ['sql_statement_not_yet_complete', 'syntax'],

  // 08: the connection, not the statement
  '08000': ['connection_exception', 'unavailable'],
  '08001': ['sqlclient_unable_to_establish_sqlconnection', 'unavailable'],
  '08003': ['connection_does_not_exist', 'unavailable'],
  '08004': ['sqlserver_rejected_establishment_of_sqlconnection', 'unavailable'],
  '08006': ['connection_failure', 'unavailable'],
  '08007': ['transaction_resolution_unknown', 'unavailable'],
  // A driver out of step; only a Bind with the wrong number of values is the statement's own (classify.ts).
  '08P01': ['protocol_violation', 'unclassified'],

  '09000': ['triggered_action_exception', 'rule_raised'],
  '0A000': ['feature_not_supported', 'unsupported_feature', 'structural'],
  '0B000': ['invalid_transaction_initiation', 'session_state'],
  '0F000': ['locator_exception', 'invalid_argument'],
  '0F001': ['invalid_locator_specification', 'invalid_argument'],
  '0L000': ['invalid_grantor', 'permission', 'structural'],
  '0LP01': ['invalid_grant_operation', 'permission', 'structural'],
  '0P000': ['invalid_role_specification', 'undefined_object', 'structural', 'drift'],
  '0Z000': ['diagnostics_exception', 'invalid_argument'],
  '0Z002': ['stacked_diagnostics_accessed_without_active_handler', 'invalid_argument'],
  '10608': ['invalid_argument_for_xquery', 'invalid_argument'],
  '20000': ['case_not_found', 'invalid_argument'],
  // Depends on the rows: a subquery that gave two of them, a key twice in one INSERT ... ON CONFLICT.
  '21000': ['cardinality_violation', 'invalid_statement'],

  // 22: a value was looked at, always
  '22000': ['data_exception', 'invalid_argument'],
  '22001': ['string_data_right_truncation', 'value_out_of_range'],
  '22002': ['null_value_no_indicator_parameter', 'invalid_argument'],
  '22003': ['numeric_value_out_of_range', 'value_out_of_range'],
  // A NULL argument of a function, not of a column; the class is shared, the note is not.
  '22004': ['null_value_not_allowed', 'not_null_violation'],
  '22005': ['error_in_assignment', 'type_mismatch', 'drift'],
  '22007': ['invalid_datetime_format', 'type_mismatch', 'drift'],
  '22008': ['datetime_field_overflow', 'value_out_of_range'],
  '22009': ['invalid_time_zone_displacement_value', 'invalid_argument'],
  '2200B': ['escape_character_conflict', 'invalid_argument'],
  '2200C': ['invalid_use_of_escape_character', 'invalid_argument'],
  '2200D': ['invalid_escape_octet', 'invalid_argument'],
  '2200F': ['zero_length_character_string', 'invalid_argument'],
  '2200G': ['most_specific_type_mismatch', 'type_mismatch', 'drift'],
  '2200H': ['sequence_generator_limit_exceeded', 'value_out_of_range'],
  '2200L': ['not_an_xml_document', 'invalid_argument'],
  '2200M': ['invalid_xml_document', 'invalid_argument'],
  '2200N': ['invalid_xml_content', 'invalid_argument'],
  '2200S': ['invalid_xml_comment', 'invalid_argument'],
  '2200T': ['invalid_xml_processing_instruction', 'invalid_argument'],
  '22010': ['invalid_indicator_parameter_value', 'invalid_argument'],
  '22011': ['substring_error', 'invalid_argument'],
  '22012': ['division_by_zero', 'invalid_argument'],
  '22013': ['invalid_preceding_or_following_size', 'invalid_argument'],
  '22014': ['invalid_argument_for_ntile_function', 'invalid_argument'],
  '22015': ['interval_field_overflow', 'value_out_of_range'],
  '22016': ['invalid_argument_for_nth_value_function', 'invalid_argument'],
  '22018': ['invalid_character_value_for_cast', 'type_mismatch', 'drift'],
  '22019': ['invalid_escape_character', 'invalid_argument'],
  '2201B': ['invalid_regular_expression', 'invalid_argument'],
  '2201E': ['invalid_argument_for_logarithm', 'invalid_argument'],
  '2201F': ['invalid_argument_for_power_function', 'invalid_argument'],
  '2201G': ['invalid_argument_for_width_bucket_function', 'invalid_argument'],
  '2201W': ['invalid_row_count_in_limit_clause', 'invalid_argument'],
  '2201X': ['invalid_row_count_in_result_offset_clause', 'invalid_argument'],
  '22021': ['character_not_in_repertoire', 'invalid_argument'],
  '22022': ['indicator_overflow', 'invalid_argument'],
  '22023': ['invalid_parameter_value', 'invalid_argument'],
  '22024': ['unterminated_c_string', 'invalid_argument'],
  '22025': ['invalid_escape_sequence', 'invalid_argument'],
  '22026': ['string_data_length_mismatch', 'value_out_of_range'],
  '22027': ['trim_error', 'invalid_argument'],
  '2202E': ['array_subscript_error', 'value_out_of_range'],
  '2202G': ['invalid_tablesample_repeat', 'invalid_argument'],
  '2202H': ['invalid_tablesample_argument', 'invalid_argument'],
  '22030': ['duplicate_json_object_key_value', 'invalid_argument'],
  '22031': ['invalid_argument_for_sql_json_datetime_function', 'invalid_argument'],
  '22032': ['invalid_json_text', 'invalid_argument'],
  '22033': ['invalid_sql_json_subscript', 'invalid_argument'],
  '22034': ['more_than_one_sql_json_item', 'invalid_argument'],
  '22035': ['no_sql_json_item', 'invalid_argument'],
  '22036': ['non_numeric_sql_json_item', 'invalid_argument'],
  '22037': ['non_unique_keys_in_a_json_object', 'invalid_argument'],
  '22038': ['singleton_sql_json_item_required', 'invalid_argument'],
  '22039': ['sql_json_array_not_found', 'invalid_argument'],
  '2203A': ['sql_json_member_not_found', 'invalid_argument'],
  '2203B': ['sql_json_number_not_found', 'invalid_argument'],
  '2203C': ['sql_json_object_not_found', 'invalid_argument'],
  '2203D': ['too_many_json_array_elements', 'resource_limit'],
  '2203E': ['too_many_json_object_members', 'resource_limit'],
  '2203F': ['sql_json_scalar_required', 'invalid_argument'],
  '2203G': ['sql_json_item_cannot_be_cast_to_target_type', 'type_mismatch', 'drift'],
  '22P01': ['floating_point_exception', 'value_out_of_range'],
  '22P02': ['invalid_text_representation', 'type_mismatch', 'drift'],
  '22P03': ['invalid_binary_representation', 'type_mismatch', 'drift'],
  '22P04': ['bad_copy_file_format', 'invalid_argument'],
  '22P05': ['untranslatable_character', 'invalid_argument'],
  '22P06': ['nonstandard_use_of_escape_character', 'invalid_argument'],

  // 23 and 44: the rows themselves; the constraint is in field n
  '23000': ['integrity_constraint_violation', 'check_violation'],
  // ON DELETE and ON UPDATE RESTRICT from PostgreSQL 18 on; 23503 before.
  '23001': ['restrict_violation', 'foreign_key_violation'],
  '23502': ['not_null_violation', 'not_null_violation'],
  '23503': ['foreign_key_violation', 'foreign_key_violation'],
  '23505': ['unique_violation', 'unique_violation'],
  '23514': ['check_violation', 'check_violation'],
  '23P01': ['exclusion_violation', 'unique_violation'],
  '44000': ['with_check_option_violation', 'check_violation'],

  // 24 to 2F, 34, 3B: what the session is in the middle of
  '24000': ['invalid_cursor_state', 'session_state'],
  '25000': ['invalid_transaction_state', 'session_state'],
  '25001': ['active_sql_transaction', 'session_state'],
  '25002': ['branch_transaction_already_active', 'session_state'],
  '25003': ['inappropriate_access_mode_for_branch_transaction', 'session_state'],
  '25004': ['inappropriate_isolation_level_for_branch_transaction', 'session_state'],
  '25005': ['no_active_sql_transaction_for_branch_transaction', 'session_state'],
  '25006': ['read_only_sql_transaction', 'read_only'],
  '25007': ['schema_and_data_statement_mixing_not_supported', 'session_state'],
  '25008': ['held_cursor_requires_same_isolation_level', 'session_state'],
  '25P01': ['no_active_sql_transaction', 'session_state'],
  '25P02': ['in_failed_sql_transaction', 'consequence'],
  '25P03': ['idle_in_transaction_session_timeout', 'unavailable'],
  // PostgreSQL 17; ends the session, yet it is the statements that took too long.
  '25P04': ['transaction_timeout', 'statement_timeout'],
  '26000': ['invalid_sql_statement_name', 'session_state'],
  '27000': ['triggered_data_change_violation', 'rule_raised'],
  '28000': ['invalid_authorization_specification', 'permission'],
  '28P01': ['invalid_password', 'permission'],
  '2B000': ['dependent_privilege_descriptors_still_exist', 'invalid_statement', 'structural', 'drift'],
  '2BP01': ['dependent_objects_still_exist', 'invalid_statement', 'structural', 'drift'],
  '2D000': ['invalid_transaction_termination', 'session_state'],
  '2F000': ['sql_routine_exception', 'internal'],
  '2F002': ['modifying_sql_data_not_permitted', 'invalid_statement'],
  '2F003': ['prohibited_sql_statement_attempted', 'invalid_statement'],
  '2F004': ['reading_sql_data_not_permitted', 'invalid_statement'],
  '2F005': ['function_executed_no_return_statement', 'invalid_statement'],
  '34000': ['invalid_cursor_name', 'session_state'],
  '3B000': ['savepoint_exception', 'session_state'],
  '3B001': ['invalid_savepoint_specification', 'session_state'],

  // 38, 39: code behind a function
  '38000': ['external_routine_exception', 'internal'],
  '38001': ['containing_sql_not_permitted', 'internal'],
  '38002': ['modifying_sql_data_not_permitted', 'invalid_statement'],
  '38003': ['prohibited_sql_statement_attempted', 'invalid_statement'],
  '38004': ['reading_sql_data_not_permitted', 'invalid_statement'],
  '39000': ['external_routine_invocation_exception', 'internal'],
  '39001': ['invalid_sqlstate_returned', 'internal'],
  '39004': ['null_value_not_allowed', 'internal'],
  '39P01': ['trigger_protocol_violated', 'internal'],
  '39P02': ['srf_protocol_violated', 'internal'],
  '39P03': ['event_trigger_protocol_violated', 'internal'],

  '3D000': ['invalid_catalog_name', 'undefined_object', 'structural'],
  '3F000': ['invalid_schema_name', 'undefined_object', 'structural', 'drift'],

  // 40: the transaction is gone; the same work may go through the next time
  '40000': ['transaction_rollback', 'write_conflict'],
  '40001': ['serialization_failure', 'write_conflict'],
  '40002': ['transaction_integrity_constraint_violation', 'write_conflict'],
  // Nobody knows whether it took effect, so nobody may be told to run it again.
  '40003': ['statement_completion_unknown', 'unavailable'],
  '40P01': ['deadlock_detected', 'deadlock'],

  // 42: parser and analysis
  '42000': ['syntax_error_or_access_rule_violation', 'syntax', 'structural'],
  '42501': ['insufficient_privilege', 'permission', 'structural'],
  '42601': ['syntax_error', 'syntax', 'structural'],
  // Names in a string, as in to_regclass or regclass input.
  '42602': ['invalid_name', 'syntax'],
  '42611': ['invalid_column_definition', 'invalid_statement', 'structural'],
  '42622': ['name_too_long', 'resource_limit'],
  '42701': ['duplicate_column', 'duplicate_object', 'structural', 'drift'],
  '42702': ['ambiguous_column', 'invalid_statement', 'structural'],
  '42703': ['undefined_column', 'undefined_object', 'structural', 'drift'],
  '42704': ['undefined_object', 'undefined_object', 'structural', 'drift'],
  '42710': ['duplicate_object', 'duplicate_object', 'structural', 'drift'],
  '42712': ['duplicate_alias', 'invalid_statement', 'structural'],
  '42723': ['duplicate_function', 'duplicate_object', 'structural', 'drift'],
  '42725': ['ambiguous_function', 'type_mismatch', 'structural', 'drift'],
  '42803': ['grouping_error', 'invalid_statement', 'structural'],
  '42804': ['datatype_mismatch', 'type_mismatch', 'structural', 'drift'],
  '42809': ['wrong_object_type', 'invalid_statement', 'structural', 'drift'],
  '42830': ['invalid_foreign_key', 'invalid_statement', 'structural', 'drift'],
  '42846': ['cannot_coerce', 'type_mismatch', 'structural', 'drift'],
  '42883': ['undefined_function', 'undefined_object', 'structural', 'drift'],
  '428C9': ['generated_always', 'invalid_statement', 'structural', 'drift'],
  '42939': ['reserved_name', 'invalid_statement', 'structural'],
  '42P01': ['undefined_table', 'undefined_object', 'structural', 'drift'],
  '42P02': ['undefined_parameter', 'undefined_object', 'structural'],
  // Whether a cursor or a prepared statement is open is the session's state, not the schema's.
  '42P03': ['duplicate_cursor', 'duplicate_object'],
  '42P04': ['duplicate_database', 'duplicate_object', 'structural'],
  '42P05': ['duplicate_prepared_statement', 'duplicate_object'],
  '42P06': ['duplicate_schema', 'duplicate_object', 'structural', 'drift'],
  '42P07': ['duplicate_table', 'duplicate_object', 'structural', 'drift'],
  '42P08': ['ambiguous_parameter', 'type_mismatch', 'structural', 'drift'],
  '42P09': ['ambiguous_alias', 'invalid_statement', 'structural'],
  '42P10': ['invalid_column_reference', 'invalid_statement', 'structural', 'drift'],
  '42P11': ['invalid_cursor_definition', 'invalid_statement', 'structural'],
  '42P12': ['invalid_database_definition', 'invalid_statement', 'structural'],
  '42P13': ['invalid_function_definition', 'invalid_statement', 'structural'],
  '42P14': ['invalid_prepared_statement_definition', 'invalid_statement', 'structural'],
  '42P15': ['invalid_schema_definition', 'invalid_statement', 'structural'],
  '42P16': ['invalid_table_definition', 'invalid_statement', 'structural', 'drift'],
  '42P17': ['invalid_object_definition', 'invalid_statement', 'structural', 'drift'],
  '42P18': ['indeterminate_datatype', 'type_mismatch', 'structural', 'drift'],
  '42P19': ['invalid_recursion', 'invalid_statement', 'structural'],
  '42P20': ['windowing_error', 'invalid_statement', 'structural'],
  '42P21': ['collation_mismatch', 'invalid_statement', 'structural'],
  '42P22': ['indeterminate_collation', 'invalid_statement', 'structural'],

  // 53 to 58: bounds and the machine
  '53000': ['insufficient_resources', 'resource_limit'],
  '53100': ['disk_full', 'resource_limit'],
  '53200': ['out_of_memory', 'resource_limit'],
  '53300': ['too_many_connections', 'unavailable'],
  '53400': ['configuration_limit_exceeded', 'resource_limit'],
  '54000': ['program_limit_exceeded', 'resource_limit'],
  '54001': ['statement_too_complex', 'resource_limit'],
  '54011': ['too_many_columns', 'resource_limit', 'structural'],
  '54023': ['too_many_arguments', 'resource_limit', 'structural'],
  '55000': ['object_not_in_prerequisite_state', 'session_state'],
  '55006': ['object_in_use', 'lock_timeout'],
  '55P02': ['cant_change_runtime_param', 'invalid_argument', 'structural'],
  // Both NOWAIT and lock_timeout.
  '55P03': ['lock_not_available', 'lock_timeout'],
  '55P04': ['unsafe_new_enum_value_usage', 'session_state'],
  '57000': ['operator_intervention', 'unavailable'],
  // Somebody asked, or time ran out: classify.ts tells which.
  '57014': ['query_canceled', 'statement_timeout'],
  '57P01': ['admin_shutdown', 'unavailable'],
  '57P02': ['crash_shutdown', 'unavailable'],
  '57P03': ['cannot_connect_now', 'unavailable'],
  '57P04': ['database_dropped', 'unavailable'],
  '57P05': ['idle_session_timeout', 'unavailable'],
  '58000': ['system_error', 'internal'],
  '58030': ['io_error', 'internal'],
  '58P01': ['undefined_file', 'undefined_object'],
  '58P02': ['duplicate_file', 'duplicate_object'],
  // PostgreSQL 18.
  '58P03': ['file_name_too_long', 'resource_limit'],
  // Up to PostgreSQL 16.
  '72000': ['snapshot_too_old', 'write_conflict'],
  F0000: ['config_file_error', 'internal'],
  F0001: ['lock_file_exists', 'unavailable'],

  // HV: the server behind a foreign table
  HV000: ['fdw_error', 'internal'],
  HV00L: ['fdw_unable_to_create_execution', 'internal'],
  HV00N: ['fdw_unable_to_establish_connection', 'unavailable'],

  // P0: functions written by users
  P0000: ['plpgsql_error', 'rule_raised'],
  P0001: ['raise_exception', 'rule_raised'],
  P0002: ['no_data_found', 'rule_raised'],
  P0003: ['too_many_rows', 'rule_raised'],
  P0004: ['assert_failure', 'rule_raised'],

  XX000: ['internal_error', 'internal'],
  XX001: ['data_corrupted', 'internal'],
  XX002: ['index_corrupted', 'internal'],
};

/**
 * What a code that is not in the table means, by the first two characters, where the whole class of codes means one
 * thing. Mixed classes (23, 42 and others) have no rule: a new code there is `unclassified`, counted, and a reason to
 * extend the table.
 */
const rules: Readonly<Record<string, FailureClass | UnrecordedClass>> = {
  '00': 'not_an_error',
  '01': 'not_an_error',
  '02': 'not_an_error',
  '08': 'unavailable',
  '0A': 'unsupported_feature',
  '22': 'invalid_argument',
  '28': 'permission',
  '53': 'resource_limit',
  '54': 'resource_limit',
  '57': 'unavailable',
  '58': 'internal',
  HV: 'internal',
  P0: 'rule_raised',
  XX: 'internal',
};

/** One SQLSTATE as the memory sees it. */
export interface ErrorCode {
  /** PostgreSQL's condition name; null for a code read by the rule of its class or unknown altogether. */
  readonly name: string | null;
  readonly class: FailureClass | UnrecordedClass;
  readonly isStructural: boolean;
  readonly suggestsDrift: boolean;
}

const codes: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries(table).map(([code, [name, verdict, ...flags]]) => [
    code,
    {
      name,
      class: verdict,
      isStructural: flags.includes('structural'),
      suggestsDrift: flags.includes('drift'),
    },
  ]),
);

/** Every code of the table, in its order. */
export const errorCodes: readonly string[] = [...codes.keys()];

/** What `code` means before severity, routine and text are looked at; `unclassified` where nothing is certain. */
export function readErrorCode(code: string): ErrorCode {
  const known = codes.get(code);
  if (known !== undefined) return known;
  const rule = /^[0-9A-Z]{5}$/.test(code) ? rules[code.slice(0, 2)] : undefined;
  return { name: null, class: rule ?? 'unclassified', isStructural: false, suggestsDrift: false };
}
