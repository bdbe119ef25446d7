/** Every row of the shell guard's table fires on its own examples, and on none of those that it names as quiet. */
import { describe, expect, test } from "vitest";
import { judgeShell } from "../../../src/core/shellRules/judgeShell";
import { SHELL_ROWS } from "../../../src/core/shellRules/shellTable";

const rulesOf = (text: string, shell: Parameters<typeof judgeShell>[1]): readonly string[] =>
  judgeShell(text, shell, "/home/user/proj").findings.map(({ rule }) => rule.id);

describe.each(SHELL_ROWS.map((row) => [row.id, row] as const))("%s", (id, row) => {
  const shell = row.shell ?? "bash";
  test.each(row.firesOn)("fires on %s", (text) => {
    expect(rulesOf(text, shell)).toContain(id);
  });
  test.each(row.staysQuietOn)("stays quiet on %s", (text) => {
    expect(rulesOf(text, shell)).toEqual([]);
  });
});

test("names are given once, and each row has examples of both kinds", () => {
  expect(new Set(SHELL_ROWS.map(({ id }) => id)).size).toBe(SHELL_ROWS.length);
  expect(
    SHELL_ROWS.filter(({ firesOn, staysQuietOn }) => firesOn.length === 0 || staysQuietOn.length === 0),
  ).toEqual([]);
});

test.each([
  ["131 KB of text into a plain file", `cat > a.txt <<'EOF'\n${"some line of text\n".repeat(7300)}EOF\n`, []],
  [
    "the same with a command behind it",
    `cat > a.txt <<'EOF'\n${"some line of text\n".repeat(7300)}EOF\nrm -rf src`,
    ["files.remove"],
  ],
  [
    "1,500 files for a linter",
    `npx eslint ${Array.from({ length: 1500 }, (_, i) => `src/a${i}.ts`).join(" ")}`,
    [],
  ],
])("long texts: %s", (_, text, rules) => {
  expect(rulesOf(text, "bash")).toEqual(rules);
});
