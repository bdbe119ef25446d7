/** Programs of the database servers themselves that drop, empty or replace data, as data. Judges nothing. */
import { type DatabaseTool, REPLACES, RESETS, toolRow } from "./databaseTool";

export const SERVER_TOOLS: readonly DatabaseTool[] = [
  toolRow("dropdb", [".+"], { does: { sql: 'DROP DATABASE "%"' }, dialect: "postgres" }),
  toolRow("dropuser", [".+"], { does: { sql: 'DROP USER "%"' }, dialect: "postgres" }),
  toolRow("mysqladmin|mariadb-admin", ["drop"], { does: { sql: 'DROP DATABASE "%"' } }),
  toolRow("pg_restore", ["--clean", "-[aCeIOsvxn1]*c.*"], {
    does: REPLACES,
    dialect: "postgres",
    unless: /^(?:-l|--list)$/,
  }),
  toolRow("pg_dropcluster|pg_resetwal", [".+"], { does: RESETS, dialect: "postgres" }),
  toolRow("mysqlimport|mariadb-import", ["--delete", "--replace", "-[dr]"], { does: REPLACES }),
  toolRow(
    "sqlite-utils",
    ["drop-table", "drop-view", "delete", "transform", "insert --replace", "insert --truncate"],
    {
      does: REPLACES,
      dialect: "sqlite",
    },
  ),
  toolRow("sqlpackage", ["[-/]a(?:ction)?:(?:publish|import)"], { does: REPLACES, dialect: "tsql" }),
  toolRow("redis-cli|valkey-cli|keydb-cli", ["flushall", "flushdb"], { does: RESETS }),
  toolRow("mongorestore", ["--drop"], { does: REPLACES, unless: /^--dryRun$/i }),
  toolRow("mongoimport", ["--drop"], { does: REPLACES }),
  toolRow("influx", ["delete", "bucket delete", "org delete"], { does: REPLACES }),
  toolRow("etcdctl", ["del"], { does: REPLACES }),
  toolRow("dolt", ["reset --hard", "table rm", "branch -D"], { does: REPLACES }),
  toolRow("edgedb|gel", ["database (?:drop|wipe)", "branch (?:drop|wipe)", "instance destroy"], {
    does: RESETS,
  }),
];
