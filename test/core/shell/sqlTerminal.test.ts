/** The SQL guard on terminal commands: nothing that harms passes, nothing of every day is asked about. */
import { describe, expect, test } from "vitest";
import { sqlInCommand } from "../../../src/core/shell/sqlInCommand";
import { kindOf } from "./sqlDecision";
import { LATER_ATTACKS, LATER_EVERYDAY } from "./sqlTerminalLater";
import { ATTACKS, EVERYDAY, type TerminalRow } from "./sqlTerminalRows";

async function ofKind(rows: readonly TerminalRow[], wanted: (kind: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const row of rows) {
    const kind = await kindOf(row);
    if (wanted(kind)) found.push(`${kind} ${row.shell} ${row.command}`);
  }
  return found;
}

describe("terminal commands with SQL", () => {
  test("no attack passes", async () => {
    expect(ATTACKS.length).toBeGreaterThan(200);
    expect(await ofKind(ATTACKS, (kind) => kind === "allow")).toEqual([]);
  });
  test("everyday commands pass without a word", async () => {
    expect(EVERYDAY.length).toBeGreaterThan(180);
    expect(await ofKind(EVERYDAY, (kind) => kind !== "allow")).toEqual([]);
  });
});

describe("terminal commands written after the rules", () => {
  const bash = (commands: readonly string[]): TerminalRow[] =>
    commands.map((command) => ({ command, shell: "bash" }));
  test("no attack passes", async () =>
    expect(await ofKind(bash(LATER_ATTACKS), (kind) => kind === "allow")).toEqual([]));
  test("everyday commands pass without a word", async () =>
    expect(await ofKind(bash(LATER_EVERYDAY), (kind) => kind !== "allow")).toEqual([]));
});

describe("hostile words are read in linear time", () => {
  test.each([
    ["statements in quotes", "'DELETE FROM t' "],
    ["grants in quotes", `"grant a on `],
    ["tools", "prisma migrate "],
    ["objects", ".objects "],
    ["names", "delete from a"],
    ["clients", "frob psql -c "],
    ["closures", `with a as (`],
    ["comments", "/* -- "],
  ])("%s", (_name, part) => {
    for (const before of ["python3 -c execute ", "frob ", "curl -d ", "npm run "]) {
      const time = (length: number): number => {
        const text = before + part.repeat(Math.ceil(length / part.length));
        const runs = [0, 1, 2, 3].map(() => {
          const start = process.cpuUsage();
          sqlInCommand(text, "bash");
          const { user, system } = process.cpuUsage(start);
          return (user + system) / 1000;
        });
        return Math.min(...runs);
      };
      time(8_000);
      // Four times the text; a quadratic reading takes sixteen times as long.
      expect(time(32_000) / Math.max(time(8_000), 4), before).toBeLessThan(10);
    }
  });
});
