import { describe, expect, test } from "vitest";
import { createReadFacets } from "../../../src/agents/toolFacts";
import type { Args } from "../../../src/core/call";
import { contextOf } from "../../../src/core/evaluate";
import { readOnly } from "../../../src/core/guards/readOnly";
import { readSql } from "../../../src/core/guards/readSql";
import { effectOf } from "../../../src/core/sql/readsOnly";
import { packVerdict, unpackVerdict } from "../../../src/node/sql/sentVerdict";
import { call } from "../fixtures";

const hook = readOnly({ facets: createReadFacets(), urlDialect: "postgres" });
async function judge(tool: string, args: Args): Promise<string | undefined> {
  const c = call(tool, args);
  const decision = await hook.preToolUse?.(contextOf(c), tool, args);
  return decision?.kind === "deny" ? decision.reason : decision?.kind;
}

describe("read_only refuses what writes, before anybody is asked", () => {
  test.each([
    ["INSERT INTO t VALUES (1)", "INSERT"],
    ["CREATE TABLE t (x int)", "CREATE"],
    ["DELETE FROM t", "DELETE"],
    ["UPDATE t SET a = 1 WHERE id = 1", "UPDATE"],
    ["SELECT 1; DROP TABLE t", "DROP"],
    ["TRUNCATE t", "TRUNCATE"],
    ["WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "DELETE"],
    ["SELECT * INTO v FROM t", "INTO"],
    ["GRANT ALL ON t TO a", "GRANT"],
    ["SET session_replication_role = replica", "SET"],
    ["EXPLAIN ANALYZE DELETE FROM t", "DELETE"],
    ["DROP DATABASE d", "DROP"],
    ["VACUUM", "VACUUM"],
  ])("%s", async (sql, verb) => {
    const reason = await judge("db_query_sql", { sql });
    expect(reason).toBe(
      `read_only is on: ${verb} writes. Nothing was changed. Only reading statements run; a person can switch chain.read_only off.`,
    );
  });

  test.each([
    "SELECT * FROM t",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "TABLE t; VALUES (1)",
    "EXPLAIN SELECT * FROM t",
    "BEGIN; SELECT 1; COMMIT",
    "SELECT 'DELETE FROM t'",
    "SELECT update_stats()",
    "SELECT * FROM t WHERE (a = 'open",
    "",
  ])("is silent: %s", async (sql) => {
    expect(await judge("db_query_sql", { sql })).toBeUndefined();
  });

  test("imports write; other tools have databases of their own", async () => {
    expect(await judge("db_import_csv", { path: "a.csv", table: "t" })).toContain("an import writes");
    expect(await judge("mcp__other__query", { sql: "DELETE FROM t" })).toBeUndefined();
    expect(await judge("kb_search", { query: "DELETE FROM t" })).toBeUndefined();
  });
});

describe("a long text is read elsewhere", () => {
  const long = (head: string) => `${head} -- ${"x".repeat(8192)}`;
  const judged = async (sql: string, answer: "read" | "late") => {
    const read: string[] = [];
    const hook = readOnly({
      facets: createReadFacets(),
      urlDialect: "postgres",
      read: async (text, dialects) => {
        read.push(text);
        return answer === "late" ? undefined : unpackVerdict(packVerdict(readSql(text, dialects)));
      },
    });
    const args = { sql };
    const decision = await hook.preToolUse?.(contextOf(call("db_query_sql", args)), "db_query_sql", args);
    return { kind: decision?.kind, read: read.length };
  };

  test.each([
    [long("DELETE FROM t"), "deny", 1],
    [long("SELECT 1; INSERT INTO t VALUES (1)"), "deny", 1],
    [long(`${"SELECT 1; ".repeat(100)}CREATE TABLE t (a int)`), "deny", 1],
    [long(`${"SELECT f(); ".repeat(100)}CREATE TABLE t (a int)`), "deny", 1],
    [long("SELECT 1"), undefined, 1],
    ["DELETE FROM t", "deny", 0],
    ["SELECT 1", undefined, 0],
    // Over the cap nothing is read, here or there.
    [`DELETE FROM t -- ${"x".repeat(262_144)}`, undefined, 0],
  ] as const)("%#", async (sql, kind, read) => {
    expect(await judged(sql, "read")).toEqual({ kind, read });
  });

  test("what is not read in time is left to the engine", async () => {
    expect(await judged(long("DELETE FROM t"), "late")).toEqual({ kind: undefined, read: 1 });
  });

  test("a text that was not read is not taken for a read", () => {
    const over = `DELETE FROM t -- ${"x".repeat(262_144)}`;
    expect(effectOf(over, ["mysql"])).toEqual({ kind: "unclear" });
    expect(effectOf("SELECT 1", ["mysql"])).toEqual({ kind: "reads" });
    expect(effectOf("", ["mysql"])).toEqual({ kind: "reads" });
  });
});
