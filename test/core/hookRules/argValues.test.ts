/** What a rule's `arg` and `matcher` find, and which of them are refused because they never could. */
import { expect, test } from "vitest";
import { compileNamePattern } from "../../../src/core/hookRules/namePattern";
import type { ArgFilter, HookEvent } from "../../../src/core/hookRules/types";
import { parseConfig } from "../../../src/core/rules/parse";
import { compiled, rule, toolEvent } from "./rigs";

const fires = (arg: ArgFilter, event: Partial<HookEvent>): boolean =>
  compiled([rule([], { arg })])
    .of("pre_tool_call")
    .some((one) => one.fits(toolEvent(event), { left: 1_000_000 }) === "yes");

const create = { tool_name: "create_file", canonical_name: "Write" };
const items = { tool_input: { items: [{ name: "a" }, { name: "drop" }] } };

test.each<[arg: ArgFilter, event: Partial<HookEvent>, fires: boolean]>([
  [{ file_path: "secret" }, { ...create, tool_input: { filePath: "/w/secret" } }, true],
  [{ filePath: "secret" }, { tool_name: "Write", tool_input: { file_path: "/w/secret" } }, true],
  [{ file_path: "secret" }, { tool_name: "Write", tool_input: { path: "/w/secret" } }, true],
  ["file_path", { ...create, tool_input: { filePath: "x" } }, true],
  [{ file_path: "secret" }, { ...create, tool_input: { filePath: "/w/open", content: "secret" } }, false],
  [{ file_path: "secret" }, { tool_name: "acme", tool_input: { path: "secret" } }, false],
  [
    { file_path: "secret" },
    {
      tool_name: "multi_replace_string_in_file",
      canonical_name: "Edit",
      tool_input: { replacements: [{ filePath: "a" }, { filePath: "secret" }] },
    },
    true,
  ],
  [
    { pattern: "key" },
    { tool_name: "grep_search", canonical_name: "Grep", tool_input: { query: "key" } },
    true,
  ],
  [{ command: "push" }, { tool_name: "Bash", tool_input: { cmd: "git push" } }, true],
  [{ "items.name": "drop" }, items, true],
  [{ "items.0.name": "drop" }, items, false],
  [{ "items.1.name": "drop" }, items, true],
  ["items.9", items, false],
  [{ "target.env": "prod" }, { tool_input: { "target.env": "dev", target: { env: "prod" } } }, true],
  [{ "target.env": "prod" }, { tool_input: { "target.env": "prod", target: { env: "dev" } } }, true],
  [
    { "target.env": "prod" },
    { tool_input: { "target.env": 1, target: [{ env: "dev" }, { env: "prod" }] } },
    true,
  ],
  [{ "target.env": "prod" }, { tool_input: { target: [[{ env: "prod" }]] } }, true],
  [{ "a.b.c": "x" }, { tool_input: { a: { "b.c": "x" } } }, true],
  [{ "a.b.c": "x" }, { tool_input: { "a.b": { c: "x" } } }, true],
  [{ "a.b.c": "x" }, { tool_input: { "a.b": { d: "x" }, a: { c: "x" } } }, false],
  [{ "list.0": "x" }, { tool_input: { list: [{ 0: "x" }] } }, true],
  [
    { file_path: "secret" },
    { tool_name: "Write", tool_input: { file_path: "open", filePath: "secret" } },
    true,
  ],
  [{ file_path: "secret" }, { tool_name: "Write", tool_input: { file_path: "open", path: "secret" } }, true],
  [{ command: "push" }, { tool_name: "Bash", tool_input: { command: "ls", cmd: "git push" } }, true],
  [{ sql: "DROP" }, { tool_input: { _args: ["DROP TABLE t"] } }, true],
  [{ sql: "DROP" }, { tool_input: { _args: [["x", { deep: "DROP TABLE t" }]] } }, true],
  ["sql", { tool_input: { _args: ["DROP TABLE t"] } }, true],
  ["sql", { tool_input: { _args: [] } }, false],
  [{ sql: "DROP" }, { tool_input: { _args: ["SELECT 1"] } }, false],
  [{ "_args.0": "DROP" }, { tool_input: { _args: ["SELECT 1", "DROP"] } }, false],
  [{ "_args.1": "DROP" }, { tool_input: { _args: ["SELECT 1", "DROP"] } }, true],
])("arg %j on %j", (arg, event, expected) => expect(fires(arg, event)).toBe(expected));

test("however the lists lie in each other, a path is read in no time", () => {
  let lists: unknown = ["x"];
  for (let depth = 0; depth < 90; depth += 1) lists = [{ 0: lists }];
  const { user: before } = process.cpuUsage();
  expect(fires({ [`a${".0".repeat(100)}`]: "y" }, { tool_input: { a: lists } })).toBe(false);
  expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
});

test.each([
  ["db_*", "write `db_.*`"],
  ["*_query", "write `.*_query`"],
  ["Bash|mcp__*", "write `Bash|mcp__.*`"],
  ["Bash|*_x", "write `Bash|.*_x`"],
  ["/orders/*", "write `/orders/.*`"],
  ["db*", "write `db.*`"],
])("the matcher %s is no wildcard: %s", (source, suggestion) => {
  const made = compileNamePattern(source);
  expect(made.ok ? "ok" : made.mistake.suggestion).toBe(suggestion);
});

test.each([
  "db_.*",
  "(db_)*",
  "[a-z_]*",
  "\\w*x",
  "a.*b.*",
  "db_{0,3}",
  "x\\*",
  "[*]",
  "(?i)bash",
  "a+",
  "db_?",
])("the matcher %s stands", (source) => expect(compileNamePattern(source).ok).toBe(true));

test.each([
  [
    "matcher = 'db_*'",
    "`hooks.pre_tool_call[0].matcher` is a pattern, in which `_*` repeats `_` (write `db_.*`)",
  ],
  [
    "vendor = 'acme-*'",
    "`hooks.pre_tool_call[0].vendor` is a pattern, in which `-*` repeats `-` (write `acme-.*`)",
  ],
  [
    "arg = 'items[0].name'",
    "`hooks.pre_tool_call[0].arg` `items[0].name` is no path of an argument (write `items.0.name`)",
  ],
  ["arg = { 'items.*.name' = 'x' }", "is no path of an argument (write `items.name`)"],
  ["arg = { '$.items[*].name' = 'x' }", "is no path of an argument (write `items.name`)"],
  ["arg = { 'items[0].name' = 'x' }", "is no path of an argument (write `items.0.name`)"],
])("%s is refused where it is written", (line, said) => {
  const text = `[[hooks.pre_tool_call]]\n${line}\nhandlers = [{ type = "deny" }]\n`;
  const read = parseConfig({ text, format: "toml", file: "f" });
  const problems = read.ok ? [] : read.problems;
  expect(problems.map(({ message, suggestion }) => `${message} (${suggestion})`).join("\n")).toContain(said);
  expect(problems[0]?.line).toBe(2);
});
