/** The end of a run, and what it keeps for those who judge it. */
import { describe, expect, test } from "vitest";
import { HookError, type HookEvent } from "../../src/library";
import { bareRun, rejection, runOf } from "./runs";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("The end of a run", () => {
  test("end hands report and artifacts to the rules of run_end", async () => {
    const run = bareRun({ runId: "r1" });
    const seen: HookEvent[] = [];
    run.on("run_end", (event) => void seen.push(event));
    await run.end("the report", { artifacts: { "graph.json": "{}" } });
    expect(seen).toMatchObject([
      { event: "run_end", run_id: "r1", report: "the report", artifacts: { "graph.json": "{}" } },
    ]);
  });

  test("a report that no rule refuses has passed", async () => {
    const run = bareRun();
    run.on("run_end", () => ({ additional_context: "well sourced", findings: ["two sources"] }), {
      name: "grade",
    });
    expect(await run.end("report")).toEqual({
      passed: true,
      reason: null,
      findings: [{ code: "finding", message: "two sources", by: "grade" }],
      context: ["[hook grade] well sourced"],
    });
  });

  test("a denial at run_end is a verdict with its reason and findings, not an exception", async () => {
    const run = bareRun();
    run.on("run_end", () => ({ decision: "deny", reason: "no sources", findings: ["none cited"] }), {
      name: "grade",
    });
    const verdict = await run.end("report");
    expect(verdict).toMatchObject({ passed: false, reason: "no sources" });
    expect(verdict.findings).toMatchObject([{ message: "none cited", by: "grade" }]);
    expect(run.denials).toMatchObject([{ event: "run_end", reason: "no sources" }]);
  });

  test("a denied call does not make the run fail", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "no" }));
    await rejection(run.wrap({ t: () => 1 }).t());
    expect((await run.end("report")).passed).toBe(true);
  });

  test("end waits for async handlers, which hold up no call and cannot influence it", async () => {
    const script = `setTimeout(() => { require("node:fs").writeFileSync("late.txt", "done"); console.log('{"decision":"deny","reason":"too late"}'); }, 300);`;
    const { run, folder } = await runOf(
      `[[hooks.pre_tool_call]]\nname = "late"\nhandlers = [{ type = "command", command = [${JSON.stringify(process.execPath)}, "late.cjs"], async = true }]\n`,
      { files: { "late.cjs": script } },
    );
    const { existsSync } = await import("node:fs");
    const late = `${folder}/late.txt`;
    expect(await run.wrap({ t: () => 1 }).t()).toBe(1);
    expect(existsSync(late)).toBe(false);
    const verdict = await run.end("report");
    expect(existsSync(late)).toBe(true);
    expect(verdict.passed).toBe(true);
    expect(verdict.findings).toMatchObject([{ severity: "error", by: "late" }]);
  });

  test("end does not wait for ever: async handlers that are left when their time is over are an error", async () => {
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nname = "many"\nhandlers = [{ type = "command", command = [${JSON.stringify(process.execPath)}, "-e", "setTimeout(() => {}, 60000)"], async = true, timeout = 0.7 }]\n`,
    );
    const { t } = run.wrap({ t: () => 1 });
    await Promise.all(Array.from({ length: 30 }, () => t()));
    const verdict = await run.end("report");
    expect(verdict.passed).toBe(true);
    expect(run.errors.at(-1)).toMatchObject({
      event: "run_end",
      message: expect.stringMatching(/async handlers were still at work/),
    });
    // Each by the name of its handler, those that never had their turn too.
    expect(run.errors.filter(({ handler }) => handler === "many")).toHaveLength(30);
    expect(verdict.findings).toHaveLength(30);
  });

  test("what rules find after a call or a request that is under way at the end is in the verdict", async () => {
    const run = bareRun();
    let begun = 0;
    const slow = async () => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { findings: ["found late"] };
    };
    run.on("post_tool_call", slow);
    run.on("post_response", slow);
    const { t } = run.wrap({ t: () => 1 });
    const requestFn = () => ({ status: 200, body: null, headers: {} });
    const under = [t(), run.session({}, { requestFn }).request("GET", "/x")];
    while (begun < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const verdict = await run.end("report");
    expect(verdict.findings.map(({ message }) => message)).toEqual(["found late", "found late"]);
    await Promise.all(under);
  });

  test("end gives the same verdict however often it is called, and runs its rules once", async () => {
    const run = bareRun();
    let ran = 0;
    run.on("run_end", () => {
      ran += 1;
    });
    const both = await Promise.all([run.end("a"), run.end("b")]);
    expect(both[0]).toBe(both[1]);
    expect(ran).toBe(1);
  });

  test("after the end calls, requests, rules and seeds are HookErrors", async () => {
    const run = bareRun();
    let ran = 0;
    const { t } = run.wrap({ t: () => (ran += 1) });
    const session = run.session(
      {},
      {
        requestFn: () => {
          ran += 1;
          return { status: 200, body: null, headers: {} };
        },
      },
    );
    await run.end("report");
    expect(await rejection(t())).toBeInstanceOf(HookError);
    expect(await rejection(session.request("GET", "/"))).toBeInstanceOf(HookError);
    expect(() => run.on("pre_tool_call", () => null)).toThrow(HookError);
    expect(() => run.seed([])).toThrow(HookError);
    expect(ran).toBe(0);
  });

  test("a call that is under way at the end still goes through its rules", async () => {
    const run = bareRun();
    run.on("post_tool_call", () => ({ updated_result: "checked" }));
    const call = run
      .wrap({
        slow: async () => {
          await pause(30);
          return "raw";
        },
      })
      .slow();
    await pause(5);
    await run.end("report");
    expect(await call).toBe("checked");
  });
});

describe("What a run keeps", () => {
  test("the legend is the run's id, its key and the map of aliases", () => {
    const run = bareRun({ runId: "r1", runKey: "secret" });
    expect(run.legend()).toEqual({ run_id: "r1", run_key: "secret", aliases: {} });
    const [a, b] = [bareRun().legend(), bareRun().legend()];
    expect(a.run_key).toMatch(/^[0-9a-f]{64}$/);
    expect(a.run_key).not.toBe(b.run_key);
    expect(a.run_id).toMatch(/^run_[0-9A-Z]{26}$/);
  });

  test("the run key is in no event and in no summary", async () => {
    const run = bareRun({ runKey: "very-secret" });
    const events: HookEvent[] = [];
    for (const event of ["pre_tool_call", "post_tool_call", "run_end"] as const) {
      run.on(event, (one) => void events.push(one));
    }
    await run.wrap({ t: () => 1 }).t();
    await run.end("report");
    expect(events).toHaveLength(3);
    expect(JSON.stringify([events, run.summary()])).not.toContain("very-secret");
  });

  test("the summary counts calls, requests, denials, rewrites, hook errors and findings", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "no" }), { matcher: "denied" });
    run.on("pre_tool_call", () => ({ updated_input: { n: 1 } }), { matcher: "rewritten" });
    run.on("pre_tool_call", () => Promise.reject(new Error("broken")), { matcher: "failing" });
    run.on("post_tool_call", () => ({ findings: ["f"] }), { matcher: "failing|rewritten" });
    const tools = run.wrap({ denied: () => 1, rewritten: () => 1, failing: () => 1 });
    await rejection(tools.denied());
    await tools.rewritten();
    await tools.failing();
    await run.session({}, { requestFn: () => ({ status: 200, body: 1, headers: {} }) }).request("GET", "/");
    expect(run.summary()).toEqual({
      calls: 3,
      requests: 1,
      denials: 1,
      asks: 0,
      rewrites: 1,
      hook_errors: 1,
      findings: 2,
      substitutions: 0,
      leaks: 0,
    });
  });

  test("denials and errors are copies: who changes them changes no record", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "no" }));
    await rejection(run.wrap({ t: () => 1 }).t());
    Reflect.set(run.denials, "length", 0);
    expect(run.denials).toHaveLength(1);
  });
});

describe("Seeds", () => {
  test("seed takes entities with a type, a value, a role and an identity before the agent starts", () => {
    const run = bareRun();
    run.seed([{ type: "person_name", value: "Matthew Nowell", identity: "subject" }]);
    run.seed([{ type: "person_name", value: "Matthew Nowell", identity: "subject" }]);
    expect(run.summary().substitutions).toBe(0);
  });

  test("the same entity with another role is a HookError", () => {
    const run = bareRun();
    run.seed([{ type: "email", value: "a@example.com", role: "public" }]);
    expect(() => run.seed([{ type: "email", value: "a@example.com", role: "private" }])).toThrow(HookError);
  });

  test("what is no entity is a HookError that names its place, and none of the list is taken", () => {
    const run = bareRun();
    const good = { type: "email", value: "a@example.com", role: "public" } as const;
    // @ts-expect-error misspelt
    expect(() => run.seed([good, { type: "email", valeu: "x" }])).toThrow(/entity 1.*valeu/);
    run.seed([{ ...good, role: "private" }]);
  });

  test("as long as there is no alias door, asking for it is a HookError that says so", () => {
    const run = bareRun();
    expect(() => run.alias).toThrow(HookError);
    expect(() => run.alias).toThrow(/alias door is not part of this version/);
  });

  test("as long as there is no alias door, seeding says that nothing is replaced", () => {
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (text: string) => void warnings.push(text) };
    const run = bareRun({ log });
    run.seed([{ type: "email", value: "a@example.com" }]);
    run.seed([{ type: "email", value: "b@example.com" }]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/alias/);
    expect(warnings[0]).not.toContain("example.com");
  });
});
