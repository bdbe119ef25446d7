import { expect, test } from "vitest";
import { sessionPins } from "../../src/core/sessionPins";
import { call } from "./fixtures";

test("a session stays where it began, whatever it changes its directory to", () => {
  const pins = sessionPins();
  const of = (sessionId: string, here: string, agent = "vscode"): string =>
    pins.of(call("t", {}, { sessionId, agent }), here);
  expect([of("s1", "/a"), of("s1", "/b"), of("s2", "/b"), of("s1", "/b")]).toEqual(["/a", "/a", "/b", "/a"]);
  expect(of("s1", "/b", "codex")).toBe("/b");
});

test("only the sessions silent longest are forgotten", () => {
  const pins = sessionPins();
  const of = (n: number, here: string): string => pins.of(call("t", {}, { sessionId: `s${n}` }), here);
  for (let n = 0; n < 2000; n += 1) of(n, "/a");
  expect(of(0, "/b")).toBe("/a");
  of(2000, "/a");
  expect([of(0, "/b"), of(1, "/b")]).toEqual(["/a", "/b"]);
});
