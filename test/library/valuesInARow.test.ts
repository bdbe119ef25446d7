/** A tool that a guard knows is judged whatever way it is called in: with values in a row, or under other names. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Args } from "../../src/core/call";
import { secureTools } from "../../src/node/hookRunSecure";
import { createHooks, type Hooks } from "../../src/node/hooks";

let hooks: Hooks;

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "countersign-row-"));
  const options = {
    destructive_sql: { tools: { acme_run: "script" } },
    path_allowlist: { tools: { acme_load: "place" } },
  };
  hooks = await createHooks({ roots: [root], env: {}, config: { chain: { options } } });
});
afterAll(() => hooks.close());

async function fate(tool: string, args: readonly unknown[]): Promise<string> {
  let ran = false;
  const tools = secureTools(
    {
      [tool]: () => {
        ran = true;
      },
    },
    hooks,
  );
  const said = await tools[tool]?.(...(args as [])).then(
    () => "ran",
    () => "refused",
  );
  expect(ran).toBe(said === "ran");
  return said ?? "no tool";
}

const world = "/etc/shadow";

test.each<[tool: string, args: readonly unknown[]]>([
  ["db_query_sql", ["DROP DATABASE x"]],
  ["db_query_sql", ["main", "DROP DATABASE x"]],
  ["db_query_sql", ["SELECT 1", "DROP TABLE x"]],
  ["db_query_sql", ["sp_drop_everything", "SELECT 1"]],
  ["db_query_sql", [["DROP DATABASE x"]]],
  ["db_query_sql", [{ sql: "DROP DATABASE x" }, { timeout: 5 }]],
  ["db_query_sql", [{ query: "DROP DATABASE x" }]],
  ["db_query_sql", [{ x: "DROP DATABASE x" }]],
  ["db_query_sql", [{ sql: "SELECT 1", after: "DROP DATABASE x" }]],
  ["db_query_sql", [{ x: "the usual" }]],
  ["acme_run", ["DROP DATABASE x"]],
  ["acme_run", [{ other: "DROP DATABASE x" }]],
  ["run_in_terminal", ["dropdb prod"]],
  ["run_in_terminal", ["dropdb", "prod"]],
  ["run_in_terminal", [["dropdb", "prod"]]],
  ["run_in_terminal", ["a remark", "dropdb prod"]],
  ["run_in_terminal", [{ line: "dropdb prod" }]],
  ["run_in_terminal", [{ command: "ls", commandLine: "dropdb prod" }]],
  ["run_in_terminal", [{ action: { exec: ["dropdb", "prod"] } }]],
  ["create_and_run_task", [{ label: "t" }, { command: "dropdb prod" }]],
  ["read_file", [world]],
  ["read_file", [world, "utf8"]],
  ["read_file", [{ p: world }]],
  ["move_file", ["a", "/etc/cron.d/x"]],
  ["kb_add_file", [world]],
  ["kb_add_file", [{ what: world }]],
  ["db_import_csv", ["t", world]],
  ["acme_load", [world]],
  ["acme_load", [{ from_here: world }]],
])("%s(%j) does not run", async (tool, args) => expect(await fate(tool, args)).toBe("refused"));

test.each<[tool: string, args: readonly unknown[]]>([
  ["db_query_sql", ["SELECT 1"]],
  ["db_query_sql", ["SELECT 1", 5]],
  ["db_query_sql", ["SELECT 1", "why I ask, in words"]],
  ["db_query_sql", [{ sql: "SELECT 1", params: ["DROP TABLE x"] }]],
  ["db_query_sql", [{ sql: "SELECT 1", explanation: "Drop in, and see who is there" }]],
  ["db_query_sql", [{ query: "SELECT 1" }]],
  ["db_query_sql", [{}]],
  ["acme_run", ["SELECT 1"]],
  ["acme_run", [{ script: "SELECT 1", note: "delete from memory" }]],
  ["run_in_terminal", ["ls", "shows what is there"]],
  ["run_in_terminal", [{ command: "ls", explanation: "drops in" }]],
  ["write_stdin", [{ session_id: "s1" }]],
  ["read_file", ["notes.txt", "utf8"]],
  ["create_file", ["notes.txt", "/* a remark */\nexport {};\n"]],
  ["grep_search", [{ query: "/api/users", isRegexp: false }]],
  ["kb_add_file", ["notes.txt"]],
  ["acme_load", ["notes.txt"]],
])("%s(%j) runs", async (tool, args) => expect(await fate(tool, args)).toBe("ran"));

test("what cannot be told is refused with the way to call it", async () => {
  const input: Args = { _args: ["sp_drop_everything", "main"] };
  const { outcome } = await hooks.govern("db_query_sql", input, () => "ran");
  expect(outcome.kind).not.toBe("run");
  expect(JSON.stringify(outcome)).toContain("The call must have one object such as { sql }");
});
