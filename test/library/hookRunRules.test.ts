/** Rules that a program adds to a run, and what their handlers may answer. */
import { describe, expect, test } from "vitest";
import {
  DenyHandler,
  type HookAnswer,
  HookDenied,
  HookError,
  type HookEvent,
  HookResult,
  type HookRun,
  type RuleOptions,
  UNSET,
  withContext,
} from "../../src/library";
import { bareRun, rejection, runOf } from "./runs";

/** Which of the calls, `[tool, input]`, reach a rule with these filters. */
async function reached(
  options: RuleOptions,
  calls: readonly (readonly [string, object])[],
): Promise<string[]> {
  const run = bareRun();
  const seen: string[] = [];
  run.on("pre_tool_call", ({ tool_name }) => void seen.push(tool_name ?? ""), options);
  for (const [name, input] of calls) await run.wrap({ [name]: (_input: object) => 1 })[name]?.(input);
  return seen;
}

const orderOf = async (run: HookRun, order: string[]): Promise<string[]> => {
  await run.wrap({ t: () => 1 }).t();
  return order;
};

describe("Rules from code", () => {
  test("on adds a function as a rule, and what it gives back can be disposed of", async () => {
    const run = bareRun();
    let seen = 0;
    const rule = run.on("pre_tool_call", () => {
      seen += 1;
    });
    const { t } = run.wrap({ t: () => 1 });
    await t();
    rule.dispose();
    await t();
    {
      using _second = run.on("pre_tool_call", () => {
        seen += 10;
      });
      await t();
    }
    await t();
    expect(seen).toBe(11);
  });

  test("several functions of one on are the handlers of one matcher, in their order", async () => {
    const run = bareRun();
    const seen: string[] = [];
    const first = (): void => void seen.push("first");
    const second = (): void => void seen.push("second");
    run.on("pre_tool_call", first, second, { matcher: "t" });
    const tools = run.wrap({ t: () => 1, other: () => 2 });
    await tools.t();
    await tools.other();
    expect(seen).toEqual(["first", "second"]);
  });

  test("a handler sees what the one before it rewrote, and the tool gets the last of it", async () => {
    const run = bareRun();
    const plusOne = ({ tool_input }: HookEvent): HookAnswer => ({
      updated_input: { n: Number(tool_input?.n) + 1 },
    });
    run.on("pre_tool_call", plusOne, plusOne);
    run.on("pre_tool_call", plusOne);
    run.on("post_tool_call", ({ tool_result }) => ({ updated_result: [tool_result] }));
    run.on("post_tool_call", ({ tool_result }) => ({ updated_result: [tool_result] }));
    expect(await run.wrap({ t: ({ n }: { n: number }) => n }).t({ n: 0 })).toEqual([[3]]);
    expect(run.summary().rewrites).toBeGreaterThan(0);
  });

  test("the first denial ends it: no later handler is called", async () => {
    const run = bareRun();
    let later = 0;
    run.on(
      "pre_tool_call",
      () => ({ decision: "deny", reason: "no" }),
      () => {
        later += 1;
      },
    );
    run.on("pre_tool_call", () => {
      later += 1;
    });
    await rejection(run.wrap({ t: () => 1 }).t());
    expect(later).toBe(0);
  });

  test("a matcher is a pattern on the whole name of the tool", async () => {
    const calls = ["spycloud_lookup", "spycloud_", "my_spycloud_lookup", "websearch"].map(
      (name) => [name, {}] as const,
    );
    expect(await reached({ matcher: "spycloud_.*" }, calls)).toEqual(["spycloud_lookup", "spycloud_"]);
    expect(await reached({ matcher: "web" }, calls)).toEqual([]);
    expect(await reached({}, calls)).toHaveLength(4);
  });

  test("arg as a name asks for the argument, and as a table for a pattern within its text", async () => {
    const calls = [
      ["a", { sql: "SELECT 1" }],
      ["b", { sql: "drop table t" }],
      ["c", { text: "drop" }],
      ["d", { sql: null }],
      ["e", { q: { sql: "DROP" } }],
    ] as const;
    expect(await reached({ arg: "sql" }, calls)).toEqual(["a", "b", "d"]);
    expect(await reached({ arg: { sql: "(?i)drop" } }, calls)).toEqual(["b"]);
    expect(await reached({ arg: { "q.sql": "DROP" } }, calls)).toEqual(["e"]);
  });

  test("vendor keeps a rule to the tools that were wrapped for it", async () => {
    const run = bareRun();
    const seen: unknown[] = [];
    run.on("pre_tool_call", ({ vendor }) => void seen.push(vendor), { vendor: "spycloud" });
    await run.wrap({ t: () => 1 }, { vendor: "spycloud" }).t();
    await run.wrap({ t: () => 1 }, { vendor: "acme" }).t();
    await run.wrap({ t: () => 1 }).t();
    expect(seen).toEqual(["spycloud"]);
  });

  test("all filters of a rule must hold", async () => {
    const options = { matcher: "db_.*", arg: { sql: "drop" } };
    const calls = [
      ["db_query", { sql: "drop" }],
      ["db_query", { sql: "select" }],
      ["other", { sql: "drop" }],
    ] as const;
    expect(await reached(options, calls)).toEqual(["db_query"]);
  });

  test("rules of code follow those of the file, and before puts one ahead of them", async () => {
    const order: string[] = [];
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nhandlers = [{ type = "deny", reason = "the file says no" }]\n`,
    );
    run.on("pre_tool_call", () => void order.push("after"));
    run.on("pre_tool_call", () => void order.push("ahead"), { before: true });
    const error = await rejection(orderOf(run, order));
    expect(error).toMatchObject({ reason: "the file says no" });
    expect(order).toEqual(["ahead"]);
  });

  test("rules of one place keep the order in which they were added", async () => {
    const run = bareRun();
    const order: string[] = [];
    for (const name of ["c", "d"]) run.on("pre_tool_call", () => void order.push(name));
    for (const name of ["a", "b"]) run.on("pre_tool_call", () => void order.push(name), { before: true });
    expect(await orderOf(run, order)).toEqual(["a", "b", "c", "d"]);
  });

  test("a built-in handler stands where a function does", async () => {
    const run = bareRun();
    run.on("pre_tool_call", DenyHandler("closed"), { matcher: "t", name: "lock" });
    const tools = run.wrap({ t: () => 1, free: () => 2 });
    expect(await rejection(tools.t())).toMatchObject({ reason: "closed", handler: "lock" });
    expect(await tools.free()).toBe(2);
  });

  test("a wrong event, no handler, a bad pattern or an unknown filter is a HookError where it is written", () => {
    const run = bareRun();
    const nothing = (): void => undefined;
    // @ts-expect-error no such event
    expect(() => run.on("pre_tool", nothing)).toThrow(HookError);
    expect(() => run.on("pre_tool_call")).toThrow(/handler/);
    expect(() => run.on("pre_tool_call", { matcher: "a" })).toThrow(/handler/);
    expect(() => run.on("pre_tool_call", nothing, { matcher: "(" })).toThrow(/matcher/);
    // @ts-expect-error misspelt
    expect(() => run.on("pre_tool_call", nothing, { mather: "a" })).toThrow(/mather/);
    expect(() => run.on("pre_tool_call", { matcher: "a" }, nothing)).toThrow(HookError);
  });

  test("a handler of code that throws is a recorded hook error and the call goes on", async () => {
    const run = bareRun();
    const broken = (): never => {
      throw new Error("no database");
    };
    run.on("pre_tool_call", broken);
    expect(await run.wrap({ t: () => 1 }).t()).toBe(1);
    expect(run.errors).toMatchObject([
      { event: "pre_tool_call", tool_name: "t", handler: "broken", message: "no database" },
    ]);
    expect(run.summary().hook_errors).toBe(1);
  });

  test("a handler of code that throws HookDenied denies", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => {
      throw new HookDenied("not today");
    });
    expect(await rejection(run.wrap({ t: () => 1 }).t())).toMatchObject({ reason: "not today" });
  });

  test("what a handler does to its event reaches neither the call nor the next handler", async () => {
    const run = bareRun();
    const spoil = ({ tool_input }: HookEvent): void => {
      if (tool_input !== undefined) Reflect.set(tool_input, "n", 99);
    };
    const seen: unknown[] = [];
    run.on("pre_tool_call", spoil, ({ tool_input }) => void seen.push(tool_input?.n));
    run.on("post_tool_call", ({ tool_result }) => {
      if (Array.isArray(tool_result)) tool_result.push("spoilt");
    });
    expect(await run.wrap({ t: ({ n }: { n: number }) => [n] }).t({ n: 1 })).toEqual([1]);
    expect(seen).toEqual([1]);
  });
});

describe("What handlers answer", () => {
  test("a HookResult, an object of the same shape, or nothing", async () => {
    const answers: (HookAnswer | null | undefined)[] = [
      HookResult({ updated_result: "from HookResult" }),
      { updated_result: "from an object" },
      null,
      undefined,
    ];
    const run = bareRun();
    run.on("post_tool_call", ({ tool_input }) => answers[Number(tool_input?.n)]);
    const { t } = run.wrap({ t: (_input: { n: number }) => "untouched" });
    const got: string[] = [];
    for (const n of answers.keys()) got.push(await t({ n }));
    expect(got).toEqual(["from HookResult", "from an object", "untouched", "untouched"]);
  });

  test("a HookResult of nothing allows, changes nothing and has no findings", () => {
    expect(HookResult()).toEqual({
      decision: "allow",
      reason: null,
      updated_input: UNSET,
      updated_result: UNSET,
      updated_error: UNSET,
      updated_request: UNSET,
      updated_response: UNSET,
      additional_context: null,
      findings: [],
    });
  });

  test("UNSET leaves a value as it is, and null makes it null", async () => {
    const run = bareRun();
    run.on("post_tool_call", () => HookResult({ updated_result: UNSET }), { matcher: "kept" });
    run.on("post_tool_call", () => HookResult({ updated_result: null }), { matcher: "emptied" });
    const tools = run.wrap({ kept: () => "value", emptied: (): string | null => "value" });
    expect(await tools.kept()).toBe("value");
    expect(await tools.emptied()).toBeNull();
  });

  test("a denial without a reason says which handler refused", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny" }), { name: "door" });
    const error = await rejection(run.wrap({ t: () => 1 }).t());
    expect(error).toBeInstanceOf(HookDenied);
    expect(error).toMatchObject({ handler: "door", reason: expect.stringMatching(/\S/) });
  });

  test("an update with allow is a rewrite all the same", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "allow", updated_input: { n: 2 } }));
    expect(await run.wrap({ t: ({ n }: { n: number }) => n }).t({ n: 1 })).toBe(2);
    expect(run.summary().rewrites).toBe(1);
  });

  test("a rewrite without an update, and an update of another event, are HookErrors", async () => {
    const answers: HookAnswer[] = [
      { decision: "rewrite" },
      { updated_result: 1 },
      { updated_response: { status: 200 } },
      // One that fits does not make up for the other.
      { updated_input: { x: 1 }, updated_result: 1 },
    ];
    for (const answer of answers) {
      const run = bareRun();
      const ran: unknown[] = [];
      run.on("pre_tool_call", () => answer);
      const error = await rejection(run.wrap({ t: (input: object) => ran.push(input) }).t({}));
      expect(error).toBeInstanceOf(HookError);
      expect(String(error)).toContain("cannot be applied");
      expect(ran).toEqual([]);
    }
  });

  test("an answer that is no result is a recorded hook error", async () => {
    const answers: readonly unknown[] = [5, "deny", [], { decision: "maybe" }, { updatedInput: {} }];
    for (const answer of answers) {
      const run = bareRun();
      // @ts-expect-error what JavaScript may hand in
      run.on("pre_tool_call", () => answer, { name: "odd" });
      expect(await run.wrap({ t: () => 1 }).t()).toBe(1);
      expect(run.errors).toMatchObject([{ handler: "odd" }]);
    }
  });

  test("findings are counted and named after their handler", async () => {
    const run = bareRun();
    const finding = { code: "pii", message: "a phone number", severity: "warning" } as const;
    run.on("post_tool_call", () => ({ findings: [finding, finding] }), { name: "scan" });
    await run.wrap({ t: () => 1 }).t();
    expect(run.summary().findings).toBe(2);
  });

  test("a rule can cut a result and tell the agent what it cut", async () => {
    const run = bareRun();
    run.on(
      "post_tool_call",
      function capRows({ tool_result }) {
        const { rows } = tool_result as { rows: readonly number[] };
        if (rows.length <= 50) return null;
        return HookResult({
          updated_result: { rows: rows.slice(0, 50) },
          additional_context: `showing 50 of ${rows.length} rows`,
        });
      },
      { matcher: "spycloud_.*" },
    );
    const spycloud_rows = ({ count }: { count: number }): object => ({ rows: [...Array(count).keys()] });
    const tools = run.wrap({ spycloud_rows });
    expect(await tools.spycloud_rows({ count: 50 })).toEqual({ rows: [...Array(50).keys()] });
    expect(await tools.spycloud_rows({ count: 80 })).toEqual({
      rows: [...Array(50).keys()],
      hook_context: ["[hook capRows] showing 50 of 80 rows"],
    });
  });
});

describe("Context for the agent", () => {
  test("context is appended to text under the name of its hook", async () => {
    expect(withContext("found", "note", "be brief")).toBe("found\n\n[hook note] be brief");
    const run = bareRun();
    run.on("post_tool_call", () => ({ additional_context: "be brief" }), { name: "note" });
    expect(await run.wrap({ t: () => "found" }).t()).toBe("found\n\n[hook note] be brief");
  });

  test("context stands in the list hook_context of an object, after what is there", () => {
    const once = withContext({ rows: 1 }, "a", "one");
    expect(once).toEqual({ rows: 1, hook_context: ["[hook a] one"] });
    expect(withContext(once, "b", "two")).toEqual({
      rows: 1,
      hook_context: ["[hook a] one", "[hook b] two"],
    });
  });

  test("any other result is wrapped together with its context", () => {
    for (const result of [[1, 2], 5, true, null]) {
      expect(withContext(result, "a", "one")).toEqual({ result, hook_context: ["[hook a] one"] });
    }
    expect(withContext(undefined, "a", "one")).toEqual({ result: null, hook_context: ["[hook a] one"] });
  });

  test("the tool's own object is not changed by the context beside it", () => {
    const own = Object.freeze({ rows: 1 });
    withContext(own, "a", "one");
    expect(own).toEqual({ rows: 1 });
  });

  test("context from before a call comes with its result, ahead of context from after it", async () => {
    const run = bareRun();
    run.on("post_tool_call", () => ({ additional_context: "after" }), { name: "p" });
    run.on("pre_tool_call", () => ({ additional_context: "before" }), { name: "q" });
    expect(await run.wrap({ t: () => "r" }).t()).toBe("r\n\n[hook q] before\n\n[hook p] after");
  });

  test("context comes with a tool's exception too", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ additional_context: "the vendor is slow today" }), { name: "note" });
    const fail = async (): Promise<never> => Promise.reject(new TypeError("timed out"));
    const error = await rejection(run.wrap({ fail }).fail());
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "timed out\n\n[hook note] the vendor is slow today" });
  });
});
