/** A call that ran with other arguments than were let through: told, on record, and nothing but reading until a person has looked. */
import { describe, expect, test } from "vitest";
import { readFacets } from "../../src/agents/toolFacts";
import type { ToolCall } from "../../src/core/call";
import { governanceState } from "../../src/core/governance/governanceState";
import { changedHooks } from "../../src/core/guards/changedHooks";
import { ranOther } from "../../src/core/guards/ranOther";
import { byWord, decisionOf, doorBench } from "./doorBench";

function bench() {
  const state = governanceState();
  const told: { call: ToolCall; approved: string }[] = [];
  const guards = [ranOther({ facets: readFacets, state }), changedHooks({ facets: readFacets, state })];
  const it = doorBench(
    { hooks: [...guards, byWord] },
    {
      onRanOther(call, approved) {
        told.push({ call, approved });
        state.ranOther({ agent: call.agent, tool: call.toolName, callId: call.callId });
      },
    },
  );
  return { ...it, state, told };
}

const settle = () => new Promise((done) => setTimeout(done, 20));

describe("another hook rewrites after us", () => {
  test("told, written down with both sides, and denied from then on", async () => {
    const it = bench();
    await it.send("pre", { command: "ls" });
    await it.send("post", { command: "rm -rf /" });
    await settle();
    expect(it.told).toMatchObject([{ call: { input: { command: "rm -rf /" }, agent: "vscode" } }]);
    const results = it.records.filter(({ event }) => event === "result");
    expect(results.flatMap(({ findings = [] }) => findings.map(({ code }) => code))).toContain(
      "ran_other_arguments",
    );
    expect(results.map(({ args }) => args)).toContainEqual({ command: "rm -rf /" });
    expect(decisionOf(await it.send("pre", { command: "ls", id: "id-2" }))).toBe("deny");
    // Reading goes on.
    expect(decisionOf(await it.send("pre", { tool: "read_file", id: "id-3" }))).toBe("none");
    it.state.acknowledge({ changes: it.state.changes(), runs: it.state.otherRuns() });
    expect(decisionOf(await it.send("pre", { command: "ls", id: "id-4" }))).toBe("none");
  });

  test("a host without ids", async () => {
    const it = bench();
    await it.send("pre", { command: "ls", id: null });
    await it.send("post", { command: "rm -rf /", id: null });
    await settle();
    expect(it.told).toHaveLength(1);
  });

  test("our own rewrite is what was let through; without it another thing ran", async () => {
    const it = bench();
    await it.send("pre", { command: "REWRITE x" });
    await it.send("post", { command: "SAFE x" });
    await it.send("pre", { command: "REWRITE y", id: "id-2" });
    await it.send("post", { command: "REWRITE y", id: "id-2" });
    await settle();
    expect(it.told.map(({ call }) => call.input)).toEqual([{ command: "REWRITE y" }]);
  });

  test.each([
    [
      "the same arguments",
      async (it: ReturnType<typeof bench>) => {
        await it.send("pre", { command: "ls" });
        await it.send("post", { command: "ls" });
      },
    ],
    [
      "two calls whose results come in the other order",
      async (it: ReturnType<typeof bench>) => {
        await it.send("pre", { command: "a", id: null });
        await it.send("pre", { command: "b", id: null });
        await it.send("post", { command: "b", id: null });
        await it.send("post", { command: "a", id: null });
      },
    ],
    [
      "a result that a second observer reports",
      async (it: ReturnType<typeof bench>) => {
        await it.send("pre", { command: "ls" });
        await it.send("pre", { command: "ls", observer: "hook:user" });
        await it.send("post", { command: "ls" });
        await it.send("post", { command: "ls", observer: "hook:user" });
      },
    ],
    [
      "a result of a call nobody saw begin",
      async (it: ReturnType<typeof bench>) => {
        await it.send("post", { command: "ls", id: "never" });
      },
    ],
  ])("%s tells nothing", async (_what, run) => {
    const it = bench();
    await run(it);
    await settle();
    expect(it.told).toEqual([]);
  });
});

describe("hooks that change under way", () => {
  const change = {
    path: "/ws/.claude/settings.json",
    agents: ["claude", "vscode"],
    kind: "changed",
    off: ["disableAllHooks"],
  } as const;

  test("the agent's side effects ask until a person has looked, other agents' do not", async () => {
    const it = bench();
    it.state.changed(change);
    const other = { ...change, agents: ["gemini"], path: "/ws/.gemini/settings.json" };
    it.state.changed(other);
    // Nobody is there to be asked in this bench: an ask ends as a denial.
    expect(decisionOf(await it.send("pre", { command: "ls" }))).toBe("deny");
    expect(decisionOf(await it.send("pre", { tool: "read_file", id: "id-2" }))).toBe("none");
    const seen = { changes: [change], runs: [] };
    // It changed again after the person had looked.
    it.state.changed({ ...change, kind: "gone", off: [] });
    it.state.acknowledge(seen);
    expect(it.state.changes("vscode")).toHaveLength(1);
    it.state.acknowledge({ changes: it.state.changes("vscode"), runs: [] });
    expect(decisionOf(await it.send("pre", { command: "ls", id: "id-4" }))).toBe("none");
    expect(it.state.changes()).toEqual([other]);
  });

  test("what is open is bounded, and the newest stays", () => {
    const state = governanceState();
    for (let at = 0; at < 500; at++) {
      state.changed({ ...change, path: `/f${at}` });
      state.ranOther({ agent: "a", tool: "t", callId: `${at}` });
    }
    expect(state.changes().length).toBeLessThanOrEqual(200);
    expect(state.changes().at(-1)?.path).toBe("/f499");
    expect(state.otherRuns().length).toBeLessThanOrEqual(200);
    expect(state.otherRuns().at(-1)?.callId).toBe("499");
  });
});
