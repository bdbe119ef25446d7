import { describe, expect, test } from "vitest";
import { createBackground } from "../../../src/core/hookRules/background";
import type { LateAnswer } from "../../../src/core/hookRules/ruleRun";
import type { HandlerAnswer, HookEvent, HookEventName, OnError } from "../../../src/core/hookRules/types";
import { fakeClock } from "../fixtures";
import { compiled, handler, result, rule, run, toolEvent } from "./rigs";

const deny = (reason: string): HandlerAnswer => ({ kind: "deny", reason });
const failed: HandlerAnswer = { kind: "failed", why: "boom" };
const allow = result({});
const no = handler(deny("no"));

describe("order", () => {
  const log = (seen: string[], name: string, answer: HandlerAnswer = allow) =>
    handler(
      () => {
        seen.push(name);
        return answer;
      },
      { name },
    );

  test("rules in order, those with before first, and the first denial ends it", async () => {
    const seen: string[] = [];
    const done = await run(
      [
        rule([log(seen, "a"), log(seen, "b")], { name: "one" }),
        rule([log(seen, "c", deny("closed")), log(seen, "d")], { name: "two" }),
        rule([log(seen, "e")], { name: "three" }),
        rule([log(seen, "first")], { name: "zero", before: true }),
      ],
      toolEvent(),
    );
    expect(seen).toEqual(["first", "a", "b", "c"]);
    expect(done.deny).toEqual({ reason: "closed", by: "two", handler: "c", broken: false, raised: false });
    expect(done.trail.map(({ by, decision }) => [by, decision])).toEqual([
      ["zero", "allow"],
      ["one", "allow"],
      ["one", "allow"],
      ["two", "deny"],
    ]);
  });

  test("a rewrite is seen by the next handler and the next rule", async () => {
    const seen: unknown[] = [];
    const step = handler(({ tool_input }: HookEvent) => {
      seen.push(tool_input?.n);
      return result({ decision: "rewrite", updated_input: { n: Number(tool_input?.n) + 1 } });
    });
    const done = await run(
      [rule([step, step]), rule([step], { name: "last" })],
      toolEvent({ tool_input: { n: 1 } }),
    );
    expect(seen).toEqual([1, 2, 3]);
    expect(done.event.tool_input).toEqual({ n: 4 });
    expect([done.rewritten, done.rewrittenBy]).toEqual([true, "last"]);
  });

  const away = handler(result({ updated_input: { other: "drop" } }));

  /** The later rule's filter, whether it is for what the first rule made of the call. */
  test.each<readonly [Parameters<typeof rule>[1], boolean]>([
    [{ arg: { other: "drop" } }, true],
    [{ arg: "other" }, true],
    [{ arg: "sql" }, false],
    [{ arg: { sql: "SELECT" } }, false],
    [{}, true],
  ])("a rule with %j is asked about what earlier rules made of the call", async (filter, fires) => {
    const done = await run([rule([away]), rule([no], { name: "later", ...filter })], toolEvent());
    expect(done.deny?.by).toBe(fires ? "later" : undefined);
    expect(done.trail.map(({ by }) => by)).toEqual(fires ? ["r", "later"] : ["r"]);
  });

  test("a rule of requests is asked about the path that an earlier one made", async () => {
    const request = { method: "GET", path: "/a", query: null, body: null };
    const moved = rule([handler(result({ updated_request: { path: "/admin/x" } }))], {
      event: "pre_request",
    });
    const closed = rule([no], { event: "pre_request", name: "closed", matcher: "/admin.*" });
    const done = await run([moved, closed], { event: "pre_request", run_id: "r", request });
    expect(done.deny?.by).toBe("closed");
  });
});

/** Filters of a rule, the event, whether it matches. */
const filters: readonly (readonly [Parameters<typeof rule>[1], Partial<HookEvent>, boolean])[] = [
  [{}, {}, true],
  [{ matcher: "" }, {}, true],
  [{ matcher: "*" }, {}, true],
  [{ matcher: "db_.*" }, {}, true],
  [{ matcher: "query" }, {}, false],
  [{ matcher: "Bash" }, { tool_name: "run_in_terminal", canonical_name: "Bash" }, true],
  [{ matcher: "run_.*" }, { tool_name: "run_in_terminal", canonical_name: "Bash" }, true],
  [{ matcher: "Write|Edit" }, { tool_name: "run_in_terminal", canonical_name: "Bash" }, false],
  [{ matcher: "mcp__my_deploy__.*" }, { tool_name: "mcp_my_deploy_run" }, true],
  [
    { matcher: "mcp__my__deploy_run" },
    { tool_name: "mcp_my_deploy_run", canonical_name: "mcp__my__deploy_run" },
    true,
  ],
  [{ matcher: "mcp__my_deploy_run__.*" }, { tool_name: "mcp_my_deploy_run_" }, false],
  [{ matcher: "mcp__a__b" }, { tool_name: "mcp__a_b" }, false],
  [{ vendor: "spycloud" }, {}, false],
  [{ vendor: "spycloud" }, { vendor: "spycloud" }, true],
  [{ vendor: "spy.*" }, { vendor: "spycloud" }, true],
  [{ vendor: "spy" }, { vendor: "spycloud" }, false],
  [{ arg: "sql" }, {}, true],
  [{ arg: "path" }, {}, false],
  [{ arg: "sql" }, { tool_input: { sql: null } }, true],
  [{ arg: "toString" }, {}, false],
  [{ arg: { sql: "(?i)drop" } }, {}, false],
  [{ arg: { sql: "(?i)drop" } }, { tool_input: { sql: "x; Drop TABLE a" } }, true],
  [{ arg: { sql: "(?i)drop" } }, { tool_input: { sql: ["select", { deep: ["DROP"] }] } }, true],
  [{ arg: { argv: "git push" } }, { tool_input: { argv: ["git", "push"] } }, true],
  [{ arg: { sql: "5" } }, { tool_input: { sql: 5 } }, true],
  [{ arg: { "query.sql": "drop" } }, { tool_input: { query: { sql: "drop" } } }, true],
  [{ arg: { "query.sql": "drop" } }, { tool_input: { "query.sql": "drop" } }, true],
  [{ arg: { "list.1": "drop" } }, { tool_input: { list: ["a", "drop"] } }, true],
  [{ arg: { "list.2": "drop" } }, { tool_input: { list: ["a", "drop"] } }, false],
  [{ arg: { sql: "SELECT", path: "x" } }, {}, false],
  [{ arg: { sql: "^SELECT", path: "x" } }, { tool_input: { sql: "SELECT", path: "xy" } }, true],
  [{ matcher: "db_.*", vendor: "v", arg: "sql" }, { vendor: "v" }, true],
  [{ matcher: "db_.*", vendor: "w", arg: "sql" }, { vendor: "v" }, false],
];

describe("filters", () => {
  test.each(filters)("%j on %j", async (filter, event, matches) => {
    const done = await run([rule([handler(deny("x"))], filter)], toolEvent(event));
    expect(done.deny !== undefined).toBe(matches);
  });

  test("requests are matched by their path and searched in query and body", async () => {
    const request = { method: "GET", path: "/v1/people", query: { q: "x" }, body: { name: "y" } };
    const event = { event: "pre_request", run_id: "r", request } as const;
    const fires = async (filter: Parameters<typeof rule>[1]): Promise<boolean> => {
      const one = rule([handler(deny("x"))], { event: "pre_request", ...filter });
      return (await run([one], event)).deny !== undefined;
    };
    expect(await fires({ matcher: "/v1/.*" })).toBe(true);
    expect(await fires({ matcher: "/v2/.*" })).toBe(false);
    expect(await fires({ arg: { "body.name": "y" } })).toBe(true);
    expect(await fires({ arg: "query.q" })).toBe(true);
  });

  test("names are told apart whatever they hold", async () => {
    const rules = compiled([rule([no], { matcher: "Bash" })]);
    const asked = (event: Partial<HookEvent>) =>
      rules.of("pre_tool_call")[0]?.fits(toolEvent(event), { left: 1000 });
    expect(asked({ tool_name: "a\u0000Bash" })).toBe("no");
    expect(asked({ tool_name: 'a","Bash' })).toBe("no");
    expect(asked({ tool_name: "a", canonical_name: "Bash" })).toBe("yes");
  });

  test("a rule of another event does not run", async () => {
    expect(
      (await run([rule([handler(deny("x"))], { event: "post_tool_call" })], toolEvent())).deny,
    ).toBeUndefined();
  });

  test("more text than can be searched is a failure of the rule, never passed over", async () => {
    const event = toolEvent({ tool_input: { sql: "a".repeat(100_000_001) } });
    const filter = { arg: { sql: "b" } };
    const strict = await run([rule([handler(allow, { onError: "deny" })], filter)], event);
    expect(strict.deny).toMatchObject({ broken: true, by: "r" });
    const asking = await run([rule([handler(allow)], filter)], event);
    expect(asking.asks).toMatchObject([{ rule: "r" }]);
    const denial = await run([rule([handler(allow, { kind: "deny" })], filter)], event, {
      onError: "record",
    });
    expect(denial.deny).toMatchObject({ broken: true, by: "r" });
  });

  /** Pattern of a rule that only denies, text, what comes of it; each within a fraction of a second. */
  const hostile = Array.from({ length: 200_000 }, (_, at) => ((at * 2654435761) & 0x40000 ? "a" : "b")).join(
    "",
  );
  test.each<readonly [string, string, "denied" | "broken" | "passes"]>([
    ["a[ab]{900}[cd]", hostile, "passes"],
    ["a[ab]{900}[cd]", `${hostile}c`, "broken"],
    [`a${"[ab]".repeat(200)}[cd]`, hostile, "broken"],
    ["(?i)delete.{0,300}prod", "select 1; ".repeat(20_000), "passes"],
    ["(?i)delete.{0,300}prod", "DELETE from prod", "denied"],
    ["(?i)\\bdrop\\b", "select 1; ".repeat(20_000), "passes"],
    ["(?i)\\bdrop\\b", `${"select 1; ".repeat(20_000)} Drop x`, "denied"],
  ])("%s costs the host no time", async (pattern, text, expected) => {
    const denial = rule([handler(deny("x"), { kind: "deny" })], { arg: { sql: pattern } });
    const before = process.cpuUsage();
    const { deny: denied } = await run([denial], toolEvent({ tool_input: { sql: text } }));
    const { user, system } = process.cpuUsage(before);
    expect(denied === undefined ? "passes" : denied.broken ? "broken" : "denied").toBe(expected);
    expect((user + system) / 1000).toBeLessThan(700);
  });

  test("names of any length cost the host no time", async () => {
    const slow = rule([no], { matcher: `.*a${"[ab]".repeat(200)}` });
    const done = await run(
      Array.from({ length: 50 }, () => slow),
      toolEvent({ tool_name: hostile }),
    );
    expect(done.deny ?? done.asks[0]).toBeDefined();
  });
});

/** `on_error`, the door's default, the event, what comes of a failure. */
const failures: readonly (readonly [OnError | undefined, "record" | "ask", HookEventName, string])[] = [
  [undefined, "record", "pre_tool_call", "record"],
  [undefined, "ask", "pre_tool_call", "ask"],
  [undefined, "ask", "post_tool_call", "record"],
  [undefined, "ask", "pre_request", "deny"],
  [undefined, "record", "pre_request", "record"],
  [undefined, "ask", "post_response", "record"],
  [undefined, "ask", "run_end", "record"],
  ["record", "ask", "pre_tool_call", "record"],
  ["ask", "record", "pre_tool_call", "ask"],
  ["deny", "record", "pre_tool_call", "deny"],
  ["deny", "record", "post_tool_call", "deny"],
  ["raise", "record", "pre_tool_call", "raise"],
  ["raise", "record", "run_end", "raise"],
];

describe("a handler that fails", () => {
  test.each(failures)("on_error %s, door %s, %s: %s", async (onError, door, event, expected) => {
    const broken = handler(failed, onError === undefined ? {} : { onError });
    const done = await run([rule([broken], { event })], toolEvent({ event }), { onError: door });
    const became =
      done.deny === undefined
        ? done.asks.length > 0
          ? "ask"
          : "record"
        : done.deny.raised
          ? "raise"
          : "deny";
    expect(became).toBe(expected);
    expect(done.errors).toEqual([{ rule: "r", handler: "h", message: "boom" }]);
    expect(done.findings).toEqual([
      { code: "handler_failed", message: "h: boom", by: "r", severity: "error" },
    ]);
    if (done.deny !== undefined) expect(done.deny.reason).toBe("guard broken: rule r, handler h: boom");
  });

  test("what is not the code that was trusted denies, whatever on_error says", async () => {
    const changed = handler({ kind: "broken", why: "check.sh changed" }, { onError: "record" });
    const done = await run([rule([changed])], toolEvent(), { onError: "record" });
    expect(done.deny).toMatchObject({ broken: true, raised: false });
  });

  const nonsense: readonly (readonly [string, () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("x");
      },
    ],
    [
      "throws no error",
      () => {
        throw undefined;
      },
    ],
    ["throws at once", null as never],
    ["answers nothing", () => undefined],
    ["answers a word", () => "allow"],
    ["answers an unknown kind", () => ({ kind: "maybe" })],
  ];
  test.each(nonsense)("%s: it has failed", async (_what, says) => {
    const done = await run([rule([{ name: "h", kind: "function", run: says as never }])], toolEvent());
    expect(done.asks).toHaveLength(1);
    expect(done.deny).toBeUndefined();
  });

  test("one that never answers fails at its timeout and is told to stop", async () => {
    const clock = fakeClock();
    let stopped = false;
    const hanging = handler(
      (_event, signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            stopped = true;
          });
        }),
      { timeoutMs: 2000 },
    );
    const pending = run([rule([hanging])], toolEvent(), { clock });
    await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(2000);
    const done = await pending;
    expect(done.asks[0]?.message).toBe("no answer within 2 s");
    expect(stopped).toBe(true);
  });

  test("when the caller goes nobody waits", async () => {
    const gone = new AbortController();
    const pending = run([rule([handler(() => new Promise(() => undefined))])], toolEvent(), {
      signal: gone.signal,
    });
    gone.abort();
    expect((await pending).asks[0]?.message).toBe("the caller has gone");
  });
});

/** Event, result, what of the event changed; "misfit" = it cannot be applied. */
const applied: readonly (readonly [
  HookEventName,
  Parameters<typeof result>[0],
  Partial<HookEvent> | "misfit",
])[] = [
  ["pre_tool_call", { updated_input: { a: 1 } }, { tool_input: { a: 1 } }],
  ["pre_tool_call", { decision: "rewrite", updated_input: { a: 1 } }, { tool_input: { a: 1 } }],
  ["pre_tool_call", { decision: "rewrite" }, "misfit"],
  ["pre_tool_call", { updated_result: 1 }, "misfit"],
  ["pre_tool_call", { updated_input: { a: 1 }, updated_error: null }, "misfit"],
  ["post_tool_call", { updated_result: null }, { tool_result: null }],
  ["post_tool_call", { updated_result: [1] }, { tool_result: [1] }],
  ["post_tool_call", { updated_error: "other" }, { error: "other" }],
  ["post_tool_call", { updated_error: null, updated_result: "ok" }, { error: null, tool_result: "ok" }],
  ["post_tool_call", { updated_input: {} }, "misfit"],
  [
    "pre_request",
    { updated_request: { path: "/b" } },
    { request: { method: "GET", path: "/b", query: null, body: 1 } },
  ],
  ["pre_request", { updated_request: { path: 5 as never } }, "misfit"],
  ["pre_request", { updated_request: { query: "x" as never } }, "misfit"],
  [
    "post_response",
    { updated_response: { status: 404 } },
    { response: { status: 404, body: 1, headers: {} } },
  ],
  ["post_response", { updated_response: { status: "no" as never } }, "misfit"],
  ["post_response", { updated_response: { headers: null as never } }, "misfit"],
  ["run_end", { updated_result: 1 }, "misfit"],
  ["run_end", { decision: "rewrite" }, "misfit"],
];

describe("a result", () => {
  const events: Readonly<Record<HookEventName, HookEvent>> = {
    pre_tool_call: toolEvent(),
    post_tool_call: toolEvent({ event: "post_tool_call", tool_result: 0, error: null }),
    pre_request: {
      event: "pre_request",
      run_id: "r",
      request: { method: "GET", path: "/a", query: null, body: 1 },
    },
    post_response: { event: "post_response", run_id: "r", response: { status: 200, body: 1, headers: {} } },
    run_end: { event: "run_end", run_id: "r", report: "x" },
  };
  test.each(applied)("%s %j", async (event, fields, expected) => {
    const done = await run([rule([handler(result(fields))], { event })], events[event]);
    if (expected === "misfit") {
      expect(done.deny).toMatchObject({ broken: true, raised: true });
      expect(done.event).toEqual(events[event]);
    } else {
      expect(done.deny).toBeUndefined();
      expect(done.event).toEqual({ ...events[event], ...expected });
    }
  });

  test("context and findings carry the handler's and the rule's name, whatever the handler claims", async () => {
    const talks = handler(
      result({ additional_context: "hi", findings: [{ code: "c", message: "m", by: "someone else" }] }),
      { name: "talker" },
    );
    const text = handler({ kind: "context", text: "plain" }, { name: "cat" });
    const done = await run(
      [rule([talks, text, handler({ kind: "context", text: "" })], { name: "talk" })],
      toolEvent(),
    );
    expect(done.contexts).toEqual([
      { name: "talker", text: "hi" },
      { name: "cat", text: "plain" },
    ]);
    expect(done.findings).toEqual([{ code: "c", message: "m", by: "talk" }]);
  });

  test("a denial without a reason names its rule, and what it rewrote does not count", async () => {
    const refuses = handler(result({ decision: "deny", updated_input: { a: 1 } }));
    const done = await run([rule([refuses], { name: "strict" })], toolEvent());
    expect(done.deny?.reason).toBe("refused by the rule strict");
    expect(done.rewritten).toBe(false);
  });
});

describe("async handlers", () => {
  const settle = () => new Promise((resolve) => setTimeout(resolve, 10));

  test("nobody waits for them, and they influence nothing", async () => {
    let release: (answer: HandlerAnswer) => void = () => undefined;
    const slow = handler(() => new Promise<HandlerAnswer>((resolve) => (release = resolve)), { async: true });
    const late: LateAnswer[] = [];
    const clock = fakeClock();
    const background = createBackground(clock);
    const done = await run([rule([slow, handler(allow)])], toolEvent(), {
      clock,
      background,
      onLate: (one) => void late.push(one),
    });
    expect(done.deny).toBeUndefined();
    release(deny("too late"));
    expect(await background.drain(1000)).toBe(0);
    expect(late[0]?.error?.message).toBe("an async handler cannot deny: too late");
    expect(late[0]?.findings[0]).toMatchObject({ code: "handler_failed", by: "r", severity: "error" });
  });

  test("eight at once, the rest in turn; the end waits within bounds and says how many were left", async () => {
    const clock = fakeClock();
    const background = createBackground(clock);
    let running = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    const slow = handler(
      () =>
        new Promise<HandlerAnswer>((resolve) => {
          running += 1;
          most = Math.max(most, running);
          releases.push(() => {
            running -= 1;
            resolve(allow);
          });
        }),
      { async: true },
    );
    const late: LateAnswer[] = [];
    await run([rule(Array.from({ length: 20 }, () => slow))], toolEvent(), {
      clock,
      background,
      onLate: (one) => void late.push(one),
    });
    await settle();
    for (let i = 0; i < 5; i += 1) releases.shift()?.();
    await settle();
    expect(most).toBe(8);
    expect(releases).toHaveLength(8);
    const end = background.drain(5000);
    clock.advance(5000);
    expect(await end).toBe(15);
    for (const release of releases.splice(0)) release();
    await settle();
    expect(late.slice(5).map(({ error }) => error?.message.slice(0, 24))).toEqual([
      ...Array.from({ length: 8 }, () => "it was still at work whe"),
      ...Array.from({ length: 7 }, () => "it did not run: the end "),
    ]);
    expect(late[5]).toMatchObject({ event: { tool_name: "db_query_sql" }, findings: [{ by: "r" }] });
  });

  test("the end waits no longer for what is told than for the work itself", async () => {
    const clock = fakeClock();
    const background = createBackground(clock);
    background.start({
      run: "r",
      work: () => new Promise(() => undefined),
      left: () => Promise.reject(new Error("no log")),
    });
    background.start({
      run: "r",
      work: () => new Promise(() => undefined),
      left: () => new Promise(() => undefined),
    });
    const end = background.drain(10);
    clock.advance(10);
    await settle();
    clock.advance(2000);
    expect(await end).toBe(2);
  });

  test.each([
    ["changed", async () => "check.sh changed"],
    ["cannot be told", () => Promise.reject(new Error("no file"))],
  ])("code that %s denies, as where it is waited for", async (_what, changed) => {
    let ran = false;
    const spy = handler(
      () => {
        ran = true;
        return allow;
      },
      { async: true, changed, onError: "record" },
    );
    const done = await run([rule([spy])], toolEvent(), { onError: "record" });
    await settle();
    expect(done.deny).toMatchObject({ broken: true, by: "r" });
    expect(done.trail).toMatchObject([{ by: "r", decision: "error" }]);
    expect(ran).toBe(false);
  });

  test("after a denial none is started", async () => {
    let ran = false;
    const spy = handler(
      () => {
        ran = true;
        return allow;
      },
      { async: true },
    );
    await run([rule([handler(deny("no")), spy])], toolEvent());
    await settle();
    expect(ran).toBe(false);
  });
});

describe("trust", () => {
  const command = handler(deny("ran"), { kind: "command" });
  const closed = handler(deny("closed"), { kind: "deny" });

  test("code that nobody has trusted does not run, denials of the same rule do", async () => {
    const inert = () => ({ kind: "inert", why: "not trusted yet" }) as const;
    const done = await run([rule([command])], toolEvent(), { trusted: inert });
    expect(done.deny).toBeUndefined();
    expect(done.findings).toEqual([
      { code: "rule_inert", message: "h: not trusted yet", by: "r", severity: "warning" },
    ]);
    expect((await run([rule([command, closed])], toolEvent(), { trusted: inert })).deny?.reason).toBe(
      "closed",
    );
  });

  const untold: readonly (readonly [string, () => never])[] = [
    ["changed", () => ({ kind: "changed", why: "check.sh is another file" }) as never],
    [
      "cannot be told",
      () => {
        throw new Error("no store");
      },
    ],
  ];
  test.each(untold)("%s: the call is denied as broken", async (_what, trusted) => {
    const done = await run([rule([command])], toolEvent(), { trusted, onError: "record" });
    expect(done.deny).toMatchObject({ broken: true, by: "r" });
    expect(done.deny?.reason).toMatch(/^guard broken: /u);
  });
});
