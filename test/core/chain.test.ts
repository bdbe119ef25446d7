import { describe, expect, test } from "vitest";
import { HookChain } from "../../src/core/chain";
import { Allow, AskUser, Deny, LogOnly, Rewrite } from "../../src/core/decision";
import { contextOf } from "../../src/core/evaluate";
import type { Hook } from "../../src/core/hook";
import { call, fakeClock, quietLog } from "./fixtures";

const hook = (name: string, answer: unknown, guard = false): Hook => ({
  name,
  guard,
  preToolUse: () => {
    if (answer instanceof Error) throw answer;
    return answer as undefined;
  },
});
const chainOf = (...hooks: Hook[]): HookChain => new HookChain({ clock: fakeClock(), log: quietLog }, hooks);
const pre = (chain: HookChain, args: Record<string, unknown> = {}) => {
  const c = call("db_query_sql", args);
  return chain.pre(contextOf(c), c.toolName, args);
};
const ask = AskUser({
  prompt: "sure?",
  details: { sql: "DROP" },
  confirm_args: { confirm_destructive: true },
});

describe("pre", () => {
  const rows: [string, Hook[], string, string | null][] = [
    ["no hook", [], "allow", null],
    ["allow", [hook("a", Allow())], "allow", null],
    ["nothing said", [hook("a", undefined)], "allow", null],
    ["the first deny wins", [hook("a", Deny("no")), hook("b", ask)], "deny", "a"],
    ["the first ask wins", [hook("a", ask), hook("b", Deny("no"))], "ask", "a"],
    [
      "a rewrite is final when nobody objects",
      [hook("a", Rewrite({ x: 1 })), hook("b", Allow())],
      "rewrite",
      "a",
    ],
    ["log-only is noted", [hook("a", LogOnly())], "log-only", null],
    ["a custom hook's bug is passed over", [hook("a", new Error("bug"))], "allow", null],
    ["a guard's bug denies", [hook("a", new Error("bug"), true)], "deny", "a"],
    ["nonsense denies", [hook("a", "yes")], "deny", "a"],
    ["an unknown kind denies", [hook("a", { kind: "maybe" })], "deny", "a"],
    ["a rewrite to a list denies", [hook("a", { kind: "rewrite", patch: { input: [1] } })], "deny", "a"],
  ];
  test.each(rows)("%s", async (_name, hooks, kind, by) => {
    const result = await pre(chainOf(...hooks));
    expect([result.decision.kind, result.by]).toEqual([kind, by]);
  });

  test("a rewrite is visible to the next hook", async () => {
    const seen: unknown[] = [];
    const chain = chainOf(hook("a", Rewrite({ limit: 1 })), {
      name: "b",
      preToolUse: (_ctx, _tool, args) => {
        seen.push(args);
      },
    });
    const result = await pre(chain, { limit: 9 });
    expect(seen).toEqual([{ limit: 1 }]);
    expect(result.args).toEqual({ limit: 1 });
  });

  test("a call that carries everything in confirm_args has its ask lifted", async () => {
    const chain = chainOf(hook("a", ask), hook("b", Allow()));
    expect((await pre(chain, { confirm_destructive: true })).decision.kind).toBe("allow");
    expect((await pre(chain, { confirm_destructive: "true" })).decision.kind).toBe("ask");
    expect((await pre(chain, {})).decision.kind).toBe("ask");
  });

  test("consent never lifts a deny", async () => {
    const result = await pre(chainOf(hook("a", ask), hook("b", Deny("never"))), {
      confirm_destructive: true,
    });
    expect(result.decision).toEqual({ kind: "deny", reason: "never" });
  });

  test("an ask without confirm_args is lifted by nothing", async () => {
    expect((await pre(chainOf(hook("a", AskUser({ prompt: "?" }))), { any: 1 })).decision.kind).toBe("ask");
  });

  test("a guard that does not answer within a second denies", async () => {
    const clock = fakeClock();
    const slow: Hook = { name: "slow", guard: true, preToolUse: () => new Promise(() => undefined) };
    const chain = new HookChain({ clock, log: quietLog }, [slow]);
    const c = call("x", {});
    const running = chain.pre(contextOf(c), "x", {});
    await Promise.resolve();
    clock.advance(1000);
    const result = await running;
    expect(result.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("guard broken") });
  });

  test("hooks in the document's spelling are taken", async () => {
    const chain = new HookChain({ clock: fakeClock(), log: quietLog }, [
      { name: "snake", pre_tool_use: async () => Deny("snake says no") },
    ]);
    expect((await pre(chain)).decision).toEqual({ kind: "deny", reason: "snake says no" });
  });
});

describe("add", () => {
  test("appends, but never behind the audit", () => {
    const chain = chainOf(hook("path_allowlist", undefined), hook("audit_log", undefined));
    const added = chain.add(hook("mine", undefined));
    chain.add(hook("first", undefined), { before: "path_allowlist" });
    expect(chain.names()).toEqual(["first", "path_allowlist", "mine", "audit_log"]);
    added.dispose();
    expect(chain.names()).toEqual(["first", "path_allowlist", "audit_log"]);
  });

  test("refuses a name twice and an unknown place", () => {
    const chain = chainOf(hook("a", undefined));
    expect(() => chain.add(hook("a", undefined))).toThrow(/in the chain already/);
    expect(() => chain.add(hook("b", undefined), { before: "zzz" })).toThrow(/no hook named "zzz"/);
  });
});

test("post runs every hook in order, past a failure, and tells the later ones of it", async () => {
  const seen: string[] = [];
  const chain = chainOf(
    { name: "a", postToolUse: () => void seen.push("a") },
    {
      name: "b",
      postToolUse: () => {
        throw new Error("bug");
      },
    },
    { name: "c", postToolUse: (ctx) => void seen.push(`c after ${ctx.failures?.map((f) => f.by).join()}`) },
  );
  const c = call("x", {});
  const failures = await chain.post(contextOf(c), "x", { args: {}, result: 1, error: null });
  expect(seen).toEqual(["a", "c after b"]);
  expect(failures).toEqual([{ by: "b", message: "bug" }]);
});

describe("something that is no hook is refused at once, not left out in silence", () => {
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["no name", { preToolUse: () => undefined }],
    ["no method", { name: "a" }],
    ["a misspelt method", { name: "a", preTooluse: () => undefined }],
    ["a method that is none", { name: "a", preToolUse: "deny" }],
  ])("%s", (_name, hook) => {
    expect(() => chainOf().add(hook as Hook)).toThrow(TypeError);
    expect(() => chainOf(hook as Hook)).toThrow(TypeError);
  });

  test("one method in each spelling: both are called", async () => {
    const seen: string[] = [];
    const mixed = {
      name: "mixed",
      preToolUse: () => void seen.push("pre"),
      post_tool_use: () => void seen.push("post"),
    };
    const chain = chainOf(mixed);
    await pre(chain);
    await chain.post(contextOf(call("t", {})), "t", { args: {}, result: null, error: null });
    expect(seen).toEqual(["pre", "post"]);
  });
});
