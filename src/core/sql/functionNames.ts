/** Names that always ask, and words before a bracket that are no function, in whatever dialect. Knows no place in a statement. */
import { setOf } from "./wordList";

/** Known to write, run, wait or reach outside the database, in whatever dialect. */
const ACTING = setOf(`
  set_config setval dblink query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml table_to_xml
  schema_to_xml database_to_xml ts_stat ts_rewrite load_extension writefile readfile edit load_file sleep benchmark get_lock
  release_lock release_all_locks master_pos_wait source_pos_wait openquery openrowset opendatasource external_query query
  query_table fts3_tokenizer fsdir zipfile sqlar_compress exec_sql sys_exec sys_eval sys_get sys_set httpuritype
  xmltype import_foreign_schema crosstab crosstabn connectby has_updated eval lsmode sha3_query dbms_output
  remote remotesecure url file s3 getfile shell http_get http_post http http_put http_delete http_patch aws_lambda lambda_sync
  lambda_async txid_current_set pglogical_create binary_upgrade amcheck nextval_all
  postgres_execute postgres_query mysql_execute mysql_query mssql_exec mssql_query
  reflect java_method try_reflect http_request executable
  checkpoint force_checkpoint copy_database import_database enable_logging disable_logging truncate_duckdb_logs write_log
  sleep_ms json_execute_serialized_sql lowrite loread optimize
  sqlite_compileoption_set sqlite_rename_table sqlite_rename_column sqlite_add_constraint sqlite_drop_column
`);
const ACTING_PREFIX =
  /^(?:dblink_|lo_|pg_terminate|pg_cancel|pg_read|pg_write|pg_ls_|pg_stat_reset|pg_sleep|pg_advisory|pg_try_advisory|pg_file_|pg_reload|pg_rotate|pg_create|pg_drop|pg_replication|pg_logical|pg_switch|pg_promote|pg_import|pg_notify|xp_|sp_|system\$|dbms_|utl_|owa_|ctx_|apex_)/;

/** `name` in lower case; such a call is asked for wherever it stands and however it is quoted. */
export function isDenied(name: string): boolean {
  return ACTING.has(name) || ACTING_PREFIX.test(name);
}

/** Words before a bracket that are no function: clauses, operators and types. */
export const KEYWORDS = setOf(`
  and or not in any all some exists where on as from select values value by having when then else case union except
  intersect minus join using over filter within partition table key primary unique check foreign default index like ilike
  similar to between is limit offset top distinct into set lateral rollup cube sets grouping array row rows struct map
  interval returning window with option tablesample bernoulli pivot unpivot match_recognize qualify generated always
  identity enum conflict against match apply order group ignore nothing only returning fetch next first recursive constraint
  include columns buckets range list hash than partitions subpartition clustered references end return returns tables
  exclude replace rename use force storing options fields separator nulls measures pattern dimension rules tuple
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
