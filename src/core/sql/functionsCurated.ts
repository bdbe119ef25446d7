/**
 * Functions that only compute or read, chosen by hand, per engine whose users' functions can write: those of engines whose
 * catalogue cannot be asked here (Oracle, Redshift), of their widespread extensions, and words of the grammar. Knows no judgement.
 */

/**
 * Group of dialects or families to names. "others" = engines whose functions cannot write or that no call can name (SQL
 * Server, BigQuery, Snowflake, Databricks, ClickHouse, Trino): where a dialect is named, it is none of theirs.
 */
export const CURATED: Readonly<Record<string, string>> = {
  mysql: `
area aswkb bin_to_uuid char column_(add create delete get) distance format_pico_time geometrycollection geometrycollectionfromtext geometryfromwkb get_format glob gtid_(subset subtract) icu_version if insert is_uuid json_schema_valid kdf
likely linestring match mbrcoveredby mbrcovers mbrequals minutes mlinefromwkb mpointfromwkb mpolyfromwkb multilinestring multipoint multipolygon numgeometries numpoints overlaps polygon polygonfromwkb ps_(current_thread_id thread_id) repeat
roles_graphml sounds statement_(digest digest_text) string_to_vector utc_(date time timestamp) uuid_to_bin validate_password_strength vec_(distance_euclidean fromtext totext) vector_(dim to_string) weight_string yearofweek
  `,
  "mysql oracle": `
contains length2 replace
  `,
  "mysql sqlite": `
asbinary astext aswkt geomcollfromtext geomcollfromwkb geometryfromtext geometryn geomfromtext geomfromwkb linefromtext linefromwkb linestringfromtext log1p mbrcontains mbrdisjoint mbrequal mbrintersects mbroverlaps mbrtouches mbrwithin
mlinefromtext mpointfromtext mpolyfromtext pointfromtext pointfromwkb pointonsurface polyfromtext polyfromwkb polygonfromtext row_num vec_(distance distance_cosine)
  `,
  "mysql sqlite oracle": `
every interval overlay rowid unnest xmlagg
  `,
  oracle: `
abs acos appendchildxml approx_(median percentile) ascii asciistr asin atan avg bfilename bin_to_num bit_(and_agg or_agg xor_agg) bitand cardinality ceil chartorowid chr cluster_(details distance id probability set) collation collect
column_value con_(dbid_to_id name_to_id) concat corr corr_(k s) cos cosh count cv dataobj_to_partition dbtimezone decode deletexml depth deref domain_(check display name) dump empty_(blob clob) equals_path existsnode exp extractvalue
feature_(details id set value) first floor from_(tz vector) get_bitmap group_id grouping hash hextoraw initcap insertchildxml instr instr2 instr4 instrb instrc isfinite iteration_number json json_(array_t dataguide mergepatch object_t)
kurtosis kurtosis_samp lag lag_if lateral_flatten lead length length4 lengthb lengthc ln lnnvl log lower lpad ltrim make_ref max min mod nanvl nchr new_time nls_(charset charset_decl_len charset_id charset_name collation_id collation_name
initcap lower upper) nlssort ntile numtodsinterval numtoyminterval ora_(dst_affected hash invoking_user invoking_userid rowscn) oracle_hash path power powermultiset powermultiset_by_cardinality prediction prediction_(bounds cost details
probability set) presentnnv presentv previous rank rawtohex rawtonhex reftohex regr_valy remainder round rowidtochar rowidtonchar rownum rowtohex rpad rtrim scn_to_timestamp sessiontimezone sign sin sinh skewness skewness_(pop samp) sqrt
standard_hash stats_(binomial_test mode) substr substr2 substr4 substrb substrc sum sys_(connect_by_path context extract_utc op_map op_zone_id typeid xmlagg xmlgen) systimestamp tan tanh text_pattern timestamp_to_scn
to_(approx_count_distinct binary_double binary_float blob boolean clob dsinterval lob multi_byte nchar nclob single_byte timestamp_tz vector yminterval) translate trunc tz_offset uid under_path unistr unistr2 updatexml upper userenv
validate_conversion vector_(dimension_count distance embedding serialize) vsize wm_concat xmlcast xmlcdata xmlcolattval xmlcomment xmldiff xmlexists xmlisvalid xmlpatch xmlquery xmlsequence xmltransform
  `,
  postgres: `
akeys approximate_row_count avals binary_quantize chunks_detailed_size cluster_logical_timestamp cosine_distance crypt ctid cube_distance daitch_mokotoff dearmor decrypt_iv digest dmetaphone dmetaphone_alt earth_(box distance) encrypt_iv
experimental_(strftime strptime) follower_read_timestamp gen_random_(bytes ulid) gen_salt hamming_distance hashtext hashtextextended histogram hmac hstore_to_(json jsonb) hypertable_(approximate_size detailed_size size) icount inner_product
jaccard_distance jsonb jsonb_(agg concat contains object_agg) l1_distance l2_(distance normalize) levenshtein levenshtein_less_equal ll_to_earth locf ltree2text metaphone ndims nlevel normal_rand pg_buffercache_pages pg_stat_(statements
statements_info) pgp_(pub_decrypt pub_encrypt sym_decrypt sym_encrypt) pgstatginindex pgstatindex pgstattuple pgstattuple_approx row_to_jsonb second show_(chunks trgm) similarity skeys strict_word_similarity subarray subltree subpath
subvector svals text2ltree time_bucket_gapfill unaccent unique_rowid uuid_generate_(v1 v1mc v3 v4 v5) uuid_nil uuid_ns_(dns oid url x500) vector_dims with_(max_staleness min_timestamp) word_similarity xmin
  `,
  "postgres mysql": `
json_(agg object_agg)
  `,
  "postgres mysql oracle": `
percentile
  `,
  "postgres mysql sqlite": `
geometrytype st_(3darea 3dclosestpoint 3ddistance 3dextent 3dintersects 3dlength 3dmakebox 3dmaxdistance addpoint affine angle area asencodedpolyline asewkb asewkt asgeobuf asgeojson asgml ashexewkb ashexwkb askml aslatlontext asmvt
asmvtgeom assvg astwkb asx3d azimuth bdpolyfromtext boundary boundingdiagonal box2dfromgeohash buffer buildarea centroid chaikinsmoothing clipbybox2d closestpoint clusterdbscan clusterintersecting clusterkmeans clusterwithin collect
collectionextract collectionhomogenize concavehull contains containsproperly convexhull coorddim coveredby covers crosses curvetoline delaunaytriangles dfullywithin difference dimension disjoint distance distance_sphere distancecpa
distancesphere distancespheroid dump dumppoints dumprings dumpsegments dwithin endpoint envelope equals estimatedextent expand extent exteriorring filterbym flipcoordinates force2d force3d force3dm force3dz force4d forcecollection forcecurve
forcepolygonccw forcepolygoncw forcerhr frechetdistance generatepoints geogfromtext geogfromwkb geogpoint geographyfromtext geohash geomcollfromtext geomcollfromtxt geomcollfromwkb geometricmedian geometrycollectionfromtext
geometrycollectionfromwkb geometryfromtext geometryfromwkb geometryn geometrytype geomfromewkb geomfromewkt geomfromgeohash geomfromgeojson geomfromgml geomfromkml geomfromtext geomfromtwkb hasarc hausdorffdistance hexagon hexagongrid
interiorringn interpolatepoint intersection intersects intersectsextent isclosed iscollection isempty ispolygonccw ispolygoncw isring issimple isvalid isvaliddetail isvalidreason latfromgeohash latitude length length2d lengthspheroid
linecrossingdirection linefromencodedpolyline linefrommultipoint linefromtext linefromwkb lineinterpolatepoint lineinterpolatepoints linelocatepoint linemerge linestringfromtext linestringfromwkb linesubstring linetocurve locatealong
locatebetween longestline longfromgeohash longitude m makebox2d makeenvelope makeline makepoint makepointm makepolygon makevalid maxdistance maximuminscribedcircle memcollect memsize minimumboundingcircle minimumboundingradius
minimumclearance mlinefromtext mpointfromtext mpolyfromtext multi multilinestringfromtext multipointfromtext multipolygonfromtext ndims node normalize npoints nrings numgeometries numinteriorring numinteriorrings numpatches numpoints
offsetcurve orderingequals orientedenvelope overlaps patchn perimeter point pointatdistance pointfromgeohash pointfromtext pointfromwkb pointinsidecircle pointn pointonsurface points polyfromtext polyfromwkb polygon polygonfromtext
polygonfromwkb polygonize project quantizecoordinates reduceprecision relate relatematch removepoint removerepeatedpoints reverse rotate scale seteffectivearea setpoint setsrid shortestline simplify simplifypreservetopology simplifyvw snap
snaptogrid split square squaregrid srid startpoint subdivide summary swapordinates swapxy symdifference tileenvelope touches transform translate transscale triangulatepolygon unaryunion union validate value voronoilines voronoipolygons
within wkbtosql wkttosql wrapx x xmax xmin y ymax ymin z zmax zmflag zmin)
  `,
  "postgres mysql sqlite oracle": `
bytes collate exists grouping_id json_table listagg treat value values
  `,
  "postgres oracle": `
coalesce json_(scalar serialize) last nullif regr_valx trim vector_norm xmlattributes xmlconcat xmlelement xmlforest xmlparse xmlpi xmlroot xmlserialize xmltable
  `,
  "postgres sqlite": `
difference sha3
  `,
  "postgres sqlite oracle": `
cast default greatest least localtime localtimestamp soundex user
  `,
  redshift: `
array_flatten can_json_parse convert_timezone current_(namespace user_id) date_(cmp cmp_timestamp cmp_timestamptz) dateadd datediff datepart day dayofweek deg dpow dsqrt farmfingerprint64 farmhash64 float fnv_hash from_varbyte func_sha1
get_array_length getbit getdate hll hll_(cardinality combine combine_sketches create_sketch) hour is_(array bigint boolean char decimal float integer object scalar smallint valid_json valid_json_array varchar) isnull
json_(extract_array_element_text parse size) len lower_attribute_names minute month object oct octetindex pg_last_(copy_count copy_id query_id) quarter sha slice_num space split_to_array startswith strtol sum_if supportsbbox sysdatetime
text_to_(int_alt numeric_alt) timestamp_(cmp cmp_date) to_varbyte try_cast upper_attribute_names user_is_member_of week year
  `,
  "redshift oracle": `
checksum median months_between next_day nvl ratio_to_report sysdate
  `,
  "redshift sqlite": `
charindex replicate
  `,
  sqlite: `
base85 decimal decimal_(add cmp mul pow2 sub sum) e fts3tokenize ftsmatchinfo ieee754 ieee754_(exponent from_blob mantissa) leftstr makepoint padc padl padr pragma_(collation_list compile_options database_list foreign_key_list function_list
index_info index_list module_list pragma_list table_list table_xinfo) quartile regexp regexp_capture regexpi reverse rightstr spellfix1_(editdist phonehash scriptcode translit) sqlite3_version sqlite_(offset unsupported_offset) square stdev
strfilter uuid4 uuid7 uuid_(blob str) vec_(add bit distance_l1 distance_l2 each f32 int8 length normalize quantize_binary slice sub to_json type version)
  `,
  "sqlite oracle": `
convert extract mode position stddev variance
  `,
  others: `
acosd acosh acot add_(days hours) adddate adddays addhours addminutes addmonths addseconds addtime addweeks addyears age aggregate all_match any_match anyheavy anyif anylast anyvalue app_name approx_(distinct most_frequent quantiles set
top_count top_sum) approxquantile argmax argmaxif argmin argminif array_(agg_distinct compact construct except frequency generate_range join max min repeat size sort_desc sum union) arrayall arrayavg arraycompact arrayconcat arraycount
arraycumsum arraydistinct arrayelement arrayenumerate arrayexists arrayfilter arrayfirst arrayflatten arrayintersect arrayjoin arraymap arraymax arraymin arraypushback arrayreduce arrayreversesort arrays_(overlap zip) arrayslice arraysort
arraystringconcat arraysum arrayuniq arrayzip ascii_char asind asinh assumenotnull at_timezone atand atanh auto avg_if avgif avgmap avgmerge base64_(decode encode) bin bitmap_count bitor bitshiftleft bitshiftright bitwise_(and and_agg not or
or_agg xor) bitxor booland boolean boolnot boolor boolxor boundingratio box bround btrim cbrt ceiling center changes charlength chars charset check_(json xml) choose circle cityhash64 coalescenonempty coercibility col_(length name)
collect_(list set) column_name columnproperty compare compress concat_agg contains_sequence conv cosd cosine_similarity cot cotd count_big countdistinct countequal countif countmerge countstate covarpop covarsamp curdate current_(account
datetime region session statement timezone version warehouse) curtime cuttofirstsignificantsubdomain cvt database databasepropertyex databases date_(bucket ceil floor from_parts from_unix from_unix_date name parse to_unix) datefromparts
datename daterange dateserial datesub datetime_(add diff sub trunc) datetimefromparts datetrunc day_of_(month week year) dayname dayofmonth dayofyear days_between db_(id name) degrees diameter dictget dictget_or_null dictgetordefault
dictgetstring div div0 dm_exec_sql_text domainwithoutwww editdistance elt empty_approx_set encode endswith eomonth epoch equal_null error_(message number) estimate_count explode explode_outer extract_json extractall extractgroups
extracturlparameter factorial farm_fingerprint fdiv field filter first_day flatten fn_(listextendedproperty varbintohexstr) forall format format_(date datetime number time timestamp) formatdatetime formatmessage formatreadablequantity
formatreadablesize formatreadabletimedelta frexp from_(base64url big_endian_64 iso8601 iso8601_date iso8601_timestamp utc_timestamp utf8) fromunixtimestamp fromunixtimestamp64milli gamma gcd generate_(array date_array timestamp_array uuid)
generator get_(ddl json_array json_object path) getutcdate getvariable great_circle_distance greatest_ignore_nulls grouparray grouparraydistinct grouparrayif grouparraymovingavg grouparraysorted groupbitand groupbitor groupbitxor
groupuniqarray halfmd5 has_perms_by_name hasall hasany hashbytes haversine height hex hex_(decode_string encode) highlight hll_count hmac_(md5 sha1 sha256) host host_(id name) hours human_readable_seconds hypot iff ifnull iif index_col
indexof indexproperty inline inline_outer input_file_(block_start name) intdiv intdivorzero inverse_normal_cdf ipv4numtostring ipv4stringtonum ipv6numtostring is_(json member null_value numeric srvrolemember) isdate isempty isjson isnan
isnotnull isnumeric iso_week isodate jarowinkler_similarity json_(array_contains array_get extract_array extract_scalar extract_string_array format modify object_values query_array tuple value_array) jsonextract jsonextractarrayraw
jsonextractbool jsonextractfloat jsonextractint jsonextractkeysandvalues jsonextractraw jsonextractstring jsonhas jsonlength jsontype julian_day julianday keys_new_keyset lagiframe laginframe last_(day_of_month query_id) lcase lcm
leadinframe left length_utf8 lengthutf8 levenshtein_distance like likelihood line list list_agg locate logb logical_(and or) lowerutf8 lpad_bytes lseg makedate maketime map_(agg filter from_arrays union union_sum zip_with) mapcontains
mapkeys mapvalues mask masklen matchany matchinfo maxif maxmap md5_hex microsecond mid milliseconds_to_timestamp minif minmap modulo monotonically_increasing_id monthname multiif multimap_agg multisearchany murmurhash3_64 named_struct
neighbor net_host newid nextafter ngramdistance none_match normal normal_cdf normalize normalize_and_casefold now null_if_empty nullifzero numeric_histogram numnode numrange object_(agg construct construct_keep_null id keys name schema_name)
objectproperty offsets optimize_hint ord parse_(date datetime duration json time timestamp url) parsedatetimebesteffort parsedatetimebesteffortornull parsename patindex percentage percentile_approx pi plainto posexplode
positioncaseinsensitive positions positionutf8 pow previous_day printf qdigest_agg quantile quantilebfloat16 quantiledeterministic quantileexact quantileexactweighted quantileif quantilesexact quantilestdigest quantilestiming quantiletdigest
quantiletiming querytree quote quotename radians rand rand_cat randn random_uuid randomblob randstr range_bucket ranking reduce regexp_(contains position split) replaceall replaceone replaceregexpall replaceregexpone result_scan retention
reverseutf8 right rlike round_half_even rownumberinallblocks rownumberinblock rtreecheck rtreedepth rtreenode runningaccumulate runningdifference safe_(add cast convert_bytes_to_string divide multiply negate offset ordinal subtract) schema
schema_name schemas scope_identity seconds seq1 seq2 seq4 seq8 sequence sequencecount sequencematch serverproperty session_(context window) set_intersect setweight sha1_hex sha2_hex shift_(left right) shiftleft shiftright signum
simplejsonextractint simplejsonextractstring simplelinearregression sind siphash64 size slice snippet sort_array soundex_match space_used spark_partition_id split split_to_(map multimap table) splitbychar splitbyregexp splitbystring
sql_variant_property stack std stddevpop stddevsamp stdevp str str_to_map strcat strcmp strftime string_(concat escape to_json) strip strip_null_value strlen strpos strptime stuff subdate substr_count substring substrings substringutf8
subtime subtractdays subtracthours subtractmonths subtype sumarray sumif summap summerge sumstate sumwithoverflow suser_(name sname) switch switchoffset sysdatetimeoffset sysutcdatetime tand tdigest_agg time_(diff from_parts slice sub trunc)
timediff timefromparts timestamp_(add diff from_parts micros millis seconds sub trunc) timestampadd timestampdiff timezone to_(array base64url big_endian_64 decimal double geography iso8601 json_string numeric object spherical_geography time
timestamp_ltz timestamp_ntz unix_timestamp unixtime utc_timestamp utf8 uuid varchar variant xml) todate todate32 todatetime todatetime64 todayofmonth todayofweek todayofyear todecimal32 todecimal64 tofixedstring tofloat32 tofloat64
tofloat64ornull tofloat64orzero tohour toint16 toint32 toint32ornull toint32orzero toint64 toint64ornull toint64orzero toint8 tointervalday tointervalhour tointervalmonth tominute tomonday tomonth tonullable topk topkweighted toplevel
toquarter tosecond tostartofday tostartoffifteenminutes tostartoffiveminutes tostartofhour tostartofinterval tostartofminute tostartofmonth tostartofquarter tostartofsecond tostartofweek tostartofyear tostring total totimezone totypename
touint16 touint32 touint64 touint8 tounixtimestamp touuid toyear toyyyymm toyyyymmdd toyyyymmddhhmmss transform transform_(keys values) transformstrict trim_null trimboth trimleft trimright truncate try_(base64_decode_string convert parse
parse_json) try_to_(binary boolean date decimal double number numeric time timestamp) tsrange tstzrange tupleelement type type_name typeof typeproperty ucase uint unbase64 uncompress unhex unicode uniform uniq uniqcombined uniqcombined64
uniqexact uniqexactif uniqhll12 uniqif uniqmerge uniqstate uniqtheta uniqueidentifier unix_(date micros millis seconds) unixepoch unlikely unpivot_value unsafe_cast untuple upperutf8 url_extract_(fragment host parameter path port protocol
query) urlhash user_name uuid_string value_at_quantile values_at_quantiles variance_(pop samp) varp varpop varsamp version visitparamextractstring weekday weekiso weekofyear weeks width wilson_interval_(lower upper) window windowfunnel
with_timezone word_stem xpath xxhash32 xxhash64 year_of_week yearofweekiso years yearweek zeroblob zeroifnull zip_with zipf zscore
  `,
};
