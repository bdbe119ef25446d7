/** Where a path ends, why one is refused, and whether something stands there. */
import { describe, expect, test } from "vitest";
import { imaginedFileSystem } from "../../../src/core/paths/imaginedFileSystem";
import { resolvePath } from "../../../src/core/paths/resolvePath";
import { DARWIN, LINUX, WIN, type World } from "../guards/worlds";

async function seen(world: World, path: string): Promise<string> {
  const end = await resolvePath({ path, cwd: world.cwd, fs: imaginedFileSystem(world) });
  if (!end.ok) return `${end.kind}: ${end.reason}`;
  return [end.real, ...end.others].map((real) => real.text).join(" or ") + (end.existed ? "" : " (missing)");
}

test.each<[World, string, string]>([
  [LINUX, "src/main.ts", "/data/a/src/main.ts"],
  [LINUX, "src/new.ts", "/data/a/src/new.ts (missing)"],
  [LINUX, "chain1/x", "/etc/x (missing)"],
  [LINUX, "out/../x", "/data/x or /data/a/x (missing)"],
  [LINUX, "missing/../src", "/data/a/src"],
  [LINUX, "/..", "/"],
  [LINUX, "weird/x", "/data/a/~/x (missing)"],
  [LINUX, "url/x", "/data/a/file:/etc/x (missing)"],
  [LINUX, "%2e%2e/x", "/data/a/%2e%2e/x or /data/x (missing)"],
  [DARWIN, "SRC", "/Users/u/Work/Café/src"],
  [DARWIN, "/tmp/x", "/private/tmp/x (missing)"],
  [WIN, "SRC/new.TS", "C:\\Work\\Proj\\src\\new.TS (missing)"],
  [WIN, "nt\\x", "D:\\Other\\x (missing)"],
  [WIN, "//server/share/a/../b", "\\\\server\\share\\b (missing)"],
  [WIN, "c:/work/proj", "C:\\Work\\Proj"],
])("%# %s", async (world, path, expected) => {
  expect(await seen(world, path)).toBe(expected);
});

describe("refusals say why", () => {
  test.each<[World, string, RegExp]>([
    [LINUX, "", /^malformed: .*empty/],
    [LINUX, "a\0b", /^malformed: .*NUL/],
    [LINUX, "self", /^malformed: .*links/],
    [LINUX, "~bob/x", /^unjudgeable: .*another user/],
    [LINUX, "/proc/self/cwd/x", /^unjudgeable: .*process/],
    [LINUX, "/proc/12/root/etc", /^unjudgeable: .*process/],
    [LINUX, "/proc/thread-self/fd/3", /^unjudgeable: .*process/],
    [LINUX, "file:///a%2fb", /^malformed: .*separator/],
    [WIN, "x:y", /^malformed: .*drive/],
    [WIN, "xx:y", /^malformed: .*stream/],
    [WIN, "NUL", /^malformed: .*device/],
    [WIN, "\\\\.\\x", /^malformed: .*device/],
    [WIN, "LONGNA~1", /^unjudgeable: .*short form/],
  ])("%# %j", async (world, path, expected) => {
    expect(await seen(world, path)).toMatch(expected);
  });

  test("a relative path without a working folder", async () => {
    expect(await resolvePath({ path: "x", fs: imaginedFileSystem(LINUX) })).toMatchObject({
      ok: false,
      kind: "unjudgeable",
    });
    expect(
      await resolvePath({ path: "x", cwd: "not/absolute", fs: imaginedFileSystem(LINUX) }),
    ).toMatchObject({ ok: false });
    expect(await resolvePath({ path: "x", cwd: "work", fs: imaginedFileSystem(WIN) })).toMatchObject({
      ok: false,
    });
  });

  test("an 8.3 name is fine where the volume tells its long form", async () => {
    const fs = imaginedFileSystem(WIN);
    const telling = {
      ...fs,
      look: async (path: string) =>
        path.endsWith("PROGRA~1") ? ({ kind: "there", canonical: "Program Files" } as const) : fs.look(path),
    };
    expect(await resolvePath({ path: "C:\\PROGRA~1\\x", fs: telling })).toMatchObject({
      ok: true,
      real: { text: "C:\\Program Files\\x" },
    });
  });
});
