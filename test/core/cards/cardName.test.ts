import { describe, expect, test } from "vitest";
import { collisionIn, pathProblem } from "../../../src/core/cards/cardFiles";
import { parseCardName, partProblem } from "../../../src/core/cards/cardName";
import { isVersion, parseCardSpec } from "../../../src/core/cards/cardVersion";

describe("names of cards", () => {
  test.each(["@acme/backend", "@a/b", "@acme-inc/back.end_2"])("%s is one", (name) => {
    expect(parseCardName(name)?.id).toBe(name);
  });
  test.each([
    "backend",
    "acme/backend",
    "@acme",
    "@acme/",
    "@/backend",
    "@acme/../evil",
    "@../evil",
    "@acme/..",
    "@acme/a..b",
    "@acme/.hidden",
    "@acme/-x",
    "@acme/x.",
    "@acme/Back",
    "@acme/a b",
    "@acme/a/b",
    "@acme/a@1",
    "@acme/a\\b",
    "@acme/nul",
    "@acme/con.js",
    "@acme/node_modules",
    "@acme/\u0430",
    `@acme/${"a".repeat(65)}`,
    "",
    "@acme/a\n",
  ])("%j is none", (name) => {
    expect(parseCardName(name)).toBeUndefined();
  });
});

test.each([
  ["@a/b", { card: "@a/b" }],
  ["@a/b@1.2.3", { card: "@a/b", range: "1.2.3" }],
  ["@a/b@^1.2", { card: "@a/b", range: "^1.2" }],
  ["@a/b@>=1 <2", { card: "@a/b", range: ">=1 <2" }],
  ["@a/b@", undefined],
  ["@a/b@file:../x", undefined],
  ["@a/b@latest --registry=x", undefined],
  ["@a/../b@1", undefined],
])("%j as a card with a range", (text, expected) => {
  const spec = parseCardSpec(text);
  const found =
    spec === undefined
      ? undefined
      : { card: spec.card.id, ...(spec.range === undefined ? {} : { range: spec.range }) };
  expect(found).toEqual(expected);
});

test.each([
  ["1.0.0", true],
  ["1.0.0-beta.1", true],
  ["v1.0.0", false],
  ["1.0", false],
  ["1.0.0/../..", false],
  [" 1.0.0", false],
])("%j is one version in full: %s", (text, expected) => {
  expect(isVersion(text)).toBe(expected);
});

test.each(["audit-calls", "a", "a.b_c"])("a policy may be called %s", (name) => {
  expect(partProblem(name)).toBeUndefined();
});
test.each(["..", ".", "", "a/b", "a\\b", "Audit", "aux", "-a", "a--b"])(
  "a policy may not be called %j",
  (name) => {
    expect(partProblem(name)).toEqual(expect.any(String));
  },
);

test.each(["card.json", "hooks/a/policy.ts", ".gitignore", "a/é.ts"])("%j is a path", (path) => {
  expect(pathProblem(path)).toBeUndefined();
});
test.each([
  "",
  "/a",
  "a//b",
  "a/./b",
  "../a",
  "a/..",
  "a\\b",
  "C:/a",
  "a:b",
  "a?",
  "a\u0000b",
  "a\nb",
  "a/b ",
  "a./b",
  "COM1",
  "a/lpt9.txt",
  "e\u0301.ts",
  "a".repeat(201),
  "a/".repeat(12).concat("b"),
])("%j is no path", (path) => {
  expect(pathProblem(path)).toEqual(expect.any(String));
});

test.each([
  [["a", "b"], undefined],
  [["a", "a"], /twice/],
  [["Policy.ts", "policy.ts"], /one file on some systems/],
  [["straße.ts", "STRASSE.ts"], /one file on some systems/],
  [["ﬁle.ts", "file.ts"], /one file on some systems/],
  [["A/x", "a/y"], /one folder on some systems/],
  [["a", "a/b"], /both a file and a folder/],
  [["A", "a/b"], /both a file and a folder/],
])("together %j", (paths, expected) => {
  const found = collisionIn(paths);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(expected);
});
