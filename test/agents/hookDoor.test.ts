import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/agents/hookRequest";
import type { ToolCall } from "../../src/core/call";
import type { AskAnswer } from "../../src/ports";
import { decisionOf, doorBench, type Sent } from "./doorBench";
import { deferred } from "./pluginBench";

const once: AskAnswer = { kind: "allow", scope: "once" };
const no: AskAnswer = { kind: "deny" };
/** Lets everything that is ready run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a verdict", () => {
  test("of each kind becomes its answer, and its record is there before the answer", async () => {
    const bench = doorBench({ answers: [once, no] });
    expect(await bench.send("pre", { command: "ls", id: "1" })).toEqual({ stdout: "" });
    expect(bench.records).toMatchObject([
      { event: "call", call_id: "1", decision: "allow", tool: "run_in_terminal" },
    ]);
    expect(JSON.parse((await bench.send("pre", { command: "DENY", id: "2" })).stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "not here",
      },
    });
    expect(JSON.parse((await bench.send("pre", { command: "REWRITE it", id: "3" })).stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "SAFE it" } },
    });
    expect(JSON.parse((await bench.send("pre", { command: "ASK", id: "4" })).stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "ASK" },
      },
    });
    expect(decisionOf(await bench.send("pre", { command: "ASK", id: "5" }))).toBe("deny");
    expect((await bench.send("pre", { command: "THROW", id: "6" })).stdout).toMatch(/guard broken/);
    expect(bench.requests.map((request) => request.finalArgs)).toEqual([
      { command: "ASK" },
      { command: "ASK" },
    ]);
  });

  test("of the Agent Host is written for it", async () => {
    const bench = doorBench();
    expect(JSON.parse((await bench.send("pre", { host: "agentHost", command: "DENY" })).stdout)).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: "not here",
    });
    expect(JSON.parse((await bench.send("pre", { host: "agentHost", command: "REWRITE" })).stdout)).toEqual({
      modifiedArgs: { command: "SAFE" },
    });
  });

  test("is none where the call is malformed, or the governor fails", async () => {
    const bench = doorBench();
    for (const payload of [
      "",
      "{",
      "{}",
      '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x"}',
    ]) {
      const answer = await bench.door(
        { event: "pre", agent: "vscode", observer: "plugin", payload, cwd: "/" },
        { signal: new AbortController().signal },
      );
      expect(answer.stdout).toMatch(
        /^\{"permissionDecision":"deny","permissionDecisionReason":"guard broken/,
      );
    }
    expect(bench.records).toEqual([]);
    const failing = doorBench(
      {},
      { governor: { ...bench.governor, authorize: () => Promise.reject(new Error("no")) } },
    );
    expect((await failing.send("pre")).stdout).toMatch(/"deny".*guard broken: no\./);
  });

  test("on arguments nested too deep to compare is a deny", async () => {
    const bench = doorBench();
    const input = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const payload = `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","tool_input":${input}}`;
    const answer = await bench.door(
      { event: "pre", agent: "vscode", observer: "plugin", payload, cwd: "/" },
      { signal: new AbortController().signal },
    );
    expect(answer.stdout).toMatch(/"deny".*guard broken/);
  });

  test("names who called, and where", async () => {
    const calls: unknown[] = [];
    const bench = doorBench();
    const watching = doorBench(
      {},
      {
        governor: {
          ...bench.governor,
          authorize: (call, options) => {
            calls.push(call);
            return bench.governor.authorize(call, options);
          },
        },
      },
    );
    await watching.send("pre", { id: "1" });
    await watching.send("subagent-start", { agentId: "sub-1" });
    await watching.send("pre", { id: "2" });
    await watching.send("subagent-start", { agentId: "sub-2" });
    await watching.send("pre", { id: "3" });
    await watching.send("subagent-stop", { agentId: "sub-1" });
    await watching.send("pre", { id: "4" });
    await watching.send("pre", { id: "4", session: "other" });
    expect(calls).toMatchObject([
      {
        callId: "1",
        sessionId: "s",
        agent: "vscode",
        canonicalName: "Bash",
        cwd: "/ws",
        extra: { host: "local" },
      },
      { subagent: "sub-1" },
      {},
      { subagent: "sub-2" },
      {},
    ]);
    expect(calls.map((call) => "subagent" in (call as object))).toEqual([false, true, false, true, false]);
  });

  test.each([
    ["claude", "mcp__countersign__db_query_sql"],
    ["claude", "db_query_sql"],
    ["gemini", "db_query_sql"],
    ["codex", "mcp__countersign__db_query_sql"],
    ["qwen", "db_query_sql"],
  ])("on a tool that other agents know by the name of ours is judged: %s, %s", async (agent, tool) => {
    const bench = doorBench();
    const payload = JSON.stringify({
      hook_event_name: agent === "gemini" ? "BeforeTool" : "PreToolUse",
      session_id: "s",
      cwd: "/ws",
      tool_name: tool,
      tool_input: { command: "DENY" },
      tool_use_id: "id-1",
    });
    const request = { event: "pre", agent, observer: `hook:${agent}`, payload, cwd: "/ws" } as const;
    const answer = await bench.door(request, { signal: new AbortController().signal });
    expect(JSON.stringify(answer)).toContain("not here");
    expect(bench.records).toMatchObject([{ event: "call", tool, decision: "denied" }]);
  });

  test("on our own tools is another door's business", async () => {
    const bench = doorBench();
    expect(await bench.send("pre", { tool: "db_query_sql", command: "DENY" })).toEqual({ stdout: "" });
    expect(await bench.send("post", { tool: "db_query_sql", command: "DENY" })).toEqual({ stdout: "" });
    await settle();
    expect(bench.records).toEqual([]);
    expect(bench.seen).toHaveLength(2);
  });
});

describe("agents outside the editor", () => {
  const payload = (more: object): string =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: "/ws",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "id-1",
      ...more,
    });
  const never = new AbortController().signal;

  test("name themselves, their subagents, and what no hook of theirs sees", async () => {
    const calls: ToolCall[] = [];
    const bench = doorBench();
    const { door } = doorBench(
      {},
      {
        governor: {
          ...bench.governor,
          authorize: (call, options) => {
            calls.push(call);
            return bench.governor.authorize(call, options);
          },
        },
      },
    );
    const send = (agent: string, text: string, event: HookEvent = "pre") =>
      door({ event, agent, observer: `hook:${agent}`, payload: text, cwd: "/ws" }, { signal: never });
    await send("claude", payload({ hook_event_name: "SubagentStart", agent_id: "sub" }), "subagent-start");
    await send("claude", payload({}));
    await send("claude", payload({ agent_id: "sub", tool_use_id: "id-2" }));
    await send("codex", payload({ tool_use_id: "id-3" }));
    await send("copilot", payload({ tool_use_id: "call_1__vscode-1" }));
    expect(
      calls.map(({ agent, subagent, extra }) => [agent, subagent, extra.door, extra.unseenInput]),
    ).toEqual([
      ["claude", undefined, "D", undefined],
      ["claude", "sub", "D", undefined],
      ["codex", undefined, "D", true],
      ["vscode", "sub", "D", undefined],
    ]);
  });

  test("of a name we do not know are denied", async () => {
    const { door } = doorBench();
    const request = {
      event: "pre",
      agent: "aider",
      observer: "x",
      payload: payload({}),
      cwd: "/ws",
    } as const;
    expect(await door(request, { signal: never })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no agent is called aider/),
    });
  });

  test("and the plugin see one call of Claude Code once", async () => {
    const bench = doorBench({ answers: [once] });
    const text = payload({ tool_input: { command: "ASK" }, permission_mode: "default" });
    const both = await Promise.all(
      [
        { agent: "vscode", observer: "plugin" },
        { agent: "claude", observer: "hook:claude" },
      ].map((who) => bench.door({ event: "pre", ...who, payload: text, cwd: "/ws" }, { signal: never })),
    );
    expect(both.map(decisionOf)).toEqual(["allow", "allow"]);
    expect(bench.requests).toHaveLength(1);
    expect(bench.records.filter(({ event }) => event === "call")).toHaveLength(2);
  });

  test("say why a tool failed", async () => {
    const bench = doorBench();
    const post = payload({ hook_event_name: "PostToolUseFailure", error: "Exit code 3" });
    for (const [event, text] of [
      ["pre", payload({})],
      ["post", post],
    ] as const)
      await bench.door(
        { event, agent: "claude", observer: "hook:claude", payload: text, cwd: "/ws" },
        { signal: never },
      );
    await settle();
    expect(bench.records.at(-1)).toMatchObject({ event: "result", error: "Exit code 3" });
  });
});

describe("a call that is seen twice", () => {
  test("by two observers is judged, asked and recorded once", async () => {
    const bench = doorBench({ answers: [once] });
    const answers = await Promise.all([
      bench.send("pre", { command: "ASK", observer: "plugin" }),
      bench.send("pre", { command: "ASK", observer: "hook:vscode" }),
    ]);
    expect(answers.map(decisionOf)).toEqual(["allow", "allow"]);
    expect(bench.requests).toHaveLength(1);
    expect(bench.records.filter((r) => r.event === "call" && r.decision === "allow")).toHaveLength(1);
    // One after the other is the same.
    await bench.send("pre", { command: "DENY", id: "id-2", observer: "plugin" });
    expect(
      decisionOf(await bench.send("pre", { command: "DENY", id: "id-2", observer: "hook:vscode" })),
    ).toBe("deny");
    expect(bench.records.filter((r) => r.decision === "denied")).toHaveLength(1);
  });

  test("by one observer is two calls: one click runs one", async () => {
    const bench = doorBench({ answers: [once, no] });
    const answers = await Promise.all([
      bench.send("pre", { command: "ASK" }),
      bench.send("pre", { command: "ASK" }),
    ]);
    expect(answers.map(decisionOf).sort()).toEqual(["allow", "deny"]);
    expect(bench.requests).toHaveLength(2);
    const ids = bench.records.filter((r) => r.event === "call").map((r) => r.call_id);
    expect(new Set(ids).size).toBe(2);
  });

  test("each observer shares a verdict once: two calls, two observers, four sightings", async () => {
    const bench = doorBench({ answers: [once, no] });
    const observers = ["plugin", "plugin", "hook:vscode", "hook:vscode"];
    const answers = await Promise.all(
      observers.map((observer) => bench.send("pre", { command: "ASK", observer })),
    );
    expect(answers.map(decisionOf)).toEqual(["allow", "deny", "allow", "deny"]);
    expect(bench.requests).toHaveLength(2);
  });

  test.each([
    ["other arguments", { command: "ASK other" }],
    ["another id", { id: "id-9" }],
    ["another session", { session: "t" }],
    ["another tool", { tool: "send_to_terminal" }],
  ])("shares nothing with %s", async (_, more) => {
    const bench = doorBench({ answers: [once, no] });
    expect(decisionOf(await bench.send("pre", { command: "ASK" }))).toBe("allow");
    expect(decisionOf(await bench.send("pre", { command: "ASK", observer: "hook:vscode", ...more }))).toBe(
      "deny",
    );
  });

  test("without ids never shares what was asked or allowed, only a deny", async () => {
    const bench = doorBench({ answers: [once, no] });
    const [a, b] = [
      { command: "ASK", id: null, observer: "plugin" },
      { command: "ASK", id: null, observer: "hook:vscode" },
    ];
    expect((await Promise.all([bench.send("pre", a), bench.send("pre", b)])).map(decisionOf)).toEqual([
      "allow",
      "deny",
    ]);
    expect(bench.requests).toHaveLength(2);
    await bench.send("pre", { ...a, command: "DENY" });
    await bench.send("pre", { ...b, command: "DENY" });
    expect(bench.records.filter((r) => r.by === "by_word" && r.decision === "denied")).toHaveLength(1);
    bench.clock.advance(11_000);
    await bench.send("pre", { ...b, command: "DENY", observer: "third" });
    expect(bench.records.filter((r) => r.by === "by_word" && r.decision === "denied")).toHaveLength(2);
  });
});

describe("a result", () => {
  const results = (bench: ReturnType<typeof doorBench>) => bench.records.filter((r) => r.event === "result");

  test("is a second record that names the first", async () => {
    const bench = doorBench();
    await bench.send("pre", { id: "1" });
    bench.clock.advance(250);
    expect(await bench.send("post", { id: "1" })).toEqual({ stdout: "" });
    await settle();
    expect(results(bench)).toMatchObject([{ call_id: "1", error: null, duration_ms: 250 }]);
  });

  test("seen by two observers is one record", async () => {
    const bench = doorBench();
    for (const observer of ["plugin", "hook:vscode"]) await bench.send("pre", { observer });
    for (const observer of ["plugin", "hook:vscode"]) await bench.send("post", { observer });
    await settle();
    expect(bench.records.map((r) => r.event)).toEqual(["call", "result"]);
  });

  test("of a rewritten call finds it by the new arguments too, with and without ids", async () => {
    const bench = doorBench();
    for (const id of ["1", null]) {
      await bench.send("pre", { id, command: "REWRITE" });
      await bench.send("post", { id, command: "SAFE" });
    }
    await settle();
    expect(results(bench)).toHaveLength(2);
    expect(bench.records.flatMap((r) => r.findings ?? []).map((f) => f.code)).not.toContain("ran_ungoverned");
  });

  test("without an id goes to the call that was let through, not to the refused one before it", async () => {
    const bench = doorBench({ answers: [no, once] });
    await bench.send("pre", { id: null, command: "ASK" });
    await bench.send("pre", { id: null, command: "ASK" });
    await bench.send("post", { id: null, command: "ASK" });
    await settle();
    expect(results(bench)).toHaveLength(1);
    expect(bench.records.flatMap((r) => r.findings ?? []).map((f) => f.code)).not.toContain("ran_ungoverned");
  });

  type Play = readonly (readonly ["pre" | "post", Partial<Sent>])[];
  const ungoverned: readonly [string, Play][] = [
    ["without a call", [["post", {}]]],
    [
      "of another session",
      [
        ["pre", {}],
        ["post", { session: "t" }],
      ],
    ],
    [
      "of a call that was denied",
      [
        ["pre", { command: "DENY" }],
        ["post", { command: "DENY" }],
      ],
    ],
    [
      "that comes twice",
      [
        ["pre", {}],
        ["post", {}],
        ["post", {}],
      ],
    ],
    [
      "of one call too many, without ids",
      [
        ["pre", { id: null }],
        ["post", { id: null }],
        ["post", { id: null }],
      ],
    ],
  ];
  test.each(ungoverned)("%s is recorded as ungoverned", async (_, play) => {
    const bench = doorBench();
    for (const [event, sent] of play) await bench.send(event, sent);
    await settle();
    expect(
      bench.records.flatMap((r) => r.findings ?? []).filter((f) => f.code === "ran_ungoverned"),
    ).toHaveLength(1);
  });

  test("that never comes is written down when the turn is over", async () => {
    const bench = doorBench();
    await bench.send("pre", { id: "1" });
    await bench.send("pre", { id: "2" });
    await bench.send("pre", { id: "3", session: "t" });
    await bench.send("stop");
    await bench.send("post", { id: "2" });
    await settle();
    bench.clock.advance(11_000);
    await settle();
    expect(results(bench)).toMatchObject([
      { call_id: "2", error: null },
      { call_id: "1", error: expect.stringMatching(/ended unknown/) },
    ]);
    await bench.send("post", { id: "1" });
    await settle();
    expect(results(bench)).toHaveLength(2);
  });
});

describe("a held call", () => {
  test("is cancelled when its caller goes away", async () => {
    const release = deferred();
    const bench = doorBench({ answers: [() => release.promise.then(() => once)] });
    const signals: AbortSignal[] = [];
    const watching = doorBench(
      {},
      {
        governor: {
          ...bench.governor,
          authorize: (call, options) => {
            if (options?.signal !== undefined) signals.push(options.signal);
            return bench.governor.authorize(call, options);
          },
        },
      },
    );
    const [first, second] = [new AbortController(), new AbortController()];
    const held = [
      watching.send("pre", { command: "ASK", signal: first.signal }),
      watching.send("pre", { command: "ASK", signal: second.signal, observer: "hook:vscode" }),
    ];
    await settle();
    first.abort();
    expect(signals[0]?.aborted).toBe(false);
    second.abort();
    expect(signals[0]?.aborted).toBe(true);
    release.resolve();
    expect((await Promise.all(held)).map(decisionOf)).toEqual(["deny", "deny"]);
  });

  test("of the Agent Host is sent away to come again, and takes its place at the same question", async () => {
    const release = deferred();
    const bench = doorBench({ answers: [() => release.promise.then(() => once)] });
    const call = { host: "agentHost", command: "ASK" } as const;
    const first = bench.send("pre", call);
    await settle();
    bench.clock.advance(20_000);
    const away = JSON.parse((await first).stdout);
    expect(away).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/again/),
    });
    const other = bench.send("pre", { ...call, command: "ls" });
    expect(await other).toEqual({ stdout: "" });
    const second = bench.send("pre", call);
    await settle();
    release.resolve();
    expect(decisionOf(await second)).toBe("allow");
    expect(bench.requests).toHaveLength(1);
  });

  test("that was sent away and is approved meanwhile: the next identical call runs unasked, once", async () => {
    const release = deferred();
    const bench = doorBench({ answers: [() => release.promise.then(() => once), no] });
    const call = { host: "agentHost", command: "ASK" } as const;
    const first = bench.send("pre", call);
    await settle();
    bench.clock.advance(20_000);
    await first;
    release.resolve();
    await settle();
    // What was sent away never ran: a result now belongs to nobody.
    await bench.send("post", { command: "ASK", id: null });
    await settle();
    expect(bench.records.flatMap((r) => r.findings ?? []).map((f) => f.code)).toContain("ran_ungoverned");
    expect(decisionOf(await bench.send("pre", call))).toBe("allow");
    expect(bench.requests).toHaveLength(1);
    expect(decisionOf(await bench.send("pre", call))).toBe("deny");
    expect(bench.requests).toHaveLength(2);
  });

  test("that was sent away and is declined meanwhile asks again", async () => {
    const release = deferred();
    const bench = doorBench({ answers: [() => release.promise.then(() => no), once] });
    const call = { host: "agentHost", command: "ASK" } as const;
    const first = bench.send("pre", call);
    await settle();
    bench.clock.advance(20_000);
    await first;
    release.resolve();
    await settle();
    expect(decisionOf(await bench.send("pre", call))).toBe("allow");
    expect(bench.requests).toHaveLength(2);
  });
});

test("every event that arrives is told: the door is alive", async () => {
  const bench = doorBench();
  await bench.send("session-start");
  await bench.send("pre");
  await bench.send("stop");
  expect(bench.seen).toMatchObject([
    { event: "session-start", host: "local", agent: "vscode", observer: "plugin", sessionId: "s" },
    { event: "pre", toolName: "run_in_terminal" },
    { event: "stop" },
  ]);
});
