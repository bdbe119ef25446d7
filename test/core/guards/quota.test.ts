import { describe, expect, test } from "vitest";
import { contextOf } from "../../../src/core/evaluate";
import { type QuotaCalls, quota } from "../../../src/core/guards/quota";
import { call, fakeClock } from "../fixtures";

const judge = async (guard: ReturnType<typeof quota>, callId: string, profile = "default") => {
  const c = call("t", {}, { callId, profile });
  const decision = await guard.preToolUse?.(contextOf(c), c.toolName, c.input);
  return decision === undefined ? undefined : decision.kind;
};

describe("quota", () => {
  test("so many calls per period and profile; a call judged again counts once", async () => {
    const clock = fakeClock();
    const guard = quota({ calls: 2, per: "minute", clock });
    expect([await judge(guard, "a"), await judge(guard, "a"), await judge(guard, "b")]).toEqual(
      Array(3).fill("allow"),
    );
    expect(await judge(guard, "c")).toBe("deny");
    expect(await judge(guard, "c", "other")).toBe("allow");
    clock.advance(60_000);
    expect(await judge(guard, "c")).toBe("allow");
  });

  test("a chain that is built anew goes on counting", async () => {
    const clock = fakeClock();
    const seen: QuotaCalls = new Map();
    const build = (calls: number) => quota({ calls, per: "hour", clock, seen });
    await judge(build(2), "a");
    await judge(build(2), "b");
    expect(await judge(build(2), "c")).toBe("deny");
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("a limit of %s is refused", (calls) => {
    expect(() => quota({ calls, per: "hour", clock: fakeClock() })).toThrow(RangeError);
  });
});
