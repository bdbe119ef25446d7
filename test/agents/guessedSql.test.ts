import { describe, expect, test } from "vitest";
import { canonicalName, readFacets } from "../../src/agents/toolFacts";

const sqlOf = (toolName: string, args: Record<string, unknown>): string[] =>
  readFacets({ toolName, canonicalName: canonicalName(toolName), extra: {} }, args).sql.map(
    (facet) => facet.text,
  );

const drop = "DROP TABLE t";

describe("SQL is found in the arguments of tools nobody knows", () => {
  test.each<[string, Record<string, unknown>]>([
    ["mcp_x_run", { sql: drop }],
    ["mcp_x_run", { SQL: drop }],
    ["mcp_x_run", { rawSql: drop }],
    ["mcp_x_run", { sql_text: drop }],
    ["mcp_x_run", { ddl: drop }],
    ["mcp_x_run", { params: { sql: drop } }],
    ["mcp_x_run", { batch: [{ statement: drop }] }],
    ["mcp_x_run", { input: { request: { query: drop } } }],
    ["mcp_x_run", { queries: [drop] }],
    ["mcp_x_run", { query: "/* hi */ DROP TABLE t" }],
    ["mcp__postgres__execute", { q: drop }],
    ["mcp_mysql_run", { text: drop }],
    ["mcp_sqlite_run", { input: drop }],
    ["mcp_db_exec", { code: drop }],
    ["mcp_supabase_apply", { body: { text: drop } }],
    ["runDatabaseScript", { expression: drop }],
    ["mcp_bigquery_job", { configuration: { job: [{ anything: drop }] } }],
  ])("%s %j", (tool, args) => expect(sqlOf(tool, args).join("\n")).toContain("DROP TABLE t"));

  test("a text of the wrong type is judged as what it prints as", () =>
    expect(sqlOf("mcp_x_run", { sql: { weird: drop } }).join()).toContain(drop));
});

describe("what people read is no SQL", () => {
  test.each<[string, Record<string, unknown>]>([
    ["mcp_github_create_issue", { title: "Drop table users from the docs", body: "Update the README" }],
    ["mcp_github_search", { query: "how do I update a table" }],
    ["mcp_notion_add", { content: "Delete from cart does not work" }],
    ["mcp_think_note", { statement: "We should refactor this first" }],
    ["mcp_slack_post", { text: "update: deployed" }],
    ["mcp_db_describe", { description: "Update prices nightly" }],
    ["mcp_files_write", { path: "a.sql", content: drop }],
    ["mcp_jira_transition", { comment: "select another sprint" }],
  ])("%s %j", (tool, args) => expect(sqlOf(tool, args)).toEqual([]));
});
