/** The longest texts that are read, made of what costs the readers most: none keeps this thread for longer than a window may stand still. */
import { describe, expect, test } from "vitest";
import { readFacets } from "../../src/agents/toolFacts";
import type { Shell } from "../../src/core/call";
import { commandDestinations } from "../../src/core/egress/commandDestinations";
import { executedFiles } from "../../src/core/execution/executedFiles";
import { judgeShell } from "../../src/core/shellRules/judgeShell";

/** Milliseconds of this thread's own work. */
const GOAL_MS = 50;
/** A busy machine may lengthen one run and the next; what we do ourselves lengthens all of them. */
const ROUNDS = 12;
const KB = 1024;

/** What one text is read by, each in one piece. */
const READERS: Readonly<Record<string, (text: string, shell: Shell) => unknown>> = {
  judgeShell: (text, shell) => judgeShell(text, shell, "/w"),
  facets: (command, shell) =>
    readFacets({ toolName: "run_in_terminal", canonicalName: "Bash", extra: { shell } }, { command }),
  destinations: commandDestinations,
  executedFiles,
};

function longest(begin: string, part: string, end: string): string {
  const room = 63 * KB - begin.length - end.length;
  return begin + part.repeat(Math.floor(room / part.length)) + end;
}

/** Beginning, what is said over and over, end: the worst that a search through thousands of mixtures found, and each kind of pattern that once took a square of the length. */
const EVERYWHERE: readonly (readonly [begin: string, part: string, end: string])[] = [
  ["", "$(a) ", ""],
  ["", "a; ", ""],
  ["", "a | ", ""],
  ["", "a && ", ""],
  ["", "cd a; ", ""],
  ["", "SELECT 1;cd a; ", ""],
  ["", "kubectl a;", ""],
  ["", "echo a | sh; ", ""],
  ["", 'a "b c" ;', ""],
  ["", "iex a;", ""],
  ["", "* ", ""],
  ["", "*/", ""],
  ["", "cat a*b;", ""],
  ["", "cat *.x*;", ""],
  ["x=1;", "node psql -c 'SELECT 1';", "'"],
  ["iex '", "psql -c 'SELECT 1';-f ", ""],
  ["node <<'A'\n", "&('a') node -e 'a' ;", ""],
  ["node <<'A'\n", "getattr(a,'b')eval set a=b&", ""],
  ['bash -c "', "npx iex a;", ""],
  ["x=1;", `\${a:-b} base64 `, ""],
  ["", "bash<<A\na\nA\n", ""],
  ["", "cat <<A\nx\nA\ncd a || cd b; ", ""],
  ["", "timeout 5 npm run a;", ""],
  // Blanks without end.
  ["x", " ", "{"],
  ["x ", "\n", "y"],
  ["'{0}' -f", " ", "x"],
  ["('a','a'", " ", "-join"],
  // Texts put together, and never closed.
  ["python3 -c \"''.join(['a'", " 'a'", ' x"'],
  ["node -e 'a=b", ".b", "!'"],
  ['rm -rf "$x";', "read ", ""],
  [': > "$f";', "read ", ""],
  ["$f;", "read ", ""],
  ["'", "{0}", "' -f 'aaaaaaaa'"],
  ["", "cat ", ""],
  ["", "::writealltext(", ""],
  ["", '\\"', ""],
  [": ", ">", ""],
  ["", ":>a;", ""],
];

/** Names that differ each time: what is looked up by name must not be looked for in the whole text. */
const NUMBERED: Readonly<Record<string, (i: number) => string>> = {
  "calls given a name": (i) => `a${i}=b.system;`,
  "variables of PowerShell": (i) => `$a${i}='b';`,
  "variables of cmd": (i) => `set a${i}=b&`,
  containers: (i) => `docker rm -f c${i};`,
  loops: (i) => `rm $v${i};`,
};

const SHELLS: readonly Shell[] = ["bash", "pwsh", "cmd"];

function least(read: (text: string) => unknown, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && best > GOAL_MS; round++) {
    // No reader may know the text from the round before.
    const own = `${text}${";".repeat(round)}`;
    const began = process.threadCpuUsage();
    read(own);
    const { user, system } = process.threadCpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

describe.each(SHELLS)("%s", (shell) => {
  test.each(Object.keys(READERS))("%s", { timeout: 120_000 }, (name) => {
    const texts = [
      ...EVERYWHERE.map(([begin, part, end]) => longest(begin, part, end)),
      ...Object.values(NUMBERED).map((part) => {
        const parts: string[] = [];
        for (let i = 0, length = 0; length < 62 * KB; i++)
          length += parts[parts.push(part(i)) - 1]?.length ?? 0;
        return parts.join("");
      }),
      // Short of the most words that are read.
      `x=1;${`\${a:-b} base64 `.repeat(1050)}`,
    ];
    const slow = texts.flatMap((text) => {
      const ms = least((own) => READERS[name]?.(own, shell), text);
      return ms > GOAL_MS ? [`${ms.toFixed(0)} ms: ${JSON.stringify(text.slice(0, 60))}…`] : [];
    });
    expect(slow).toEqual([]);
  });
});

test("what is never closed does not double the work with each piece", () => {
  const text = `python3 -c "''.join(['a'${" 'a'".repeat(60)} x"`;
  expect(least((own) => judgeShell(own, "bash"), text)).toBeLessThan(GOAL_MS);
});
