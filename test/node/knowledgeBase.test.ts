import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type KnowledgeBase, openKnowledgeBase } from "../../src/node/knowledgeBase";

let folder: string;
let base: KnowledgeBase;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "kb-")));
  base = openKnowledgeBase({ file: join(folder, "data", "kb.db") });
  mkdirSync(join(folder, "docs", "node_modules", "x"), { recursive: true });
  mkdirSync(join(folder, "docs", ".git"), { recursive: true });
  mkdirSync(join(folder, "docs", "sub"), { recursive: true });
  const files: Readonly<Record<string, string | Buffer>> = {
    "a.md": "# Backups\n\nThe nightly backup runs at two. Restoring takes an hour.\n",
    "b.md": "Café opening hours\nNaïve approach\n",
    "sub/zh.md": "知识库支持全文检索。删除数据之前必须先备份数据库。\n",
    "sub/ja.txt": "データベースを削除する前にバックアップしてください。\n",
    "sub/code.ts": "export function dropTable(name: string) { return 'DROP TABLE ' + name; }\n",
    "long.txt": `${Array.from({ length: 400 }, (_none, i) => `line ${i + 1} filler words here`).join("\n")}\nneedle in line 401\n`,
    "image.png": Buffer.from([0x89, 0x50, 0, 0, 1]),
    "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9]),
    "big.txt": "x".repeat(3 * 1024 * 1024),
    "node_modules/x/index.js": "hidden backup",
    ".git/config": "hidden backup",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, "docs", name), content);
  writeFileSync(join(folder, "secret.txt"), "outside backup secret");
  symlinkSync(join(folder, "secret.txt"), join(folder, "docs", "leak.txt"));
  await base.addPath(join(folder, "docs"));
});
afterAll(async () => {
  await base.close();
  rmSync(folder, { recursive: true, force: true });
});

const names = async (query: string) =>
  (await base.search(query)).map((hit) => hit.path.slice(folder.length + 6));

test("adds text files, and says what it left out", async () => {
  const { added, skipped } = await base.addPath(join(folder, "docs"));
  expect(added.map((path) => path.slice(folder.length + 6))).toEqual([
    "a.md",
    "b.md",
    "long.txt",
    "sub/code.ts",
    "sub/ja.txt",
    "sub/zh.md",
  ]);
  expect(skipped.map(({ path, reason }) => [path.slice(folder.length + 6), reason])).toEqual([
    ["big.txt", expect.stringContaining("larger")],
    ["image.png", expect.stringContaining("binary")],
    ["latin1.txt", expect.stringContaining("UTF-8")],
  ]);
});

describe("finds", () => {
  test.each([
    ["backup", ["a.md"]],
    ["BACKUP nightly", ["a.md"]],
    ["cafe", ["b.md"]],
    ["naive approach", ["b.md"]],
    ["全文检索", ["sub/zh.md"]],
    ["检索", ["sub/zh.md"]],
    ["备份", ["sub/zh.md"]],
    ["怎么删除数据", ["sub/zh.md"]],
    ["データベース", ["sub/ja.txt"]],
    ["dropTable", ["sub/code.ts"]],
    ["needle", ["long.txt"]],
    ["backup zebra", ["a.md"]],
    ["nothing-like-this-zzz", []],
    ["", []],
    ["   ", []],
  ])("%s", async (query, paths) => {
    expect(await names(query)).toEqual(paths);
  });
});

test.each([
  '"',
  '""',
  "'",
  'backup"',
  "backup OR",
  "AND",
  "NOT backup",
  "backup*",
  "^backup",
  "(backup",
  "backup)",
  "body:backup",
  "{a b}:x",
  "NEAR(backup nightly)",
  "backup'; DROP TABLE passages; --",
  "%",
  "_",
  "\\",
  "a%' OR '1'='1",
  "\0backup",
  "-backup",
  "+",
  "backup\u2028x",
  "百%",
  "😀",
  "\ud800",
  "x".repeat(5000),
])("a hostile query is only words: %j", async (query) => {
  await expect(base.search(query)).resolves.toBeInstanceOf(Array);
  expect(await names("backup")).toEqual(["a.md"]);
});

test("a hit shows where it is", async () => {
  const [hit] = await base.search("needle");
  expect(hit?.snippet).toContain("«needle» in line 401");
  expect(hit?.line).toBeGreaterThan(300);
  const [chinese] = await base.search("备份");
  expect(chinese?.snippet).toContain("«备份»");
});

test("better hits come first, at most limit of them", async () => {
  writeFileSync(join(folder, "r1.md"), `rare ${"word ".repeat(300)}`);
  writeFileSync(join(folder, "r2.md"), "rare rare rare");
  await base.addFile(join(folder, "r1.md"));
  await base.addFile(join(folder, "r2.md"));
  const hits = await base.search("rare", { limit: 2 });
  expect(hits.map((hit) => hit.path)).toEqual([join(folder, "r2.md"), join(folder, "r1.md")]);
  expect(hits[0]?.rank ?? 0).toBeGreaterThan(hits[1]?.rank ?? 0);
  expect(await base.search("rare", { limit: 1 })).toHaveLength(1);
});

test("adding again replaces", async () => {
  const path = join(folder, "again.md");
  writeFileSync(path, "firstversion");
  await base.addFile(path);
  writeFileSync(path, "secondversion");
  await base.addFile(path);
  expect(await base.search("firstversion")).toEqual([]);
  expect(await base.search("secondversion")).toHaveLength(1);
});

test("globs choose", async () => {
  const other = openKnowledgeBase({ file: join(folder, "other.db") });
  const { added } = await other.addPath(join(folder, "docs"), { globs: ["*.md"] });
  expect(added.map((path) => path.slice(folder.length + 6))).toEqual(["a.md", "b.md", "sub/zh.md"]);
  await other.close();
});

describe("refuses", () => {
  beforeEach(() => rmSync(join(folder, "l.txt"), { force: true }));

  test.each(["image.png", "latin1.txt", "big.txt"])("%s as a single file", async (name) => {
    await expect(base.addFile(join(folder, "docs", name))).rejects.toMatchObject({ code: "kb.failed" });
  });

  test("a link turned after the approval", async () => {
    symlinkSync(join(folder, "secret.txt"), join(folder, "l.txt"));
    await expect(
      base.addFile(join(folder, "l.txt"), { approvedReal: join(folder, "docs", "a.md") }),
    ).rejects.toMatchObject({ code: "payload.malformed" });
    expect(await base.search("outside")).toEqual([]);
  });
});

test("ending one call leaves those beside it alone", async () => {
  const abort = new AbortController();
  const [search, add] = [
    base.search("backup", { signal: abort.signal }),
    base.addFile(join(folder, "docs", "long.txt")),
  ];
  setTimeout(() => abort.abort(), 2);
  await Promise.allSettled([search]);
  expect(await add).toMatchObject({ added: [join(folder, "docs", "long.txt")] });
});
