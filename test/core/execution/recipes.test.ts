/** The shell texts behind targets of a Makefile and scripts of a package, and what hostile files cost. */
import { describe, expect, test } from "vitest";
import { languageOf } from "../../../src/core/execution/executedFile";
import { makeRecipes, packageScripts } from "../../../src/core/execution/recipes";
import { redToken } from "../../../src/core/execution/redTokens";

const FILE = [
  "CC := gcc",
  "URL = http://x",
  ".PHONY: all test",
  "all: build test # both",
  "build: main.o | out",
  "\t$(CC) -o app main.o",
  "%.o: %.c ; cc -c $<",
  "out:",
  "\tmkdir -p out \\",
  "\t  more",
  "test::",
  "\t@-echo $$HOME",
  "clean:",
  "\trm -rf out",
  "V := $(shell git rev-parse HEAD)",
].join("\n");

describe("makeRecipes", () => {
  test.each([
    [[], ["git rev-parse HEAD", `\${CC} -o app main.o`, "echo $HOME", "cc -c $<", "mkdir -p out  \t  more"]],
    [["clean"], ["git rev-parse HEAD", "rm -rf out"]],
    [["x.o"], ["git rev-parse HEAD", "cc -c $<"]],
    [["missing"], ["git rev-parse HEAD"]],
    [
      ["clean", "test"],
      ["git rev-parse HEAD", "rm -rf out", "echo $HOME"],
    ],
  ])("%j", (targets, expected) => {
    expect([...makeRecipes(FILE, targets)].sort()).toEqual([...expected].sort());
  });

  test("behind more names than anyone writes every recipe counts", () => {
    const many = Array.from({ length: 6000 }, (_, at) => `n${at}`).join(" ");
    expect(makeRecipes(`a: ${many}\n\techo a\nz:\n\trm x\n`, ["a"])).toContain("rm x");
  });

  test("rules that need each other end", () => {
    expect(makeRecipes("a: b\n\techo a\nb: a\n\techo b\n", ["a"])).toEqual(["echo a", "echo b"]);
  });
});

test("packageScripts", () => {
  const text = JSON.stringify({ scripts: { a: "x", b: 7, __proto__: "p" } });
  expect(packageScripts(text, ["prea", "a", "b", "toString"])).toEqual(["x"]);
  expect(packageScripts("{", ["a"])).toBeUndefined();
  expect(packageScripts("[]", ["a"])).toEqual([]);
  expect(packageScripts("{}", ["a"])).toEqual([]);
});

test.each([
  ["x", "#!/bin/bash\n", "shell"],
  ["x", "#!/usr/bin/env -S python3 -u\n", "python3"],
  ["x.sh", "#!/usr/bin/env node\n", "node"],
  ["x.py", "print(1)", "python3"],
  ["x", "echo", "shell"],
  ["x.ts", "", "node"],
])("%s %j is %s", (path, text, expected) => {
  const language = languageOf(path, text);
  expect(language.kind === "shell" ? "shell" : language.interpreter).toBe(expected);
});

test.each([
  ["shutil.rmtree(p)", true],
  ["fs.rmSync('dist', { recursive: true, force: true })", true],
  ["exec(base64.b64decode(x))", true],
  ["os.kill(-1, 9)", true],
  ["open('/dev/sda', 'wb')", true],
  ["Path.home() / '.ssh' / 'id_rsa'", true],
  ["cur.execute('drop table users')", true],
  ["run(['git', 'push', '--force'])", true],
  ["crontab.write()", true],
  ["write('.claude/settings.json')", true],
  ["os.remove(tmp)", false],
  ["print('hello')", false],
  ["fs.rmSync('a.txt')", false],
  ["base64.b64decode(x)", false],
  ["git push --force-with-lease", false],
  ["select * from users", false],
])("red: %s %s", (text, expected) => {
  expect(redToken(text) !== undefined).toBe(expected);
});

test.each([
  ["a line of blanks", `a${" ".repeat(400_000)}`],
  ["an open shell call", `$(shell${" ".repeat(400_000)}`],
  ["colons", ":".repeat(400_000)],
  ["one name often", "a:\n".repeat(150_000)],
  ["needs", `a: ${"b ".repeat(200_000)}`],
  ["an endless first line", `#!${"/".repeat(400_000)}`],
  ["half words", "exec base64 rmSync( ".repeat(20_000)],
])("time grows with the length: %s", (_what, text) => {
  const cost = (part: string): number => {
    const from = process.cpuUsage();
    for (let round = 0; round < 3; round++) {
      makeRecipes(part, []);
      languageOf("x", part);
      redToken(part);
    }
    const { user, system } = process.cpuUsage(from);
    return user + system;
  };
  cost(text.slice(0, 1000));
  const half = cost(text.slice(0, text.length / 2));
  // Four times would be the square.
  expect(cost(text)).toBeLessThan(half * 3.2 + 60_000);
});
