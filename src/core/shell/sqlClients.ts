/** The database clients as data: where each takes SQL from. Knows no shell and judges no SQL. */
import { client, type Parts, type SqlClient } from "./sqlClient";

const PSQL = client("postgres", {
  sql: "-c --command",
  file: "-f --file",
  valued:
    "-d --dbname -h --host -p --port -U --username -F --field-separator -R --record-separator -v --set --variable -P --pset -T --table-attr -L --log-file -o --output",
  meta: "psql",
});
const MYSQL: Parts = {
  swallows: "p",
  sql: "-e --execute",
  startup: "--init-command --init-command-add",
  valued:
    "-u --user -h --host -P --port -S --socket -D --database --protocol --default-character-set --defaults-file --defaults-extra-file --delimiter --prompt --ssl-ca --ssl-mode",
  meta: "mysql",
};
const SQLITE: Parts = {
  startup: "-cmd --cmd",
  file: "-init --init",
  valued: "-separator -nullvalue -newline -vfs -mmap -maxsize --separator --nullvalue --newline --vfs",
  words: "sql",
  meta: "dot",
};
const SQLCMD = client("tsql", {
  sql: "-Q --query",
  startup: "-q --initial-query",
  file: "-i --input-file",
  valued: "-S -d -U -P -o -s -w -h -t -l -v -y -Y -K -a -H -m -c -V --server",
  meta: "sqlcmd",
});
const CLICKHOUSE = client("unknown", {
  sql: "-q --query",
  file: "--queries-file",
  valued: "-h --host -u --user -d --database --password --port",
});

export const SQL_CLIENTS: Readonly<Record<string, SqlClient>> = {
  psql: PSQL,
  pgcli: client("postgres", {
    valued: "-h -p -U -u -d -D --dbname --host --port --user",
    readsStdin: true,
    meta: "psql",
  }),
  cockroach: client("postgres", {
    verbs: ["sql"],
    sql: "-e --execute",
    file: "-f --file",
    valued: "--host --url --database -d -u --user",
  }),
  mysql: client("mysql", MYSQL),
  mariadb: client("mariadb", MYSQL),
  mycli: client("mysql", MYSQL),
  mysqlsh: client("mysql", { ...MYSQL, file: "-f --file" }),
  sqlite3: client("sqlite", SQLITE),
  sqlite: client("sqlite", SQLITE),
  "sqlite-utils": client("sqlite", {
    verbs: ["query"],
    words: "sql",
    readsStdin: false,
    valued: "-p --param --attach",
  }),
  litecli: client("sqlite", { sql: "-e --execute", meta: "dot" }),
  duckdb: client("duckdb", {
    ...SQLITE,
    sql: "-c -s -command",
    startup: "-cmd --cmd",
    file: "-f -init --init",
    valued: "-separator -nullvalue -newline",
    words: "sql",
    meta: "dot",
  }),
  sqlcmd: SQLCMD,
  osql: SQLCMD,
  "mssql-cli": SQLCMD,
  isql: client("unknown", {}),
  "invoke-sqlcmd": client("tsql", {
    sql: "-query -q",
    file: "-inputfile",
    valued: "-serverinstance -database -username -password -connectionstring",
    readsStdin: false,
    meta: "sqlcmd",
  }),
  bq: client("bigquery", {
    verbs: ["query"],
    words: "firstSql",
    valued: "-n --max_rows --format --project_id --location --destination_table --parameter",
  }),
  snowsql: client("snowflake", {
    sql: "-q --query",
    file: "-f --filename",
    valued:
      "-a -u -d -s -w -r -c -o -D -h -p --accountname --username --dbname --schemaname --warehouse --rolename --connection --option --variable",
  }),
  snow: client("snowflake", {
    verbs: ["sql"],
    sql: "-q --query",
    file: "-f --filename",
    valued: "-c --connection --database --schema --role --warehouse --format -D --variable",
  }),
  sqlplus: client("oracle", { valued: "-L -M -R -C", meta: "sqlplus" }),
  sql: client("oracle", { valued: "", meta: "sqlplus" }),
  "clickhouse-client": CLICKHOUSE,
  "clickhouse-local": CLICKHOUSE,
  clickhouse: CLICKHOUSE,
  "impala-shell": client("databricks", { sql: "-q --query", file: "-f --query_file", valued: "-i -d" }),
  dolt: client("mysql", { verbs: ["sql"], sql: "-q --query", file: "-f --file" }),
  vsql: PSQL,
  ysqlsh: PSQL,
  aws: client("unknown", {
    verbs: ["execute-statement|batch-execute-statement|start-query-execution"],
    sql: "--sql --sqls --query-string --statement",
    valued:
      "--database --cluster-identifier --workgroup-name --work-group --secret-arn --resource-arn --region --profile",
    words: "firstSql",
    readsStdin: false,
  }),
  gcloud: client("unknown", {
    verbs: ["execute-sql|ddl"],
    sql: "--sql --ddl",
    file: "--ddl-file",
    valued: "--instance --project --database",
    readsStdin: false,
  }),
  cqlsh: client("unknown", {
    sql: "-e --execute",
    file: "-f --file",
    valued: "-u -p -k --username --password --keyspace",
  }),
  influx: client("unknown", {
    sql: "-execute --execute",
    valued: "-database -host -port -username -password",
    readsStdin: false,
    meta: "dot",
  }),
  datasette: client("sqlite", { verbs: ["query"], words: "sql", readsStdin: false }),
  supabase: client("postgres", {
    verbs: ["db", "query|execute"],
    words: "firstSql",
    file: "-f --file",
    valued: "--db-url -p --password --workdir",
    readsStdin: false,
  }),
  wp: client("mysql", { verbs: ["db", "query|cli"], words: "firstSql", meta: "mysql" }),
  drush: client("mysql", {
    verbs: ["sqlq|sql:query|sql-query|sqlc|sql:cli|sql-cli"],
    words: "firstSql",
    file: "--file",
    meta: "mysql",
  }),
  rails: client("unknown", { verbs: ["dbconsole|db"], valued: "-e --environment --db" }),
  "manage.py": client("unknown", { verbs: ["dbshell"], sql: "-c", valued: "--database" }),
  python: client("unknown", { verbs: ["dbshell"], sql: "-c", valued: "--database" }),
  python3: client("unknown", { verbs: ["dbshell"], sql: "-c", valued: "--database" }),
  fly: client("postgres", {
    verbs: ["postgres|pg|mpg", "connect"],
    valued: "-a --app -d --database -u --user",
  }),
  flyctl: client("postgres", {
    verbs: ["postgres|pg|mpg", "connect"],
    valued: "-a --app -d --database -u --user",
  }),
  railway: client("unknown", { verbs: ["connect"] }),
  "invoke-sqlitequery": client("sqlite", {
    sql: "-query -q",
    file: "-inputfile",
    valued: "-datasource -sqliteconnection",
    readsStdin: false,
  }),
  "invoke-dbaquery": client("tsql", {
    sql: "-query -q",
    file: "-file",
    valued: "-sqlinstance -database -sqlcredential",
    readsStdin: false,
    meta: "sqlcmd",
  }),
  "invoke-mysqlquery": client("mysql", { sql: "-query -q", valued: "-connectionname", readsStdin: false }),
  trino: client("unknown", {
    sql: "--execute",
    file: "-f --file",
    valued: "--server --catalog --schema --user",
  }),
  presto: client("unknown", {
    sql: "--execute",
    file: "-f --file",
    valued: "--server --catalog --schema --user",
  }),
  hive: client("databricks", { sql: "-e", file: "-f -i", valued: "--database --hiveconf" }),
  beeline: client("databricks", { sql: "-e", file: "-f -i", valued: "-u -n -p -d" }),
  "spark-sql": client("databricks", { sql: "-e", file: "-f -i", valued: "--master --database --conf" }),
  usql: client("unknown", {
    sql: "-c --command",
    file: "-f --file",
    valued: "-v -o --out --set",
    meta: "psql",
  }),
  wrangler: client("sqlite", {
    verbs: ["d1", "execute"],
    sql: "--command",
    file: "--file",
    valued: "--config -c --env -e",
    readsStdin: false,
  }),
  prisma: client("unknown", { verbs: ["db", "execute"], file: "--file", valued: "--url --schema" }),
  turso: client("sqlite", { verbs: ["db", "shell"], words: "sql", meta: "dot" }),
  heroku: client("postgres", {
    verbs: ["pg:psql"],
    sql: "-c --command",
    file: "-f --file",
    valued: "-a --app -r --remote",
    meta: "psql",
  }),
};
