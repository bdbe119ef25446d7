/** The SQL guard on commands whose SQL stands in code, behind other programs, in variables or in an address. */
import { describe, expect, test } from "vitest";
import { sqlInCode } from "../../../src/core/shell/sqlInCode";
import { kindOf } from "./sqlDecision";
import { LATER_INDIRECT_ATTACKS, LATER_INDIRECT_EVERYDAY } from "./sqlIndirectLater";
import { INDIRECT_ATTACKS, INDIRECT_EVERYDAY } from "./sqlIndirectRows";

async function ofKind(commands: readonly string[], wanted: (kind: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const command of commands) {
    const kind = await kindOf({ command, shell: "bash" });
    if (wanted(kind)) found.push(`${kind} ${command}`);
  }
  return found;
}

describe("indirect SQL", () => {
  test("no attack passes", async () => {
    expect(INDIRECT_ATTACKS.length).toBeGreaterThan(130);
    expect(await ofKind(INDIRECT_ATTACKS, (kind) => kind === "allow")).toEqual([]);
  });
  test("everyday commands pass without a word", async () => {
    expect(INDIRECT_EVERYDAY.length).toBeGreaterThan(70);
    expect(await ofKind(INDIRECT_EVERYDAY, (kind) => kind !== "allow")).toEqual([]);
  });
});

describe("indirect SQL written after the rules", () => {
  test("no attack passes", async () =>
    expect(await ofKind(LATER_INDIRECT_ATTACKS, (kind) => kind === "allow")).toEqual([]));
  test("everyday commands pass without a word", async () =>
    expect(await ofKind(LATER_INDIRECT_EVERYDAY, (kind) => kind !== "allow")).toEqual([]));
});

describe("hostile code is read in linear time", () => {
  test.each([
    ["escaped quotes", "\\'"],
    ["lone quotes", `'"`],
    ["triple quotes", `"""'`],
    ["heredocs", "<<A\n"],
    ["brackets", "f(("],
    ["joined texts", "'a' + "],
    ["own quotes", "q[("],
    ["patterns", "=/[/"],
    ["comments", "/* "],
    ["upserts", "insert into t "],
    ["queries", ".query("],
    ["shells", "os.system('a '"],
  ])("%s", (_name, part) => {
    for (const program of ["python3", "node", "perl"]) {
      const time = (length: number): number => {
        const code = `c.execute(${part.repeat(Math.ceil(length / part.length))}`;
        const runs = [0, 1, 2].map(() => {
          const start = process.cpuUsage();
          sqlInCode(code, program);
          const { user, system } = process.cpuUsage(start);
          return (user + system) / 1000;
        });
        return Math.min(...runs);
      };
      time(8_000);
      expect(time(32_000) / Math.max(time(8_000), 4), program).toBeLessThan(10);
    }
  });
});
