import { describe, expect, it } from "vitest";
import { callSubject } from "../../src/agents/callSubject";
import { canonicalName } from "../../src/agents/toolFacts";
import type { Args } from "../../src/core/call";

const rows: readonly (readonly [string, Args, string])[] = [
  ["Bash", { command: "ls -l", description: "List" }, "ls -l"],
  ["run_in_terminal", { command: "ls", explanation: "x" }, "ls"],
  ["shell", { command: ["bash", "-lc", "rm -rf /"] }, "bash -lc 'rm -rf /'"],
  ["db_query_sql", { sql: "SELECT 1" }, "SELECT 1"],
  ["Write", { file_path: "/a/b.txt", content: "x" }, "/a/b.txt"],
  ["Read", { file_path: "/a" }, "/a"],
  ["mcp__pg__query", { sql: "DROP TABLE a" }, "DROP TABLE a"],
  ["mcp__any__run", { command: "ls", cmd: "rm -rf /" }, "ls\nrm -rf /"],
  ["mcp__any__move", { source: "/a", destination: "/b" }, "/a\n/b"],
  ["mcp__any__move", { paths: ["/a", "/b"] }, "/a\n/b"],
  ["make_tea", { kind: "green" }, '{"kind":"green"}'],
  ["make_tea", {}, "{}"],
];

describe("what a call is about", () => {
  it.each(rows)("%s %j", (toolName, args, expected) => {
    const call = { toolName, canonicalName: canonicalName(toolName), extra: {} };
    expect(callSubject(call, args)).toBe(expected);
  });
});
