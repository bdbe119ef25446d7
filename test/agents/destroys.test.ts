/** Tools of servers whose words take something away: rows of the table, and real tools of public servers. A third is held out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { DESTROY_ROWS } from "../../src/agents/destroyRows";
import { canonicalName, readFacets } from "../../src/agents/toolFacts";
import type { Args, ToolCall } from "../../src/core/call";
import { shellGuard } from "../../src/core/guards/shell";
import { imaginedFileSystem } from "../../src/core/paths/imaginedFileSystem";
import { ask } from "../core/guards/worlds";

const WORLD = { os: "linux", home: "/home/user", roots: ["/home/user/proj"], links: {} } as const;
const guard = shellGuard({ facets: readFacets, fs: imaginedFileSystem(WORLD) });

function callOf(toolName: string, input: Args): ToolCall {
  return {
    callId: "c1",
    runId: "r1",
    sessionId: "s1",
    agent: "test",
    toolName,
    canonicalName: canonicalName(toolName),
    input,
    cwd: "/home/user/proj",
    profile: "default",
    traceId: "t1",
    extra: {},
  };
}

const verdictOf = async (tool: string, args: Args): Promise<string> =>
  (await ask(guard, callOf(tool, args))).kind;
const idOf = (tool: string, args: Args) =>
  readFacets(callOf(tool, args), args).destroys?.map(({ id }) => id) ?? [];

describe.each(DESTROY_ROWS.map((row) => [row.id, row] as const))("%s", (id, row) => {
  test.each(row.firesOn)("fires on %s %j", async (tool, args) => {
    expect(idOf(tool, args)).toEqual([id]);
    expect(await verdictOf(tool, args)).toBe("ask");
  });
  test.each(row.staysQuietOn)("stays quiet on %s %j", async (tool, args) => {
    expect(idOf(tool, args)).toEqual([]);
    expect(await verdictOf(tool, args)).toBe("allow");
  });
});

describe("other ways to say it", () => {
  test.each<[string, Args]>([
    ["mcp_trello_list_delete", { id: "l" }],
    ["mcp__datadog__monitor_delete", { id: 1 }],
    ["mcp__x__find_and_delete", { query: {} }],
    ["mcp__x__manage", { operations: [{ op: "list" }, { op: "destroy" }] }],
    ["mcp__x__manage", { Action: "TerminateInstances" }],
    ["mcp__x__database_admin", { command: "DROP-DATABASE" }],
    ["deleteRepository", { name: "r" }],
    ["shop_purge", {}],
  ])("%s %j asks", async (tool, args) => expect(await verdictOf(tool, args)).toBe("ask"));

  test.each<[string, Args]>([
    ["mcp__x__manage", { data: [{ action: "delete" }] }],
    ["mcp__x__log", { mode: "append", line: "delete" }],
    [
      "mcp__x__describe",
      { command: "please delete all of it for me and then report back to me what it was" },
    ],
    ["mcp__fs__delete_file", { path: "/home/user/proj/a.txt" }],
    ["kill_terminal", { id: "1" }],
    ["db_query_sql", { sql: "SELECT 1" }],
  ])("%s %j does not", async (tool, args) => expect(await verdictOf(tool, args)).toBe("allow"));

  test.each<[string, Args, string]>([
    ["mcp__ui__remove_element", { id: 1 }, "ask"],
    ["mcp__x__disable_alarm", { id: 1 }, "ask"],
    ["mcp__fs__write_file", { path: "/home/user/proj/a.txt", content: "x" }, "allow"],
    ["mcp__x__scale_image", { factor: 2 }, "allow"],
    ["mcp__x__get_user", { id: 1 }, "allow"],
  ])("%s %j of a tool whose server says that it destroys: %3$s", async (tool, args, want) => {
    const call = { ...callOf(tool, args), extra: { mcpTool: { state: "approved", destructive: true } } };
    expect((await ask(guard, call)).kind).toBe(want);
  });

  test("each call is asked for by itself", async () => {
    const decision = await ask(guard, callOf("mcp__x__delete_repository", { name: "r" }));
    expect(decision).toMatchObject({ kind: "ask", details: { rule: "tool.delete" } });
    expect(decision).not.toHaveProperty("sessionScope");
  });
});

const listed = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  want: z.enum(["ask", "allow"]),
  part: z.enum(["tuning", "held"]),
  source: z.string(),
});
const rows = readFileSync(join(import.meta.dirname, "../corpus/mcpTools.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => listed.parse(JSON.parse(line)));

describe("real tools of public servers", () => {
  test("there are enough of both kinds, and a third is held out", () => {
    expect(new Set(rows.map(({ tool }) => tool)).size).toBeGreaterThanOrEqual(120);
    expect(rows.filter(({ want }) => want === "allow").length).toBeGreaterThan(rows.length / 2);
    expect(rows.filter(({ part }) => part === "held").length).toBeGreaterThan(rows.length / 4);
  });

  test.each(["tuning", "held"] as const)("%s: what destroys asks, what reads does not", async (part) => {
    const wrong: string[] = [];
    for (const { tool, args, want } of rows.filter((row) => row.part === part)) {
      const said = await verdictOf(tool, args);
      if (said !== want)
        wrong.push(`${part === "held" ? "held" : `${tool} ${JSON.stringify(args)}`}: ${want}, ${said}`);
    }
    expect(wrong).toEqual([]);
  });
});
