import { expect, test } from "vitest";
import { createCallTable, type Running, type Seen } from "../../src/agents/callTable";
import type { Outcome } from "../../src/core/hook";

const base = { args: {}, contexts: [], findings: [], trail: [], rewritten: false } as const;
const run: Outcome = { ...base, kind: "run", decision: "allow", by: null, binding: {} };
const denied: Outcome = { ...base, kind: "denied", reason: "no", by: "x", broken: false };

function seen(more: { toolName?: string; toolUseId?: string; outcome?: Outcome; hash?: string } = {}): Seen {
  const { toolName = "mcp_fix_run_sql", toolUseId = "t1", outcome = run, hash = "h" } = more;
  return {
    first: { sessionId: "s", toolUseId, toolName, hash: "asked", observer: "plugin" },
    call: {
      callId: toolUseId,
      runId: "s",
      sessionId: "s",
      agent: "vscode",
      toolName,
      canonicalName: toolName,
      input: {},
      profile: "default",
      traceId: "s",
      extra: {},
    },
    verdict: Promise.resolve(outcome),
    outcome,
    finalHash: hash,
    at: 0,
    startedAt: 0,
    done: false,
    observers: new Set(["plugin"]),
    reported: new Set(),
  };
}

const byId: Running = { toolUseId: "t1", tool: "run_sql", hash: "h" };
const bySession: Running = { sessionId: "s", tool: "run_sql", hash: "h" };

test.each<[string, Running, Parameters<typeof seen>[0], boolean]>([
  ["its id", byId, {}, true],
  ["its session", bySession, {}, true],
  ["a name that the host spells with a double line", bySession, { toolName: "mcp__fix__run_sql" }, true],
  ["a tool with a dot, which the host writes as a line", { ...bySession, tool: "run.sql" }, {}, true],
  ["neither id nor session", { tool: "run_sql", hash: "h" }, {}, false],
  ["another id, though the session fits", { ...byId, toolUseId: "t2", sessionId: "s" }, {}, false],
  ["another session", { ...bySession, sessionId: "other" }, {}, false],
  ["arguments that were asked for and not let through", { ...bySession, hash: "asked" }, {}, false],
  ["another tool", { ...bySession, tool: "sql_run" }, {}, false],
  ["a tool whose name only ends alike", { ...bySession, tool: "sql" }, { toolName: "mcp_fix_mysql" }, false],
  ["a tool of no server", bySession, { toolName: "run_sql" }, false],
  ["a call that was denied", bySession, { outcome: denied }, false],
])("a call is taken over by %s: %#", (_what, running, given, taken) => {
  const table = createCallTable();
  table.add(seen(given));
  expect(table.claim(running) !== undefined).toBe(taken);
});

test("once, and its result is then nobody else's to report", () => {
  const table = createCallTable();
  const one = seen();
  table.add(one);
  expect(table.claim(bySession)).toBe(one);
  expect(table.claim(bySession)).toBeUndefined();
  expect(table.join(one.first).kind).toBe("repeated");
  expect(table.open("s")).toEqual([]);
});

test("one that is still being judged is not taken over", () => {
  const table = createCallTable();
  const { outcome: _, finalHash: __, ...held } = seen();
  table.add(held);
  expect(table.claim(bySession)).toBeUndefined();
});

test("of two the first, then the second", () => {
  const table = createCallTable();
  const both = [seen(), seen({ toolUseId: "t2" })];
  for (const one of both) table.add(one);
  expect([table.claim(bySession), table.claim(bySession), table.claim(bySession)]).toEqual([
    ...both,
    undefined,
  ]);
});
