import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bashLoad } from "../../../src/core/shell/bashLoad";
import { isConfirmed, withoutBodies } from "../../../src/core/shell/dataHeredocs";
import { parseShell } from "../../../src/core/shell/parse";

const KB = 1024;
const filled = (line: string, kb: number): string => line.repeat(Math.ceil((kb * KB) / line.length));
const DEEP = filled("$(a $(b\n", 30);
const isRead = (text: string): boolean => "length" in bashLoad(text);

describe("a text with many brackets that are no nesting is read", () => {
  test.each([
    [
      "a script of substitutions",
      filled('A=$(date +%s); B="$(basename "$(dirname "$' + '{BASH_SOURCE[0]}")")"; C=$((A + 1))\n', 12),
    ],
    ["a script of defaults", filled("A=$" + "{A:-b}\n", 30)],
    ["code in double quotes", `python3 -c "${filled("print(f(g(1)))\n", 30)}"`],
    ["code in single quotes", `node -e '${filled("f(g(1)); ", 30)}'`],
    ["many small heredocs", "cat > a <<'A'\nx (y)\nA\n".repeat(400)],
  ])("%s", (_, text) => {
    expect(isRead(text)).toBe(true);
  });
});

describe("what only looks like the body of a heredoc is counted", () => {
  test.each([
    ["in single quotes", `echo 'x <<"EOF"'\n${DEEP}\nEOF\n`],
    ["in a comment", `# <<'EOF'\n${DEEP}\nEOF\n`],
    ["in arithmetic", `echo $((1 <<'EOF'\n${DEEP}\nEOF\n))`],
    ["in brackets that may be arithmetic", `((cat <<'EOF'\n${DEEP}))\nEOF\n))`],
    ["behind a backslash", `echo \\<<'EOF'\n${DEEP}\nEOF\n`],
    ["a here-string", `cat <<<'EOF'\n${DEEP}\nEOF\n`],
    ["never closed", `cat <<'EOF'\n${DEEP}`],
    ["closed with a blank", `cat <<'EOF'\n${DEEP}\nEOF \n`],
    ["closed with tabs that do not count", `cat <<'EOF'\n${DEEP}\n\tEOF\n`],
    ["closed before", `cat <<'EOF'\nEOF\n${DEEP}\nEOF\n`],
    ["of a longer delimiter", `cat <<'EOF'x\n${DEEP}\nEOF\n`],
    ["unquoted, so that it runs", `cat <<EOF\n${DEEP}\nEOF\n`],
    ["the second of two", `cat <<'A' <<B\nx\nA\n${DEEP}\nB\n`],
  ])("%s", (_, text) => {
    expect(isRead(text)).toBe(false);
  });
});

test("texts are read up to 64 KiB without the bodies and 256 KiB with them", () => {
  const heredoc = (kb: number) => `cat > a <<'EOF'\n${filled("a (b)\n", kb)}EOF\n`;
  expect(bashLoad(heredoc(200))).toEqual({ length: "cat > a <<'EOF'\nEOF\n".length });
  expect(isRead(heredoc(257))).toBe(false);
  expect(isRead(`${heredoc(10)}${filled("a; ", 65)}`)).toBe(false);
});

test("a text without confirmed bodies parses as the whole text does", () => {
  const pieces = fc.constantFrom(
    ..."cat,<<'A',<<-'A',<<\"B\",<<A,<<\\B,\n,\nA\n,\nB\n,\n\tA\n,A,B,', ,\",#,\\,$(,),(,`,x,;,|,&&,{ ,; },<<<,$x,if a; then,fi,[[,]]".split(
      ",",
    ),
    ...["cat <<'A'\n", "\nA\n", "x <<B <<-'A'\n", "\n\tA\n", "case a in a)"],
    "esac",
    "$" + "{a:-",
    "}",
  );
  let confirmed = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (list) => {
      const text = list.join("");
      const reduced = withoutBodies(text);
      if (reduced === undefined || !isConfirmed(reduced)) return;
      confirmed += 1;
      const [whole, short] = [text, reduced.text].map((one) =>
        parseShell(one, "bash").commands.map(({ argv, redirects }) => [argv, redirects.map(({ op }) => op)]),
      );
      expect(short).toEqual(whole);
    }),
    { numRuns: 5000, seed: 7 },
  );
  expect(confirmed).toBeGreaterThan(100);
});
