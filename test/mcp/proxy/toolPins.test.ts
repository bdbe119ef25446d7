import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HookChain } from "../../../src/core/chain";
import { contextOf } from "../../../src/core/evaluate";
import { toolPin } from "../../../src/core/guards/toolPin";
import { toolCallOf } from "../../../src/mcp/proxy/judge";
import { approved, type Pins, seen, sightingOf } from "../../../src/mcp/proxy/toolPins";
import { nodeClock, sha256 } from "../../../src/node/ports";

const tool = (name: string, description = "d", more: Record<string, unknown> = {}) => ({
  name,
  description,
  inputSchema: { type: "object" },
  ...more,
});
const first = seen({}, [tool("a"), tool("b")], sha256);

describe("what becomes of a definition", () => {
  test.each<[string, readonly unknown[], string, string]>([
    ["the same again", [tool("a")], "a", "approved"],
    [
      "keys in another order",
      [{ inputSchema: { type: "object" }, description: "d", name: "a" }],
      "a",
      "approved",
    ],
    ["what no model reads", [tool("a", "d", { icons: [1], _meta: { x: 1 } })], "a", "approved"],
    ["another description", [tool("a", "d.")], "a", "changed"],
    ["none any more", [{ name: "a", inputSchema: { type: "object" } }], "a", "changed"],
    [
      "another schema",
      [tool("a", "d", { inputSchema: { type: "object", properties: { x: {} } } })],
      "a",
      "changed",
    ],
    ["other annotations", [tool("a", "d", { annotations: { readOnlyHint: true } })], "a", "changed"],
    ["another title", [tool("a", "d", { title: "t" })], "a", "changed"],
    ["another output schema", [tool("a", "d", { outputSchema: {} })], "a", "changed"],
    ["two of one name", [tool("a"), tool("a", "other")], "a", "changed"],
    ["a description that is no text", [tool("a", "d", { description: { x: 1 } })], "a", "changed"],
    ["a tool that was not there before", [tool("c")], "c", "new"],
    ["one that nobody listed", [tool("a")], "z", "unlisted"],
    ["names of things every object has", [tool("a")], "constructor", "unlisted"],
    ["nothing that is a tool", [null, 1, "a", { name: 2 }], "a", "approved"],
  ])("%s", (_what, tools, name, state) => {
    expect(sightingOf(seen(first, tools, sha256), name).state).toBe(state);
  });

  test("a changed one stays so until a person has seen this very change, or it is as it was", () => {
    const changed = seen(first, [tool("a", "evil")], sha256);
    const { digest = "" } = sightingOf(changed, "a");
    expect(sightingOf(seen(changed, [tool("b")], sha256), "a").state).toBe("changed");
    expect(sightingOf(seen(changed, [tool("a")], sha256), "a").state).toBe("approved");
    expect(sightingOf(approved(changed, "a", "another"), "a").state).toBe("changed");
    expect(sightingOf(approved(changed, "a", digest), "a")).toMatchObject({ state: "approved", digest });
    const moved = seen(changed, [tool("a", "more evil")], sha256);
    expect(sightingOf(approved(moved, "a", digest), "a").state).toBe("changed");
  });

  test("what is hidden in it is shown, and only what changed", () => {
    const before = `${"same ".repeat(100)}end`;
    const pins = seen({}, [tool("a", before)], sha256);
    const now = before.replace("end", "\u202eend\u200b \u{e0041}");
    const { lines = [] } = sightingOf(seen(pins, [tool("a", now)], sha256), "a");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^description is now: ….*\\u\{202E\}end\\u\{200B\} \\u\{E0041\}$/);
    expect(lines.every((line) => line.length < 200)).toBe(true);
  });

  test("any two definitions that differ in a part are told apart, and the same never are", () => {
    const part = fc.record({ description: fc.string(), inputSchema: fc.jsonValue() });
    fc.assert(
      fc.property(part, part, (one, other) => {
        const pins = seen({}, [{ name: "t", ...one }], sha256);
        const state = sightingOf(seen(pins, [{ name: "t", ...other }], sha256), "t").state;
        // JSON has one nought.
        const same =
          JSON.stringify(JSON.parse(JSON.stringify(one))) ===
          JSON.stringify(JSON.parse(JSON.stringify(other)));
        if (same) expect(state).toBe("approved");
        if (state === "approved") expect(sortedText(one)).toBe(sortedText(other));
      }),
    );
  });
});

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner === 0
        ? 0
        : inner,
  );
}

describe("the guard", () => {
  const judge = (sighting: unknown, door = "C") => {
    const call = toolCallOf(
      { tool: "t", input: {}, client: "c", sighting: sighting as ReturnType<typeof sightingOf> },
      { server: { name: "s" }, sessionId: "s", callId: "c", cwd: "/" },
    );
    const chain = new HookChain({ clock: nodeClock, log: console }, [toolPin()]);
    const ctx = contextOf({ ...call, extra: { ...call.extra, door } });
    return chain.survey(ctx, { toolName: call.toolName, args: {}, onAsk: "collect", stage: "chain" });
  };
  const changed = (): Pins => seen(first, [tool("a", "x")], sha256);

  test.each([
    ["approved", { state: "approved", digest: "d" }, 0, false],
    ["new", { state: "new", digest: "d" }, 0, false],
    ["unlisted", { state: "unlisted" }, 0, false],
    ["changed", sightingOf(changed(), "a"), 1, false],
    ["changed, without a word of how", { state: "changed" }, 1, false],
    ["nonsense", { state: "fine" }, 0, true],
    ["no object", "approved", 0, true],
  ])("%s", async (_what, sighting, asks, denies) => {
    const survey = await judge(sighting);
    expect([survey.asks.length, survey.deny !== undefined]).toEqual([asks, denies]);
  });

  test("says nothing of calls at other doors", async () => {
    expect((await judge({ state: "changed" }, "A")).asks).toEqual([]);
  });
});
