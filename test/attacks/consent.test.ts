/** Attacks on consent: a click is good for the very call, question and configuration that the person saw, for nothing else, and once. */
import { describe, expect, test } from "vitest";
import type { Args, ToolCall } from "../../src/core/call";
import { Allow, AskUser, Deny } from "../../src/core/decision";
import type { Hook } from "../../src/core/hook";
import type { AskAnswer } from "../../src/ports";
import { call, rig } from "../core/fixtures";

const once: AskAnswer = { kind: "allow", scope: "once" };
const session: AskAnswer = { kind: "allow", scope: "session" };
const closed: AskAnswer = { kind: "dismissed" };
const asks = (more: Partial<Parameters<typeof AskUser>[0]> = {}): Hook => ({
  name: "asker",
  guard: true,
  preToolUse: () => AskUser({ prompt: "Delete it?", confirm_args: { ok: true }, ...more }),
});
type Rig = ReturnType<typeof rig>;
const run = async (r: Rig, input: Args, more: Partial<ToolCall> = {}, signal?: AbortSignal) => {
  const ran: Args[] = [];
  const options = signal === undefined ? {} : { signal };
  const { outcome } = await r.governor.govern(call("t", input, more), (args) => void ran.push(args), options);
  return { outcome, ran };
};

describe("threat 9: what is different after the click is asked again", () => {
  const changing = (change: (state: { prompt: string; policy: string; scope: string }) => unknown) => {
    const state = { prompt: "UPDATE users", policy: "policy-1", scope: "a" };
    const hook: Hook = {
      name: "asker",
      guard: true,
      preToolUse: () =>
        AskUser({
          prompt: state.prompt,
          confirm_args: { ok: true },
          sessionScope: { key: state.scope, label: "s" },
        }),
    };
    const click = (): AskAnswer => {
      change(state);
      return session;
    };
    return rig({ hooks: [hook], answers: [click, closed], policyDigest: () => state.policy });
  };

  test.each<[string, Parameters<typeof changing>[0], string]>([
    ["the configuration", (s) => Object.assign(s, { policy: "policy-2" }), "the configuration"],
    [
      "what the guard says it would do",
      (s) => Object.assign(s, { prompt: "DROP users" }),
      "what it would do",
    ],
    ["the session scope that was offered", (s) => Object.assign(s, { scope: "b" }), "what it would do"],
  ])("%s", async (_name, change, told) => {
    const r = changing(change);
    const { outcome, ran } = await run(r, {});
    expect(outcome).toMatchObject({ kind: "denied", by: "person" });
    expect(r.requests.map((request) => request.changed)).toEqual([undefined, [told]]);
    expect(ran).toEqual([]);
  });

  test("a guard that asks only now is shown to the person too", async () => {
    let strict = false;
    const late: Hook = {
      name: "late",
      guard: true,
      preToolUse: () => (strict ? AskUser({ prompt: "It is outside!", confirm_args: { b: 1 } }) : Allow()),
    };
    const click = (): AskAnswer => {
      strict = true;
      return once;
    };
    const r = rig({ hooks: [asks(), late], answers: [click, closed] });
    expect((await run(r, {})).ran).toEqual([]);
    expect(r.requests[1]?.prompt).toContain("It is outside!");
  });

  test("arguments that the caller changes while the person thinks", async () => {
    const input: Record<string, unknown> = { sql: "DELETE FROM a" };
    const click = (): AskAnswer => {
      input.sql = "DELETE FROM b";
      return once;
    };
    const r = rig({ hooks: [asks()], answers: [click, closed] });
    expect((await run(r, input)).ran).toEqual([]);
    expect(r.requests[1]).toMatchObject({ changed: ["the arguments"], finalArgs: { sql: "DELETE FROM b" } });
  });
});

describe("threat 11: a session grant covers what was approved, there and then", () => {
  const scoped = asks({ sessionScope: { key: "shape", label: "UPDATE users" } });

  test.each<[string, Partial<ToolCall>]>([
    ["another session", { sessionId: "s2" }],
    ["another agent", { agent: "other" }],
    ["a subagent", { subagent: "sub" }],
    ["another folder", { cwd: "/elsewhere" }],
    ["another tool", { toolName: "u" }],
  ])("not for %s", async (_name, more) => {
    const r = rig({ hooks: [scoped], answers: [session, closed] });
    await run(r, { i: 1 });
    expect((await run(r, { i: 2 })).outcome).toMatchObject({ kind: "run", consent: "session" });
    expect((await run(r, { i: 2 }, more)).outcome).toMatchObject({ kind: "denied" });
    expect(r.requests).toHaveLength(2);
  });

  test.each<[string, "policy" | "binding"]>([
    ["another configuration", "policy"],
    ["another script, database or real folder behind the same words", "binding"],
  ])("not under %s", async (_name, what) => {
    let now = "1";
    const r = rig({
      hooks: [scoped],
      answers: [session, closed],
      policyDigest: () => (what === "policy" ? now : "same"),
      bind: async () => ({ "executes x.sh": what === "binding" ? now : "same" }),
    });
    await run(r, { i: 1 });
    now = "2";
    expect((await run(r, { i: 2 })).outcome).toMatchObject({ kind: "denied" });
    expect(r.requests).toHaveLength(2);
  });
});

describe("a grant that waits (the caller was told to come back) is for the same call alone", () => {
  test.each<[string, Partial<ToolCall>]>([
    ["other arguments", { input: { x: 2 } }],
    ["another session", { sessionId: "s2" }],
    ["another agent", { agent: "other" }],
    ["a subagent", { subagent: "sub" }],
    ["another folder", { cwd: "/elsewhere" }],
    ["another tool", { toolName: "u" }],
  ])("not for %s", async (_name, more) => {
    const r = rig({ hooks: [asks()], answers: [once, closed] });
    const c = call("t", { x: 1 });
    await r.governor.authorize(c, { detached: () => true });
    expect(await r.governor.authorize({ ...c, callId: "c2", ...more })).toMatchObject({ kind: "denied" });
    expect(r.requests).toHaveLength(2);
  });

  test("not after ten minutes, not under another configuration", async () => {
    for (const spoil of ["time", "policy"] as const) {
      let policy = "1";
      const r = rig({ hooks: [asks()], answers: [once, closed], policyDigest: () => policy });
      const c = call("t", { x: 1 });
      await r.governor.authorize(c, { detached: () => true });
      if (spoil === "time") r.clock.advance(10 * 60_000);
      else policy = "2";
      expect(await r.governor.authorize({ ...c, callId: "c2" })).toMatchObject({ kind: "denied" });
    }
  });
});

test("threat 8: a caller that was told to come back runs nothing on the answer, even when nothing needs to be asked by then", async () => {
  let strict = true;
  const hook: Hook = {
    name: "asker",
    guard: true,
    preToolUse: () =>
      strict
        ? AskUser({ prompt: "?", confirm_args: { ok: true } })
        : Allow({ binding: { "path:a": "/ws/a" } }),
  };
  const click = (): AskAnswer => {
    strict = false;
    return once;
  };
  for (const detached of [true, false]) {
    strict = true;
    const r = rig({ hooks: [hook], answers: [click] });
    const outcome = await r.governor.authorize(call("t", {}), { detached: () => detached });
    expect(outcome).toMatchObject(
      detached ? { kind: "denied", reason: expect.stringContaining("approved") } : { kind: "run" },
    );
  }
});

describe("a caller that has gone", () => {
  test.each<[string, readonly Hook[], number]>([
    ["before an allowed call would run", [], 0],
    ["before the question", [asks()], 0],
    ["while the person thinks, and the click still comes", [asks()], 1],
  ])("%s: nothing runs, and the record says denied", async (_name, hooks, answers) => {
    const gone = new AbortController();
    const click = (): AskAnswer => {
      gone.abort();
      return once;
    };
    if (answers === 0) gone.abort();
    const r = rig({ hooks, answers: [click] });
    const { outcome, ran } = await run(r, {}, {}, gone.signal);
    expect(outcome).toMatchObject({ kind: "denied", reason: expect.stringContaining("went away") });
    expect(ran).toEqual([]);
    expect(r.records.at(-1)).toMatchObject({ decision: "denied" });
  });
});

describe("a hook's answer that cannot be applied may have been a deny: the call does not run", () => {
  const trap = { kind: "deny", reason: "no" };
  test.each<[string, unknown]>([
    ["findings that are no list", { ...trap, findings: {} }],
    ["findings that are text", { ...trap, findings: "oops" }],
    ["a context that is no text", { ...trap, additionalContext: { a: 1 } }],
    ["a binding that is no object", { ...trap, binding: "x" }],
    ["a binding of other things than text", { ...trap, binding: { a: {} } }],
    ["a reason that is no text", { ...trap, reason: undefined }],
    ["an ask without a prompt", { kind: "ask", details: {}, confirmArgs: { a: 1 } }],
    ["an ask with half a scope", { ...AskUser({ prompt: "?" }), sessionScope: { key: "k" } }],
    ["an unknown kind", { kind: "Deny", reason: "no" }],
    ["true", true],
    ["a text", "deny"],
    ["a list", [Deny("no")]],
    [
      "a getter that throws",
      {
        get kind() {
          throw new Error("boom");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error("boom");
          },
        },
      ),
    ],
  ])("%s", async (_name, answer) => {
    const hook: Hook = { name: "custom", preToolUse: () => answer as undefined };
    const { outcome, ran } = await run(rig({ hooks: [hook] }), {});
    expect(outcome).toMatchObject({ kind: "denied", broken: true, by: "custom" });
    expect(ran).toEqual([]);
  });
});

describe("arguments that are not what they seem", () => {
  test("a getter is read once: what was judged is what runs", async () => {
    let reads = 0;
    const input = {
      get sql() {
        reads += 1;
        return reads === 1 ? "SELECT 1" : "DROP TABLE users";
      },
    };
    const judged: unknown[] = [];
    const guard: Hook = { name: "g", guard: true, preToolUse: (_c, _t, args) => void judged.push(args.sql) };
    const { ran } = await run(rig({ hooks: [guard] }), input);
    expect([judged, ran]).toEqual([["SELECT 1"], [{ sql: "SELECT 1" }]]);
  });

  test("an instance of a class is refused, not judged as if it were empty", async () => {
    class Query {
      sql = "DROP TABLE users";
    }
    const { outcome, ran } = await run(rig({}), new Query() as unknown as Args);
    expect(outcome).toMatchObject({ kind: "denied", broken: true });
    expect(ran).toEqual([]);
  });

  test("a key named __proto__ is a key, and reaches guard and tool alike", async () => {
    const input = JSON.parse('{"__proto__":{"sql":"DROP"},"constructor":1}') as Args;
    const judged: string[][] = [];
    const guard: Hook = {
      name: "g",
      guard: true,
      preToolUse: (_c, _t, args) => void judged.push(Object.keys(args)),
    };
    const { ran } = await run(rig({ hooks: [guard] }), input);
    expect(judged).toEqual([["__proto__", "constructor"]]);
    expect(Object.keys(ran[0] ?? {})).toEqual(["__proto__", "constructor"]);
    expect((ran[0] as { sql?: unknown }).sql).toBeUndefined();
  });

  test("a handler that changes its arguments changes no record", async () => {
    const r = rig({});
    await r.governor.govern(call("t", { deep: { x: 1 } }), (args) => {
      (args.deep as Record<string, unknown>).x = 2;
    });
    expect(r.records).toMatchObject([{ args: { deep: { x: 1 } } }]);
  });
});
