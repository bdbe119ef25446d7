/** Says of which databases the second parser is their own, so that its refusal means that they would refuse too. Knows no parser. */

/**
 * PostgreSQL and what is PostgreSQL with extensions, and SQLite. Not here, though their texts are read by the same rules,
 * because they take more than the parser knows: CockroachDB (UPSERT, AS OF SYSTEM TIME, a grammar of its own), YugabyteDB
 * (SPLIT INTO, HASH keys), Greenplum (DISTRIBUTED BY), Redshift (DISTKEY, UNLOAD), libSQL and Turso (ALTER COLUMN, vectors).
 * DuckDB has no second parser at all. MySQL, MariaDB and the others have one that is nobody's own.
 */
const EXACT: ReadonlySet<string> = new Set([
  "postgres",
  "postgresql",
  "pg",
  "psql",
  "postgis",
  "timescaledb",
  "sqlite",
  "sqlite3",
]);

/** `dialect` as a person, a URL or a client's name has it, in any case. */
export function hasExactParser(dialect: string): boolean {
  return EXACT.has(dialect.trim().toLowerCase());
}

const COUSIN_PORTS: Readonly<Record<string, string>> = { "26257": "cockroachdb", "5439": "redshift" };
const COUSIN_HOSTS: readonly (readonly [RegExp, string])[] = [
  [/\.cockroachlabs\.cloud$/i, "cockroachdb"],
  [/\.yugabyte\.cloud$/i, "yugabyte"],
  [/\.redshift(?:-serverless)?\.amazonaws\.com(?:\.cn)?$/i, "redshift"],
];

/** Databases that are reached by a PostgreSQL URL and speak more than PostgreSQL: by their hosts and their own ports. */
export function postgresCousin(url: string): string | undefined {
  const parsed = URL_PARTS.exec(url);
  if (parsed === null) return undefined;
  const { host = "", port = "" } = parsed.groups ?? {};
  return COUSIN_HOSTS.find(([form]) => form.test(host))?.[1] ?? own(port);
}

function own(port: string): string | undefined {
  return Object.hasOwn(COUSIN_PORTS, port) ? COUSIN_PORTS[port] : undefined;
}

/** The core has no URL of the platform. The last `@` ends user and password. */
const URL_PARTS =
  /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?(?<host>\[[^\]]*\]|[^:/?#@]*)(?::(?<port>\d+))?(?:[,/?#]|$)/i;
