/** Each agent's payloads, as the real programs sent them, and the answers that each of them obeys. */
import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgentId, agentIds, type CallPayload } from "../../src/agents/agentDoor";
import { agentDoors, doorOf } from "../../src/agents/agentDoors";
import { type HookEvent, isHookEvent } from "../../src/agents/hookRequest";
import { canonicalName, readFacets } from "../../src/agents/toolFacts";
import type { Outcome, RunOutcome } from "../../src/core/hook";

const fixtures = new URL("fixtures/", import.meta.url);
const recorded = (["claude", "codex", "copilot", "gemini", "opencode", "qwen"] as const).flatMap((agent) =>
  readdirSync(new URL(`${agent}/`, fixtures)).map((file) => [agent, file] as const),
);
const textOf = (agent: string, file: string): string =>
  readFileSync(new URL(`${agent}/${file}`, fixtures), "utf8");
const eventOf = (file: string): HookEvent => {
  const event = file.replace(/\.json$/, "").split("-")[0];
  if (!isHookEvent(event)) throw new Error(`${file} names no event`);
  return event;
};

function read(agent: AgentId, event: HookEvent, text: string): CallPayload {
  const payload = agentDoors[agent].readPayload(event, text);
  if (!payload.ok || payload.value.kind === "notice") throw new Error(JSON.stringify(payload));
  return payload.value;
}

describe("recorded payloads", () => {
  test.each(recorded)("%s %s", (agent, file) => {
    const event = eventOf(file);
    const text = textOf(agent, file);
    const payload = agentDoors[agent].readPayload(event, text);
    expect(payload).toMatchObject({
      ok: true,
      value: { agent, host: "cli", cwd: "/home/ann/shop", sessionId: expect.stringMatching(/./) },
    });
    if (event === "stop") return;
    const call = read(agent, event, text);
    const facets = readFacets(
      { toolName: call.toolName, canonicalName: canonicalName(call.toolName), extra: {} } as never,
      call.input,
    );
    // What the tool does is understood: a command, or a file that is written.
    if (/Write|write|patch/.test(file))
      expect(facets.paths).toMatchObject([{ path: expect.stringMatching(/made\.txt$/), access: "write" }]);
    else expect(facets.commands).toMatchObject([{ text: file.includes("failing") ? "exit 3" : "echo hi" }]);
    expect(call.kind).toBe(event);
    if (event === "post") expect(call.response).toBeDefined();
    if (agent === "gemini" || agent === "copilot") expect(call.toolUseId).toBeUndefined();
    else expect(call.toolUseId).toMatch(/./);
  });

  test.each([
    ["claude", "post-Bash-failing.json", /Exit code 3/],
    ["qwen", "post-run_shell_command-failing.json", /Exit Code: 3/],
  ] as const)("%s says that a command failed", (agent, file, error) => {
    expect(read(agent, "post", textOf(agent, file)).error).toMatch(error);
  });

  test("a pre and its post are one call", () => {
    for (const [agent, file] of recorded.filter(([, name]) => name.startsWith("pre-"))) {
      const pre = read(agent, "pre", textOf(agent, file));
      const post = read(agent, "post", textOf(agent, file.replace(/^pre/, "post")));
      expect([post.sessionId, post.toolName, post.toolUseId, post.input]).toEqual([
        pre.sessionId,
        pre.toolName,
        pre.toolUseId,
        pre.input,
      ]);
    }
  });
});

describe("what only documents say", () => {
  const cursor = {
    hook_event_name: "preToolUse",
    conversation_id: "c",
    workspace_roots: ["/home/ann/shop"],
    tool_name: "Shell",
    tool_input: { command: "ls" },
  };
  const windsurf = {
    agent_action_name: "pre_run_command",
    trajectory_id: "t",
    tool_info: { command_line: "ls", cwd: "/home/ann/shop" },
  };
  const cline = {
    hookName: "tool_call",
    taskId: "t",
    workspaceRoots: ["/home/ann/shop"],
    agent_id: "a",
    parent_agent_id: null,
    tool_call: { id: "call_0", name: "run_commands", input: { commands: ["ls"] } },
  };
  test.each([
    ["cursor", "pre", cursor, { toolName: "Shell", input: { command: "ls" }, sessionId: "c" }],
    ["cursor", "pre", { ...cursor, tool_name: "MCP:shop_query" }, { toolName: "mcp_shop_query" }],
    ["windsurf", "pre", windsurf, { toolName: "Bash", sessionId: "t" }],
    [
      "windsurf",
      "pre",
      {
        ...windsurf,
        agent_action_name: "pre_mcp_tool_use",
        tool_info: { mcp_server_name: "shop", mcp_tool_name: "query", mcp_tool_arguments: { sql: "x" } },
      },
      { toolName: "mcp__shop__query", input: { sql: "x" } },
    ],
    ["cline", "pre", cline, { toolName: "run_commands", toolUseId: "call_0", sessionId: "t" }],
    ["cline", "pre", { ...cline, parent_agent_id: "p" }, { agentId: "a" }],
  ] as const)("%s %s", (agent, event, payload, expected) => {
    expect(read(agent, event, JSON.stringify(payload))).toMatchObject({ agent, ...expected });
  });

  test.each([
    ["cursor", cursor],
    ["windsurf", windsurf],
    ["cline", cline],
  ] as const)("%s: the command is understood", (agent, payload) => {
    const { toolName, input } = read(agent, "pre", JSON.stringify(payload));
    const call = { toolName, canonicalName: canonicalName(toolName), extra: {} } as never;
    expect(readFacets(call, input).commands).toMatchObject([{ text: "ls" }]);
  });
});

describe("what is no payload is refused, never guessed at", () => {
  const rows = agentIds.flatMap((agent) =>
    ["", "{", "[]", "1", "{}", '{"hook_event_name":"PreToolUse"}', '{"session_id":"s","tool_name":"x"}'].map(
      (text) => [agent, text] as const,
    ),
  );
  test.each(rows)("%s %s", (agent, text) => {
    expect(agentDoors[agent].readPayload("pre", text)).toMatchObject({ ok: false });
  });

  test("another agent's payload, or another event, is none", () => {
    for (const [agent, file] of recorded) {
      const text = textOf(agent, file);
      const other: HookEvent = eventOf(file) === "pre" ? "post" : "pre";
      expect(agentDoors[agent].readPayload(other, text), `${agent} ${file}`).toMatchObject({ ok: false });
    }
    const gemini = textOf("gemini", "pre-run_shell_command.json");
    for (const agent of ["claude", "codex", "copilot", "qwen", "opencode"] as const)
      expect(agentDoors[agent].readPayload("pre", gemini)).toMatchObject({ ok: false });
  });

  test("fields of another type", () => {
    const good = JSON.parse(textOf("claude", "pre-Bash.json"));
    for (const bad of [
      { tool_input: "x" },
      { tool_input: [] },
      { tool_name: 1 },
      { tool_use_id: 1 },
      { session_id: "" },
    ])
      expect(agentDoors.claude.readPayload("pre", JSON.stringify({ ...good, ...bad }))).toMatchObject({
        ok: false,
      });
  });

  test("no text makes a door throw", () => {
    fc.assert(
      fc.property(fc.constantFrom(...agentIds), fc.jsonValue(), (agent, value) => {
        agentDoors[agent].readPayload("pre", JSON.stringify(value));
      }),
    );
    expect(doorOf("constructor")).toBeUndefined();
  });
});

const run: RunOutcome = {
  kind: "run",
  decision: "allow",
  by: null,
  binding: {},
  args: { command: "ls" },
  contexts: [],
  findings: [],
  trail: [],
  rewritten: false,
};
const outcomes = {
  allow: run,
  clicked: { ...run, consent: "once", askId: "a" },
  rewrite: { ...run, decision: "rewrite", rewritten: true, args: { command: "ls -l" } },
  context: { ...run, contexts: ["one", "two"] },
  deny: { ...run, kind: "denied", reason: "not here", by: "x", broken: false },
  silent: { ...run, kind: "denied", reason: " ", by: "x", broken: false },
} as const satisfies Record<string, Outcome>;

const claudeForm = (body: object) => ({
  stdout: JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...body } }),
});
const denied = (reason: string) =>
  claudeForm({ permissionDecision: "deny", permissionDecisionReason: reason });
const json = (value: object) => ({ stdout: JSON.stringify(value) });
const useInstead = expect.stringContaining('{\\"command\\":\\"ls -l\\"}');

describe("answers", () => {
  const nothing = { stdout: "" };
  const claudeLike = {
    allow: nothing,
    clicked: claudeForm({ permissionDecision: "allow", updatedInput: { command: "ls" } }),
    rewrite: claudeForm({ updatedInput: { command: "ls -l" } }),
    context: claudeForm({ additionalContext: "one\ntwo" }),
    deny: denied("not here"),
    silent: denied("denied"),
  };
  const expected: Readonly<Record<AgentId, Readonly<Record<keyof typeof outcomes, unknown>>>> = {
    vscode: claudeLike,
    claude: claudeLike,
    copilot: claudeLike,
    codex: {
      ...claudeLike,
      // Without "allow" it runs the original.
      rewrite: claudeForm({ permissionDecision: "allow", updatedInput: { command: "ls -l" } }),
    },
    qwen: {
      ...claudeLike,
      clicked: claudeForm({ permissionDecision: "allow" }),
      rewrite: { stdout: useInstead },
      context: claudeForm({ additionalContext: "one\ntwo" }),
    },
    gemini: {
      allow: nothing,
      clicked: json({ hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "ls" } } }),
      rewrite: json({
        hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "ls -l" } },
      }),
      context: nothing,
      deny: json({ decision: "deny", reason: "not here" }),
      silent: json({ decision: "deny", reason: "denied" }),
    },
    opencode: {
      allow: nothing,
      clicked: json({ args: { command: "ls" } }),
      rewrite: json({ args: { command: "ls -l" } }),
      context: nothing,
      deny: json({ decision: "deny", reason: "not here" }),
      silent: json({ decision: "deny", reason: "denied" }),
    },
    cursor: {
      allow: json({ permission: "allow" }),
      clicked: json({ permission: "allow", updated_input: { command: "ls" } }),
      rewrite: json({ permission: "allow", updated_input: { command: "ls -l" } }),
      context: json({ permission: "allow" }),
      deny: json({ permission: "deny", user_message: "not here", agent_message: "not here" }),
      silent: json({ permission: "deny", user_message: "denied", agent_message: "denied" }),
    },
    cline: {
      allow: json({ cancel: false }),
      clicked: json({ cancel: false, overrideInput: { command: "ls" } }),
      rewrite: json({ cancel: false, overrideInput: { command: "ls -l" } }),
      context: json({ cancel: false, contextModification: "one\ntwo" }),
      deny: json({ cancel: true, errorMessage: "not here" }),
      silent: json({ cancel: true, errorMessage: "denied" }),
    },
    windsurf: {
      allow: nothing,
      clicked: nothing,
      rewrite: { stdout: "", exitCode: 2, stderr: expect.stringContaining('{"command":"ls -l"}') },
      context: nothing,
      deny: { stdout: "", exitCode: 2, stderr: "not here" },
      silent: { stdout: "", exitCode: 2, stderr: "denied" },
    },
  };
  const rows = agentIds.flatMap((agent) =>
    (Object.keys(outcomes) as (keyof typeof outcomes)[]).map((kind) => [agent, kind] as const),
  );
  test.each(rows)("%s: %s", (agent, kind) => {
    const payload = { host: agent === "vscode" ? "local" : "cli", agent } as CallPayload;
    expect(agentDoors[agent].writeOutcome(payload, outcomes[kind])).toEqual(expected[agent][kind]);
  });

  test("an ask that nobody can answer is a denial everywhere", () => {
    const asks: Outcome = {
      ...run,
      kind: "asks_user",
      askId: "a",
      prompt: "Drop it?",
      details: {},
      confirm_args: {},
      by: "x",
    };
    for (const agent of agentIds) {
      const { stdout, stderr = "" } = agentDoors[agent].writeOutcome(
        { host: "cli", agent } as CallPayload,
        asks,
      );
      expect(stdout + stderr, agent).toMatch(/Drop it\?.*nobody could be asked here/s);
    }
  });

  test("a failure of ours names the command that takes our hook out", () => {
    const broke: Outcome = { ...outcomes.deny, reason: "guard broken: no memory", broken: true };
    for (const agent of agentIds.filter((id) => id !== "vscode")) {
      const { stdout, stderr = "" } = agentDoors[agent].writeOutcome(
        { host: "cli", agent } as CallPayload,
        broke,
      );
      expect(stdout + stderr).toContain(`guard broken: no memory`);
      expect(stdout + stderr).toContain(`agents uninstall ${agent}`);
    }
  });

  test("VS Code's agent mode, which reads Copilot's files too, is answered as itself", () => {
    const text = readFileSync(new URL("vscode/local-pre.json", fixtures), "utf8");
    expect(read("copilot", "pre", text)).toMatchObject({ agent: "vscode", host: "local" });
  });
});
