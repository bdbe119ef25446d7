/** What a person reads about SQL: nothing hidden, nothing cut away that does the harm, and what it is by name. */
import { describe, expect, test } from "vitest";
import { decisionOf } from "../shell/sqlDecision";

const promptOf = async (sql: string): Promise<string> => {
  const decision = await decisionOf("db_query_sql", { sql }, { dialect: "postgres" });
  return decision.kind === "ask"
    ? decision.prompt
    : decision.kind === "deny"
      ? `denied: ${decision.reason}`
      : "allowed";
};
const commandPrompt = async (command: string): Promise<string> => {
  const decision = await decisionOf("run_in_terminal", { command });
  return decision.kind === "ask" ? decision.prompt : decision.kind;
};

describe("characters that hide or reorder are shown as what they are", () => {
  test.each([
    ['DROP TABLE "us\u202eers"', 'DROP TABLE "us\\u{202E}ers"'],
    ['DROP TABLE "a\u0007b"', 'DROP TABLE "a\\u{0007}b"'],
    ["DELETE FROM t WHERE a = '\u200b'", "DELETE from t WHERE a = '\\u{200B}'"],
    ["DELETE FROM t WHERE a = 'x\u2028y'", "DELETE from t WHERE a = 'x y'"],
    ["DELETE FROM t WHERE a = 'x\r\n\r\ny'", "DELETE from t WHERE a = 'x y'"],
    ["DELETE FROM t WHERE a = '\u2066x\u2069'", "DELETE from t WHERE a = '\\u{2066}x\\u{2069}'"],
  ])("%j", async (sql, prompt) => expect(await promptOf(sql)).toBe(prompt));

  test("in a denial too", async () => {
    const denied = await promptOf("please \u202e drop");
    expect(denied).toContain("\\u{202E}");
    expect(denied).not.toMatch(/[\u202a-\u202e]/);
  });
});

describe("the dangerous part of a long text stays in sight", () => {
  const pad = "'x', ".repeat(2000);
  test.each([
    [`SELECT ${pad}1; DROP TABLE users`, "Statement 2 of 2: DROP TABLE users"],
    [`WITH a AS (SELECT ${pad}1) DELETE FROM users`, "DELETE from users — ALL ROWS (no WHERE)"],
    [`WITH d AS (DELETE FROM users RETURNING ${pad}1) SELECT 1`, "DELETE from users — ALL ROWS (no WHERE)"],
    [
      `INSERT INTO t VALUES ${"(1),".repeat(3000)}(2); TRUNCATE users`,
      "Statement 2 of 2: TRUNCATE users — ALL ROWS",
    ],
  ])("%#", async (sql, prompt) => expect(await promptOf(sql)).toBe(prompt));

  test("of details, both ends are kept", async () => {
    const list = Array.from({ length: 3000 }, (_, i) => i).join(", ");
    const decision = await decisionOf("db_query_sql", { sql: `DELETE FROM t WHERE a IN (${list}) OR 1=1` });
    expect(decision).toMatchObject({
      kind: "ask",
      details: { op: "DELETE", kind: "ROWS", tables: ["t"], has_where: true, rule: "verb" },
    });
    const sql = String(decision.kind === "ask" ? decision.details?.sql : "");
    expect(sql.length).toBeLessThanOrEqual(4000);
    expect(sql).toMatch(/^DELETE FROM t WHERE[\s\S]* … [\s\S]*OR 1=1$/);
  });

  test("of a command, both ends are kept", async () => {
    const prompt = await commandPrompt(`psql -v a=${"x".repeat(900)} -f drop-everything.sql`);
    expect(prompt).toMatch(
      /^psql: The SQL is in a file and cannot be seen: psql -v .* … .*-f drop-everything\.sql$/,
    );
  });
});

test("a tool that needs no SQL is told by its rule", async () => {
  expect(await decisionOf("run_in_terminal", { command: "rails db:drop" })).toMatchObject({
    kind: "ask",
    details: { op: "TOOL", rule: "database_tool", client: "rails", sql: "rails db:drop" },
  });
  expect(await decisionOf("run_in_terminal", { command: "psql -f x.sql" })).toMatchObject({
    details: { op: "UNKNOWN", rule: "unreadable" },
  });
});

describe("said so that a person knows what happens", () => {
  test.each([
    [
      "COPY t FROM '/x'",
      "COPY t FROM '/x' — COPY moves rows between tables and files or programs of the server",
    ],
    ["ATTACH 'x' AS y", "ATTACH 'x' AS y — ATTACH opens another database, and makes it if it is not there"],
    ["VACUUM FULL", "VACUUM FULL — VACUUM rewrites what is stored and may lock it meanwhile"],
    [
      "SELECT 1 /*! ; DELETE FROM t */",
      "Executable comment: servers read this text differently: SELECT 1 /*! ; DELETE FROM t */",
    ],
  ])("%s", async (sql, prompt) => expect(await promptOf(sql)).toBe(prompt));

  test.each([
    ["psql -c 'DROP TABLE users'", "psql: DROP TABLE users"],
    ["psql -f x.sql", "psql: The SQL is in a file and cannot be seen: psql -f x.sql"],
    [
      "npx prisma migrate reset --force",
      "prisma: This empties or drops a whole database: npx prisma migrate reset --force",
    ],
    [
      "mongosh --eval 'db.users.drop()'",
      "mongosh: The code removes or changes rows, tables or databases by db.users.drop: mongosh --eval 'db.users.drop()'",
    ],
    [`python3 -c 'c.execute("DELETE FROM users")'`, "python3: DELETE from users — ALL ROWS (no WHERE)"],
    [
      "psql -c 'DELETE FROM a' && psql -f y.sql",
      "psql: DELETE from a — ALL ROWS (no WHERE); also the SQL is in a file and cannot be seen: psql -f y.sql",
    ],
  ])("%s", async (command, prompt) => expect(await commandPrompt(command)).toBe(prompt));
});

describe("every row that is reached is named, and none that is not", () => {
  const inDialect = async (dialect: string, sql: string): Promise<string> => {
    const decision = await decisionOf("db_query_sql", { sql }, { dialect });
    return decision.kind === "ask" ? decision.prompt : decision.kind;
  };
  test.each([
    ["tsql", "DELETE TOP (10) FROM t", "DELETE TOP (10) FROM t — whichever they are (no WHERE)"],
    ["tsql", "DELETE TOP (10) FROM t WHERE a=1", "DELETE TOP (10) FROM t WHERE a=1"],
    ["tsql", "UPDATE TOP (5) t SET a=1", "UPDATE TOP (5) t SET a=1 — whichever they are (no WHERE)"],
    ["tsql", "DELETE FROM [top] WHERE a=1", "DELETE from [top] WHERE a=1"],
    ["oracle", "FLASHBACK TABLE t TO BEFORE DROP", "FLASHBACK TABLE t TO BEFORE DROP"],
    [
      "postgres",
      "EXPLAIN (VERBOSE) UPDATE t SET a=1",
      "EXPLAIN (VERBOSE) of UPDATE t SET a=1 — ALL ROWS (no WHERE)",
    ],
    [
      "postgres",
      "EXPLAIN ANALYZE DELETE FROM t WHERE a=1",
      "EXPLAIN ANALYZE of DELETE from t WHERE a=1, which ANALYZE runs",
    ],
    [
      "sqlite",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END",
      "Statement 1 of 2: CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE from b — ALL ROWS (no WHERE)",
    ],
    [
      "tsql",
      "TRUNCATE TABLE t WITH (PARTITIONS (2))",
      "TRUNCATE TABLE t WITH (PARTITIONS (2)) — all rows of these partitions",
    ],
    ["tsql", "TRUNCATE TABLE partitions", "TRUNCATE partitions — ALL ROWS"],
    [
      "mysql",
      "DELETE FROM t PARTITION (p0)",
      "DELETE from t PARTITION (p0) — ALL ROWS of that partition (no WHERE)",
    ],
    ["mysql", "DELETE FROM t ORDER BY id LIMIT 10", "DELETE from t — ORDER BY id LIMIT 10 (no WHERE)"],
    ["mysql", "DELETE FROM t LIMIT 10", "DELETE from t — LIMIT 10, whichever they are (no WHERE)"],
    ["mysql", "DELETE FROM t ORDER BY id", "DELETE from t — ALL ROWS (no WHERE)"],
    [
      "postgres",
      "DELETE FROM t USING (SELECT id FROM u LIMIT 3) x",
      "DELETE from t USING (SELECT id FROM u LIMIT 3) x — ALL ROWS that the other table matches (no WHERE)",
    ],
    [
      "mysql",
      "UPDATE a JOIN b ON a.id=b.id SET a.x=1 WHERE b.y=2",
      "UPDATE a JOIN b ON a.id=b.id SET a.x=1 WHERE b.y=2",
    ],
    ["postgres", "DELETE FROM a USING b WHERE a.id=b.id", "DELETE from a USING b WHERE a.id=b.id"],
    [
      "tsql",
      "WITH c AS (SELECT * FROM t) DELETE FROM c",
      "DELETE from c, that is (SELECT * FROM t) — ALL ROWS of that (no WHERE)",
    ],
    [
      "postgres",
      "WITH c AS (SELECT id FROM t) DELETE FROM u WHERE id IN (SELECT id FROM c)",
      "DELETE from u WHERE id IN (SELECT id FROM c)",
    ],
  ])("%s: %s", async (dialect, sql, prompt) => expect(await inDialect(dialect, sql)).toBe(prompt));

  test.each([
    ["LOAD DATA INFILE '/x.csv' INTO TABLE t", "LOAD writes the rows of a file into a table"],
    ["VACUUM INTO 'x.db'", "VACUUM INTO writes a copy of the whole database to a file"],
    ["COPY INTO t FROM @stage", "COPY INTO moves rows between a table and stored files"],
    ["SELECT a INTO b FROM c", "SELECT .. INTO writes a table, a variable or a file"],
    ["SHUTDOWN", "SHUTDOWN stops the server"],
    ["DETACH TABLE t", "DETACH takes the object out of the server's sight until it is attached again"],
    ["DETACH DATABASE x", "DETACH closes a database of this session"],
    ["RENAME TABLE a TO b", "RENAME gives an object another name; whatever uses the old one fails"],
    ["DO $$ BEGIN DELETE FROM t; END $$", "DO runs code, which is not judged"],
    ["RESTORE TABLE t TO VERSION AS OF 1", "RESTORE replaces what is there with an earlier state"],
  ])("why: %s", async (sql, why) => expect(await promptOf(sql)).toBe(`${sql} — ${why}`));
});

describe("a client's own command is told by what it does", () => {
  const SAID = "A command of the client";
  test.each([
    [
      "sqlite3 a.db '.restore old.db'",
      `sqlite3: ${SAID} replaces the whole database with that of another file: .restore old.db`,
    ],
    [
      "sqlite3 a.db '.read x.sql'",
      `sqlite3: ${SAID} runs the SQL of a file, which cannot be seen: .read x.sql`,
    ],
    ["sqlite3 a.db '.once out.csv'", `sqlite3: ${SAID} writes to a file, over what is there: .once out.csv`],
    [
      "psql -c '\\lo_unlink 12'",
      `psql: ${SAID} removes a large object of the database for good: \\lo_unlink 12`,
    ],
    ["psql -c '\\! ls'", `psql: ${SAID} runs a program of this machine: \\! ls`],
    ["psql -c '\\unheard of'", `psql: ${SAID} itself may run a program or read a file: \\unheard of`],
    ["psql <<'E'\nselect 1 \\watch 1\nE", `psql: ${SAID} sends the statement again and again: \\watch 1`],
    ["mysql -e 'source x.sql'", `mysql: ${SAID} runs the SQL of a file, which cannot be seen: source x.sql`],
    [
      "psql <<'E'\ndelete from t where a=1 \\gexec\nE",
      `psql: ${SAID} runs every value that the query returns as SQL of its own: \\gexec; also DELETE from t where a=1`,
    ],
    [
      "clickhouse-client -q 'frobnicate'",
      "clickhouse-client: This is a statement of ClickHouse alone, which is not read: frobnicate",
    ],
  ])("%s", async (command, prompt) => expect(await commandPrompt(command)).toBe(prompt));
});
