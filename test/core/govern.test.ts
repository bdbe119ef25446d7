import { describe, expect, test } from "vitest";
import type { Args } from "../../src/core/call";
import { Allow, AskUser, Deny, Rewrite } from "../../src/core/decision";
import type { Hook } from "../../src/core/hook";
import type { AskAnswer } from "../../src/ports";
import { call, rig } from "./fixtures";

const once: AskAnswer = { kind: "allow", scope: "once" };
const session: AskAnswer = { kind: "allow", scope: "session" };
const confirm = { confirm_destructive: true };
const asks = (more: Partial<Parameters<typeof AskUser>[0]> = {}): Hook => ({
  name: "asker",
  guard: true,
  preToolUse: () => AskUser({ prompt: "Delete it?", confirm_args: confirm, ...more }),
});
const run = (r: ReturnType<typeof rig>, input: Args, more = {}) => {
  const ran: Args[] = [];
  const done = r.governor.govern(call("t", input, more), (args) => {
    ran.push(args);
    return "result";
  });
  return { done, ran };
};

describe("decisions", () => {
  test("an allowed call runs once, between a durable intent and one record", async () => {
    const r = rig({ hooks: [{ name: "a", preToolUse: () => Allow() }] });
    const { done, ran } = run(r, { x: 1 });
    expect(await done).toMatchObject({ outcome: { kind: "run", decision: "allow" }, result: "result" });
    expect(ran).toEqual([{ x: 1 }]);
    expect(r.intents).toHaveLength(1);
    expect(r.records.map((b) => [b.event, b.decision, b.error])).toEqual([["call", "allow", null]]);
  });

  test("a denied call does not run and is on record", async () => {
    const r = rig({ hooks: [{ name: "a", preToolUse: () => Deny("never") }] });
    const { done, ran } = run(r, {});
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "never", by: "a" } });
    expect(ran).toEqual([]);
    expect(r.records).toMatchObject([{ decision: "denied", by: "a", reason: "never" }]);
    expect(r.denied).toHaveLength(1);
  });

  test("a deny anywhere comes before a question", async () => {
    const r = rig({ hooks: [asks(), { name: "z", preToolUse: () => Deny("refused anyway") }] });
    expect(await run(r, {}).done).toMatchObject({ outcome: { kind: "denied", reason: "refused anyway" } });
    expect(r.requests).toEqual([]);
  });

  test("a rewrite reaches the tool, and the guards judge it again", async () => {
    const guard: Hook = {
      name: "guard",
      guard: true,
      preToolUse: (_c, _t, args) => (args.table === "users" ? Deny("not users") : Allow()),
    };
    const to = (table: string): Hook => ({ name: "pin", preToolUse: () => Rewrite({ table }) });
    const fine = rig({ hooks: [guard, to("orders")] });
    const first = run(fine, { table: "x" });
    expect(await first.done).toMatchObject({ outcome: { kind: "run", decision: "rewrite" } });
    expect(first.ran).toEqual([{ table: "orders" }]);
    const smuggled = run(rig({ hooks: [guard, to("users")] }), { table: "x" });
    expect(await smuggled.done).toMatchObject({ outcome: { kind: "denied", reason: "not users" } });
    expect(smuggled.ran).toEqual([]);
  });

  test("the handler's own error is re-raised and recorded", async () => {
    const r = rig({});
    const failing = r.governor.govern(call("t", {}), () => {
      throw new TypeError("boom");
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(r.records).toMatchObject([{ decision: "error", error: "boom" }]);
  });

  test("a hook cannot change the arguments in place", async () => {
    const r = rig({
      hooks: [
        {
          name: "sly",
          preToolUse: (_c, _t, args) => {
            (args.deep as Record<string, unknown>).x = 2;
          },
        },
      ],
    });
    const { done, ran } = run(r, { deep: { x: 1 } });
    await done;
    expect(ran).toEqual([{ deep: { x: 1 } }]);
  });

  test("undeclared arguments do not reach the tool", async () => {
    const r = rig({});
    const ran: Args[] = [];
    const options = { declaredArgs: ["sql"] };
    await r.governor.govern(call("t", { sql: "x", extra: 1 }), (a) => ran.push(a), options);
    expect(ran).toEqual([{ sql: "x" }]);
  });
});

describe("consent by a person", () => {
  test("allow once: it runs once, and the identical next call asks again", async () => {
    const r = rig({ hooks: [asks()], answers: [once, { kind: "dismissed" }] });
    const first = run(r, { sql: "DELETE" });
    expect(await first.done).toMatchObject({ outcome: { kind: "run", consent: "once" } });
    const second = run(r, { sql: "DELETE" });
    expect(await second.done).toMatchObject({ outcome: { kind: "denied", by: "person" } });
    expect([first.ran.length, second.ran.length, r.requests.length]).toEqual([1, 0, 2]);
  });

  test("two identical parallel calls on one click: one runs", async () => {
    const r = rig({ hooks: [asks()], answers: [once, { kind: "dismissed" }] });
    const both = [run(r, { sql: "DELETE" }), run(r, { sql: "DELETE" })];
    await Promise.all(both.map((b) => b.done));
    expect(both.flatMap((b) => b.ran)).toHaveLength(1);
  });

  test.each<[string, AskAnswer, RegExp]>([
    ["denied", { kind: "deny" }, /Do not continue, answer another way/],
    [
      "denied with a sentence",
      { kind: "deny", sentence: "Use the archive table." },
      /Use the archive table\./,
    ],
    ["closed", { kind: "dismissed" }, /Do not continue/],
    ["paused", { kind: "deny", pauseAgent: true }, /paused this agent/],
    ["expired", { kind: "expired" }, /Nobody answered in time/],
    ["cancelled", { kind: "cancelled" }, /went away/],
  ])("%s: it does not run", async (_name, answer, reason) => {
    const r = rig({ hooks: [asks()], answers: [answer] });
    const { done, ran } = run(r, {});
    expect(await done).toMatchObject({
      outcome: { kind: "denied", by: "person", reason: expect.stringMatching(reason) },
    });
    expect(ran).toEqual([]);
  });

  test("the ask and the choice are both on record", async () => {
    const r = rig({ hooks: [asks()], answers: [{ kind: "deny" }] });
    await run(r, {}).done;
    expect(r.records.map((b) => b.event)).toEqual(["call", "human_choice", "call"]);
    expect(r.records.map((b) => b.decision)).toEqual(["asks_user", undefined, "denied"]);
    expect(new Set(r.records.map((b) => b.ask_id)).size).toBe(1);
  });

  test("an agent that confirms by itself is asked all the same", async () => {
    const r = rig({ hooks: [asks()], answers: [{ kind: "dismissed" }] });
    const { done, ran } = run(r, { sql: "DELETE", ...confirm });
    expect(await done).toMatchObject({ outcome: { kind: "denied", findings: [{ code: "forged_consent" }] } });
    expect(ran).toEqual([]);
  });

  test("the confirm key never reaches the tool", async () => {
    const r = rig({ hooks: [asks()], answers: [once] });
    const { done, ran } = run(r, { sql: "DELETE", ...confirm });
    await done;
    expect(ran).toEqual([{ sql: "DELETE" }]);
  });

  test("what changed while the person thought is asked again, with what changed", async () => {
    let target = "/ws/a";
    const hook: Hook = {
      name: "asker",
      guard: true,
      preToolUse: () => AskUser({ prompt: "?", confirm_args: confirm, binding: { "path:file": target } }),
    };
    const swap = (): AskAnswer => {
      target = "/etc/passwd";
      return once;
    };
    const r = rig({ hooks: [hook], answers: [swap, { kind: "dismissed" }] });
    const { done, ran } = run(r, {});
    expect(await done).toMatchObject({ outcome: { kind: "denied" } });
    expect(r.requests[1]?.changed).toEqual(["file: /ws/a → /etc/passwd"]);
    expect(ran).toEqual([]);
  });

  test("a call that keeps changing is denied", async () => {
    let n = 0;
    const hook: Hook = {
      name: "asker",
      guard: true,
      preToolUse() {
        n += 1;
        return AskUser({ prompt: "?", confirm_args: confirm, binding: { n: String(n) } });
      },
    };
    const { done, ran } = run(rig({ hooks: [hook], answers: [once, once, once] }), {});
    expect(await done).toMatchObject({ outcome: { kind: "denied" } });
    expect(ran).toEqual([]);
  });

  test("a guard that now denies wins over the click", async () => {
    let verdict: "ask" | "deny" = "ask";
    const hook: Hook = {
      name: "asker",
      guard: true,
      preToolUse: () =>
        verdict === "ask" ? AskUser({ prompt: "?", confirm_args: confirm }) : Deny("too late"),
    };
    const click = (): AskAnswer => {
      verdict = "deny";
      return once;
    };
    const { done, ran } = run(rig({ hooks: [hook], answers: [click] }), {});
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "too late" } });
    expect(ran).toEqual([]);
  });

  test("a session grant covers ten calls of its scope and no other session", async () => {
    const scoped = asks({ sessionScope: { key: "shape", label: "UPDATE users" } });
    const r = rig({ hooks: [scoped], answers: [session, { kind: "dismissed" }, { kind: "dismissed" }] });
    for (let i = 0; i < 10; i += 1) await run(r, { i }).done;
    expect(r.requests).toHaveLength(1);
    await run(r, { i: 11 }).done;
    expect(r.requests).toHaveLength(2);
    await run(r, { i: 0 }, { sessionId: "s2" }).done;
    expect(r.requests).toHaveLength(3);
  });

  test("a session answer without a scope to grant counts once", async () => {
    const r = rig({ hooks: [asks()], answers: [session, { kind: "dismissed" }] });
    expect(await run(r, {}).done).toMatchObject({ outcome: { consent: "once" } });
    expect(await run(r, {}).done).toMatchObject({ outcome: { kind: "denied" } });
  });

  test("deny all and pause: the agent's next call is denied unasked", async () => {
    const r = rig({ hooks: [asks()], answers: [{ kind: "deny", pauseAgent: true }] });
    await run(r, {}).done;
    expect(await run(r, {}).done).toMatchObject({
      outcome: { kind: "denied", reason: expect.stringContaining("paused") },
    });
    expect(r.requests).toHaveLength(1);
  });

  test("where nobody can be asked, an ask is a deny that says how to approve", async () => {
    const r = rig({ hooks: [asks()], person: "absent" });
    expect(await run(r, {}).done).toMatchObject({
      outcome: {
        kind: "denied",
        by: "asker",
        reason: expect.stringMatching(/Delete it\?[\s\S]*needs a person's approval/),
      },
    });
  });
});

describe("consent by arguments", () => {
  test("held back, then approved by the re-issued call", async () => {
    const r = rig({ hooks: [asks()], consent: "args" });
    const held = run(r, { sql: "DELETE" });
    expect(await held.done).toMatchObject({ outcome: { kind: "asks_user", confirm_args: confirm } });
    const again = run(r, { sql: "DELETE", ...confirm });
    expect(await again.done).toMatchObject({ outcome: { kind: "run", consent: "args" } });
    expect([held.ran, again.ran]).toEqual([[], [{ sql: "DELETE" }]]);
    expect(r.asked).toHaveLength(1);
  });

  test("an ask without confirm_args gets a token that fits this call alone", async () => {
    const r = rig({ hooks: [{ name: "a", preToolUse: () => AskUser({ prompt: "?" }) }], consent: "args" });
    const held = await run(r, { x: 1 }).done;
    const token = held.outcome.kind === "asks_user" ? held.outcome.confirm_args : {};
    expect(Object.keys(token)).toEqual(["_consent"]);
    expect(await run(r, { x: 2, ...token }).done).toMatchObject({ outcome: { kind: "asks_user" } });
    expect(await run(r, { x: 1, ...token }).done).toMatchObject({ outcome: { kind: "run" } });
  });

  test("both askers must be answered", async () => {
    const other: Hook = { name: "b", preToolUse: () => AskUser({ prompt: "?", confirm_args: { b: 1 } }) };
    const r = rig({ hooks: [asks(), other], consent: "args" });
    expect(await run(r, confirm).done).toMatchObject({ outcome: { kind: "asks_user", by: "b" } });
    expect(await run(r, { ...confirm, b: 1 }).done).toMatchObject({ outcome: { kind: "run" } });
  });
});

describe("when something of ours fails", () => {
  const failing = {
    append: () => Promise.reject(new Error("disk full")),
    intend: () => Promise.reject(new Error("disk full")),
  };

  test("no intent, no run", async () => {
    const { done, ran } = run(rig({ audit: failing }), {});
    expect(await done).toMatchObject({
      outcome: { kind: "denied", by: "audit_log", reason: expect.stringContaining("guard broken") },
    });
    expect(ran).toEqual([]);
  });

  test("unless the audit is not required", async () => {
    const { done, ran } = run(rig({ audit: failing, auditRequired: false }), {});
    expect(await done).toMatchObject({ outcome: { kind: "run" } });
    expect(ran).toHaveLength(1);
  });

  test("a question whose record cannot be written is not asked", async () => {
    const r = rig({ hooks: [asks()], audit: failing });
    expect(await run(r, {}).done).toMatchObject({
      outcome: { kind: "denied", reason: expect.stringContaining("guard broken") },
    });
    expect(r.requests).toEqual([]);
  });

  test("a binding that cannot be read denies", async () => {
    const { done, ran } = run(rig({ bind: () => Promise.reject(new Error("no cwd")) }), {});
    expect(await done).toMatchObject({
      outcome: { kind: "denied", reason: expect.stringContaining("no cwd") },
    });
    expect(ran).toEqual([]);
  });

  test("a chain that cannot be built denies", async () => {
    const r = rig({ brokenConfig: true });
    const { done, ran } = run(r, {});
    expect(await done).toMatchObject({
      outcome: { kind: "denied", reason: expect.stringContaining("no configuration") },
    });
    expect(await r.governor.authorize(call("t", {}))).toMatchObject({ kind: "denied", broken: true });
    expect(ran).toEqual([]);
  });

  test("arguments too deep to copy deny", async () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 5000; i += 1) deep = { deep };
    expect(await run(rig({}), deep).done).toMatchObject({ outcome: { kind: "denied", broken: true } });
  });
});

describe("doors that hold the call", () => {
  test("the decision is on record before the answer, the result afterwards", async () => {
    const r = rig({});
    const c = call("t", { x: 1 });
    const outcome = await r.governor.authorize(c);
    expect(r.records.map((b) => [b.event, b.decision])).toEqual([["call", "allow"]]);
    await r.governor.settle(c, outcome, { result: "out", error: null, durationMs: 5 });
    expect(r.records.map((b) => [b.event, b.decision, b.duration_ms])).toEqual([
      ["call", "allow", undefined],
      ["result", "allow", 5],
    ]);
  });

  test("a denial is one record", async () => {
    const r = rig({ hooks: [{ name: "a", preToolUse: () => Deny("no") }] });
    await r.governor.authorize(call("t", {}));
    expect(r.records).toHaveLength(1);
  });

  test("a decision that cannot be recorded denies", async () => {
    const r = rig({ audit: { append: () => Promise.reject(new Error("read-only")) } });
    expect(await r.governor.authorize(call("t", {}))).toMatchObject({ kind: "denied", broken: true });
  });

  test("a result nobody announced is told as such", async () => {
    const r = rig({});
    await r.governor.ranUngoverned(call("t", {}), { result: "x", error: null });
    expect(r.records).toMatchObject([{ event: "result", findings: [{ code: "ran_ungoverned" }] }]);
  });
});

test("a click after the caller was told to come back holds for its next identical call, once", async () => {
  const r = rig({ hooks: [asks()], answers: [once, { kind: "dismissed" }] });
  const c = call("t", { x: 1 });
  expect(await r.governor.authorize(c, { detached: () => true })).toMatchObject({
    kind: "denied",
    reason: expect.stringContaining("approved"),
  });
  expect(await r.governor.authorize({ ...c, callId: "c2" })).toMatchObject({ kind: "run", consent: "once" });
  expect(await r.governor.authorize({ ...c, callId: "c3" })).toMatchObject({ kind: "denied" });
});

test("a chain switched off lets calls run and says so in every record", async () => {
  const r = rig({ hooks: [{ name: "a", preToolUse: () => Deny("no") }], enabled: false });
  expect(await run(r, {}).done).toMatchObject({ outcome: { kind: "run" } });
  expect(r.records).toMatchObject([{ findings: [{ code: "chain_disabled" }] }]);
});

test("a decision's record names the configuration that the call was judged by, not the one before", async () => {
  let digest = "old";
  const bench = rig({
    policyDigest: () => digest,
    // Stands for the look at the files that each judgement begins with.
    bind: async () => {
      digest = "new";
      return {};
    },
  });
  await bench.governor.authorize(call("make_tea", {}));
  expect(bench.records).toMatchObject([{ event: "call", policy_digest: "new" }]);
});
