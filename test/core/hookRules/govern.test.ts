import { describe, expect, test } from "vitest";
import type { Args } from "../../../src/core/call";
import { Allow, AskUser, Deny, Rewrite } from "../../../src/core/decision";
import type { Hook } from "../../../src/core/hook";
import type { HookEvent, Rule } from "../../../src/core/hookRules/types";
import { call, rig } from "../fixtures";
import { handler, result, rule } from "./rigs";

type Options = Parameters<typeof rig>[0];

const once = { kind: "allow", scope: "once" } as const;

function governed(options: Options, tool: (args: Args) => unknown = () => "result") {
  const r = rig(options);
  const ran: Args[] = [];
  const done = r.governor.govern(call("t", { x: 1 }), (args) => {
    ran.push(args);
    return tool(args);
  });
  return { r, ran, done };
}

const rewrites = (input: Args): Rule =>
  rule([handler(result({ updated_input: input }))], { name: "rewriter" });
const afterwards = (answer: Parameters<typeof handler>[0], more: Partial<Rule> = {}): Rule =>
  rule([handler(answer)], { name: "after", event: "post_tool_call", ...more });
const notUsers: Hook = {
  name: "guard",
  guard: true,
  preToolUse: (_c, _t, args) => (args.x === "users" ? Deny("not users") : Allow()),
};
const asker: Hook = {
  name: "asker",
  guard: true,
  preToolUse: (_c, _t, args) => AskUser({ prompt: `Do ${JSON.stringify(args)}?` }),
};

describe("before the tool", () => {
  test("a rule's denial is the call's, and names the rule", async () => {
    const closed = rule([handler({ kind: "deny", reason: "closed" })], { name: "no production" });
    const { r, ran, done } = governed({ rules: [closed] });
    expect(await done).toMatchObject({
      outcome: { kind: "denied", reason: "closed", by: "no production", broken: false },
    });
    expect(ran).toEqual([]);
    expect(r.records).toMatchObject([{ decision: "denied", by: "no production", reason: "closed" }]);
  });

  test("a denial of a rule comes before a question of the chain", async () => {
    const closed = rule([handler({ kind: "deny", reason: "closed" })]);
    const { r, done } = governed({ hooks: [asker], rules: [closed] });
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "closed" } });
    expect(r.requests).toEqual([]);
  });

  test("after a denial of the chain no rule is asked", async () => {
    let asked = false;
    const spy = rule([
      handler(() => {
        asked = true;
        return result({});
      }),
    ]);
    await governed({ hooks: [{ name: "no", preToolUse: () => Deny("no") }], rules: [spy] }).done;
    expect(asked).toBe(false);
  });

  test("a rule sees what the chain rewrote, and its own rewrite reaches the tool", async () => {
    let seen: unknown;
    const chain: Hook = { name: "pin", preToolUse: () => Rewrite({ x: 2 }) };
    const more = rule(
      [
        handler(({ tool_input }) => {
          seen = tool_input;
          return result({ updated_input: { ...tool_input, y: 3 } });
        }),
      ],
      { name: "adder" },
    );
    const { ran, done, r } = governed({ hooks: [chain], rules: [more] });
    expect(await done).toMatchObject({ outcome: { kind: "run", decision: "rewrite", by: "adder" } });
    expect(seen).toEqual({ x: 2 });
    expect(ran).toEqual([{ x: 2, y: 3 }]);
    expect(r.records).toMatchObject([{ decision: "rewrite", rewritten: true, args: { x: 2, y: 3 } }]);
  });

  test("a rewrite smuggles nothing past a guard", async () => {
    const { ran, done } = governed({ hooks: [notUsers], rules: [rewrites({ x: "users" })] });
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "not users", by: "guard" } });
    expect(ran).toEqual([]);
  });

  test("the person is asked about the rewritten arguments, and handlers run once although the call is judged twice", async () => {
    let runs = 0;
    const counting = rule([
      handler(() => {
        runs += 1;
        return result({ updated_input: { x: runs + 100 } });
      }),
    ]);
    const { r, ran, done } = governed({ hooks: [asker], rules: [counting], answers: [once] });
    expect(await done).toMatchObject({ outcome: { kind: "run", consent: "once" } });
    expect(r.requests.map((request) => [request.prompt, request.finalArgs])).toEqual([
      ['Do {"x":101}?', { x: 101 }],
    ]);
    expect([runs, ran]).toEqual([1, [{ x: 101 }]]);
  });

  test("a handler that fails asks a person at this door; nobody there denies", async () => {
    const broken = rule([handler({ kind: "failed", why: "boom" })], { name: "check" });
    const asked = governed({ rules: [broken], answers: [once] });
    expect(await asked.done).toMatchObject({ outcome: { kind: "run", consent: "once" } });
    expect(asked.r.requests[0]?.prompt).toBe(
      "guard broken: the rule check (h) could not judge this call: boom",
    );
    expect(asked.r.requests[0]?.by).toEqual(["check"]);
    const alone = governed({ rules: [broken], person: "absent" });
    expect(await alone.done).toMatchObject({ outcome: { kind: "denied", by: "check" } });
    expect(alone.ran).toEqual([]);
  });

  test("a failure's question is not lifted by a guard's silence after a rewrite, nor by a guard of its name", async () => {
    const broken = rule([handler({ kind: "failed", why: "boom" })], { name: "guard" });
    const { r, done } = governed({
      hooks: [notUsers],
      rules: [rewrites({ x: "orders" }), broken],
      answers: [{ kind: "deny" }],
    });
    expect(await done).toMatchObject({ outcome: { kind: "denied", by: "person" } });
    expect(r.requests).toHaveLength(1);
  });

  test("consent in the arguments lifts no denial of a rule", async () => {
    const closed = rule([handler({ kind: "deny", reason: "closed" })]);
    const r = rig({ consent: "args", rules: [closed] });
    const done = r.governor.govern(call("t", { confirm_destructive: true }), () => "ran");
    expect(await done).toMatchObject({ outcome: { kind: "denied", reason: "closed" } });
  });

  test("context is labelled, findings are on record", async () => {
    const talks = rule(
      [
        handler(
          result({ additional_context: "mind the gap", findings: [{ code: "c", message: "m", by: "" }] }),
        ),
      ],
      {
        name: "talk",
      },
    );
    const { r, done } = governed({ rules: [talks] });
    expect((await done).outcome.contexts).toEqual(["[hook h] mind the gap"]);
    expect(r.records[0]?.findings).toEqual([{ code: "c", message: "m", by: "talk" }]);
  });

  test("with the chain switched off no rule runs", async () => {
    const closed = rule([handler({ kind: "deny", reason: "closed" })]);
    expect(await governed({ rules: [closed], enabled: false }).done).toMatchObject({
      outcome: { kind: "run" },
    });
  });
});

describe("after the tool", () => {
  test("sees the result; a denial withholds it, and the record says that the call ran", async () => {
    let seen: HookEvent | undefined;
    const withholds = afterwards((event) => {
      seen = event;
      return { kind: "deny", reason: "too much" };
    });
    const { r, ran, done } = governed({ rules: [withholds] });
    const end = await done;
    expect(end).toMatchObject({ outcome: { kind: "denied", reason: "too much", by: "after" } });
    expect(end.result).toBeUndefined();
    expect(ran).toHaveLength(1);
    expect(seen).toMatchObject({
      event: "post_tool_call",
      tool_result: "result",
      error: null,
      outcome: "run",
      tool_input: { x: 1 },
    });
    expect(r.records).toMatchObject([
      { decision: "allow", findings: [{ code: "result_withheld", message: "too much", by: "after" }] },
    ]);
  });

  test("a rewritten result is what the caller gets; null too", async () => {
    expect(
      (await governed({ rules: [afterwards(result({ updated_result: { rows: [] } }))] }).done).result,
    ).toEqual({ rows: [] });
    const none = await governed({ rules: [afterwards(result({ updated_result: null }))] }).done;
    expect(none.result).toBeNull();
    expect(none.outcome.findings).toMatchObject([{ code: "result_rewritten", by: "after" }]);
  });

  test("without a rule that speaks the caller gets its very own result and error", async () => {
    const own = { a: 1 };
    expect((await governed({ rules: [afterwards(result({}))] }, () => own).done).result).toBe(own);
    const error = new RangeError("mine");
    const thrown = governed({ rules: [afterwards(result({}))] }, () => {
      throw error;
    });
    await expect(thrown.done).rejects.toBe(error);
  });

  test("a tool's own error passes as text and is thrown again with the new message", async () => {
    const hides = afterwards(({ error }) => result({ updated_error: String(error).replace("secret", "…") }));
    const { r, done } = governed({ rules: [hides] }, () => {
      throw new RangeError("the secret is out");
    });
    await expect(done).rejects.toThrow(new RangeError("the … is out"));
    await expect(done).rejects.toBeInstanceOf(RangeError);
    expect(r.records).toMatchObject([{ decision: "error", error: "the … is out" }]);
  });

  test("an error that a rule takes away gives the result that it puts there", async () => {
    const heals = afterwards(result({ updated_error: null, updated_result: "empty" }));
    const { done } = governed({ rules: [heals] }, () => {
      throw new Error("x");
    });
    expect((await done).result).toBe("empty");
  });

  test("a handler that fails is on record and the result passes; with on_error deny it does not", async () => {
    const fails = (onError?: "deny") =>
      rule([handler({ kind: "failed", why: "boom" }, onError === undefined ? {} : { onError })], {
        name: "after",
        event: "post_tool_call",
      });
    const passes = governed({ rules: [fails()] });
    expect((await passes.done).result).toBe("result");
    expect(passes.r.records[0]?.findings).toMatchObject([{ code: "handler_failed", by: "after" }]);
    expect(await governed({ rules: [fails("deny")] }).done).toMatchObject({
      outcome: { kind: "denied", broken: true },
    });
  });

  test.each([
    ["denied", { hooks: [{ name: "no", preToolUse: () => Deny("never") }] }, "never"],
    ["asks_user", { hooks: [asker], consent: "args" }, 'Do {"x":1}?'],
  ] as const)("runs for calls that were %s, and changes nothing of them", async (kind, options, error) => {
    let seen: HookEvent | undefined;
    const spy = afterwards((event) => {
      seen = event;
      return result({ updated_result: "sneaky", findings: [{ code: "seen", message: "m", by: "" }] });
    });
    const { r, ran, done } = governed({ ...options, rules: [spy] });
    expect((await done).outcome.kind).toBe(kind);
    expect(ran).toEqual([]);
    expect(seen).toMatchObject({ outcome: kind, tool_result: null, error });
    expect(r.records.at(-1)?.findings).toMatchObject([{ code: "seen", by: "after" }]);
  });
});

describe("where the result cannot be held back", () => {
  const settled = async (one: Rule) => {
    const r = rig({ rules: [one] });
    const toolCall = call("t", { x: 1 });
    const outcome = await r.governor.authorize(toolCall);
    await r.governor.settle(toolCall, outcome, { result: "result", error: null });
    return r.records.at(-1);
  };

  test.each([
    ["a denial", { kind: "deny", reason: "too much" } as const, "result_not_withheld"],
    ["a rewrite", result({ updated_result: 1 }), "result_not_rewritten"],
    ["context", { kind: "context", text: "x" } as const, "context_not_delivered"],
  ])("%s is on record", async (_what, answer, code) => {
    expect(await settled(afterwards(answer))).toMatchObject({
      event: "result",
      findings: [{ code, by: expect.any(String) }],
    });
  });
});
