/** A workspace configuration changed behind the person's back: nothing loosens before they accept it. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/core/rules/schema";
import { tightens } from "../../src/core/rules/tightens";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore } from "../../src/node/trustStore";

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "cs-attack-"));
  root = join(base, "project");
  await Promise.all([mkdir(root), mkdir(join(base, "home"))]);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const file = (name = "gateway-hooks.toml") => join(root, name);
const run = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, {
    cwd: root,
    stdio: "pipe",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
const git = (...args: readonly string[]) =>
  run("git", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args);

// A new store each time, as after a reload of the window.
const store = () => createTrustStore({ home: join(base, "home"), now: () => 0 });
const resolve = (env: Record<string, string> = {}) =>
  resolveWorkspace({ root, trusted: true, user: {}, locked: [], env, store: store() });

const KEPT = `[chain.options.path_allowlist]\noutside = "deny"\n[database]\nmax_rows = 5000\n`;

async function acceptKept(): Promise<Config> {
  await writeFile(file(), KEPT);
  const { pending } = await resolve();
  if (pending === undefined) throw new Error("nothing waits");
  await acceptChange({ store: store(), root }, pending);
  const { config, state } = await resolve();
  expect([state, config.database.max_rows]).toEqual(["accepted", 5000]);
  return config;
}

const loosening = [
  "[chain]\nenabled = false\n",
  "[chain]\ndestructive_sql = false\n",
  "[chain]\naudit_log = false\n",
  '[chain]\npath_allowlist_extra = ["/"]\n',
  "[chain.options.destructive_sql]\nconsent = 'args'\n",
  "[chain.options.destructive_sql]\ndialect = 'sqlite'\n",
  "[chain.options.destructive_sql]\non_unparseable = 'ask'\n",
  "[chain.options.destructive_sql]\nconfirm_arg = 'sql'\n",
  "[audit]\npath = 'storage/elsewhere.jsonl'\n",
  "[audit]\nrequired = false\n",
  "[audit]\nredact_exempt = ['password']\n",
  "[database]\nurl = 'postgres://other/db'\n",
  "[database]\nmax_rows = 100000\n",
  "# the accepted tightening is left out\n",
];

describe("after a file was accepted", () => {
  test.each(loosening)("%j written over it changes nothing until accepted", async (text) => {
    const before = await acceptKept();
    await writeFile(file(), text);
    for (let reload = 0; reload < 2; reload++) {
      const { config, state, pending } = await resolve();
      expect(config).toEqual(before);
      expect(state).toBe("waiting");
      expect(pending?.loosening.length).toBeGreaterThan(0);
      expect(pending?.lines[0]).toMatch(/^Loosens: /u);
    }
  });

  test.each([
    ["git checkout", async () => void git("checkout", "-q", "loose")],
    [
      "git checkout of the one file",
      async () => void git("checkout", "-q", "loose", "--", "gateway-hooks.toml"),
    ],
    ["git reset", async () => void git("reset", "-q", "--hard", "loose")],
    ["git merge", async () => void git("merge", "-q", "loose")],
    [
      "git stash",
      async () => {
        await writeFile(file(), "[chain]\nenabled = false\n");
        git("stash", "-q");
        git("stash", "pop", "-q");
      },
    ],
    ["git restore", async () => void git("restore", "--source", "loose", "gateway-hooks.toml")],
    ["git rm", async () => void git("rm", "-q", "gateway-hooks.toml")],
    [
      "git clean after rm --cached",
      async () => {
        git("rm", "-q", "--cached", "gateway-hooks.toml");
        git("clean", "-qfd");
      },
    ],
    [
      "tar",
      async () => {
        await mkdir(join(base, "pack"));
        await writeFile(join(base, "pack", "gateway-hooks.toml"), "[chain]\nenabled = false\n");
        run("tar", "-cf", join(base, "pack.tar"), "-C", join(base, "pack"), "gateway-hooks.toml");
        run("tar", "-xf", join(base, "pack.tar"));
      },
    ],
    [
      "a rename onto it",
      async () => {
        await writeFile(file("x"), "[chain]\nenabled = false\n");
        await rename(file("x"), file());
      },
    ],
    [
      "a link in its place",
      async () => {
        await writeFile(join(base, "loose.toml"), "[chain]\nenabled = false\n");
        await rm(file());
        await symlink(join(base, "loose.toml"), file());
      },
    ],
    [
      "a second file beside it",
      async () => writeFile(file("gateway-hooks.json"), '{"chain": {"enabled": false}}'),
    ],
    [
      "a JSON file instead of it",
      async () => {
        await rm(file());
        await writeFile(file("gateway-hooks.json"), '{"chain": {"enabled": false}}');
      },
    ],
    ["breaking it", async () => writeFile(file(), "[chain\n")],
    ["emptying it", async () => writeFile(file(), "")],
    [
      "a folder in its place",
      async () => {
        await rm(file());
        await mkdir(file());
      },
    ],
  ])("%s changes nothing", async (_, attack) => {
    git("init", "-q", "-b", "main");
    await writeFile(file(), KEPT);
    git("add", ".");
    git("commit", "-qm", "kept");
    git("checkout", "-qb", "loose");
    await writeFile(file(), "[chain]\nenabled = false\n");
    git("commit", "-qam", "loose");
    git("checkout", "-q", "main");
    const before = await acceptKept();
    await attack();
    const { config, state } = await resolve();
    expect(config).toEqual(before);
    expect(["waiting", "broken"]).toContain(state);
    await rm(file(), { recursive: true, force: true });
    await rm(file("gateway-hooks.json"), { force: true });
    expect((await resolve()).config).toEqual(before);
    await writeFile(file(), KEPT);
    expect((await resolve()).state).toBe("accepted");
  });

  test("in small steps, each waiting, nothing adds up", async () => {
    const before = await acceptKept();
    for (const text of ["", ...loosening, KEPT, ...loosening]) {
      await writeFile(file(), text);
      expect(tightens(before, (await resolve()).config).loosening).toEqual([]);
    }
  });

  test("what was accepted in one folder is not accepted in a copy of it", async () => {
    await acceptKept();
    const copy = join(base, "copy");
    await cp(root, copy, { recursive: true });
    const found = await resolveWorkspace({
      root: copy,
      trusted: true,
      user: {},
      locked: [],
      env: {},
      store: store(),
    });
    expect([found.state, found.config.database.max_rows, found.askAllButReads]).toEqual([
      "waiting",
      1000,
      true,
    ]);
  });
});

describe("a cloned repository that nobody accepted", () => {
  test.each(loosening.slice(0, -1))(
    "%j: what tightens applies, the rest does not, all but reads asks",
    async (text) => {
      await writeFile(file(), text);
      const { config, askAllButReads, state } = await resolve();
      const plain = (
        await resolveWorkspace({ root: base, trusted: true, user: {}, locked: [], env: {}, store: store() })
      ).config;
      expect(tightens(plain, config).loosening).toEqual([]);
      expect([askAllButReads, state]).toEqual([true, "waiting"]);
    },
  );

  test("a tool map to the wrong argument is never taken", async () => {
    await writeFile(
      file(),
      '[chain.options.destructive_sql.tools]\ndb_query_sql = "comment"\nrun_sql = "text"\n',
    );
    const { config, problems } = await resolve();
    expect({ ...config.chain.options.destructive_sql.tools }).toEqual({
      db_query_sql: "sql",
      run_sql: "text",
    });
    expect(problems[0]?.message).toContain("db_query_sql");
  });
});

test("beside a key that loosens, a wrong map does not hold back the tools that are added", async () => {
  await writeFile(
    file(),
    '[chain]\nenabled = false\n[chain.options.destructive_sql.tools]\ndb_query_sql = "comment"\nrun_sql = "text"\n',
  );
  const { config, askAllButReads } = await resolve();
  expect({ ...config.chain.options.destructive_sql.tools }).toEqual({ db_query_sql: "sql", run_sql: "text" });
  expect([config.chain.enabled, askAllButReads]).toEqual([true, true]);
});

describe("the environment outranks no lock and no file", () => {
  test.each(["COUNTERSIGN__HOOKS__", "DATAMIND__HOOKS__", "datamind__hooks__"])(
    "%s may only tighten",
    async (prefix) => {
      const before = await acceptKept();
      const env = Object.fromEntries(
        ["ENABLED", "DESTRUCTIVE_SQL", "PATH_ALLOWLIST", "AUDIT_LOG"].map((name) => [prefix + name, "false"]),
      );
      const { config } = await resolve({ ...env, [`${prefix}PATH_ALLOWLIST_EXTRA`]: '["/"]' });
      expect(config).toEqual(before);
    },
  );
});
