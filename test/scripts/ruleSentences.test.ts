/** docs/rules.md is made of the tests' names, and is up to date. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const run = promisify(execFile);
const script = resolve("scripts/ruleSentences.mjs");
let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-sentences-"));
  await mkdir(join(root, "test/library"), { recursive: true });
  await mkdir(join(root, "docs"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const testFile = (text: string): Promise<void> =>
  writeFile(join(root, "test/library/hookRunX.test.ts"), text);
const generate = (...args: string[]) => run(process.execPath, [script, "--root", root, ...args]);

test("the page of this checkout is up to date", async () => {
  await run(process.execPath, [script, "--check"]);
});

test("every test is one line under the heading of its describe", async () => {
  await testFile(
    `describe("Calls", () => {\n  test("one | holds", () => {});\n  test(\n    "another \\"holds\\"",\n    () => {});\n});\n`,
  );
  await generate();
  const page = await readFile(join(root, "docs/rules.md"), "utf8");
  expect(page).toContain("## Calls\n");
  expect(page).toContain("| one \\| holds | [hookRunX.test.ts](../test/library/hookRunX.test.ts) |");
  expect(page).toContain('| another "holds" |');
  await generate("--check");
});

test("a test that is added, renamed or removed is drift", async () => {
  await testFile(`describe("Calls", () => {\n  test("one", () => {});\n});\n`);
  await generate();
  await testFile(`describe("Calls", () => {\n  test("two", () => {});\n});\n`);
  await expect(generate("--check")).rejects.toThrow(/out of date: docs\/rules\.md/);
});

test.each([
  ["a name that is made", "describe('Calls', () => {\n  test(name, () => {});\n});\n"],
  ["a test of rows", 'describe("Calls", () => {\n  test.each([1])("one %d", () => {});\n});\n'],
  ["a test outside a describe", 'test("one", () => {});\n'],
  ["a skipped test", 'describe("Calls", () => {\n  test.skip("one", () => {});\n});\n'],
  [
    "two tests of one name",
    'describe("Calls", () => {\n  test("one", () => {});\n  test("one", () => {});\n});\n',
  ],
])("%s is an error: the page would be wrong", async (_name, text) => {
  await testFile(text);
  await expect(generate()).rejects.toThrow(/Error/);
});
