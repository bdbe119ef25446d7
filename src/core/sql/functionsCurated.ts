/**
 * Functions that only compute or read, chosen by hand: those of engines whose catalogue cannot be asked here (SQL Server,
 * Oracle, BigQuery, Snowflake, Redshift, Databricks, widespread extensions), and names of one word that many engines share.
 * Knows no judgement.
 */
export const CURATED = `
asbinary astext aswkb aswkt column_add column_check column_create column_delete column_exists column_get column_json column_list
dm_exec_sql_text fn_listextendedproperty fn_varbintohexstr fts3tokenize geomcollfromtext geomcollfromwkb geometrycollectionfromtext
geometryfromtext geometryfromwkb geometryn geomfromtext geomfromwkb linefromtext linefromwkb linestringfromtext mbrcontains mbrdisjoint
mbrequal mbrintersects mbroverlaps mbrtouches mbrwithin mlinefromtext mpointfromtext mpolyfromtext pointfromtext pointfromwkb
pointonsurface polyfromtext polyfromwkb polygonfromtext to_blob type_name
abs acos acosd acosh acot add_days add_hours adddate addtime age aggregate all_match any_match anyvalue app_name approx_percentile approx_quantiles approx_top_count approx_top_sum approxquantile area argmax argmin array_agg_distinct
array_compact array_construct array_except array_flatten array_generate_range array_join array_max array_min array_repeat array_size array_sum array_union arrays_overlap arrays_zip ascii ascii_char asciistr asin asind asinh atan atand atanh
auto avg avg_if base64_decode base64_encode base85 bfilename bin bin_to_uuid bitand bitmap_count bitor bitshiftleft bitshiftright bitxor booland boolean boolnot boolor boolxor box bround btrim bytes cardinality cast cbrt ceil ceiling center
changes charindex charlength chars charset check_json check_xml checksum choose chr circle cluster_set coalesce coercibility col_length col_name collate collation collect collect_list collect_set column_name columnproperty compare compress
concat concat_agg contains conv convert convert_timezone corr cos cosd cosh cosine_distance cosine_similarity cot cotd count count_big countdistinct countif crypt ctid curdate current_account current_datetime current_region current_session
current_statement current_version current_warehouse curtime cv cvt database databasepropertyex databases dataobj_to_partition date_bucket date_ceil date_floor date_from_parts date_from_unix date_from_unix_date date_name date_to_unix dateadd
datediff datefromparts datename datepart daterange dateserial datesub datetime_add datetime_diff datetime_sub datetime_trunc datetimefromparts datetrunc day dayname dayofmonth dayofweek dayofyear days_between db_id db_name dbtimezone
decimal_add decimal_mul decimal_sub decimal_sum decode default deg degrees depth deref diameter difference digest div div0 dmetaphone dump e editdistance elt empty_blob empty_clob encode endswith eomonth epoch equal_null error_message
error_number estimate_count every exists existsnode exp explode explode_outer extract extract_json extractvalue factorial farm_fingerprint fdiv feature_value field filter first_day flatten floor forall format format_date format_datetime
format_number format_time format_timestamp formatmessage frexp from_iso8601 from_tz from_utc_timestamp from_utf8 ftsmatchinfo gamma gcd gen_salt generate_array generate_date_array generate_timestamp_array generate_uuid generator get_bitmap
get_ddl get_format get_json_array get_json_object get_path getdate getutcdate getvariable glob greatest greatest_ignore_nulls group_id grouping_id gtid_subset has_perms_by_name hash hashbytes hashtext hashtextextended haversine height hex
hex_decode_string hex_encode highlight histogram hll hll_count hmac host host_id host_name hour hours hypot ieee754 if iff ifnull iif index_col indexproperty initcap inline inline_outer inner_product input_file_block_start input_file_name
insert insertchildxml instr instrb interval is_array is_json is_member is_null_value is_numeric is_srvrolemember is_uuid isdate isempty isfinite isjson isnan isnull isnumeric iso_week isodate iteration_number jarowinkler_similarity json_agg
json_extract_array json_extract_scalar json_extract_string_array json_modify json_object_agg json_object_t json_object_values json_parse json_query_array json_scalar json_serialize json_table json_tuple json_value_array jsonb jsonb_agg
jsonb_concat jsonb_contains jsonb_object_agg julian_day julianday keys_new_keyset kurtosis l1_distance l2_distance lag lag_if last last_query_id lateral_flatten lcase lcm lead least left len length length2 length_utf8 lengthb levenshtein
levenshtein_less_equal like likelihood likely line list list_agg listagg ln localtime localtimestamp locate log log1p logb logical_and logical_or lower lpad lpad_bytes lseg ltrim makedate maketime map_from_arrays mask masklen matchinfo max
maxif md5_hex median metaphone microsecond mid min minif minute minutes mod mode monotonically_increasing_id month monthname months_between named_struct nanvl ndims net_host new_time newid next_day nextafter nls_charset_id nls_initcap
nls_lower nls_upper nlssort none_match normal normalize normalize_and_casefold now ntile null_if_empty nullif nullifzero numnode numrange numtodsinterval numtoyminterval nvl object_agg object_construct object_construct_keep_null object_id
object_keys object_name object_schema_name objectproperty oct offsets optimize_hint ora_hash ora_rowscn oracle_hash ord overlaps overlay parse_date parse_datetime parse_json parse_time parse_timestamp parse_url parsename path patindex
percentage percentile percentile_approx pi plainto polygon posexplode position positions pow power powermultiset pragma_collation_list pragma_compile_options pragma_database_list pragma_foreign_key_list pragma_function_list pragma_index_info
pragma_index_list pragma_table_list pragma_table_xinfo prediction presentnnv presentv previous previous_day printf quantile quarter querytree quote quotename radians rand rand_cat randn random_uuid randomblob randstr range_bucket rank
ranking ratio_to_report rawtohex rawtonhex reduce regexp regexp_contains regr_valx regr_valy remainder repeat replace replicate result_scan reverse right rlike round round_half_even row_num row_to_jsonb rowid rowidtochar rownum rowtohex rpad
rtreecheck rtreedepth rtreenode rtrim safe_add safe_cast safe_convert_bytes_to_string safe_divide safe_multiply safe_negate safe_offset safe_ordinal safe_subtract schema schema_name schemas scope_identity second seconds seq1 seq2 seq4 seq8
sequence serverproperty session_context session_window sessiontimezone set_intersect setweight sha sha1_hex sha2_hex sha3 shift_left shift_right shiftleft shiftright sign signum similarity sin sind sinh size skewness slice snippet sort_array
soundex soundex_match sounds space space_used spark_partition_id split split_to_table sql_variant_property sqlite3_version sqlite_offset sqlite_unsupported_offset sqrt square st_area st_asgeojson st_buffer st_centroid st_collect st_contains
st_distance st_dwithin st_geogfromtext st_geogpoint st_geohash st_geometrytype st_geomfromtext st_intersects st_length st_makepoint st_point st_setsrid st_simplify st_srid st_transform st_union st_within st_x st_y stack standard_hash
startswith std stddev stdev stdevp str str_to_map strcat strcmp strftime string_concat string_escape string_to_json strip strip_null_value strlen strpos strptime stuff subdate substr substr2 substr_count substrb substring substrings subtime
subtype sum sum_if suser_name suser_sname switch switchoffset sys_connect_by_path sys_context sys_extract_utc sys_op_map sys_typeid sysdate sysdatetime sysdatetimeoffset systimestamp sysutcdatetime tan tand tanh text_pattern time_diff
time_from_parts time_slice time_sub time_trunc timediff timefromparts timestamp_add timestamp_diff timestamp_from_parts timestamp_micros timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc timestampadd timestampdiff timezone
to_array to_binary_double to_binary_float to_boolean to_clob to_decimal to_double to_dsinterval to_geography to_iso8601 to_json_string to_lob to_multi_byte to_nchar to_nclob to_numeric to_object to_single_byte to_time to_timestamp_ltz
to_timestamp_ntz to_timestamp_tz to_unix_timestamp to_unixtime to_utc_timestamp to_utf8 to_uuid to_varchar to_variant to_xml to_yminterval total transform transform_keys transform_values translate treat trim trim_null trunc truncate
try_base64_decode_string try_cast try_convert try_parse try_parse_json try_to_binary try_to_boolean try_to_date try_to_decimal try_to_double try_to_number try_to_numeric try_to_time try_to_timestamp tsrange tstzrange type typeof typeproperty
tz_offset ucase uid uint unaccent unbase64 uncompress unhex unicode uniform uniqueidentifier unistr unistr2 unix_date unix_micros unix_millis unix_seconds unixepoch unlikely unnest unpivot_value unsafe_cast updatexml upper user user_name
userenv utc_date utc_time utc_timestamp uuid_generate_v1 uuid_generate_v4 uuid_string uuid_to_bin validate_password_strength value values variance variance_pop variance_samp varp vec_distance version vsize week weekday weekiso weekofyear
weeks weight_string width window wm_concat word_similarity xmin xmlagg xmlattributes xmlcast xmlcomment xmlconcat xmlelement xmlexists xmlforest xmlparse xmlpi xmlquery xmlroot xmlserialize xmltable xpath year yearofweek yearofweekiso years
yearweek zeroblob zeroifnull zip_with zipf zscore
`;
