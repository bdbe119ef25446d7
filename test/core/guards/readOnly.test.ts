import { describe, expect, test } from "vitest";
import { createReadFacets } from "../../../src/agents/toolFacts";
import type { Args } from "../../../src/core/call";
import { contextOf } from "../../../src/core/evaluate";
import { readOnly } from "../../../src/core/guards/readOnly";
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
