import { describe, expect, it, test } from "vitest";
import type { Args } from "../../../src/core/call";
import { Allow, Deny } from "../../../src/core/decision";
import type { Hook } from "../../../src/core/hook";
import type { RunnablePolicy } from "../../../src/core/policies/types";
import { call, rig } from "../fixtures";
import { handler, result, rule } from "../hookRules/rigs";
import { observer, policiesOf, policy } from "./rigs";

type Options = Parameters<typeof rig>[0];
const deny = { action: "deny", reason: "no" };
const rewrite = (input: Args) => ({ action: "allow", updatedInput: input });
const notUsers: Hook = {
  name: "guard",
  guard: true,
  preToolUse: (_c, _t, args) => (args.x === "users" ? Deny("not users") : Allow()),
};
const once = { kind: "allow", scope: "once" } as const;
const bad = { kind: "failed", why: "Error: bad" } as const;

function governed(
  policies: readonly RunnablePolicy[],
  options: Options = {},
  tool: (args: Args) => unknown = () => "result",
) {
  const r = rig({ ...options, policies: policiesOf(policies) });
  const ran: Args[] = [];
  const done = r.governor.govern(call("t", { x: 1 }), (args) => {
    ran.push(args);
    return tool(args);
  });
  return { r, ran, done };
}

describe("before the tool", () => {
  test("a denial is the call's, names the policy, and is on record", async () => {
    const { r, ran, done } = governed([policy({ ...deny, syntheticOutput: "blocked" }, { name: "@h/c/p" })]);
    expect(await done).toMatchObject({
      outcome: { kind: "denied", reason: "no", by: "@h/c/p", broken: false, syntheticOutput: "blocked" },
    });
    expect(ran).toEqual([]);
    expect(r.records).toMatchObject([{ decision: "denied", by: "@h/c/p", reason: "no" }]);
    expect(r.records[0]?.trail).toMatchObject([
      { by: "@h/c/p", stage: "policies", decision: "deny", note: "no" },
    ]);
  });

  test("what the chain refused no policy is asked", async () => {
    const seen: Args[] = [];
    const { done } = governed([policy(deny, { seen })], {
      hooks: [{ name: "h", preToolUse: () => Deny("chain") }],
    });
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "chain" } });
    expect(seen).toEqual([]);
  });

  test("what a policy refused no rule is asked", async () => {
    let asked = false;
    const look = () => {
      asked = true;
      return result({});
    };
    const spy = rule([handler(look)], { name: "spy" });
    await governed([policy(deny)], { rules: [spy] }).done;
    expect(asked).toBe(false);
  });

  test("rules see what a policy rewrote, and the guards what both did", async () => {
    const tool = rule([handler(result({ updated_input: { x: "users" } }))], { name: "r" });
    const { ran, done } = governed([policy(rewrite({ x: "a" }))], { hooks: [notUsers], rules: [tool] });
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "not users" } });
    expect(ran).toEqual([]);
  });

  test("a policy's rewrite past a guard is refused by it", async () => {
    const { r, ran, done } = governed([policy(rewrite({ x: "users" }))], { hooks: [notUsers] });
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "not users", by: "guard" } });
    expect(ran).toEqual([]);
    expect(r.records[0]?.trail?.map(({ stage }) => stage)).toEqual(["chain", "policies", "recheck"]);
  });

  test("what is rewritten runs, and is recorded so", async () => {
    const { r, ran, done } = governed([observer(rewrite({ x: 2 }))], { hooks: [notUsers] });
    expect(await done).toMatchObject({ outcome: { kind: "run", decision: "rewrite", by: "o" } });
    expect(ran).toEqual([{ x: 2 }]);
    expect(r.records).toMatchObject([{ decision: "rewrite", rewritten: true, args: { x: 2 } }]);
  });

  test("a guard's name in the mouth of a policy does not lose its question", async () => {
    const asks = policy({ action: "ask", reason: "sure?" }, { name: "policy guard" });
    const pins = policy((i: Args) => (i.x === 2 ? undefined : rewrite({ x: 2 })), { name: "pin" });
    const { r, done } = governed([asks, pins], { hooks: [notUsers], answers: [{ kind: "dismissed" }] });
    expect(await done).toMatchObject({ outcome: { kind: "denied", by: "person" } });
    expect(r.requests).toMatchObject([{ prompt: "sure?", by: ["policy guard"], finalArgs: { x: 2 } }]);
  });

  test("a question is asked once, and its policy too", async () => {
    const seen: Args[] = [];
    const { done } = governed([policy({ action: "ask", reason: "sure?" }, { seen })], { answers: [once] });
    expect(await done).toMatchObject({ outcome: { kind: "run", consent: "once" }, result: "result" });
    expect(seen).toHaveLength(1);
  });

  test("a question where nobody is there is a denial", async () => {
    const { done } = governed([policy({ action: "ask", reason: "sure?" })], { person: "absent" });
    expect(await done).toMatchObject({
      outcome: { kind: "denied", reason: expect.stringContaining("sure?") },
    });
  });

  test("an observer's denial is a finding of a call that ran", async () => {
    const { r, done } = governed([observer(deny)]);
    expect(await done).toMatchObject({ outcome: { kind: "run", decision: "log_only" } });
    expect(r.records[0]?.findings).toMatchObject([{ code: "would_deny", by: "o", message: "no" }]);
  });

  test("switched off, nothing is asked", async () => {
    expect(await governed([policy(deny)], { enabled: false }).done).toMatchObject({
      outcome: { kind: "run" },
    });
  });

  test("`explain` shows them", async () => {
    const r = rig({ policies: policiesOf([policy(deny)]) });
    const { kind, trail } = await r.governor.evaluate(call("t", {}));
    expect([kind, trail.map(({ stage }) => stage)]).toEqual(["deny", ["policies"]]);
  });
});

describe("after the tool", () => {
  const rows: readonly (readonly [string, RunnablePolicy, string])[] = [
    ["nothing", policy(undefined, { after: { kind: "returned", value: { action: "deny" } } }), "result"],
    ["an observer's failure", observer(undefined, { after: bad }), "result"],
    ["an enforcement policy's failure", policy(undefined, { after: bad }), "Error: policy error: Error: bad"],
    ["its timeout", policy(undefined, { after: { kind: "late", ms: 5 } }), "Error: policy timeout (5 ms)"],
  ];
  it.each(rows)("%s", async (_name, one, expected) => {
    const { done } = governed([one]);
    expect(await done.then(({ result }) => result, String)).toBe(expected);
  });

  test("a failure is on record, and that the tool ran", async () => {
    const { r, done } = governed([policy(undefined, { after: bad })]);
    await done.catch(() => undefined);
    expect(r.records).toMatchObject([
      {
        decision: "error",
        error: "policy error: Error: bad",
        findings: [{ code: "policy_failed", by: "p" }],
      },
    ]);
  });

  test("a call that was refused has no afterwards", async () => {
    const { r, done } = governed([policy(deny, { after: bad })]);
    await done;
    expect(r.records[0]?.findings).toBeUndefined();
  });

  test("where the result cannot be withheld it is told so", async () => {
    const r = rig({ policies: policiesOf([policy(undefined, { after: bad })]) });
    const made = call("t", {});
    await r.governor.settle(made, await r.governor.authorize(made), { result: "x", error: null });
    const codes = r.records.at(-1)?.findings?.map(({ code }) => code);
    expect(codes).toEqual(["policy_failed", "result_not_withheld"]);
  });
});
