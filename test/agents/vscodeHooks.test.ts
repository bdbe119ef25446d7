import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/agents/hookRequest";
import { readHookPayload, writeOutcome } from "../../src/agents/vscodeHooks";
import { isPlainObject } from "../../src/core/call";
import type { Outcome, RunOutcome } from "../../src/core/hook";

const fixture = (name: string) =>
  readFileSync(new URL(`fixtures/vscode/${name}.json`, import.meta.url), "utf8");
const session = "a4aaddea-5f0e-4a57-9a35-1c3f6f0f6c11";
const terminal = {
  command: "echo RAN > ran.txt",
  explanation: "x",
  goal: "x",
  mode: "sync",
  isBackground: false,
  timeout: 10_000,
};

describe("recorded payloads", () => {
  const rows: readonly [string, HookEvent, unknown][] = [
    [
      "local-pre",
      "pre",
      {
        kind: "pre",
        host: "local",
        agent: "vscode",
        sessionId: session,
        cwd: "/home/ann/shop",
        toolUseId: "call_1__vscode-1796030971004",
        toolName: "run_in_terminal",
        input: terminal,
      },
    ],
    [
      "local-post",
      "post",
      {
        kind: "post",
        host: "local",
        agent: "vscode",
        sessionId: session,
        cwd: "/home/ann/shop",
        toolUseId: "call_1__vscode-1796030971004",
        toolName: "run_in_terminal",
        input: terminal,
        response: "",
      },
    ],
    [
      "local-session-start",
      "session-start",
      { kind: "notice", host: "local", agent: "vscode", sessionId: session, cwd: "/home/ann/shop" },
    ],
    [
      "local-subagent-start",
      "subagent-start",
      {
        kind: "notice",
        host: "local",
        agent: "vscode",
        sessionId: session,
        cwd: "/home/ann/shop",
        agentId: "sub-1",
      },
    ],
    [
      "claude-pre",
      "pre",
      {
        kind: "pre",
        host: "local",
        agent: "claude",
        sessionId: "be6ff744-8237-4a32-acac-15ce728c055d",
        cwd: "/home/ann/shop",
        toolUseId: "toolu_0",
        toolName: "Bash",
        input: { command: "echo hi", description: "say hi" },
      },
    ],
    [
      "agent-host-pre",
      "pre",
      {
        kind: "pre",
        host: "agentHost",
        agent: "vscode",
        sessionId: "073c6f98-b178-45df-87a2-e2b17d1ecc9c",
        cwd: "/home/ann/shop",
        toolName: "bash",
        input: { command: "echo hi", description: "say hi" },
      },
    ],
    [
      "agent-host-post",
      "post",
      {
        kind: "post",
        host: "agentHost",
        agent: "vscode",
        sessionId: "073c6f98-b178-45df-87a2-e2b17d1ecc9c",
        cwd: "/home/ann/shop",
        toolName: "bash",
        input: { command: "echo hi", description: "say hi" },
        response: { resultType: "success", textResultForLlm: "hi" },
      },
    ],
  ];
  test.each(rows)("%s", (name, event, expected) => {
    expect(readHookPayload(event, fixture(name))).toEqual({ ok: true, value: expected });
  });
});

describe("what is no payload is refused, never guessed at", () => {
  const local = JSON.parse(fixture("local-pre"));
  const host = JSON.parse(fixture("agent-host-pre"));
  const rows: readonly [string, HookEvent, string, RegExp][] = [
    ["nothing", "pre", "", /no JSON/],
    ["half of one", "pre", fixture("local-pre").slice(0, 200), /no JSON/],
    ["two", "pre", fixture("local-pre").repeat(2), /no JSON/],
    ["a list", "pre", "[]", /no object/],
    ["null", "pre", "null", /no object/],
    ["an empty object", "pre", "{}", /names no session/],
    ["another event's", "pre", fixture("local-post"), /no PreToolUse event/],
    ["a call as a notice", "stop", fixture("local-pre"), /no Stop event/],
    ["both forms at once", "pre", JSON.stringify({ ...local, ...host }), /mixes two forms/],
    ["no tool", "pre", JSON.stringify({ ...local, tool_name: "" }), /names no tool/],
    ["a tool that is no text", "pre", JSON.stringify({ ...local, tool_name: ["x"] }), /names no tool/],
    ["no input", "pre", JSON.stringify({ ...local, tool_input: undefined }), /no object/],
    ["an input that is a text", "pre", JSON.stringify({ ...local, tool_input: "rm -rf /" }), /no object/],
    ["an input that is a list", "pre", JSON.stringify({ ...local, tool_input: [1] }), /no object/],
    ["an id that is no text", "pre", JSON.stringify({ ...local, tool_use_id: 7 }), /no text/],
    ["no session", "pre", JSON.stringify({ ...local, session_id: null }), /names no session/],
    ["host: no tool", "pre", JSON.stringify({ ...host, toolName: 1 }), /names no tool/],
    ["host: no args", "pre", JSON.stringify({ ...host, toolArgs: undefined }), /no object/],
    ["host: a list of args", "pre", JSON.stringify({ ...host, toolArgs: [] }), /no object/],
  ];
  test.each(rows)("%s", (_, event, text, reason) => {
    const read = readHookPayload(event, text);
    expect(read).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });

  test("whatever the text, it is read or refused, and what is read is a call with an object for arguments", () => {
    const field = fc.oneof(fc.string(), fc.constantFrom("PreToolUse", "s", ""), fc.jsonValue());
    const names = [
      "hook_event_name",
      "session_id",
      "sessionId",
      "tool_name",
      "toolName",
      "tool_input",
      "toolArgs",
      "cwd",
    ];
    const payload = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.dictionary(fc.constantFrom(...names, "tool_use_id"), field).map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.jsonValue(), field)
        .map(([tool_input, tool_use_id]) => JSON.stringify({ ...local, tool_input, tool_use_id })),
    );
    fc.assert(
      fc.property(payload, (text) => {
        const read = readHookPayload("pre", text);
        if (!read.ok) return read.reason.length > 0;
        const { value } = read;
        return (
          value.kind === "pre" &&
          value.toolName !== "" &&
          value.sessionId !== "" &&
          isPlainObject(value.input)
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("a relative cwd is no cwd", () => {
    const read = readHookPayload("pre", JSON.stringify({ ...local, cwd: "../x" }));
    expect(read.ok && read.value.cwd).toBeUndefined();
  });

  test("an own key named __proto__ stays a key", () => {
    const text = fixture("local-pre").replace('"goal": "x"', '"__proto__": {"command":"x"}');
    const read = readHookPayload("pre", text);
    expect(read.ok && read.value.kind === "pre" && Object.hasOwn(read.value.input, "__proto__")).toBe(true);
  });

  test("a text instead of arguments is judged as a text", () => {
    const patch = "*** Begin Patch\n*** Delete File: x\n";
    expect(readHookPayload("pre", JSON.stringify({ ...host, toolArgs: patch }))).toMatchObject({
      value: { input: { input: patch }, rawInput: true },
    });
    expect(readHookPayload("pre", JSON.stringify({ ...host, toolArgs: '{"command":"ls"}' }))).toMatchObject({
      value: { input: { command: "ls" }, rawInput: true },
    });
  });
});

describe("answers", () => {
  const base = { args: { command: "ls" }, contexts: [], findings: [], trail: [], rewritten: false } as const;
  const run = (more: Partial<RunOutcome>): Outcome => ({
    ...base,
    kind: "run",
    decision: "allow",
    by: null,
    binding: {},
    ...more,
  });
  const denied = (more: { reason: string; broken: boolean }): Outcome => ({
    ...base,
    kind: "denied",
    by: "guard",
    ...more,
  });
  const local = (body: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...body } });
  const asked: Outcome = {
    ...base,
    kind: "asks_user",
    askId: "a",
    prompt: "Drop it?",
    details: {},
    confirm_args: {},
    by: "sql",
  };
  const args = base.args;

  const rows: readonly [string, Outcome, object | undefined, object | undefined][] = [
    ["an allow nobody clicked says nothing", run({}), undefined, undefined],
    ["consent in the arguments is no click", run({ consent: "args" }), undefined, undefined],
    [
      "a rewrite nobody clicked leaves the host its own question",
      run({ rewritten: true, decision: "rewrite" }),
      local({ updatedInput: args }),
      { modifiedArgs: args },
    ],
    [
      "a click allows, with the approved arguments",
      run({ consent: "once" }),
      local({ permissionDecision: "allow", updatedInput: args }),
      { permissionDecision: "allow", modifiedArgs: args },
    ],
    [
      "a session grant too",
      run({ consent: "session", rewritten: true }),
      local({ permissionDecision: "allow", updatedInput: args }),
      { permissionDecision: "allow", modifiedArgs: args },
    ],
    [
      "context goes along",
      run({ contexts: ["one", "two"] }),
      local({ additionalContext: "one\ntwo" }),
      { additionalContext: "one\ntwo" },
    ],
    [
      "a deny carries its reason",
      denied({ reason: "no", broken: false }),
      local({ permissionDecision: "deny", permissionDecisionReason: "no" }),
      { permissionDecision: "deny", permissionDecisionReason: "no" },
    ],
    [
      "a deny without a reason gets one",
      denied({ reason: " ", broken: false }),
      local({ permissionDecision: "deny", permissionDecisionReason: "denied" }),
      { permissionDecision: "deny", permissionDecisionReason: "denied" },
    ],
  ];
  test.each(rows)("%s", (_, outcome, inLocal, inHost) => {
    const parse = (text: string) => (text === "" ? undefined : JSON.parse(text));
    expect(parse(writeOutcome({ host: "local" }, outcome))).toEqual(inLocal);
    expect(parse(writeOutcome({ host: "agentHost" }, outcome))).toEqual(inHost);
  });

  test("a broken guard is called broken, and the way out is named", () => {
    const text = writeOutcome(
      { host: "local" },
      denied({ reason: "guard broken: path_allowlist threw", broken: true }),
    );
    const reason = JSON.parse(text).hookSpecificOutput.permissionDecisionReason;
    expect(reason).toMatch(/^guard broken: path_allowlist threw\. .*code --uninstall-extension/);
  });

  test("an ask that was not put to anybody denies", () => {
    for (const host of ["local", "agentHost"] as const) {
      expect(writeOutcome({ host }, asked)).toContain('"permissionDecision":"deny"');
    }
  });

  test("arguments that came as a text cannot be rewritten, and then do not run", () => {
    const rewritten = run({ rewritten: true, decision: "rewrite" });
    expect(
      JSON.parse(writeOutcome({ host: "agentHost", rawInput: true }, rewritten)).permissionDecision,
    ).toBe("deny");
    expect(JSON.parse(writeOutcome({ host: "agentHost", rawInput: true }, run({ consent: "once" })))).toEqual(
      {
        permissionDecision: "allow",
      },
    );
  });
});
