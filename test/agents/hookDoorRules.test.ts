/** What rules have to say at door A: after a tool, and at the end of a run. */
import { describe, expect, test } from "vitest";
import type { EndedRun } from "../../src/core/hookRules/runEnd";
import type { HandlerAnswer, Rule } from "../../src/core/hookRules/types";
import { handler, rule } from "../core/hookRules/rigs";
import { doorBench } from "./doorBench";
import { deferred } from "./pluginBench";

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const onResult = (says: Parameters<typeof handler>[0]): Rule =>
  rule([handler(says, { name: "note" })], { event: "post_tool_call" });
const context: HandlerAnswer = { kind: "context", text: "rows were cut" };
const delivered = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "[hook note] rows were cut" },
});

describe("In the editor: after a tool", () => {
  test("what a rule says of a result is added to it where the agent takes that, and is then no finding", async () => {
    const bench = doorBench({ rules: [onResult(context)] });
    await bench.send("pre");
    expect(await bench.send("post")).toEqual({ stdout: delivered });
    await settle();
    const [, result] = bench.records;
    expect(result).toMatchObject({ event: "result", decision: "allow" });
    expect(result).not.toHaveProperty("findings");
  });

  test("in the Agent Host, which drops what a hook says after a tool, it is a finding", async () => {
    const bench = doorBench({ rules: [onResult(context)] });
    await bench.send("pre", { host: "agentHost" });
    expect(await bench.send("post", { host: "agentHost" })).toEqual({ stdout: "" });
    await settle();
    expect(bench.records[1]?.findings).toMatchObject([
      { code: "context_not_delivered", message: "not told to the agent: [hook note] rows were cut" },
    ]);
  });

  test("a rule that takes longer than 20 seconds, or than the editor waits, is not heard: a finding", async () => {
    for (const how of ["slow", "gone"] as const) {
      const slow = deferred();
      const bench = doorBench({ rules: [onResult(() => slow.promise.then(() => context))] });
      const gone = new AbortController();
      await bench.send("pre");
      const answer = bench.send("post", { signal: gone.signal });
      await settle();
      if (how === "slow") bench.clock.advance(20_001);
      else gone.abort();
      expect([how, await answer]).toEqual([how, { stdout: "" }]);
      slow.resolve();
      await settle();
      expect(bench.records[1]?.findings).toMatchObject([{ code: "context_not_delivered" }]);
    }
  });

  test("no result waits for rules that have nothing to say", async () => {
    const cases: readonly (readonly Rule[] | undefined)[] = [
      undefined,
      [],
      [onResult({ kind: "failed", why: "no" })],
    ];
    for (const rules of cases) {
      const bench = doorBench(rules === undefined ? {} : { rules });
      await bench.send("pre");
      expect(await bench.send("post")).toEqual({ stdout: "" });
      // A result that nobody authorized, and one that was reported before.
      expect(await bench.send("post", { id: "unknown" })).toEqual({ stdout: "" });
      expect(await bench.send("post", { observer: "hook:claude" })).toEqual({ stdout: "" });
    }
  });

  test("no result waits for a configuration that cannot be read", async () => {
    const bench = doorBench({ rules: [onResult(context)] });
    await bench.send("pre");
    const broken = doorBench({ brokenConfig: true });
    await broken.send("pre");
    expect(await broken.send("post")).toEqual({ stdout: "" });
  });
});

describe("In the editor: the end of a run", () => {
  const ending = () => {
    const ended: EndedRun[] = [];
    const bench = doorBench({}, { endRun: async (run) => void ended.push(run) });
    return { bench, ended };
  };

  test("a run ends with each turn, since no chat tells when it is over; its report is the agent's last words where its program tells them, else null", async () => {
    const { bench, ended } = ending();
    await bench.send("pre");
    expect(await bench.send("stop", { session: "s" })).toEqual({ stdout: "" });
    await bench.send("stop", { session: "s", says: "All done." });
    expect(ended).toEqual([
      { runId: "s", sessionId: "s", agent: "vscode", cwd: "/ws", profile: "default", report: null },
      { runId: "s", sessionId: "s", agent: "vscode", cwd: "/ws", profile: "default", report: "All done." },
    ]);
  });

  test("no other event ends a run: neither a subagent's end nor the start of a session", async () => {
    const { bench, ended } = ending();
    for (const event of ["session-start", "subagent-start", "subagent-stop", "pre", "post"] as const)
      await bench.send(event, { says: "x" });
    expect(ended).toEqual([]);
  });

  test("an end that two hooks tell of is one end", async () => {
    const { bench, ended } = ending();
    await bench.send("stop", { observer: "plugin" });
    await bench.send("stop", { observer: "hook:claude" });
    expect(ended.length).toBe(1);
    bench.clock.advance(10_001);
    await bench.send("stop", { observer: "hook:claude" });
    expect(ended.length).toBe(2);
  });

  test("what fails at the end of a run changes no answer to the agent", async () => {
    const bench = doorBench({}, { endRun: () => Promise.reject(new Error("no")) });
    expect(await bench.send("stop")).toEqual({ stdout: "" });
    await settle();
  });
});
