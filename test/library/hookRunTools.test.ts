/** Tools behind the rules of a run, as a program wraps them. */
import { describe, expect, test } from "vitest";
import { HookDenied, HookError, type HookEvent } from "../../src/library";
import { bareRun, rejection } from "./runs";

describe("Wrapped tools", () => {
  test("a call goes through pre_tool_call before the tool and through post_tool_call after it", async () => {
    const run = bareRun();
    const seen: string[] = [];
    run.on("pre_tool_call", ({ event }) => void seen.push(event));
    run.on("post_tool_call", ({ event }) => void seen.push(event));
    const tools = run.wrap({ search: () => void seen.push("the tool") });
    await tools.search();
    expect(seen).toEqual(["pre_tool_call", "the tool", "post_tool_call"]);
  });

  test("sync and async tools are wrapped alike, and each call resolves to the tool's result", async () => {
    const run = bareRun();
    const tools = run.wrap({
      now: (input: { n: number }) => input.n + 1,
      later: async (input: { n: number }) => input.n + 2,
    });
    expect([await tools.now({ n: 1 }), await tools.later({ n: 1 })]).toEqual([2, 3]);
  });

  test("a single object is the tool_input that rules see, and other arguments stand under _args", async () => {
    const run = bareRun();
    const inputs: unknown[] = [];
    run.on("pre_tool_call", (event) => void inputs.push(event.tool_input));
    const tools = run.wrap({ t: (...args: unknown[]) => args });
    expect(await tools.t({ q: "x" })).toEqual([{ q: "x" }]);
    expect(await tools.t("x", { deep: 1 })).toEqual(["x", { deep: 1 }]);
    expect(await tools.t(["x"])).toEqual([["x"]]);
    expect(await tools.t()).toEqual([]);
    expect(inputs).toEqual([{ q: "x" }, { _args: ["x", { deep: 1 }] }, { _args: [["x"]] }, {}]);
  });

  test("a rewritten _args is what the tool is called with", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ updated_input: { _args: [5, 6] } }));
    const tools = run.wrap({ add: (a: number, b: number) => a + b });
    expect(await tools.add(1, 2)).toBe(11);
  });

  test("a rewritten input that fits no way of calling the tool is a HookError and the tool does not run", async () => {
    for (const updated_input of [{ _args: "5", more: 1 }, { _args: [5], more: 1 }, { a: 1 }, {}]) {
      const run = bareRun();
      let ran = 0;
      run.on("pre_tool_call", () => ({ updated_input }));
      const tools = run.wrap({ add: (a: number, b: number) => (ran += a + b) });
      expect(await rejection(tools.add(1, 2))).toBeInstanceOf(HookError);
      expect(ran).toBe(0);
      expect(run.errors).toHaveLength(1);
    }
  });

  test("a wrapped map has the names of the tools and calls them on their own map", async () => {
    const run = bareRun();
    const own = {
      greeting: () => "hello",
      greet(this: { greeting(): string }, { name }: { name: string }) {
        return `${this.greeting()} ${name}`;
      },
    };
    const tools = run.wrap(own);
    expect(Object.keys(tools)).toEqual(["greeting", "greet"]);
    expect(tools.greet.name).toBe("greet");
    expect(await tools.greet({ name: "you" })).toBe("hello you");
  });

  test("a map with something in it that is no function is refused", () => {
    const run = bareRun();
    // @ts-expect-error what JavaScript may hand in
    expect(() => run.wrap({ a: () => 1, b: 2 })).toThrow(HookError);
    class Toolkit {
      search() {}
    }
    // @ts-expect-error a class instance hides its functions
    expect(() => run.wrap(new Toolkit())).toThrow(/plain object/);
  });

  test("events name the run, the tool, the vendor and one id for both ends of a call", async () => {
    const run = bareRun({ runId: "run-7", session: "s-1", source: "my-agent", cwd: "/" });
    const events: HookEvent[] = [];
    run.on("pre_tool_call", (event) => void events.push(event));
    run.on("post_tool_call", (event) => void events.push(event));
    await run.wrap({ lookup: () => ({ rows: 1 }) }, { vendor: "acme" }).lookup();
    const [before, after] = events;
    const same = {
      run_id: "run-7",
      session_id: "s-1",
      agent: "my-agent",
      cwd: "/",
      tool_name: "lookup",
      vendor: "acme",
      tool_input: {},
      call_id: before?.call_id,
    };
    expect(before?.call_id).toMatch(/^call_/);
    expect(before).toEqual({ ...same, event: "pre_tool_call" });
    expect(after).toEqual({
      ...same,
      event: "post_tool_call",
      tool_result: { rows: 1 },
      error: null,
      outcome: "run",
    });
  });

  test("what no rule touches comes back as the very same value", async () => {
    const run = bareRun();
    run.on("post_tool_call", () => null);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const values: readonly unknown[] = [circle, new Map([[1, 2]]), undefined, null, 0, "", 10n];
    const tools = run.wrap({ give: (index: number) => values[index] });
    for (const [index, value] of values.entries()) expect(await tools.give(index)).toBe(value);
  });

  test("what a caller does to its arguments while rules think changes nothing of the call", async () => {
    const run = bareRun();
    run.on("pre_tool_call", async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return null;
    });
    const input = { path: "notes.txt", deep: { list: [1] } };
    const call = run.wrap({ read: (given: typeof input) => given }).read(input);
    input.path = "/etc/passwd";
    input.deep.list.push(2);
    expect(await call).toEqual({ path: "notes.txt", deep: { list: [1] } });
  });

  test("calls at the same time do not mix", async () => {
    const run = bareRun();
    run.on("pre_tool_call", async ({ tool_input }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return { updated_input: { n: Number(tool_input?.n) * 10 } };
    });
    const tools = run.wrap({ same: ({ n }: { n: number }) => n });
    const all = await Promise.all(Array.from({ length: 50 }, (_one, n) => tools.same({ n })));
    expect(all).toEqual(Array.from({ length: 50 }, (_one, n) => n * 10));
  });
});

describe("Refusals and errors", () => {
  test("a denial rejects with HookDenied that carries reason, handler and findings, and the tool does not run", async () => {
    const run = bareRun();
    let ran = 0;
    const finding = { code: "pii", message: "a name" };
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "closed", findings: [finding] }), {
      name: "door",
    });
    const error = await rejection(run.wrap({ t: () => (ran += 1) }).t());
    expect(error).toBeInstanceOf(HookDenied);
    expect(error).toMatchObject({
      name: "HookDenied",
      message: "closed",
      reason: "closed",
      handler: "door",
      findings: [{ ...finding, by: "door" }],
    });
    expect(ran).toBe(0);
  });

  test("rules after a call see that it was denied, and cannot make it run", async () => {
    const run = bareRun();
    const ends: unknown[] = [];
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "closed" }), { name: "first" });
    run.on("post_tool_call", ({ outcome, error, tool_result }) => {
      ends.push([outcome, error, tool_result]);
      return { updated_result: "as if it had run", updated_error: null, additional_context: "late" };
    });
    run.on("post_tool_call", () => ({ decision: "deny", reason: "of another opinion" }), { name: "late" });
    const error = await rejection(run.wrap({ t: () => 1 }).t());
    expect(error).toMatchObject({ message: "closed", reason: "closed", handler: "first" });
    expect(ends).toEqual([["denied", "closed", null]]);
    expect(run.denials).toMatchObject([{ event: "pre_tool_call", reason: "closed", handler: "first" }]);
    expect(run.summary()).toMatchObject({ denials: 1, rewrites: 0 });
  });

  test("a denial is on run.denials before the caller hears of it", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "closed" }), { name: "door" });
    const known: unknown[] = [];
    await run
      .wrap({ t: () => 1 })
      .t()
      .catch(() => known.push(...run.denials));
    expect(known).toEqual([
      { event: "pre_tool_call", tool_name: "t", reason: "closed", handler: "door", findings: [] },
    ]);
  });

  test("a rule that cannot be applied is a HookError that is on run.errors first, and the tool does not run", async () => {
    const run = bareRun();
    let ran = 0;
    run.on("pre_tool_call", () => ({ decision: "rewrite" }), { name: "half" });
    const known: unknown[] = [];
    const error = await rejection(
      run
        .wrap({ t: () => (ran += 1) })
        .t()
        .catch((thrown: unknown) => {
          known.push(...run.errors);
          throw thrown;
        }),
    );
    expect(error).toBeInstanceOf(HookError);
    expect(known).toMatchObject([{ event: "pre_tool_call", tool_name: "t", handler: "half" }]);
    expect(ran).toBe(0);
  });

  test("a result refused after the tool ran is withheld", async () => {
    const run = bareRun();
    run.on("post_tool_call", () => ({ decision: "deny", reason: "leaks" }));
    const error = await rejection(run.wrap({ t: () => "secret" }).t());
    expect(error).toMatchObject({ name: "HookDenied", reason: "leaks" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("a tool's own exception goes through post_tool_call as text and is thrown again untouched", async () => {
    const run = bareRun();
    const texts: unknown[] = [];
    run.on("post_tool_call", ({ error, tool_result }) => void texts.push([error, tool_result]));
    const own = new RangeError("row 7 is missing");
    const thrown = await rejection(
      run
        .wrap({
          t: () => {
            throw own;
          },
        })
        .t(),
    );
    expect(thrown).toBe(own);
    expect(texts).toEqual([["row 7 is missing", null]]);
  });

  test("a rewritten exception keeps its class and says the new message, in stack and cause too", async () => {
    class VendorError extends Error {
      readonly status = 404;
      readonly body: string;
      constructor(message: string, options: ErrorOptions) {
        super(message, options);
        this.body = `{"error":"${message}"}`;
      }
    }
    const own = new VendorError("no Matthew here", { cause: new Error("Matthew") });
    const frozen = Object.freeze(new VendorError("no Matthew here", { cause: "Matthew" }));
    for (const thrown of [own, frozen]) {
      const run = bareRun();
      run.on("post_tool_call", () => ({ updated_error: "no subject here" }));
      const fail = async (): Promise<never> => Promise.reject(thrown);
      const error = await rejection(run.wrap({ fail }).fail());
      expect(error).toBeInstanceOf(VendorError);
      expect(error).toMatchObject({ message: "no subject here", status: 404 });
      if (!(error instanceof VendorError)) return;
      expect(error.stack).toMatch(/^Error: no subject here\n\s+at /);
      expect([error.stack, error.body, String(error.cause)].join()).not.toContain("Matthew");
    }
  });

  test("something thrown that is no error is text to the rules and stays what it is", async () => {
    const run = bareRun();
    const texts: unknown[] = [];
    run.on("post_tool_call", ({ error }) => void texts.push(error));
    const odd = { code: 5 };
    const tools = run.wrap({ text: () => Promise.reject("plain"), object: () => Promise.reject(odd) });
    expect(await rejection(tools.text())).toBe("plain");
    expect(await rejection(tools.object())).toBe(odd);
    expect(texts).toEqual(["plain", "[object Object]"]);
  });

  test("a rewritten error of null makes the failed call succeed with the result that the rule left", async () => {
    const run = bareRun();
    run.on("post_tool_call", ({ error }) =>
      error === null ? null : { updated_error: null, updated_result: { rows: [] } },
    );
    const fail = async (): Promise<unknown> => Promise.reject(new Error("no rows"));
    expect(await run.wrap({ fail }).fail()).toEqual({ rows: [] });
  });

  test("arguments nested too deep to be judged are a HookError, and the tool does not run", async () => {
    const run = bareRun();
    let ran = 0;
    let deep: object = {};
    for (let i = 0; i < 300; i += 1) deep = { deep };
    expect(await rejection(run.wrap({ t: (_input: object) => (ran += 1) }).t(deep))).toBeInstanceOf(
      HookError,
    );
    expect(ran).toBe(0);
  });
});
