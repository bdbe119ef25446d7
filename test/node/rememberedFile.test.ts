import { chmod, mkdtemp, readFile, rename, rm, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadWorkspaceConfig } from "../../src/node/configFiles";
import { rememberedFiles } from "../../src/node/rememberedFile";

let folder: string;
let file: string;
let reads: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cs-remembered-"));
  file = join(folder, "file");
  await writeFile(file, "one");
  reads = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A while later, so that what was just written counts as old. */
const later = () => Date.now() + 10_000;

const reading = (now: () => number, limit = 4) => {
  const files = rememberedFiles<string>({ now, limit, holds: (text) => text !== "unsure" });
  return (path = file) =>
    files.of(path, async () => {
      reads += 1;
      return readFile(path, "utf8").catch(() => "nothing");
    });
};

const LONG_AGO = new Date(1_000_000_000_000);

describe("a remembered file", () => {
  test("is read once while it stays the same", async () => {
    const read = reading(later);
    expect([await read(), await read(), await read(), reads]).toEqual(["one", "one", "one", 1]);
  });

  const changes: readonly [string, () => Promise<void>, string][] = [
    ["another text", () => writeFile(file, "other"), "other"],
    ["a text of the same size", () => writeFile(file, "two"), "two"],
    [
      "a text of the same size under the old time",
      async () => {
        await writeFile(file, "two");
        await utimes(file, LONG_AGO, LONG_AGO);
      },
      "two",
    ],
    [
      "another file of the same size and time in its place",
      async () => {
        await writeFile(join(folder, "new"), "two");
        await utimes(join(folder, "new"), LONG_AGO, LONG_AGO);
        await rename(join(folder, "new"), file);
      },
      "two",
    ],
    ["no file", () => unlink(file), "nothing"],
    [
      "a link in its place",
      async () => {
        await writeFile(join(folder, "target"), "two");
        await unlink(file);
        await symlink(join(folder, "target"), file);
      },
      "two",
    ],
  ];
  test.each(changes)("is read again: %s", async (_, change, text) => {
    await utimes(file, LONG_AGO, LONG_AGO);
    const read = reading(later);
    expect(await read()).toBe("one");
    // The clock that stamps files is coarser than a test is quick.
    await new Promise((resolve) => setTimeout(resolve, 30));
    await change();
    expect(await read()).toBe(text);
  });

  test("is read again when its rights change", async () => {
    const read = reading(later);
    await read();
    await chmod(file, 0o600);
    await read();
    expect(reads).toBe(2);
  });

  test("is read each time through a link, whose target may change without it", async () => {
    await symlink(file, join(folder, "link"));
    const read = reading(later);
    await read(join(folder, "link"));
    await writeFile(file, "two");
    expect([await read(join(folder, "link")), reads]).toEqual(["two", 2]);
  });

  test("is read each time while it is so young that the next change could carry the same times", async () => {
    const read = reading(Date.now);
    for (let i = 0; i < 100; i += 1) {
      const text = String(100 + i);
      await writeFile(file, text);
      await utimes(file, LONG_AGO, LONG_AGO);
      expect([await read(), await read()]).toEqual([text, text]);
    }
    expect(reads).toBe(200);
  });

  test("goes when others take its place", async () => {
    const read = reading(later, 1);
    await writeFile(join(folder, "b"), "b");
    await read();
    await read(join(folder, "b"));
    await read();
    expect(reads).toBe(3);
  });

  test("is read again where the reading was what failed", async () => {
    await writeFile(file, "unsure");
    const read = reading(later);
    expect([await read(), await read(), reads]).toEqual(["unsure", "unsure", 2]);
  });

  test("that cannot be read is told each time", async () => {
    const files = rememberedFiles<string>({ now: later, limit: 4, holds: () => true });
    const failing = () => files.of(file, () => Promise.reject(new Error("no")));
    await expect(failing()).rejects.toThrow("no");
    await expect(failing()).rejects.toThrow("no");
  });
});

test("a configuration that changes between two calls is seen, also with the same size and second", async () => {
  const path = join(folder, "gateway-hooks.toml");
  const rows = async (n: number) => {
    await writeFile(path, `[database]\nmax_rows = ${n}\n`);
    await utimes(path, LONG_AGO, LONG_AGO);
    const loaded = await loadWorkspaceConfig(folder);
    return loaded.kind === "read" ? loaded.parsed.database?.max_rows : loaded.kind;
  };
  const seen = [];
  for (let n = 10; n < 60; n += 1) seen.push(await rows(n));
  expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 10));
});
