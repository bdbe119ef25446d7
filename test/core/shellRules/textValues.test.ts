/** What a text says of its names is read once; it is what a search for the single name would find. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainCode } from "../../../src/core/shellRules/plainCode";
import { plainWindows } from "../../../src/core/shellRules/plainWindows";
import { firstValue, loopList, loops, namesContainer } from "../../../src/core/shellRules/textValues";

const PARTS = [
  ...'for read in printf -v declare -n mapfile do done a b ab a1 $a $b = ; | & ( ) { } \' " -- --name --name=a --name="b . - x'.split(
    " ",
  ),
  `\${a}`,
  " ",
  "\n",
  "a=",
  "b=$(x)",
  "for a in ",
  "for b in c d",
  "read -r ",
  "docker run --name a",
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }).map((parts) => parts.join(""));
const names = fc.constantFrom("a", "b", "ab", "a1", "x");
const law = (holds: (text: string, name: string) => void) =>
  fc.assert(fc.property(texts, names, holds), { numRuns: 3000 });

describe("laws", () => {
  test("loops", () => {
    law((text, name) => {
      const one = new RegExp(`\\b(?:for\\s+${name}\\s+in|read\\b[^;|\\n]*\\b${name})\\b`).test(text);
      // A word that only begins with `in` counts too: asked for sooner.
      if (one) expect(loops(name, text)).toBe(true);
    });
  });
  test("the list of a loop", () => {
    law((text, name) => {
      const one = new RegExp(`\\bfor\\s+${name}\\s+in\\s+([^;\\n]*)`).exec(text)?.[1];
      expect(loopList(name, text)).toBe(one);
    });
  });
  test("the first value", () => {
    law((text, name) => {
      const one = new RegExp(
        `(?:^|[\\s;({&|'"])(?:${name}=([^;\\n]*)|(?:read|printf -v|declare -n|mapfile)\\b[^;\\n|]*\\b${name}\\b|for ${name} in ([^;\\n]*))`,
      ).exec(text);
      expect(firstValue(name, text)).toBe(one === null ? undefined : (one[1] ?? one[2] ?? ""));
    });
  });
  test("the name of a container", () => {
    law((text, name) => {
      const one = new RegExp(`--name[ =]["']?${name}(?![\\w.-])`).test(text);
      expect(namesContainer(name, text)).toBe(one);
    });
  });
});

describe("what is put together", () => {
  test.each([
    ["& ('Re'+'move'+'-Item') src", "Remove-Item src"],
    ["& (-join ('Re','move-Item')) src", "Remove-Item src"],
    ["& (('Re','move-Item') -join '') src", "Remove-Item src"],
    ["& ('{1}{0}' -f '-Item','Remove') src", "Remove-Item src"],
    ["$x = 'Remove-Item'; & $x src", "$x = 'Remove-Item'; Remove-Item src"],
    ["set x=rd& call %X% /s src", "set x=rd& rd /s src"],
    ["echo   'a'   b", "echo   'a'   b"],
    [`'${"{0}".repeat(20_000)}' -f '${"a".repeat(60)}'`, undefined],
  ])("%.60s", (text, wanted) => {
    const plain = plainWindows(text);
    if (wanted === undefined) expect(plain.length).toBeLessThan(200_000);
    else expect(plain).toBe(wanted);
  });

  test.each([
    ["import os as o; o.system('x')", "import os as o; o.system('x')"],
    ["from os import system as s; s('x')", "from os import system as s; system('x')"],
    ["r = shutil.rmtree; r('src')", "r = shutil.rmtree; shutil.rmtree('src')"],
    ["k = 'rmSync'; fs[k]('src')", "k = 'rmSync'; fs.rmSync('src')"],
    ["' '.join(['rm', '-rf', 'src'])", "'rm -rf src'"],
    ["['rm', '-rf',].join(' ')", "'rm -rf'"],
  ])("%s", (code, wanted) => expect(plainCode(code)).toBe(wanted));
});
