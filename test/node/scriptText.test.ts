import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scriptText } from "../../src/node/scriptText";

const folder = mkdtempSync(join(tmpdir(), "countersign-script-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

test("a text with its hash; what is none, too long or not there says so", async () => {
  writeFileSync(at("a.sh"), "echo a");
  expect(await scriptText(at("a.sh"))).toMatchObject({ kind: "text", text: "echo a" });
  writeFileSync(at("binary"), "a\0b");
  expect(await scriptText(at("binary"))).toMatchObject({ kind: "unreadable" });
  writeFileSync(at("long"), "x".repeat(1024 * 1024 + 1));
  expect(await scriptText(at("long"))).toMatchObject({ kind: "unreadable" });
  mkdirSync(at("folder"));
  expect(await scriptText(at("folder"))).toEqual({ kind: "missing" });
  expect(await scriptText(at("nothing"))).toEqual({ kind: "missing" });
});

test.runIf(process.platform !== "win32")(
  "a pipe and a device are not waited for",
  async () => {
    execFileSync("mkfifo", [at("pipe")]);
    for (const path of [at("pipe"), "/dev/zero"])
      expect(await scriptText(path)).toMatchObject({ kind: "unreadable" });
  },
  5_000,
);
