/** Which function names are known to act, and which are known only to compute. Knows no place in a statement. */

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Known to write, run, wait or reach outside the database, in whatever dialect. */
const ACTING = set(`
  set_config setval dblink query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml table_to_xml
  schema_to_xml database_to_xml ts_stat ts_rewrite load_extension writefile readfile edit load_file sleep benchmark get_lock
  release_lock release_all_locks master_pos_wait source_pos_wait openquery openrowset opendatasource external_query query
  query_table fts3_tokenizer fsdir zipfile sqlar_compress exec_sql sys_exec sys_eval sys_get sys_set httpuritype
  xmltype import_foreign_schema crosstab crosstabn connectby has_updated eval lsmode sha3_query dbms_output
  remote remotesecure url file s3 getfile shell http_get http_post http http_put http_delete http_patch aws_lambda lambda_sync
  lambda_async txid_current_set pglogical_create binary_upgrade amcheck nextval_all
  postgres_execute postgres_query mysql_execute mysql_query mssql_exec mssql_query
  reflect java_method try_reflect http_request executable
  sqlite_compileoption_set sqlite_rename_table sqlite_rename_column sqlite_add_constraint sqlite_drop_column
`);
const ACTING_PREFIX =
  /^(?:dblink_|lo_|pg_terminate|pg_cancel|pg_read|pg_write|pg_ls_|pg_stat_reset|pg_sleep|pg_advisory|pg_try_advisory|pg_file_|pg_reload|pg_rotate|pg_create|pg_drop|pg_replication|pg_logical|pg_switch|pg_promote|pg_import|pg_notify|xp_|sp_|system\$|dbms_|utl_|owa_|ctx_|apex_)/;

/** Words before a bracket that are no function: clauses, operators and types. */
const KEYWORDS = set(`
  and or not in any all some exists where on as from select values value by having when then else case union except
  intersect minus join using over filter within partition table key primary unique check foreign default index like ilike
  similar to between is limit offset top distinct into set lateral rollup cube sets grouping array row rows struct map
  interval returning window with option tablesample bernoulli pivot unpivot match_recognize qualify generated always
  identity enum conflict against match apply order group ignore nothing only returning fetch next first recursive constraint
  include columns buckets range list hash than partitions subpartition clustered references end return returns tables
  exclude replace rename use force storing options fields separator nulls measures pattern define dimension rules tuple
  object outer inner left right full cross natural straight_join asof anti semi positional seek for of if begin
  distkey sortkey diststyle distributed cluster encode comment auto_increment collate engine charset
  int integer smallint bigint tinyint mediumint int2 int4 int8 int16 int32 int64 uint8 uint16 uint32 uint64 serial bigserial
  number numeric decimal dec float float4 float8 float32 float64 double real precision money bool boolean bit varbit char
  character varchar varchar2 nchar nvarchar nvarchar2 varying national text tinytext mediumtext longtext ntext clob nclob blob
  raw binary varbinary bytea image json jsonb xml uuid date time timetz timestamp timestamptz datetime datetime2
  datetimeoffset smalldatetime year string bytes variant geography geometry point vector halfvec sparsevec hstore citext
  inet cidr macaddr tsvector tsquery unsigned zone fixedstring lowcardinality nullable
  fts3 fts4 fts4aux fts5 fts5vocab rtree geopoly vec0 spellfix1 btree gin gist brin spgist hnsw ivfflat bloom
`);

/** Builtin functions that only compute or read. Users' functions of the same name are beyond what a text can tell. */
const COMPUTING = set(`
  abs acos acosd acosh acot add_days add_hours add_months adddate addtime aes_decrypt aes_encrypt age aggregate any_value
  anyvalue approx_count_distinct approx_percentile approx_quantile approx_quantiles approx_top_count approxquantile arg_max arg_min
  argmax argmin array_agg array_agg_distinct array_append array_cat array_compact array_concat array_construct array_contains
  array_dims array_distinct array_except array_fill array_flatten array_intersect array_join array_length array_lower array_max
  array_min array_ndims array_position array_positions array_prepend array_remove array_repeat array_replace array_reverse
  array_size array_slice array_sort array_sum array_to_json array_to_string array_union array_upper array_value arrays_overlap
  arrays_zip ascii ascii_char asciistr asin asind asinh atan atan2 atand atanh auto avg avg_if base64 base64_decode
  base64_encode bfilename bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor bitand bitmap_count bitor bitxor bm25
  bool_and bool_or boolean bround btrim bytes cardinality cast cbrt ceil ceiling changes char_length character_length charindex chars
  charset checksum choose chr clock_timestamp coalesce coercibility col_description collate collation collect collect_list collect_set
  column_name compress concat concat_ws connection_id contains convert convert_from convert_timezone convert_to convert_tz corr cos
  cosd cosh cot cotd count count_big count_if countif covar_pop covar_samp crc32 cume_dist curdate current_catalog current_database
  current_date current_datetime current_query current_role current_schema current_schemas current_setting current_time
  current_timestamp current_user currval curtime cvt database databases date_add date_ceil date_diff date_bin date_bucket date_floor
  date_format date_from_parts date_from_unix_date date_name date_part date_sub date_to_unix date_trunc dateadd datediff datefromparts
  datename datepart dateserial datesub datetime_add datetime_diff datetime_sub datetime_trunc datetimefromparts datetrunc day
  dayname dayofmonth dayofweek dayofyear days_between dbtimezone decode deg degrees dense_rank difference digest div div0 dump e
  element_at elt empty_blob empty_clob encode endswith ends_with enum_first enum_last enum_range epoch equal_null estimate_count every
  exp explode explode_outer export_set extract extract_json extractvalue factorial fdiv field find_in_set first_day first_value
  flatten floor format format_bytes format_date format_datetime format_number format_time format_timestamp format_type formatmessage found_rows
  frexp from_base64 from_days from_iso8601 from_json from_tz from_unixtime from_utc_timestamp from_hex from_utf8 gamma gcd
  gen_random_uuid generate_array generate_date_array generate_series generate_subscripts generate_timestamp_array generate_uuid get_bit get_byte
  get_format get_json_object get_json_array getdate getutcdate getvariable glob greatest greatest_ignore_nulls group_concat group_id grouping_id
  gtid_subset has_column_privilege has_database_privilege has_function_privilege has_schema_privilege has_table_privilege hash
  hashbytes haversine hex hex_decode_string hex_encode highlight histogram hll host hour hours hypot if ifnull iff iif inet_aton
  inet_ntoa inet6_aton inet6_ntoa initcap inline instr instrb int2 interval is_json is_array is_null_value is_ipv4 is_ipv6 is_numeric
  is_uuid isdate isempty isfinite isjson isnan isnull isnumeric iso_week jaro_winkler_similarity json_agg json_array json_array_elements
  json_array_elements_text json_array_append json_array_insert json_array_length json_arrayagg json_build_array json_build_object json_contains
  json_contains_path json_depth json_detailed json_each json_each_text json_exists json_extract json_extract_array json_extract_path
  json_extract_path_text json_extract_scalar json_extract_string json_extract_string_array json_group_array json_group_object json_insert json_keys
  json_length json_merge json_merge_patch json_merge_preserve json_modify json_object json_object_agg json_object_keys json_objectagg json_overlaps
  json_parse json_patch json_pretty json_query json_query_array json_quote json_remove json_replace json_scalar json_search json_serialize json_set
  json_strip_nulls json_structure json_table json_transform json_tree json_to_record json_to_recordset json_tuple json_type json_typeof json_unquote
  json_valid json_value json_value_array json_object_values jsonb jsonb_agg jsonb_array jsonb_array_elements jsonb_array_elements_text
  jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract jsonb_extract_path jsonb_extract_path_text
  jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys jsonb_patch jsonb_path_exists jsonb_path_match
  jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_remove jsonb_replace jsonb_set jsonb_strip_nulls jsonb_to_record
  jsonb_to_recordset jsonb_typeof julianday julian_day justify_days justify_hours justify_interval kurtosis lag last last_day last_insert_id
  last_insert_rowid last_query_id last_value lcase lcm lead least left len length length_utf8 lengthb levenshtein like likelihood likely list list_agg
  list_append list_concat list_contains list_distinct list_filter list_has list_reverse list_slice list_sort list_sum list_transform list_unique
  list_value listagg ln localtime localtimestamp locate log log10 log1p log2 logb lower lpad ltrim lag_if make_date make_interval make_set
  make_time make_timestamp make_timestamptz make_interval makedate maketime map_from_arrays map_from_entries map_keys map_values mask masklen max max_by
  maxif md5 md5_hex md5_number median microsecond mid min min_by minif minute minutes mod mode month monthname months_between nanvl
  ndims new_time newid next_day nextafter nextval nlssort nls_charset_id nls_initcap nls_lower nls_upper normalize normalize_and_casefold now nth_value
  ntile null_if_empty nullif nullifzero numtodsinterval numtoyminterval num_nonnulls num_nulls numnode nvl nvl2 obj_description object_agg
  object_construct object_construct_keep_null object_id object_keys object_name object_schema_name octet_length offsets oracle_hash ord overlaps overlay
  parse_date parse_datetime parse_ident parse_json parse_time parse_timestamp parse_url parsename patindex percent_rank percentile percentile_approx
  percentile_cont percentile_disc period_add period_diff pg_backend_pid pg_client_encoding pg_column_size pg_database_size pg_encoding_to_char
  pg_get_constraintdef pg_get_expr pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_ruledef pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid
  pg_get_viewdef pg_index_column_has_property pg_indexes_size pg_is_in_recovery pg_postmaster_start_time pg_relation_size pg_size_bytes pg_size_pretty
  pg_stat_get_live_tuples pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_type_is_visible pg_typeof
  phraseto_tsquery pi plainto_tsquery plainto posexplode position positions pow power pragma_table_info pragma_table_xinfo pragma_table_list
  pragma_index_list pragma_index_info pragma_foreign_key_list pragma_database_list pragma_function_list pragma_collation_list pragma_compile_options
  previous_day printf quarter quantile quantile_cont quantile_disc querytree quote quote_ident quote_literal quote_nullable quotename radians rand rand_cat
  randn random random_bytes random_uuid randomblob range_agg range_bucket range_merge rank ranking ratio_to_report rawtohex read_csv read_csv_auto
  read_json read_json_auto read_parquet regexp regexp_contains regexp_count regexp_extract regexp_extract_all regexp_full_match regexp_instr regexp_like
  regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy remainder repeat replace replicate result_scan reverse right rlike round round_half_even
  row_count row_number row_to_json rowid rowidtochar rownum rpad rtreecheck rtrim safe_add safe_cast safe_convert_bytes_to_string safe_divide safe_multiply
  safe_negate safe_offset safe_ordinal safe_subtract schema schema_name schemas scope_identity sec_to_time second seconds sequence session_user
  sessiontimezone session_context sha sha1 sha1_hex sha2 sha2_hex sha224 sha256 sha384 sha512 shift_left shift_right shiftleft shiftright sign signum
  similarity sin sind sinh size skewness slice snippet sort_array soundex space split split_part split_to_table sqlite_compileoption_get
  sqlite_compileoption_used sqlite_offset sqlite_source_id sqlite_version sqrt square st_area st_asgeojson st_astext st_buffer st_centroid st_contains
  st_distance st_dwithin st_geogpoint st_geogfromtext st_geomfromtext st_intersects st_length st_makepoint st_point st_setsrid st_transform st_within
  st_x st_y standard_hash starts_with startswith statement_timestamp std stddev stddev_pop stddev_samp stdev stdevp str str_to_date str_to_map strcat
  strcmp strftime string_agg string_escape string_split string_to_array string_to_table strip strip_null_value strlen strpos strptime struct_extract
  struct_pack stuff subdate substr substr2 substrb substring substring_index substrings subtime sum sum_if suser_sname switch switchoffset
  sys_connect_by_path sys_context sys_extract_utc sys_guid sysdate sysdatetime sysdatetimeoffset systimestamp sysutcdatetime tan tand tanh
  text_pattern time_bucket time_diff time_format time_from_parts time_slice time_sub time_to_sec time_trunc timediff timefromparts timeofday
  timestamp_add timestamp_diff timestamp_from_parts timestamp_micros timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc
  timestampadd timestampdiff timezone to_array to_base to_base64 to_binary to_binary_double to_binary_float to_boolean to_char to_clob to_date to_days
  to_decimal to_double to_dsinterval to_geography to_hex to_iso8601 to_json to_json_string to_jsonb to_lob to_multi_byte to_nchar to_nclob
  to_number to_numeric to_object to_regclass to_regnamespace to_regtype to_seconds to_single_byte to_time to_timestamp to_timestamp_ltz to_timestamp_ntz
  to_timestamp_tz to_tsquery to_tsvector to_unix_timestamp to_unixtime to_utc_timestamp to_utf8 to_uuid to_variant to_varchar to_xml to_yminterval
  total total_changes transaction_timestamp transform translate trim trim_array trim_null trunc truncate try_base64_decode_string try_cast
  try_convert try_parse try_parse_json try_to_binary try_to_boolean try_to_date try_to_decimal try_to_double try_to_number try_to_numeric try_to_time
  try_to_timestamp ts_debug ts_delete ts_headline ts_lexize ts_rank ts_rank_cd tsvector_to_array type typeof tz_offset ucase uid unaccent unbase64
  uncompress uncompressed_length unhex unicode unistr unistr2 unix_date unix_millis unix_micros unix_seconds unix_timestamp unixepoch unlikely unnest
  unsafe_cast updatexml upper user userenv utc_date utc_time utc_timestamp uuid_generate_v1 uuid_generate_v4 uuid_short uuid_string uuid_to_bin uuidv4
  uuidv7 validate_password_strength value values var_pop var_samp variance variance_pop variance_samp varp vec_distance version vsize week weekday weekiso
  weekofyear weeks weight_string websearch_to_tsquery width_bucket wm_concat word_similarity xml_is_well_formed xmlagg xmlattributes xmlcast xmlcomment
  xmlconcat xmlelement xmlexists xmlforest xmlparse xmlpi xmlquery xmlroot xmlserialize xmltable xpath xpath_exists year yearofweek yearofweekiso
  years yearweek zeroblob zeroifnull zscore cosine_distance cosine_similarity l2_distance inner_product l1_distance substr_count lpad_bytes isodate
  st_astext st_geometrytype st_srid st_union st_collect st_simplify box circle line lseg path polygon area center diameter height width length2
  txid_current pg_current_wal_lsn pg_get_partkeydef pg_partition_tree pg_blocking_pids pg_conf_load_time pg_collation_for pg_relation_filepath
  jsonb_contains json_object_t jsonb_concat hashtext hashtextextended int4range int8range numrange tsrange tstzrange daterange isempty lower_inc upper_inc
  setseed setweight rowtohex row_to_jsonb xmin ctid levenshtein_less_equal metaphone dmetaphone gen_salt crypt soundex_match hmac
  user_name suser_name db_name db_id host_name host_id app_name error_message error_number eomonth sql_variant_property serverproperty databasepropertyex
  objectproperty columnproperty typeproperty col_name col_length index_col indexproperty has_perms_by_name is_member is_srvrolemember
  approx_top_k approx_top_sum hll_count st_aswkb string_to_json sqlite3_version ftsmatchinfo matchinfo offsets optimize_hint rtreedepth rtreenode
  cluster_set feature_value prediction ora_hash ora_rowscn rawtonhex regexp_like sys_typeid sys_op_map treat uniqueidentifier presentnnv presentv
  previous cv iteration_number powermultiset set_intersect unpivot_value dataobj_to_partition deref existsnode depth insertchildxml
  concat_agg countdistinct date_from_unix logical_and logical_or string_concat st_geohash net_host keys_new_keyset farm_fingerprint
  current_version current_warehouse current_account current_region current_session current_statement get_path get_ddl
  row_num lateral_flatten seq1 seq2 seq4 seq8 uniform normal zipf randstr generator array_generate_range booland boolor boolnot boolxor
  regr_valx regr_valy check_json check_xml compare get_bitmap bitshiftleft bitshiftright charlength editdistance insert jarowinkler_similarity
  space_used sounds sqlite_unsupported_offset subtype decimal_add decimal_sub decimal_mul decimal_sum ieee754 generate_subscripts percentage sha3 uint base85
  default any_match all_match none_match array_join reduce filter zip_with transform_keys transform_values exists forall named_struct stack inline_outer
  spark_partition_id monotonically_increasing_id input_file_name current_catalog input_file_block_start window session_window
`);

export type FunctionVerdict = "acts" | "computes" | "keyword" | "unknown";

/** `name` unquoted, in any case. */
export function judgeFunction(name: string): FunctionVerdict {
  const key = name.toLowerCase();
  if (ACTING.has(key) || ACTING_PREFIX.test(key)) return "acts";
  if (COMPUTING.has(key)) return "computes";
  return KEYWORDS.has(key) ? "keyword" : "unknown";
}

export const SAFE_QUALIFIERS = set(
  "pg_catalog information_schema sys safe net keys hll_count st ml json array new old excluded inserted deleted",
);
