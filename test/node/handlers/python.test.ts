/** Where Python is looked for, before anybody trusted the folder that wants it. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPython } from "../../../src/node/handlers/python";

let shims = "";
let folder = "";
let before = "";
beforeEach(() => {
  shims = mkdtempSync(join(tmpdir(), "countersign-shims-"));
  folder = mkdtempSync(join(tmpdir(), "countersign-untrusted-"));
  before = process.cwd();
});
afterEach(() => {
  process.chdir(before);
  for (const made of [shims, folder]) rmSync(made, { recursive: true, force: true });
});

test("a shim that obeys a version file is not asked in the folder that brings one", async () => {
  const python = process.env.PATH?.split(delimiter)
    .map((part) => join(part, "python3"))
    .find((file) => existsSync(file));
  const touched = join(shims, "touched");
  const shim = join(shims, "python3");
  writeFileSync(
    shim,
    `#!/bin/sh\nif [ -f .python-version ]; then echo "$PWD" > "${touched}"; fi\nexec "${python}" "$@"\n`,
  );
  chmodSync(shim, 0o755);
  writeFileSync(join(folder, ".python-version"), "../../evil\n");
  process.chdir(folder);
  const env = { ...process.env, PATH: `${shims}${delimiter}${process.env.PATH ?? ""}` } as Record<
    string,
    string
  >;
  expect(await findPython({ env })).toMatchObject({ ok: true });
  expect(existsSync(touched)).toBe(false);
});
