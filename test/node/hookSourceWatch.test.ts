/** Changes of files that govern agents, on a real disk: what is seen, how soon, and what is none. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HookChange } from "../../src/core/governance/governanceState";
import { HOOK_SOURCES } from "../../src/core/governance/hookSources";
import { type HookSourceWatch, startHookSourceWatch } from "../../src/node/hookSourceWatch";
import { quietLog } from "../core/fixtures";

let base = "";
let home = "";
let root = "";
let changes: HookChange[] = [];
let watch: HookSourceWatch | undefined;
let roots: string[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "hook-sources-"));
  home = join(base, "home");
  root = join(base, "ws");
  for (const folder of [home, root, join(base, "etc")]) mkdirSync(folder, { recursive: true });
  roots = [root];
  changes = [];
});
afterEach(() => {
  watch?.dispose();
  rmSync(base, { recursive: true, force: true });
});

const begin = async (pollMs = 3_600_000): Promise<HookSourceWatch> => {
  watch = await startHookSourceWatch({
    home,
    roots: () => roots,
    system: base,
    log: quietLog,
    pollMs,
    onChange: (all) => changes.push(...all),
  });
  return watch;
};
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const HOOKS = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/tmp/evil.sh" }] }] } };
const textFor = (path: string): string => {
  if (path.endsWith(".toml"))
    return '[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "/tmp/evil.sh"\n';
  if (/opencode\.jsonc?$|opencode\/config\.json$/.test(path))
    return JSON.stringify({ plugin: ["file:///tmp/evil.js"] });
  if (/User\/settings\.json|Machine\/settings\.json|\.vscode\/settings\.json|code-workspace$/.test(path))
    return JSON.stringify(
      path.endsWith("workspace") ? { settings: { "chat.useHooks": false } } : { "chat.useHooks": false },
    );
  return JSON.stringify(HOOKS);
};

describe.each(HOOK_SOURCES.map((source) => [`${source.place} ${source.path}`, source] as const))(
  "%s",
  (_name, source) => {
    test("appearing, changing and going are seen, and name the agents", async () => {
      const folder = { home, workspace: root, system: base }[source.place];
      const path = join(
        folder,
        ...source.path.replace("*", "x.json").replace("x.json.code-workspace", "x.code-workspace").split("/"),
      );
      const it = await begin();
      put(path, textFor(path));
      await it.check();
      expect(changes.map(({ kind, path: at }) => [kind, at])).toEqual([["appeared", path]]);
      expect(changes[0]?.agents).toEqual(expect.arrayContaining([...source.agents]));
      put(path, textFor(path).replace("evil", "worse").replace("false", "true"));
      await it.check();
      rmSync(path);
      await it.check();
      expect(changes.map(({ kind }) => kind)).toEqual(["appeared", "changed", "gone"]);
      await it.check();
      expect(changes).toHaveLength(3);
    });
  },
);

describe("what counts", () => {
  test("switches that turn hooks off are named", async () => {
    const it = await begin();
    const rows = [
      [join(root, ".claude/settings.json"), '{ "disableAllHooks": true }', ["disableAllHooks"]],
      [
        join(root, ".claude/settings.local.json"),
        '{ // off\n "disableAllHooks": true, }',
        ["disableAllHooks"],
      ],
      [join(root, ".codex/config.toml"), "[features]\nhooks = false\n", ["features.hooks"]],
      [join(root, ".gemini/settings.json"), '{"hooksConfig":{"enabled":false}}', ["hooksConfig.enabled"]],
      [
        join(root, ".vscode/settings.json"),
        '{ "chat.useHooks": false, "chat.plugins.enabled": false }',
        ["chat.useHooks", "chat.plugins.enabled"],
      ],
      [
        join(root, "a.code-workspace"),
        '{ "folders": [], "settings": { "chat.useHooks": false } }',
        ["chat.useHooks"],
      ],
      [join(root, ".github/hooks/x.json"), '{ "disableAllHooks": true }', ["disableAllHooks"]],
      [join(root, ".github/copilot/settings.json"), '{ "disableAllHooks": true }', ["disableAllHooks"]],
    ] as const;
    for (const [path, text] of rows) put(path, text);
    await it.check();
    for (const [path, , off] of rows)
      expect([path, changes.find((change) => change.path === path)?.off]).toEqual([path, off]);
    expect(it.sources().flatMap(({ off }) => off).length).toBe(rows.flatMap(([, , off]) => off).length);
  });

  test("other keys of the same files are no change", async () => {
    put(join(home, ".claude/settings.json"), '{"model":"a","permissions":{"allow":[]}}');
    put(join(home, ".codex/config.toml"), 'model = "a"\n');
    put(join(root, ".vscode/settings.json"), '{ "editor.tabSize": 2 }');
    const it = await begin();
    put(join(home, ".claude/settings.json"), '{"model":"b","permissions":{"allow":["Bash(ls)"]}}');
    put(join(home, ".codex/config.toml"), 'model = "b"\n[projects."/x"]\ntrust_level = "trusted"\n');
    put(join(root, ".vscode/settings.json"), '{ "editor.tabSize": 4, /* chat.useHooks */ }');
    put(join(root, ".qwen/settings.json"), '{"theme":"dark"}');
    await it.check();
    expect(changes).toEqual([]);
  });

  test("a file that cannot be read as settings counts with every byte", async () => {
    put(join(root, ".claude/settings.json"), "{ broken");
    const it = await begin();
    put(join(root, ".claude/settings.json"), "{ broken ");
    await it.check();
    expect(changes).toMatchObject([{ kind: "changed" }]);
  });

  test("hooks that are not ours are told, ours are not", async () => {
    put(
      join(home, ".claude/settings.json"),
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              hooks: [
                { type: "command", command: "/home/u/.countersign/bin/hook", args: ["claude"] },
                { type: "command", command: "prettier-hook" },
              ],
            },
          ],
        },
      }),
    );
    put(
      join(root, ".cursor/hooks.json"),
      JSON.stringify({ hooks: { beforeShellExecution: [{ command: "./audit.sh" }] } }),
    );
    put(
      join(root, "opencode.json"),
      JSON.stringify({ plugin: ["file:///home/u/.countersign/bin/opencode.mjs", "loud-plugin@1"] }),
    );
    const it = await begin();
    expect(
      it
        .sources()
        .map(({ foreign }) => foreign)
        .sort(),
    ).toEqual([["./audit.sh"], ["loud-plugin@1"], ["prettier-hook"]]);
  });

  test("a change that keeps size and time is seen", async () => {
    const path = join(root, ".claude/settings.json");
    put(path, '{"disableAllHooks":false}');
    const when = new Date(1_700_000_000_000);
    utimesSync(path, when, when);
    const it = await begin();
    put(path, '{"disableAllHooks":true }');
    utimesSync(path, when, when);
    await it.check();
    expect(changes).toMatchObject([{ kind: "changed", off: ["disableAllHooks"] }]);
  });

  test("by rename, by link, by a folder put in its place", async () => {
    const it = await begin();
    put(join(base, "evil/settings.json"), JSON.stringify(HOOKS));
    mkdirSync(join(root, ".gemini"));
    renameSync(join(base, "evil/settings.json"), join(root, ".gemini/settings.json"));
    put(join(base, "away/settings.json"), JSON.stringify(HOOKS));
    symlinkSync(join(base, "away"), join(root, ".claude"));
    symlinkSync("/nowhere/hooks.json", join(home, ".cursor"));
    await it.check();
    expect(changes.map(({ path }) => path).sort()).toEqual(
      [join(root, ".claude/settings.json"), join(root, ".gemini/settings.json")].sort(),
    );
    put(join(base, "away/settings.json"), JSON.stringify({ ...HOOKS, disableAllHooks: true }));
    await it.check();
    expect(changes).toHaveLength(3);
  });

  test("what the person has just had written is no change", async () => {
    const it = await begin();
    const path = join(home, ".claude/settings.json");
    put(path, JSON.stringify(HOOKS));
    await it.accept(path);
    await it.check();
    expect(changes).toEqual([]);
    put(path, JSON.stringify({ ...HOOKS, disableAllHooks: true }));
    await it.check();
    expect(changes).toHaveLength(1);
  });

  test("an agent that was led to another folder is watched there too", async () => {
    const other = join(base, "elsewhere");
    const it = await startHookSourceWatch({
      home,
      roots: () => roots,
      system: base,
      env: { CLAUDE_CONFIG_DIR: other, CODEX_HOME: "relative" },
      log: quietLog,
      pollMs: 3_600_000,
      onChange: (all) => changes.push(...all),
    });
    watch = it;
    put(join(other, "settings.json"), JSON.stringify(HOOKS));
    await it.check();
    expect(changes).toMatchObject([{ path: join(other, "settings.json"), kind: "appeared" }]);
  });

  test("a folder that is opened brings its files without a change", async () => {
    put(join(base, "other/.claude/settings.json"), JSON.stringify(HOOKS));
    const it = await begin();
    roots = [root, join(base, "other")];
    await it.check();
    expect(changes).toEqual([]);
    expect(it.sources()).toHaveLength(1);
    put(join(base, "other/.claude/settings.json"), '{"disableAllHooks":true}');
    await it.check();
    expect(changes).toHaveLength(1);
  });
});

test.each([
  ["the poll", 100, true],
  ["an event of the folder", 3_600_000, false],
])("seen by %s without anybody asking", async (_what, pollMs, missing) => {
  if (!missing) mkdirSync(join(root, ".claude"));
  await begin(pollMs);
  put(join(root, ".claude/settings.json"), '{"disableAllHooks":true}');
  await expect.poll(() => changes.length, { timeout: 5000, interval: 20 }).toBe(1);
});
