/** Which public packages hold SQL texts, and which of their files. Knows neither how they come nor how they are read. */

/** @type {readonly import("./debian.mjs").Package[]} */
export const PACKAGES = [
  {
    name: "postgresql-15",
    kind: "source",
    members: [
      "src/test/regress/sql/*.sql",
      "contrib/*/sql/*.sql",
      "src/pl/*/sql/*.sql",
      "src/include/catalog/pg_proc.dat",
    ],
  },
  { name: "sqlite3", kind: "source", members: ["test/*.test"] },
  {
    name: "mariadb-test-data",
    kind: "binary",
    members: ["mysql-test/main/*.test", "mysql-test/include/dbt3_s001.inc"],
  },
  {
    name: "sqlmap",
    kind: "binary",
    members: ["data/xml/queries.xml", "data/xml/payloads/*.xml", "data/procs/*"],
  },
  { name: "freeradius", kind: "source", members: ["raddb/mods-config/sql/*"] },
  { name: "libquartz2-java", kind: "source", members: ["jdbcjobstore/tables_*.sql"] },
  {
    name: "python-oracledb",
    kind: "source",
    members: ["tests/*.py", "tests/sql/*", "samples/*.py", "samples/sql/*"],
  },
  { name: "golang-github-denisenkom-go-mssqldb", kind: "source", members: ["*_test.go"] },
];
