import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTar, writeTar } from "../../../src/core/cards/tarFormat";
import { pax, type RawEntry, rawTar } from "./rawTar";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const file = (path: string): RawEntry => ({ path, body: "x" });

describe("what is no card is refused as a whole", () => {
  const rows: readonly (readonly [name: string, entries: readonly RawEntry[], why: RegExp])[] = [
    ["a path that climbs", [file("package/../../evil")], /empty part, `\.` or `\.\.`/],
    ["a path that climbs from the top", [file("../evil")], /`\.\.`/],
    ["an absolute path", [file("/etc/passwd")], /absolute/],
    ["a path of Windows", [file("package\\..\\evil")], /characters/],
    ["a drive of Windows", [file("package/C:/evil")], /characters/],
    ["an alternate stream", [file("package/card.json:hidden")], /characters/],
    ["a device of Windows", [file("package/hooks/nul.ts")], /device/],
    ["a dot at the end", [file("package/card.json.")], /ends with a dot/],
    ["a name that nobody sees", [file("package/card\u200b.json")], /characters/],
    ["a name that reads backwards", [file("package/\u202etxt.ts")], /characters/],
    ["a file beside package/", [file("other/card.json")], /below package/],
    ["package itself as a file", [file("package")], /below package/],
    ["a symbolic link", [{ path: "package/a", kind: "2", link: "/etc/passwd" }], /symbolic link/],
    ["a hard link", [{ path: "package/a", kind: "1", link: "package/card.json" }], /hard link/],
    ["a character device", [{ path: "package/a", kind: "3" }], /device/],
    ["a block device", [{ path: "package/a", kind: "4" }], /device/],
    ["a pipe", [{ path: "package/a", kind: "6" }], /pipe/],
    ["a kind that nobody knows", [{ path: "package/a", kind: "Z" }], /something else/],
    [
      "a long name as GNU writes it",
      [{ path: "././@LongLink", kind: "L", body: "package/../../evil\0" }],
      /something else/,
    ],
    ["a folder that climbs", [{ path: "package/../..", kind: "5" }], /`\.\.`/],
    ["a folder with content", [{ path: "package", kind: "5", body: "x" }], /no content/],
    [
      "an extended path that climbs",
      [{ path: "x", kind: "x", body: pax("path", "package/../../evil") }, file("package/a")],
      /`\.\.`/,
    ],
    [
      "an extended path that is absolute",
      [{ path: "x", kind: "x", body: pax("path", "/etc/passwd") }, file("package/a")],
      /absolute/,
    ],
    [
      "an extended size",
      [{ path: "x", kind: "x", body: pax("size", "0") }, file("package/a")],
      /header "size"/,
    ],
    [
      "an extended link",
      [{ path: "x", kind: "x", body: pax("linkpath", "/etc") }, file("package/a")],
      /header "linkpath"/,
    ],
    [
      "a path for all that follow",
      [{ path: "x", kind: "g", body: pax("path", "package/b") }, file("package/a")],
      /header "path"/,
    ],
    [
      "a wrong length in an extended header",
      [{ path: "x", kind: "x", body: "999 path=a\n" }, file("package/a")],
      /damaged/,
    ],
    ["a wrong sum", [{ ...file("package/a"), sum: 1 }], /damaged/],
    ["another magic word", [{ ...file("package/a"), magic: "nothing " }], /kind that npm does not write/],
    ["a size beyond the end", [{ ...file("package/a"), size: 4096 }], /cut off/],
    ["a size beyond every limit", [{ ...file("package/a"), size: 0o77777777777 }], /cut off/],
  ];
  test.each(rows)("%s", (_name, entries, why) => {
    const read = readTar(rawTar([file("package/card.json"), ...entries]));
    expect(read.ok ? "read" : read.why).toMatch(why);
  });
  test("something after the end", () => {
    const read = readTar(rawTar([file("package/a")], Buffer.concat([Buffer.alloc(1024), Buffer.from("x")])));
    expect(read).toEqual({ ok: false, why: "something stands after the archive's end" });
  });
  test("no end", () => {
    expect(readTar(rawTar([file("package/a")], new Uint8Array()))).toEqual({
      ok: false,
      why: "the archive is cut off",
    });
  });
  test("too many files", () => {
    const many = Array.from({ length: 1001 }, (_, index) => file(`package/${index}`));
    expect(readTar(rawTar(many))).toEqual({ ok: false, why: "it has more than 1000 files" });
    expect(readTar(rawTar(many.slice(1)))).toMatchObject({ ok: true });
  });
  test("a file that is too large", () => {
    const body = new Uint8Array(4 * 1024 * 1024 + 1);
    expect(readTar(rawTar([{ path: "package/a", body }]))).toEqual({
      ok: false,
      why: "a is larger than 4 MiB",
    });
  });
});

test("harmless extended headers and folders are passed over", () => {
  const read = readTar(
    rawTar([
      { path: "pax", kind: "g", body: pax("comment", "0123abcd") },
      { path: "package/", kind: "5" },
      { path: "package/hooks/", kind: "5" },
      { path: "x", kind: "x", body: pax("mtime", "1.5") + pax("path", "package/hooks/é.ts") },
      { path: "package/other", body: "long" },
      file("package/card.json"),
    ]),
  );
  expect(
    read.ok ? read.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]) : read.why,
  ).toEqual([
    ["hooks/é.ts", "long"],
    ["card.json", "x"],
  ]);
});

test("what is written is read back, whatever the files", () => {
  const part = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `d/${parts.join("/")}.x`);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 1500 })), { selector: ([name]) => name }),
      (given) => {
        const files = given.map(([name, bytes]) => ({ path: name, bytes }));
        const tar = writeTar(files);
        const read = readTar(tar ?? new Uint8Array());
        const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
        expect(read).toEqual({
          ok: true,
          files: sorted.map((one) => ({ path: one.path, bytes: new Uint8Array(one.bytes) })),
        });
        expect(writeTar([...files].reverse())).toEqual(tar);
      },
    ),
    { numRuns: 60 },
  );
});

test("the system's own tar reads what is written, long paths too", () => {
  const folder = mkdtempSync(join(tmpdir(), "tar-"));
  const long = `${"a".repeat(90)}/${"b".repeat(90)}`;
  try {
    const tar = writeTar([
      { path: "card.json", bytes: text("{}") },
      { path: long, bytes: text("long") },
    ]);
    writeFileSync(join(folder, "a.tar"), tar ?? "");
    expect(spawnSync("tar", ["-xf", "a.tar"], { cwd: folder }).status).toBe(0);
    expect(readdirSync(join(folder, "package"))).toEqual(["a".repeat(90), "card.json"]);
    expect(readFileSync(join(folder, "package", long), "utf8")).toBe("long");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a path that the format cannot hold is no archive", () => {
  expect(writeTar([{ path: "a".repeat(150), bytes: text("x") }])).toBeUndefined();
});
