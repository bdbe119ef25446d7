/** Remotes as git itself writes them: plain repositories, worktrees, submodules, none. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gitRemotes, remotesIn } from "../../src/node/gitRemotes";

let base = "";
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd,
    stdio: "pipe",
  });

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "remotes-"));
  mkdirSync(join(base, "repo", "a", "b"), { recursive: true });
  mkdirSync(join(base, "bare"));
  git(join(base, "repo"), "init", "-q");
  git(join(base, "repo"), "remote", "add", "origin", "https://github.com/acme/shop.git");
  git(join(base, "repo"), "remote", "add", "up.stream", "git@gitlab.com:acme/shop.git");
  git(join(base, "repo"), "remote", "set-url", "--push", "origin", "ssh://git@github.com/acme/shop");
  git(join(base, "repo"), "commit", "-q", "--allow-empty", "-m", "x");
  git(join(base, "repo"), "worktree", "add", "-q", join(base, "tree"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const expected = [
  { name: "origin", url: "https://github.com/acme/shop.git" },
  { name: "origin", url: "ssh://git@github.com/acme/shop" },
  { name: "up.stream", url: "git@gitlab.com:acme/shop.git" },
];
const sorted = async (cwd: string | undefined, folder: string) =>
  (await gitRemotes(cwd, folder))?.toSorted((a, b) => (a.name + a.url < b.name + b.url ? -1 : 1));

test("from the folder itself, from below, from a worktree, by a folder beside", async () => {
  expect(await sorted(join(base, "repo"), "")).toEqual(expected);
  expect(await sorted(join(base, "repo", "a", "b"), "")).toEqual(expected);
  expect(await sorted(join(base, "tree"), "")).toEqual(expected);
  expect(await sorted(base, "repo/a")).toEqual(expected);
  expect(await sorted(undefined, join(base, "repo"))).toEqual(expected);
});

test("no repository, no folder, no cwd", async () => {
  expect(await gitRemotes(join(base, "bare"), "")).toBeUndefined();
  expect(await gitRemotes(join(base, "nowhere"), "x")).toBeUndefined();
  expect(await gitRemotes(undefined, "x")).toBeUndefined();
});

test("settings written by hand", () => {
  const text =
    '[core]\n\turl = x\n[remote "a\\"b"] url = "https://h/x"\n[branch "m"]\n url = no\n[REMOTE "c"]\n\tPushURL=git@h:x\n# [remote "d"]\n';
  expect(remotesIn(text)).toEqual([
    { name: 'a"b', url: "https://h/x" },
    { name: "c", url: "git@h:x" },
  ]);
  writeFileSync(join(base, "bare", ".git"), "no such thing");
});
