/** What the tables read out of the calls of each agent: files, commands, SQL, and the common name. */
import { describe, expect, test } from "vitest";
import { readsLikeSql } from "../../src/agents/sqlWords";
import { canonicalName, createReadFacets, readFacets } from "../../src/agents/toolFacts";
import type { Args, Facets } from "../../src/core/call";
import { NOT_A_PATH } from "../../src/core/paths/parsePath";

function facetsOf(toolName: string, args: Args, extra: Args = {}, read = readFacets): Facets {
  return read({ toolName, canonicalName: canonicalName(toolName), extra }, args);
}

/** `r:path` or `w:path`, `!` after it when the document's tools may only use it inside the roots. */
function paths(toolName: string, args: Args): readonly string[] {
  return facetsOf(toolName, args).paths.map((f) => `${f.access[0]}:${f.path}${f.strict ? "!" : ""}`);
}

test.each([
  ["run_in_terminal", "Bash"],
  ["send_to_terminal", "Bash"],
  ["Bash", "Bash"],
  ["shell", "Bash"],
  ["exec_command", "Bash"],
  ["run_shell_command", "Bash"],
  ["read_file", "Read"],
  ["view", "Read"],
  ["create_file", "Write"],
  ["write_file", "Write"],
  ["replace_string_in_file", "Edit"],
  ["apply_patch", "Edit"],
  ["MultiEdit", "Edit"],
  ["file_search", "Glob"],
  ["grep_search", "Grep"],
  ["fetch_webpage", "WebFetch"],
  ["runSubagent", "Task"],
  ["mcp_pg_run_query", "mcp__pg__run_query"],
  ["mcp__pg__run_query", "mcp__pg__run_query"],
  ["db_query_sql", "db_query_sql"],
  ["some_tool", "some_tool"],
  ["constructor", "constructor"],
  ["__proto__", "__proto__"],
])("%s is %s", (name, canonical) => expect(canonicalName(name)).toBe(canonical));

describe("files", () => {
  test.each<[string, Args, readonly string[]]>([
    ["create_file", { filePath: "/w/a", content: "x" }, ["w:/w/a"]],
    ["read_file", { filePath: "/w/a", startLine: 1, endLine: 2 }, ["r:/w/a"]],
    ["replace_string_in_file", { filePath: "a", oldString: "/etc", newString: "~" }, ["w:a"]],
    [
      "multi_replace_string_in_file",
      { replacements: [{ filePath: "a" }, { filePath: "b" }] },
      ["w:a", "w:b"],
    ],
    ["insert_edit_into_file", { filePath: "a", code: "x", explanation: "/etc" }, ["w:a"]],
    ["create_directory", { dirPath: "a" }, ["w:a"]],
    ["list_dir", { path: "/w" }, ["r:/w"]],
    ["view_image", { path: "a.png" }, ["r:a.png"]],
    ["edit_notebook_file", { filePath: "a.ipynb", editType: "insert" }, ["w:a.ipynb"]],
    ["get_errors", { filePaths: ["a", "b"] }, ["r:a", "r:b"]],
    ["file_search", { query: "**/*.ts" }, []],
    ["file_search", { query: "/etc/**/*.conf" }, ["r:/etc/"]],
    ["file_search", { query: "../**" }, ["r:../"]],
    ["grep_search", { query: "/etc/passwd", isRegexp: false, includePattern: "src/**" }, []],
    ["grep_search", { query: "x", includePattern: "/etc/**" }, ["r:/etc/"]],
    [
      "apply_patch",
      {
        input:
          "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c.txt\n*** Delete File: d.txt\n*** End Patch",
      },
      ["w:a.txt", "w:b.txt", "w:c.txt", "w:d.txt"],
    ],
    ["apply_patch", { command: "*** Begin Patch\n*** Add File: /etc/x\n+x\n*** End Patch" }, ["w:/etc/x"]],
    ["apply_patch", { input: "--- a/x.txt\n+++ b/y.txt\n@@" }, ["w:x.txt", "w:y.txt"]],
    ["apply_patch", { input: "nothing to see" }, [`w:${NOT_A_PATH}`]],
    ["apply_patch", { input: 7 }, [`w:${NOT_A_PATH}`]],
    ["Read", { file_path: "/w/a" }, ["r:/w/a"]],
    ["Read", { path: "/w/a" }, ["r:/w/a"]],
    ["Edit", { file_path: "/w/a", old_string: "x", new_string: "y" }, ["w:/w/a"]],
    ["MultiEdit", { file_path: "a", edits: [{ old_string: "x" }] }, ["w:a"]],
    ["NotebookEdit", { notebook_path: "a" }, ["w:a"]],
    ["Glob", { pattern: "*.ts", path: "/w" }, ["r:/w"]],
    ["Glob", { pattern: "*.ts" }, []],
    ["Grep", { pattern: "/etc", path: "src" }, ["r:src"]],
    ["Grep", { pattern: "x", path: "" }, []],
    ["LS", { path: "/w" }, ["r:/w"]],
    ["read_file", { absolute_path: "/w/a" }, ["r:/w/a"]],
    ["replace", { file_path: "a", old_string: "x", new_string: "y" }, ["w:a"]],
    ["read_files", { files: [{ path: "b.txt" }] }, ["r:b.txt"]],
    ["editor", { path: "b.txt", new_text: "x" }, ["w:b.txt"]],
    ["create", { path: "/w/b", file_text: "x" }, ["w:/w/b"]],
    ["str_replace_editor", { command: "view", path: "/w/b" }, ["w:/w/b"]],
    ["kb_add_file", { path: "a" }, ["r:a!"]],
    ["kb_add_path", { path: ["a", "b"] }, ["r:a!", "r:b!"]],
    ["db_import_csv", { path: "a.csv", table: "/etc" }, ["r:a.csv!"]],
    ["mcp_countersign_kb_add_file", { path: "/etc/passwd" }, ["r:/etc/passwd!"]],
    ["mcp__countersign__db_import_csv", { path: "/etc/passwd" }, ["r:/etc/passwd!"]],
    ["kb_search", { query: "/etc/passwd", path: "/etc" }, []],
    ["memory", { command: "view", path: "/memories/x" }, []],
    ["mcp_fs_read_text_file", { path: "/w/a" }, ["r:/w/a"]],
    ["mcp_fs_read_multiple_files", { paths: ["a", "b"] }, ["r:a", "r:b"]],
    ["mcp_fs_list_directory", { path: "/w" }, ["r:/w"]],
    ["mcp_fs_write_file", { path: "/w/a", content: "x" }, ["w:/w/a"]],
    ["mcp_fs_move_file", { source: "a", destination: "b" }, ["w:a", "w:b"]],
    ["mcp_x_getOrCreateFile", { filename: "a" }, ["w:a"]],
    ["mcp_x_do", { file: "a" }, ["w:a"]],
    ["mcp_x_open_page", { uri: "https://example.com/a" }, []],
    ["mcp_x_open_page", { uri: "https://../../etc/passwd" }, ["r:https://../../etc/passwd"]],
    ["mcp_x_get", { file: "ab:/../../etc/passwd" }, ["r:ab:/../../etc/passwd"]],
    ["mcp_x_get", { uri: "file:///etc/passwd" }, ["r:file:///etc/passwd"]],
    ["mcp_x_do", { options: { path: "a" } }, ["w:a"]],
    ["mcp_github_push_files", { files: [{ path: "a", content: "x" }], message: "/etc" }, ["w:a"]],
    ["mcp_x_do", { file: { name: "a", data: "x" } }, []],
    ["mcp_x_do", { source: "a long text\nof many lines" }, []],
    ["mcp_x_do", { file: "/etc/passwd\n" }, ["w:/etc/passwd\n"]],
    ["ext_tool", { filePath: "/etc/x" }, ["w:/etc/x"]],
    ["run_in_terminal", { command: "cat a > b", explanation: "/etc" }, ["r:a", "w:b"]],
    ["Bash", { command: "cat a", description: "/etc" }, ["r:a"]],
    ["shell", { command: ["bash", "-lc", "cat 'a b'"] }, ["r:a b"]],
    ["shell", { command: ["cat", "a b"], workdir: "/w" }, ["r:/w/a b"]],
    ["exec_command", { cmd: "cat a", workdir: "sub" }, ["r:sub/a"]],
    ["run_shell_command", { command: "cat a", directory: "sub" }, ["r:sub/a"]],
    ["run_commands", { commands: ["cat a", "cat b"] }, ["r:a", "r:b"]],
    ["write_stdin", { session_id: 1, chars: "cat a\n" }, ["r:a"]],
    ["mcp_x_exec", { command: "cat", args: ["/etc/passwd"] }, ["r:/etc/passwd"]],
    [
      "create_and_run_task",
      { task: { label: "x", type: "shell", command: "cat", args: ["/etc/passwd"] } },
      ["r:/etc/passwd"],
    ],
  ])("%s %j", (tool, args, expected) => expect(paths(tool, args)).toEqual(expected));

  test.each<[string, Args]>([
    ["kb_add_file", { path: 7 }],
    ["kb_add_file", { path: null }],
    ["kb_add_file", { path: { uri: 7 } }],
    ["kb_add_file", { path: [["/etc/passwd"]] }],
    ["kb_add_path", { path: ["a", 7] }],
    ["create_file", { filePath: 7 }],
    ["create_file", { filePath: true }],
    ["create_file", { filePath: { toString: "x" } }],
    ["Read", { file_path: ["a", {}] }],
    ["mcp_fs_write_file", { path: 7 }],
    ["mcp_fs_write_file", { path: { a: 1 } }],
  ])("%s %j names something that is no path: it is refused", (tool, args) => {
    expect(facetsOf(tool, args).paths.map(({ path }) => path)).toContain(NOT_A_PATH);
  });
});

describe("commands and SQL", () => {
  test("the shell is what the call says, else bash", () => {
    const shellOf = (extra: Args, read = readFacets) =>
      facetsOf("run_in_terminal", { command: "x" }, extra, read).commands[0]?.shell;
    expect(shellOf({ world: { os: "win32" } })).toBe("pwsh");
    expect([
      shellOf({}),
      shellOf({ shell: "pwsh" }),
      shellOf({ shell: "no such" }),
      shellOf({}, createReadFacets({ defaultShell: "cmd" })),
    ]).toEqual(["bash", "pwsh", "bash", "cmd"]);
  });

  test.each<[string, Args, readonly string[]]>([
    ["db_query_sql", { sql: "select 1" }, ["select 1"]],
    ["db_query_sql", { sql: 7 }, ["7"]],
    ["db_query_sql", { sql: { text: "drop table x" } }, ["drop table x"]],
    ["db_query_sql", { sql: ["select 1", "drop table x"] }, ["select 1", "drop table x"]],
    ["db_query_sql", {}, []],
    ["mcp_pg_query", { sql: "drop table x" }, ["drop table x"]],
    ["mcp_pg_query", { query: "DROP TABLE x" }, ["DROP TABLE x"]],
    ["mcp_pg_query", { query: "-- hi\ndrop table x" }, ["-- hi\ndrop table x"]],
    ["mcp_pg_query", { statement: "anything" }, ["anything"]],
    ["mcp_pg_query", { queries: ["select 1", "what is new"] }, ["select 1"]],
    ["mcp_search_query", { query: "how to drop a table" }, []],
    ["mcp_search_query", { query: "selection sort" }, []],
    ["kb_search", { query: "drop table x" }, []],
    ["grep_search", { query: "DROP TABLE" }, []],
  ])("%s %j", (tool, args, expected) =>
    expect(facetsOf(tool, args).sql.map(({ text }) => text)).toEqual(expected),
  );

  test.each([
    ["select 1", true],
    ["  (select 1)", true],
    ["/* x */ drop table t", true],
    ["Drop\ttable t", true],
    ["delete", true],
    ["selections", false],
    ["repo:x is:open", false],
    ["", false],
  ])("%j reads like SQL: %s", (text, expected) => expect(readsLikeSql(text)).toBe(expected));

  test.each<[string, Facets["effect"]]>([
    ["read_file", "read"],
    ["grep_search", "read"],
    ["kb_search", "read"],
    ["create_file", "write"],
    ["kb_add_file", "write"],
    ["run_in_terminal", "unknown"],
    ["db_query_sql", "unknown"],
    ["mcp_fs_read_file", "unknown"],
    ["no_such_tool", "unknown"],
  ])("the effect of %s is %s", (tool, effect) => expect(facetsOf(tool, {}).effect).toBe(effect));
});

describe("a user's mapping", () => {
  const read = createReadFacets({
    extraPathTools: { my_tool: ["where"], read_file: "other" },
    extraSqlTools: { my_tool: "q" },
  });

  test("adds tools and arguments", () => {
    const facets = facetsOf("my_tool", { where: "/etc/x", q: "drop table x" }, {}, read);
    expect(facets.paths).toEqual([{ arg: "where", path: "/etc/x", access: "write", strict: true }]);
    expect(facets.sql).toEqual([{ arg: "q", text: "drop table x" }]);
  });

  test.each(["mcp__my_deploy__run", "mcp__my__deploy_run", "mcp_my_deploy_run"])(
    "names the tool of a server by %s, wherever the server's name ends",
    (name) => {
      const own = createReadFacets({ extraPathTools: { [name]: "where" }, extraSqlTools: { [name]: "q" } });
      const facets = facetsOf("mcp_my_deploy_run", { where: "/etc/x", q: "drop table x" }, {}, own);
      expect(facets.paths).toContainEqual({ arg: "where", path: "/etc/x", access: "write", strict: true });
      expect(facets.sql).toContainEqual({ arg: "q", text: "drop table x" });
    },
  );

  test("takes nothing away from the tables", () => {
    expect(facetsOf("read_file", { filePath: "a" }, {}, read).paths).toEqual(
      facetsOf("read_file", { filePath: "a" }).paths,
    );
  });

  test("the document's own mapping adds nothing twice", () => {
    const documents = createReadFacets({ extraPathTools: { kb_add_file: "path" } });
    expect(facetsOf("kb_add_file", { path: "a" }, {}, documents).paths).toHaveLength(1);
  });

  test("a wrong type is refused", () => {
    expect(facetsOf("my_tool", { where: 7 }, {}, read).paths.map(({ path }) => path)).toEqual([NOT_A_PATH]);
  });
});
