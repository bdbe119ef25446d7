/** The path guards on this machine's own file system, with real links; a swap between two looks changes the binding. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFacets } from "../../src/agents/toolFacts";
import { pathAllowlist } from "../../src/core/guards/pathAllowlist";
import { selfProtection } from "../../src/core/guards/selfProtection";
import { resolvePath } from "../../src/core/paths/resolvePath";
import { realFileSystem } from "../../src/node/realFileSystem";
import { ask, callOn, LINUX } from "../core/guards/worlds";

const fs = realFileSystem();
let top: string;
let work: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "countersign-paths-")));
  work = join(top, "work");
  for (const dir of ["work/docs", "work-other", "secret", "other"])
    mkdirSync(join(top, dir), { recursive: true });
  writeFileSync(join(top, "secret/x"), "x");
  writeFileSync(join(work, "docs/a.md"), "a");
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

function link(target: string, name: string): string {
  const path = join(work, name);
  symlinkSync(target, path);
  return path;
}

const real = async (path: string) => {
  const resolved = await resolvePath({ path, cwd: work, fs });
  return resolved.ok ? resolved.real.text : resolved.kind;
};

/** The system's temporary folder is free for all, so what is outside is judged with the document's strict tools. */
const strict = () =>
  pathAllowlist({ roots: () => [work], extra: [], outside: "ask", fs, facets: readFacets });
const kind = async (path: string) =>
  (await ask(strict(), callOn({ ...LINUX, cwd: work }, "kb_add_file", { path }))).kind;

describe("real links", () => {
  test("are followed one by one, missing rest kept", async () => {
    link("../secret", "out");
    link("out", "out2");
    link(join(top, "secret", "not-there", "deep"), "dangling");
    link("docs", "in");
    expect(await real("out2/x")).toBe(join(top, "secret/x"));
    expect(await real("out2/new/y")).toBe(join(top, "secret/new/y"));
    expect(await real("dangling/z")).toBe(join(top, "secret/not-there/deep/z"));
    expect(await real("in/a.md")).toBe(join(work, "docs/a.md"));
    expect(await real("docs/a.md/below-a-file")).toBe(join(work, "docs/a.md/below-a-file"));
  });

  test("agree with the system's own realpath", async () => {
    for (const path of [
      "out2/x",
      "in/a.md",
      "in/../docs/a.md",
      "out/../secret/x",
      "docs/../../secret/x",
      ".",
      "..",
      "/",
    ])
      expect([path, await real(path)]).toEqual([
        path,
        realpathSync.native(path.startsWith("/") ? path : `${work}/${path}`),
      ]);
  });

  test.each([
    ["docs/a.md", "allow"],
    ["in/a.md", "allow"],
    ["new/file.csv", "allow"],
    ["out/x", "deny"],
    ["out2/new", "deny"],
    ["dangling", "deny"],
    ["in/../../secret/x", "deny"],
    ["../work-other/x", "deny"],
    ["loop/x", "deny"],
    ["out/../x", "deny"],
  ])("%s: %s", async (path, expected) => {
    if (path.startsWith("loop")) link("loop", "loop");
    expect(await kind(path)).toBe(expected);
  });

  test("a link swapped between two evaluations changes the binding", async () => {
    const path = link("docs", "swap");
    const bindings: unknown[] = [];
    const hook = pathAllowlist({ roots: () => [work], extra: [], outside: "ask", fs, facets: readFacets });
    const call = callOn({ ...LINUX, cwd: work }, "read_file", { filePath: "swap/a.md" });
    bindings.push((await ask(hook, call)).binding);
    unlinkSync(path);
    symlinkSync("../secret", path);
    bindings.push((await ask(hook, call)).binding);
    expect(bindings).toEqual([
      { "path:filePath": join(work, "docs/a.md") },
      { "path:filePath": join(top, "secret/a.md") },
    ]);
  });

  test("a folder swapped for a link is seen as well", async () => {
    mkdirSync(join(work, "plain"));
    const before = await real("plain/x");
    renameSync(join(work, "plain"), join(work, "plain-old"));
    symlinkSync("/etc", join(work, "plain"));
    expect([before, await real("plain/x")]).toEqual([join(work, "plain/x"), "/etc/x"]);
  });

  test("a link to a protected file is protected", async () => {
    mkdirSync(join(work, ".git/hooks"), { recursive: true });
    link(".git/hooks/pre-commit", "innocent.sh");
    const hook = selfProtection({ fs, facets: readFacets });
    const decide = async (filePath: string) =>
      (await ask(hook, callOn({ ...LINUX, cwd: work }, "create_file", { filePath }))).kind;
    expect([await decide("innocent.sh"), await decide("other.sh")]).toEqual(["ask", "allow"]);
  });

  test("a folder that may not be entered cannot be judged", async () => {
    mkdirSync(join(work, "locked/x"), { recursive: true });
    chmodSync(join(work, "locked"), 0);
    chmodSync(top, 0o755);
    // The superuser may enter everything: look with an ordinary user's eyes.
    const root = process.geteuid?.() === 0;
    if (root) process.seteuid?.(65_534);
    const seen = await real("locked/x");
    if (root) process.seteuid?.(0);
    chmodSync(join(work, "locked"), 0o700);
    expect(seen).toBe("unjudgeable");
  });
});

test("what the port answers", async () => {
  expect(await fs.look(join(top, "nothing"))).toEqual({ kind: "missing" });
  expect(await fs.look(join(top, "secret/x/below"))).toEqual({ kind: "missing" });
  expect(await fs.look(join(top, "secret"))).toMatchObject({ kind: "there" });
  expect(await fs.look(join(top, "x".repeat(300)))).toMatchObject({
    kind: "unreadable",
    message: "ENAMETOOLONG",
  });
});

describe.skipIf(process.platform !== "linux")("one question for a whole path", () => {
  const world = realpathSync(mkdtempSync(join(tmpdir(), "countersign-real-")));
  mkdirSync(join(world, "a/b"), { recursive: true });
  writeFileSync(join(world, "a/b/file"), "");
  symlinkSync("a", join(world, "link"));
  symlinkSync("nowhere/else", join(world, "dangling"));
  symlinkSync("/proc/self/cwd", join(world, "own"));
  afterAll(() => rmSync(world, { recursive: true, force: true }));

  test.each([
    "a/b/file",
    "a/b",
    "a/new",
    "a/new/deeper/file",
    "a/b/file/below",
    "link/b/file",
    "link/new",
    "dangling",
    "dangling/x",
    "a/../link/b",
    "own/x",
  ])("%s ends where going name by name ends", async (path) => {
    const fs = realFileSystem();
    const { os, home, caseInsensitive, look } = fs;
    const slow = await resolvePath({ path, cwd: world, fs: { os, home, caseInsensitive, look } });
    expect(await resolvePath({ path, cwd: world, fs })).toEqual(slow);
    if (path === "own/x") expect(slow.ok).toBe(false);
  });
});

test("a path longer than any system takes is told like one that this system does not take", async () => {
  const path = (length: number): string => `/${"a/".repeat(length / 2)}`;
  for (const length of [5000, 40_000, 1_000_000]) {
    expect(await fs.real?.(path(length))).toBeUndefined();
    if (process.platform === "linux")
      expect(await fs.look?.(path(length))).toEqual({ kind: "unreadable", message: "ENAMETOOLONG" });
  }
});
