/** A real bash runs hidden commands over stand-ins: nothing destructive runs that was not asked for. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fuzz } from "../../../scripts/fuzzShell.mjs";
import { judgeShell } from "../../../src/core/shellRules/judgeShell";

const judge = (text: string): string =>
  judgeShell(text, "bash", "/work").findings.length === 0 ? "allow" : "ask";

describe.skipIf(!existsSync("/bin/bash"))("texts that hide a destructive command", () => {
  test.each([1, 2])("seed %i", { timeout: 120_000 }, async (seed) => {
    const { ran, unasked } = await fuzz({ n: 300, seed, judge });
    // Such texts do what they are made for, or this test says nothing.
    expect(ran).toBeGreaterThan(10);
    expect(unasked).toEqual([]);
  });

  test("a guard that asks for nothing is found out", { timeout: 60_000 }, async () => {
    expect((await fuzz({ n: 40, seed: 3, judge: () => "allow" })).unasked.length).toBeGreaterThan(20);
  });
});
