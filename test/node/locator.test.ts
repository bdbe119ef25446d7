import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  findBroker,
  readLocators,
  removeLocator,
  rivals,
  sweepLocators,
  writeLocator,
  writeRuntime,
} from "../../src/node/locator";
import { tempFolder } from "../agents/pluginBench";

const temp = tempFolder();
afterAll(() => temp.remove());
let homes = 0;
function newHome(): string {
  homes += 1;
  const home = join(temp.path, `home${homes}`);
  mkdirSync(home);
  return home;
}

const me = process.pid;
const other = process.ppid;
const nobody = 2 ** 22 + 1;
const nonce = "a".repeat(64);
const at = (pid: number, folders: string[], socket = `/run/countersign-${pid}-x/s`) => ({
  pid,
  socket,
  nonce,
  folders,
});
const fileOf = (home: string, pid: number) => join(home, ".countersign", "windows", `${pid}.json`);

test("a locator is private, replaced as a whole, and removed", () => {
  const home = newHome();
  writeLocator(home, at(me, ["/a"]));
  writeLocator(home, at(me, ["/b"]));
  expect(statSync(fileOf(home, me)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, ".countersign", "windows")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, ".countersign", "windows"))).toEqual([`${me}.json`]);
  expect(readLocators(home).live).toMatchObject([at(me, ["/b"])]);
  removeLocator(home, me);
  removeLocator(home, me);
  expect(readLocators(home)).toEqual({ live: [], dead: [], foreign: [] });
});

test("folders that an older umask opened are closed again", () => {
  const home = newHome();
  mkdirSync(join(home, ".countersign", "windows"), { recursive: true, mode: 0o777 });
  chmodSync(join(home, ".countersign"), 0o777);
  chmodSync(join(home, ".countersign", "windows"), 0o777);
  expect(readLocators(home).foreign).toHaveLength(1);
  writeLocator(home, at(me, ["/a"]));
  expect(readLocators(home).live).toHaveLength(1);
});

test("a linked folder is never written to", () => {
  const home = newHome();
  const elsewhere = newHome();
  symlinkSync(elsewhere, join(home, ".countersign"));
  expect(() => writeLocator(home, at(me, ["/a"]))).toThrow("is no folder");
  expect(() => writeRuntime(home, "/usr/bin/node")).toThrow("is no folder");
  expect(readdirSync(elsewhere)).toEqual([]);
});

describe("which window answers", () => {
  const rows: readonly [string, string[], string[], string, "mine" | "theirs" | "none"][] = [
    ["the folder itself", ["/w/a"], ["/w/b"], "/w/a", "mine"],
    ["a folder within", ["/w/a"], ["/w/b"], "/w/b/src/x", "theirs"],
    ["the longest prefix", ["/w"], ["/w/b"], "/w/b/src", "theirs"],
    ["the longest of several folders", ["/w/b/src", "/q"], ["/w/b"], "/w/b/src/x", "mine"],
    ["whole segments only", ["/w/a"], ["/w/b"], "/w/ab", "none"],
    ["nobody's folder", ["/w/a"], ["/w/b"], "/tmp", "none"],
    ["a window without folders", [], ["/w/b"], "/w/a", "none"],
    ["the root", ["/"], ["/w/b"], "/etc", "mine"],
  ];
  test.each(rows)("%s", (_, mine, theirs, cwd, expected) => {
    const home = newHome();
    writeLocator(home, at(me, mine));
    writeLocator(home, at(other, theirs));
    const pid = findBroker(home, cwd)?.pid;
    expect(pid).toBe({ mine: me, theirs: other, none: undefined }[expected]);
  });

  test("of two with the same folder, the one that was there first", () => {
    for (const [older, newer] of [
      [me, other],
      [other, me],
    ] as const) {
      const home = newHome();
      writeLocator(home, at(older, ["/w"]));
      writeLocator(home, at(newer, ["/w"]));
      utimesSync(fileOf(home, older), 1_000, 1_000);
      expect(findBroker(home, "/w")?.pid).toBe(older);
    }
  });

  test("links are one folder by either name", () => {
    const home = newHome();
    const real = join(home, "real");
    mkdirSync(join(real, "src"), { recursive: true });
    symlinkSync(real, join(home, "link"));
    writeLocator(home, at(me, [join(home, "link")]));
    expect(findBroker(home, join(real, "src"))?.pid).toBe(me);
    expect(findBroker(home, join(home, "link", "src"))?.pid).toBe(me);
  });
});

describe("what is not taken for a window", () => {
  test("a process that has ended, and one that got its number", async () => {
    const home = newHome();
    const child = spawn("/bin/sleep", ["60"]);
    const pid = child.pid ?? 0;
    writeLocator(home, at(pid, ["/w"]));
    expect(findBroker(home, "/w")?.pid).toBe(pid);
    const file = fileOf(home, pid);
    const written = JSON.parse(readFileSync(file, "utf8"));
    expect(written.born).toMatch(/^\d+$/);
    writeFileSync(file, JSON.stringify({ ...written, born: "1" }));
    expect(findBroker(home, "/w")).toBeUndefined();
    writeFileSync(file, JSON.stringify(written));
    expect(findBroker(home, "/w")?.pid).toBe(pid);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    expect(findBroker(home, "/w")).toBeUndefined();
    expect(readLocators(home).dead).toEqual([file]);
  });

  const bad: readonly [string, (file: string) => void][] = [
    ["readable by others", (f) => chmodSync(f, 0o640)],
    ["without bytes although its process lives", (f) => writeFileSync(f, "")],
    ["no JSON", (f) => writeFileSync(f, "{")],
    ["no object", (f) => writeFileSync(f, "[]")],
    ["another process's", (f) => writeFileSync(f, JSON.stringify(at(other, ["/w"])))],
    ["without a nonce", (f) => writeFileSync(f, JSON.stringify({ ...at(me, ["/w"]), nonce: "" }))],
    [
      "with folders that are no texts",
      (f) => writeFileSync(f, JSON.stringify({ ...at(me, []), folders: [1] })),
    ],
    ["with process number 0", (f) => writeFileSync(f, JSON.stringify({ ...at(me, ["/w"]), pid: 0 }))],
    ["huge", (f) => writeFileSync(f, JSON.stringify({ ...at(me, ["/w"]), pad: "x".repeat(70_000) }))],
  ];
  test.each(bad)("a file that is %s", (_, spoil) => {
    const home = newHome();
    writeLocator(home, at(me, ["/w"]));
    expect(findBroker(home, "/w")?.pid).toBe(me);
    spoil(fileOf(home, me));
    expect(findBroker(home, "/w")).toBeUndefined();
    expect(readLocators(home).foreign).toHaveLength(1);
  });

  test("a link to a proper locator", () => {
    const home = newHome();
    writeLocator(home, at(other, ["/w"]));
    symlinkSync(fileOf(home, other), fileOf(home, me));
    expect(readLocators(home).foreign.map((f) => f.file)).toEqual([fileOf(home, me)]);
    expect(findBroker(home, "/w")?.pid).toBe(other);
  });
});

test("another window's claim on our folders is named", () => {
  const home = newHome();
  writeLocator(home, at(me, ["/w/a"]));
  writeLocator(home, at(other, ["/w/a/sub"]));
  expect(rivals(readLocators(home), { pid: me, folders: ["/w/a"] })).toEqual([fileOf(home, other)]);
  writeLocator(home, at(other, ["/w"]));
  expect(rivals(readLocators(home), { pid: me, folders: ["/w/a"] })).toEqual([fileOf(home, other)]);
  writeLocator(home, at(other, ["/w/ab"]));
  expect(rivals(readLocators(home), { pid: me, folders: ["/w/a"] })).toEqual([]);
});

test("sweeping removes the dead with their sockets, and nothing else", () => {
  const home = newHome();
  const mine = join(home, "countersign-1-abc");
  const notOurs = join(home, "documents");
  for (const folder of [mine, notOurs]) {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "s"), "");
  }
  writeLocator(home, at(me, ["/w"]));
  writeLocator(home, at(nobody, ["/w"], join(mine, "s")));
  writeLocator(home, at(nobody + 1, ["/w"], join(notOurs, "s")));
  sweepLocators(home);
  expect(readLocators(home)).toMatchObject({ live: [{ pid: me }], dead: [] });
  expect([existsSync(mine), existsSync(notOurs)]).toEqual([false, true]);
});

test("what a power cut left of a locator is swept, and no reason for a warning", () => {
  const home = newHome();
  writeLocator(home, at(nobody, ["/w"]));
  writeFileSync(fileOf(home, nobody), "");
  expect(readLocators(home)).toEqual({ live: [], dead: [fileOf(home, nobody)], foreign: [] });
  sweepLocators(home);
  expect(readdirSync(join(home, ".countersign", "windows"))).toEqual([]);
});

test("a runtime that is noted already is not written again; one that others could have written is", () => {
  const home = newHome();
  const file = join(home, ".countersign", "runtime");
  writeRuntime(home, "/opt/editor/node");
  const { ino } = statSync(file);
  writeRuntime(home, "/opt/editor/node");
  expect(statSync(file).ino).toBe(ino);
  chmodSync(file, 0o666);
  writeRuntime(home, "/opt/editor/node");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeRuntime(home, "/opt/editor/other");
  expect(readFileSync(file, "utf8")).toBe("/opt/editor/other\n");
});

test("the runtime is one absolute path on the first line", () => {
  const home = newHome();
  writeRuntime(home, "/opt/editor/node");
  const file = join(home, ".countersign", "runtime");
  expect(readFileSync(file, "utf8")).toBe("/opt/editor/node\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
