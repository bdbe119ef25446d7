/** What is under way is waited for: all of it, none of another run, no longer than told. */
import { expect, test } from "vitest";
import { createUnderWay } from "../../../src/core/hookRules/underWay";
import { nodeClock } from "../../../src/node/ports";

const never = new AbortController().signal;
const later = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

test("what is over is not waited for, and neither is another run", async () => {
  const underWay = createUnderWay(nodeClock);
  await underWay.during("a", Promise.resolve());
  void underWay.during("b", new Promise(() => undefined));
  expect(await underWay.over("a", { ms: 60_000, signal: never })).toBe(0);
  expect(await underWay.over("nobody", { ms: 60_000, signal: never })).toBe(0);
});

test("all of it is waited for, whether it succeeds or not, but not what comes later", async () => {
  const underWay = createUnderWay(nodeClock);
  const done: string[] = [];
  void underWay.during(
    "a",
    later(20).then(() => done.push("first")),
  );
  underWay
    .during(
      "a",
      later(60).then(() => {
        done.push("second");
        throw new Error("failed");
      }),
    )
    .catch(() => undefined);
  const over = underWay.over("a", { ms: 60_000, signal: never });
  void underWay.during("a", new Promise(() => undefined));
  expect(await over).toBe(0);
  expect(done).toEqual(["first", "second"]);
});

test("no longer than told, and not when nobody waits any more: what is left is counted", async () => {
  const underWay = createUnderWay(nodeClock);
  void underWay.during("a", new Promise(() => undefined));
  void underWay.during("a", later(10));
  expect(await underWay.over("a", { ms: 100, signal: never })).toBe(1);
  const gone = new AbortController();
  const over = underWay.over("a", { ms: 60_000, signal: gone.signal });
  gone.abort();
  expect(await over).toBe(1);
  expect(await underWay.over("a", { ms: 60_000, signal: gone.signal })).toBe(1);
});
