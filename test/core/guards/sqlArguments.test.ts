/** SQL in the arguments of tool servers is judged; searches, titles and other query languages are not taken for SQL. */
import { expect, test } from "vitest";
import { decisionOf } from "../shell/sqlDecision";
import { type CallRow, OTHER_CALLS, SQL_CALLS } from "./sqlArgumentRows";
import { HIDDEN_SQL_CALLS, PLAIN_CALLS } from "./sqlHiddenArgumentRows";

async function ofKind(rows: readonly CallRow[], wanted: (kind: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const [tool, args] of rows) {
    const decision = await decisionOf(tool, args);
    if (wanted(decision.kind)) found.push(`${decision.kind} ${tool} ${JSON.stringify(args)}`);
  }
  return found;
}

test("destructive SQL in arguments never passes", async () => {
  expect(SQL_CALLS.length).toBeGreaterThan(50);
  expect(await ofKind(SQL_CALLS, (kind) => kind === "allow")).toEqual([]);
});

test("searches and other query languages pass without a word", async () => {
  expect(OTHER_CALLS.length).toBeGreaterThan(70);
  expect(await ofKind(OTHER_CALLS, (kind) => kind !== "allow")).toEqual([]);
});

test("SQL that does not begin like it, or lies deep, never passes", async () => {
  expect(HIDDEN_SQL_CALLS.length).toBeGreaterThan(60);
  expect(await ofKind(HIDDEN_SQL_CALLS, (kind) => kind === "allow")).toEqual([]);
});

test("questions, values and plain templates pass without a word", async () => {
  expect(PLAIN_CALLS.length).toBeGreaterThan(20);
  expect(await ofKind(PLAIN_CALLS, (kind) => kind !== "allow")).toEqual([]);
});

test.each([
  "select {{ x() }} from t",
  "{{ drop_all() }}",
  "{% set a = run_query('drop table t') %} select 1",
])("a template that may run anything is asked about: %s", async (sql_query) => {
  const decision = await decisionOf("mcp_dbt_show", { sql_query });
  expect(decision).toMatchObject({ kind: "ask", details: { why: expect.stringContaining("template") } });
});
