import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensureDataFolder, findDataFolder } from "../../src/node/dataFolder";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cs-data-")));
  for (const dir of ["home/work/repo/src/deep", "home/plain", "srv/repo/src"]) {
    await mkdir(join(base, dir), { recursive: true });
  }
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** [what, files and folders to make (a final / is a folder), cwd, workspace folders, expected root] */
type Row = readonly [string, readonly string[], string | undefined, readonly string[], string];
const rows: readonly Row[] = [
  ["the workspace folder that holds the cwd", [], "home/work/repo/src", ["home/work/repo"], "home/work/repo"],
  ["the workspace folder itself", [], "home/work/repo", ["home/work/repo"], "home/work/repo"],
  ["the longest of two", [], "home/work/repo/src/deep", ["home/work", "home/work/repo"], "home/work/repo"],
  ["no folder whose name only begins alike", [], "home/work/repo/src", ["home/work/rep"], "home"],
  [
    "a workspace folder over a marked one below",
    ["home/work/repo/src/gateway-hooks.toml"],
    "home/work/repo/src/deep",
    ["home/work/repo"],
    "home/work/repo",
  ],
  [
    "the nearest marked ancestor",
    ["home/work/gateway-hooks.toml", "home/work/repo/.countersign/"],
    "home/work/repo/src/deep",
    [],
    "home/work/repo",
  ],
  ["JSON marks too", ["home/work/repo/gateway-hooks.json"], "home/work/repo/src", [], "home/work/repo"],
  ["outside the home folder", ["srv/repo/gateway-hooks.toml"], "srv/repo/src", [], "srv/repo"],
  ["the cwd itself", ["srv/repo/src/.countersign/"], "srv/repo/src", [], "srv/repo/src"],
  [
    "the home folder never as a marked ancestor",
    ["home/gateway-hooks.toml", "gateway-hooks.toml"],
    "home/plain",
    [],
    "home",
  ],
  ["nor a parent of it", ["gateway-hooks.toml", ".countersign/"], "srv/repo/src", [], "home"],
  ["the home folder where nothing is marked", [], "srv/repo/src", [], "home"],
  [
    "a cwd that does not exist",
    ["home/work/repo/gateway-hooks.toml"],
    "home/work/repo/no/where",
    [],
    "home/work/repo",
  ],
  [
    "the first workspace folder without a cwd",
    [],
    undefined,
    ["home/work/repo", "srv/repo"],
    "home/work/repo",
  ],
  ["the home folder without anything", [], undefined, [], "home"],
];

describe("the data folder of a call", () => {
  test.each(rows)("%s", async (_, files, cwd, folders, root) => {
    for (const file of files) {
      if (file.endsWith("/")) await mkdir(join(base, file), { recursive: true });
      else await writeFile(join(base, file), "");
    }
    const query = { workspaceFolders: folders.map((f) => join(base, f)), home: join(base, "home") };
    const found = await findDataFolder(cwd === undefined ? query : { ...query, cwd: join(base, cwd) });
    expect(found).toEqual({ root: join(base, root), folder: join(base, root, ".countersign") });
  });

  test("links are followed on both sides", async () => {
    await symlink(join(base, "home/work/repo"), join(base, "link"));
    const workspaceFolders = [join(base, "link")];
    const found = await findDataFolder({
      cwd: join(base, "home/work/repo/src"),
      workspaceFolders,
      home: join(base, "home"),
    });
    expect(found.root).toBe(join(base, "home/work/repo"));
  });
});

describe("making it", () => {
  const repo = () => join(base, "home/work/repo");
  test("it is closed to others, unseen by git, and an existing one is kept", async () => {
    await mkdir(join(repo(), ".countersign"), { mode: 0o755 });
    await chmod(join(repo(), ".countersign"), 0o755);
    for (let i = 0; i < 2; i++) {
      const made = await ensureDataFolder(repo());
      expect(made).toEqual({ ok: true, value: join(repo(), ".countersign") });
    }
    expect((await stat(join(repo(), ".countersign"))).mode & 0o777).toBe(0o700);
    expect(await readFile(join(repo(), ".countersign", ".gitignore"), "utf8")).toBe("*\n");
  });
  test.each(["link", "file"])("a %s in its place is refused", async (kind) => {
    const path = join(repo(), ".countersign");
    await mkdir(join(base, "trap"));
    if (kind === "link") await symlink(join(base, "trap"), path);
    else await writeFile(path, "");
    const made = await ensureDataFolder(repo());
    expect(made.ok ? [] : made.problems.map((p) => p.code)).toEqual(["folder.unsafe"]);
  });
});
