/**
 * The engines' own functions by what their catalogues say of them. Knows no judgement. Written by
 * `npm run generate:functions` from these running engines; names that are denied anyway are left out:
 * - PostgreSQL 15.18 pg_proc
 * - MariaDB 10.11.19 SQL_FUNCTIONS and help tables
 * - SQLite 3.53.4 pragma_function_list
 * - DuckDB v1.5.6 duckdb_functions()
 */

/** Per group of engines, the functions that only compute or read there. */
export const COMPUTING: Readonly<Record<string, string>> = {
  duckdb: `
any_value approx_(count_distinct quantile top_k) arg_(max max_null max_nulls_last min min_null min_nulls_last) array_(aggr aggregate apply cat concat contains cosine_distance cosine_similarity cross_product distance distinct dot_product
extract filter grade_up has has_all has_any indexof inner_product intersect negative_dot_product negative_inner_product pop_back pop_front push_back push_front reduce resize reverse reverse_sort select slice sort to_string_comma_default
transform unique value where zip) base64 bit_position bitstring_agg can_cast_implicitly cast_to_type constant_or_null count_(if star) create_sort_key current_(catalog localtime localtimestamp role) damerau_levenshtein date_diff days_in_month
duckdb_(approx_database_count columns connection_count constraints coordinate_systems databases dependencies extensions external_file_cache functions indexes keywords log_contexts logs logs_parsed memory optimizers prepared_statements
profiling_settings schemas secret_types secrets sequences settings table_sample tables temporary_files types variables views) editdist3 element_at ends_with enum_(code range_boundary) epoch_(ms ns us) equi_width_bins format_(bytes pg_type)
from_(binary hex json json_strict) geometric_mean get_(block_size current_time current_timestamp type) grade_up greatest_common_divisor histogram_(exact values) icu_(calendar_names sort_key) icu_collate_(af am ar ar_sa as az be bg bn bo br
bs ca ceb chr cs cy da de de_at dsb dz ee el en en_us eo es et fa fa_af ff fi fil fo fr fr_ca ga gl gu ha haw he he_il hi hr hsb hu hy id id_id ig is it ja ka kk kl km kn ko kok ku ky lb lkt ln lo lt lv mk ml mn mr ms mt my nb nb_no ne nl nn
noaccent om or pa pa_in pl ps pt ro ru sa se si sk sl smn sq sr sr_ba sr_me sr_rs sv sw ta te th tk to tr ug uk ur uz vi wae wo xh yi yo yue yue_cn zh zh_cn zh_hk zh_mo zh_sg zh_tw zu) ilike_escape in_search_path is_histogram_other_bin
jaro_(similarity winkler_similarity) json_(deserialize_sql extract_string group_structure serialize_plan serialize_sql structure transform transform_strict tree) kahan_sum kurtosis_pop least_common_multiple left_grapheme length_grapheme
list_(aggr aggregate any_value append apply approx_count_distinct avg bit_and bit_or bit_xor bool_and bool_or cat concat contains cosine_distance cosine_similarity count distance distinct dot_product element entropy extract filter first
grade_up has has_all has_any histogram indexof inner_product intersect kurtosis kurtosis_pop last mad max median min mode negative_dot_product negative_inner_product pack position prepend product reduce resize reverse reverse_sort select sem
skewness slice sort stddev_pop stddev_samp string_agg sum transform unique value var_pop var_samp where zip) make_timestamp_(ms ns) make_type map_(concat contains contains_entry contains_value entries extract extract_value from_entries keys
to_pg_oid values) max_by md5_number md5_number_(lower upper) min_by nfc_normalize normalized_interval not_(ilike_escape like_escape) parquet_(bloom_probe file_metadata full_metadata kv_metadata metadata scan schema) parse_(dirname dirpath
duckdb_log_message filename formatted_bytes path) pragma_(collations database_size metadata_info platform show storage_info table_info user_agent version) quantile_(cont disc) rank_dense read_(blob csv csv_auto duckdb json json_auto
json_objects json_objects_auto ndjson ndjson_auto ndjson_objects parquet text) regexp_(escape extract extract_all full_match) remap_struct repeat_row replace_type reservoir_quantile right_grapheme round_even sniff_csv st_(asbinary astext
aswkb aswkt crs geomfromwkb intersects_extent setcrs) starts_with str_(split split_regex) string_(split split_regex) strip_accents struct_(concat contains extract extract_at has indexof insert keys pack position update values)
substring_grapheme sum_no_overflow test_(all_types vector_types) time_bucket timetz_byte_comparable timezone_(hour minute) to_(base binary centuries decades hours microseconds millennia milliseconds minutes months quarters weeks years)
try_strptime union_(extract tag value) unpivot_list url_(decode encode) uuid_extract_(timestamp version) variant_(bytes_to_variant extract normalize to_parquet_variant typeof) vector_type weighted_avg which_secret
  `,
  mysql: `
add_months adddate addtime aes_(decrypt encrypt) binlog_gtid_pos cast charset coercibility collation column_(check exists json list) compress concat_operator_oracle connection_id conv convert_tz crc32 crc32c curdate curtime database
date_format decode_(histogram oracle) default des_(decrypt encrypt) elt encrypt export_set extractvalue field find_in_set found_rows from_(days unixtime) inet6_(aton ntoa) inet_(aton ntoa) is_(free_lock ipv4 ipv4_compat ipv4_mapped ipv6
used_lock) isnull json_(array_append arrayagg compact contains_path depth detailed equals length loose merge merge_preserve normalize objectagg overlaps query search unquote) last_insert_id lengthb localtime localtimestamp locate lpad_oracle
ltrim_oracle make_set makedate maketime mid name_const natural_sort_key nvl nvl2 oct old_password parentheses password period_(add diff) rand random_bytes regexp replace_oracle rlike row_count rownum rpad_oracle rtrim_oracle schema schemas
sec_to_time sformat sha sha2 soundex space std str_to_date strcmp subdate substr_oracle substring_index subtime sys_guid sysdate system_user time_(format to_sec) timestampadd timestampdiff trim_oracle truncate uncompress uncompressed_length
unix_timestamp updatexml uuid uuid_short wsrep_last_(seen_gtid written_gtid)
  `,
  "mysql duckdb": `
bin date_(add sub) datediff day dayname dayofmonth dayofweek dayofyear from_base64 greatest hour json_(contains exists keys merge_patch value) last_day lcase least microsecond minute month monthname ord quarter second sha1 to_(base64 days
seconds) ucase user week weekday weekofyear year yearweek
  `,
  "mysql sqlite": `
coalesce ifnull json_(array_insert insert remove replace set) quote timediff
  `,
  "mysql sqlite duckdb": `
group_concat hex instr json_(array extract pretty quote type valid) log2 median nullif trim unhex
  `,
  postgres: `
abbrev aclcontains acldefault aclexplode aclinsert aclremove acosd area array_(dims fill larger lower ndims positions remove replace smaller to_tsvector upper) asind atan2d atand bit bool bound_box box bpchar bpchar_(larger smaller)
broadcast btequalimage btrim btvarstrequalimage cash_words cashlarger cashsmaller center cidr circle convert_(from to) cosd cotd database_to_(xml_and_xmlschema xmlschema) date_(bin larger smaller) datemultirange daterange
daterange_(canonical subdiff) dexp diagonal diameter dlog1 dlog10 dround dtrunc enum_(larger smaller) every family float4 float4larger float4smaller float8 float8larger float8smaller fmgr_(c_validator internal_validator sql_validator)
get_(byte current_ts_config) getdatabaseencoding getpgusername gin_(cmp_tslexeme compare_jsonb) has_(parameter_privilege type_privilege) hash_(aclitem aclitem_extended array array_extended multirange multirange_extended numeric
numeric_extended range range_extended record record_extended) height host hostmask in_range inet_(merge same_family) initcap int2 int2larger int2smaller int4 int4inc int4larger int4multirange int4range int4range_(canonical subdiff)
int4smaller int8 int8dec int8dec_any int8inc int8inc_any int8larger int8multirange int8range int8range_(canonical subdiff) int8smaller interval interval_(larger smaller) is_normalized isclosed isempty ishorizontal isopen isparallel isperp
isvertical json_(array_elements array_elements_text build_array build_object each_text object_keys populate_record populate_recordset strip_nulls to_record to_recordset to_tsvector typeof) jsonb_(array_elements array_elements_text
array_length build_array build_object each each_text extract_path extract_path_text object_keys path_exists path_exists_tz path_match path_match_tz path_query path_query_array path_query_array_tz path_query_first path_query_first_tz
path_query_tz populate_record populate_recordset pretty set_lax strip_nulls to_record to_recordset to_tsvector typeof) justify_(days hours interval) line lower_(inc inf) lseg macaddr macaddr8 macaddr8_set7bit make_interval makeaclitem
masklen min_scale money multirange multirange_(adjacent_multirange adjacent_range after_multirange after_range before_multirange before_range cmp contained_by_multirange contained_by_range contains_elem contains_multirange contains_range eq
ge gt intersect intersect_agg_transfn le lt minus ne overlaps_multirange overlaps_range overleft_multirange overleft_range overright_multirange overright_range union) mxid_age name nameconcatoid netmask network network_(larger smaller)
normalize notlike npoints num_(nonnulls nulls) numeric numeric_(div_trunc exp inc larger ln log smaller sqrt) nummultirange numnode numrange numrange_subdiff oid oidlarger oidsmaller oidvectortypes overlaps overlay parse_ident path pclose
pg_(available_extension_versions available_extensions backend_pid char_to_encoding client_encoding collation_for column_compression column_is_updatable column_size config current_snapshot current_xact_id current_xact_id_if_assigned cursor
describe_object encoding_max_length encoding_to_char event_trigger_ddl_commands event_trigger_dropped_objects event_trigger_table_rewrite_oid event_trigger_table_rewrite_reason extension_update_paths filenode_relation
get_catalog_foreign_keys get_function_arg_default get_function_arguments get_function_identity_arguments get_function_result get_function_sqlbody get_functiondef get_indexdef get_keywords get_object_address get_partition_constraintdef
get_partkeydef get_publication_tables get_replica_identity_index get_replication_slots get_ruledef get_serial_sequence get_statisticsobjdef get_statisticsobjdef_columns get_statisticsobjdef_expressions get_triggerdef get_userbyid
identify_object identify_object_as_address index_column_has_property index_has_property indexam_has_property indexam_progress_phasename listening_channels lsn lsn_larger lsn_smaller mcv_list_items options_to_table partition_root
prepared_statement relation_filenode relation_filepath relation_is_publishable relation_is_updatable sequence_parameters settings_get_flags show_all_settings size_bytes snapshot_xip snapshot_xmax snapshot_xmin statistics_obj_is_visible
tablespace_databases tablespace_location timezone_abbrevs trigger_depth visible_in_snapshot wal_lsn_diff walfile_name walfile_name_offset) pg_stat_get_(analyze_count autoanalyze_count autovacuum_count backend_activity backend_activity_start
backend_client_addr backend_client_port backend_dbid backend_idset backend_pid backend_start backend_userid backend_wait_event backend_wait_event_type backend_xact_start bgwriter_buf_written_checkpoints bgwriter_buf_written_clean
bgwriter_maxwritten_clean bgwriter_requested_checkpoints bgwriter_stat_reset_time bgwriter_timed_checkpoints blocks_fetched blocks_hit buf_alloc buf_fsync_backend buf_written_backend checkpoint_sync_time checkpoint_write_time db_active_time
db_blk_read_time db_blk_write_time db_blocks_fetched db_blocks_hit db_checksum_failures db_checksum_last_failure db_conflict_all db_conflict_bufferpin db_conflict_lock db_conflict_snapshot db_conflict_startup_deadlock db_conflict_tablespace
db_deadlocks db_idle_in_transaction_time db_numbackends db_session_time db_sessions db_sessions_abandoned db_sessions_fatal db_sessions_killed db_stat_reset_time db_temp_bytes db_temp_files db_tuples_deleted db_tuples_fetched
db_tuples_inserted db_tuples_returned db_tuples_updated db_xact_commit db_xact_rollback dead_tuples function_calls function_self_time function_total_time ins_since_vacuum last_analyze_time last_autoanalyze_time last_autovacuum_time
last_vacuum_time live_tuples mod_since_analyze numscans snapshot_timestamp tuples_deleted tuples_fetched tuples_hot_updated tuples_inserted tuples_returned tuples_updated vacuum_count) phraseto_tsquery plainto_tsquery point polygon popen
postgresql_fdw_validator querytree quote_(ident literal nullable) radius range_(adjacent adjacent_multirange after after_multirange agg before before_multirange cmp contained_by contained_by_multirange contains contains_elem
contains_multirange eq ge gt intersect intersect_agg intersect_agg_transfn le lt merge minus ne overlaps overlaps_multirange overleft overleft_multirange overright overright_multirange union) regclass regexp_(count like match)
row_security_active scale schema_to_(xml_and_xmlschema xmlschema) set_(byte masklen) setweight sha224 sha384 sha512 similar_(escape to_escape) sind slope spg_poly_quad_compress statement_timestamp string_to_table strip
table_to_(xml_and_xmlschema xmlschema) tand text text_(larger smaller) textlen tidlarger tidsmaller time_(larger smaller) timestamp timestamp_(larger smaller) timestamptz timestamptz_(larger smaller) timetz timetz_(larger smaller) to_(ascii
date jsonb number regclass regcollation regnamespace regoper regoperator regproc regprocedure regrole regtype tsquery tsvector) trim_(array scale) ts_(debug delete filter headline lexize parse rank rank_cd token_type) tsmultirange
tsquery_phrase tsrange tsrange_subdiff tstzmultirange tstzrange tstzrange_subdiff tsvector_to_array txid_current_(if_assigned snapshot) txid_snapshot_(xip xmax xmin) txid_visible_in_snapshot upper_(inc inf) varbit varchar
websearch_to_tsquery width width_bucket xid xid8_(larger smaller) xml xml_is_well_(formed formed_content formed_document) xmlagg xmlcomment xmlexists xmlvalidate xpath xpath_exists
  `,
  "postgres duckdb": `
age array_(agg append length position prepend to_json to_string) bool_(and or) cardinality cbrt col_description corr covar_(pop samp) current_(database schema schemas setting user) date_(part trunc) enum_(first last range) factorial
format_type gcd generate_(series subscripts) get_bit has_(any_column_privilege column_privilege database_privilege foreign_data_wrapper_privilege function_privilege language_privilege schema_privilege sequence_privilege server_privilege
table_privilege tablespace_privilege) inet_(client_addr client_port server_addr server_port) isfinite json_each json_extract_(path path_text) lcm like_escape make_(date time timestamp timestamptz) mode obj_description
pg_(collation_is_visible conf_load_time conversion_is_visible function_is_visible get_constraintdef get_expr get_viewdef has_role is_other_temp_schema my_temp_schema opclass_is_visible operator_is_visible opfamily_is_visible
postmaster_start_time size_pretty table_is_visible timezone_names ts_config_is_visible ts_dict_is_visible ts_parser_is_visible ts_template_is_visible type_is_visible typeof) regexp_matches regexp_split_to_(array table) regr_(avgx avgy count
intercept r2 slope sxx sxy syy) repeat row_to_json set_bit sha256 shobj_description split_part string_to_array strpos timezone to_(hex json timestamp) transaction_timestamp translate txid_current unnest
  `,
  "postgres mysql": `
convert div extract regexp_(instr substr) to_char
  `,
  "postgres mysql duckdb": `
ascii bit_(and count length or xor) char_length character_length chr cot decode encode left lpad md5 now position regexp_replace reverse right rpad session_user stddev stddev_(pop samp) var_(pop samp) variance version
  `,
  "postgres mysql sqlite": `
like percentile_(cont disc)
  `,
  "postgres mysql sqlite duckdb": `
abs acos asin atan atan2 avg ceil ceiling concat concat_ws cos count cume_dist degrees dense_rank exp first_value floor format json_object lag lead length ln log log10 lower ltrim max min mod nth_value ntile octet_length percent_rank pi pow
power radians rank round rtrim sign sin sqrt substr substring sum tan trunc upper
  `,
  "postgres sqlite": `
char date jsonb_(insert object set) time unistr
  `,
  "postgres sqlite duckdb": `
acosh asinh atanh cosh json_array_length last_value replace row_number sinh string_agg tanh
  `,
  sqlite: `
bm25 changes current_(time timestamp) datetime fts5 fts5_(get_locale insttoken locale source_id) geopoly_(area bbox blob ccw contains_point group_bbox json overlap regular svg within xform) highlight if iif json_(error_position patch) jsonb
jsonb_(array array_insert extract group_array group_object patch remove replace) julianday last_insert_rowid likelihood likely match matchinfo offsets percentile random randomblob rtreecheck rtreedepth rtreenode snippet
sqlite_(compileoption_get compileoption_used source_id version) subtype total total_changes unistr_quote unixepoch unlikely zeroblob
  `,
  "sqlite duckdb": `
current_date glob json json_group_(array object) printf strftime typeof unicode
  `,
};

/** Per group of engines, the functions that are volatile there, write, or are not known to do neither. */
export const VOLATILE: Readonly<Record<string, string>> = {
  duckdb: `
arrow_(scan scan_dumb) check_peg_parser current_(connection_id query_id transaction_id) disable_(peg_parser profiling) enable_(peg_parser profiling) error seq_scan sql_auto_complete stats uuid uuidv4 uuidv7
  `,
  mysql: `
master_gtid_wait wsrep_sync_wait_upto_gtid
  `,
  postgres: `
amvalidate binary_upgrade_(create_empty_extension set_missing_value set_record_init_privs) binary_upgrade_set_next_(array_pg_type_oid heap_pg_class_oid heap_relfilenode index_pg_class_oid index_relfilenode multirange_array_pg_type_oid
multirange_pg_type_oid pg_authid_oid pg_enum_oid pg_tablespace_oid pg_type_oid toast_pg_class_oid toast_relfilenode) brin_desummarize_range brin_summarize_(new_values range) clock_timestamp currtid2 cursor_to_xmlschema gin_clean_pending_list
lastval pg_(backup_start backup_stop blocking_pids collation_actual_version control_checkpoint control_init control_recovery control_system copy_logical_replication_slot copy_physical_replication_slot current_logfile current_wal_flush_lsn
current_wal_insert_lsn current_wal_lsn database_collation_actual_version database_size export_snapshot extension_config_dump get_backend_memory_contexts get_multixact_members get_shmem_allocations get_wal_replay_pause_state
get_wal_resource_managers hba_file_rules ident_file_mappings indexes_size is_in_recovery is_wal_replay_paused isolation_test_session_is_blocked jit_available last_committed_xact last_wal_receive_lsn last_wal_replay_lsn
last_xact_replay_timestamp lock_status log_backend_memory_contexts nextoid notification_queue_usage partition_ancestors partition_tree prepared_xact relation_size safe_snapshot_blocking_pids sequence_last_value show_all_file_settings
show_replication_origin_status stat_clear_snapshot stat_file stat_force_next_flush stat_get_recovery_prefetch stat_get_xact_blocks_fetched stat_get_xact_blocks_hit stat_get_xact_function_calls stat_get_xact_function_self_time
stat_get_xact_function_total_time stat_get_xact_numscans stat_get_xact_tuples_deleted stat_get_xact_tuples_fetched stat_get_xact_tuples_hot_updated stat_get_xact_tuples_inserted stat_get_xact_tuples_returned stat_get_xact_tuples_updated
stat_have_stats stop_making_pinned_objects table_size tablespace_size total_relation_size wal_replay_pause wal_replay_resume xact_commit_timestamp xact_commit_timestamp_origin xact_status) plpgsql_validator timeofday txid_status
  `,
  "postgres duckdb": `
current_query currval gen_random_uuid nextval random setseed
  `,
  sqlite: `
geopoly_debug sqlite_log
  `,
};
