/** Which dialects a text is judged under: what the agent names may add a reading and takes none away. */
import { expect, test } from "vitest";
import { readFacets } from "../../../src/agents/toolFacts";
import { destructiveSql } from "../../../src/core/guards/destructiveSql";
import { sqlTexts } from "../../../src/core/guards/sqlTexts";
import { callOn, LINUX } from "./worlds";

const HIDDEN_WRITE = "SELECT 1 /*!50000 INTO OUTFILE 0x61 */";

const dialects = (
  toolName: string,
  args: Record<string, unknown>,
  options: { configuredDialect?: string; urlDialect?: string },
): readonly string[] => {
  const call = callOn(LINUX, toolName, { sql: "SELECT 1", ...args });
  return sqlTexts({ facets: readFacets, ...options }, call)[0]?.dialects ?? [];
};

test.each([
  ["db_query_sql", { dialect: "postgres" }, { urlDialect: "mysql" }, ["mysql", "postgres"]],
  ["db_query_sql", { dialect: "postgres" }, { configuredDialect: "mysql" }, ["mysql", "postgres"]],
  ["db_query_sql", { dialect: "mysql" }, { urlDialect: "mysql" }, ["mysql"]],
  ["db_query_sql", { dialect: "klingon" }, { urlDialect: "mysql" }, ["mysql", "klingon"]],
  ["db_query_sql", { dialect: "postgres" }, {}, ["postgres", "unknown"]],
  ["db_query_sql", {}, { urlDialect: "mysql" }, ["mysql"]],
  ["db_query_sql", {}, {}, []],
  ["mcp_x_run", { dialect: "postgres" }, {}, ["postgres", "unknown"]],
  // Another server's database has a URL of its own.
  ["mcp_x_run", {}, { urlDialect: "mysql" }, []],
])("%s %j with %j", (tool, args, options, expected) =>
  expect(dialects(tool, args, options)).toEqual(expected),
);

test.each(["postgres", "sqlite", "klingon", "mysql"])(
  "a dialect of %s hides nothing from MySQL",
  async (dialect) => {
    const hook = destructiveSql({
      facets: readFacets,
      onUnparseable: "deny",
      onUnverified: "allow",
      confirmArg: "confirm_destructive",
      urlDialect: "mysql",
    });
    const call = callOn(LINUX, "db_query_sql", { sql: HIDDEN_WRITE, dialect });
    const ctx = { sessionId: "s", profile: "default", traceId: "t", extra: call.extra, call };
    const decided = await hook.preToolUse?.(ctx, call.toolName, call.input);
    expect(["ask", "deny"]).toContain(decided?.kind);
  },
);

test("deep and long arguments are walked in linear time and depth", () => {
  const nested = (depth: number): unknown => {
    let value: unknown = "DELETE FROM t";
    for (let at = 0; at < depth; at++) value = at % 2 === 0 ? { sql: value } : [value];
    return value;
  };
  const found = (args: Record<string, unknown>): string[] =>
    readFacets({ toolName: "mcp_x_run", canonicalName: "mcp__x__run", extra: {} }, args).sql.map(
      ({ text }) => text,
    );
  expect(found({ a: nested(3_000) })).toContain("DELETE FROM t");
  expect(found({ a: JSON.stringify({ pad: "x".repeat(500_000), sql: "DELETE FROM t" }) })).toContain(
    "DELETE FROM t",
  );
});
