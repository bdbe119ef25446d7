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
