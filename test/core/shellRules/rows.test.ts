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
