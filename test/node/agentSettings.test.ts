import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { agentAncestor } from "../../src/node/agentAncestor";
import {
  type AgentChange,
  agentStatus,
  applyChange,
  outsideAgents,
  planChange,
} from "../../src/node/agentSettings";
import { tempFolder } from "../agents/pluginBench";

const temp = tempFolder();
afterAll(() => temp.remove());

let home = "";
let workspace = "";
let count = 0;
beforeEach(() => {
  count += 1;
  home = join(realpathSync(temp.path), `home${count}`);
  workspace = join(realpathSync(temp.path), `shop${count}`);
  for (const folder of [home, workspace, join(home, ".countersign")]) mkdirSync(folder, { mode: 0o700 });
});
const places = () => ({ home, env: {}, workspace });
const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

async function planned(...[agent, to]: Parameters<typeof planChange>): Promise<AgentChange> {
  const plan = await planChange(agent, to, places());
  if (!plan.ok) throw new Error(plan.message);
  return plan.change;
}

async function change(agent: AgentChange["agent"], to: AgentChange["to"]): Promise<void> {
  await applyChange(await planned(agent, to, places()), places());
}

describe.each(outsideAgents)("%s", (agent) => {
  test("is governed and let go again, as if nothing had been", async () => {
    expect(await agentStatus(agent, places())).toMatchObject({ state: "absent", switchedOff: [] });
    const plan = await planned(agent, "install", places());
    expect(plan.diff.join("\n")).toContain(`${home}/.countersign/bin/`);
    expect(plan.diff.every((line) => !line.startsWith("-") || line.startsWith("---"))).toBe(true);
    await applyChange(plan, places());
    const { file, state } = await agentStatus(agent, places());
    expect(state).toBe("installed");
    expect((await agentStatus(agent, places())).message).toMatch(/the launcher .* is missing/);
    expect((await planned(agent, "install", places())).files).toEqual([]);
    await change(agent, "uninstall");
    expect(existsSync(file)).toBe(false);
    expect((await agentStatus(agent, places())).state).toBe("absent");
    expect((await planned(agent, "uninstall", places())).files).toEqual([]);
  });
});

describe("a settings file", () => {
  const settings = () => join(home, ".claude/settings.json");
  test("keeps its bytes, mode and being a link through both", async () => {
    const text = '{\r\n\t"model": "x", // mine\r\n\t"hooks": {}\r\n}\r\n';
    const real = join(home, "dotfiles/claude.json");
    put(real, text);
    chmodSync(real, 0o640);
    mkdirSync(dirname(settings()));
    symlinkSync(real, settings());
    await change("claude", "install");
    expect(readFileSync(real, "utf8")).not.toBe(text);
    await change("claude", "uninstall");
    expect(readFileSync(real, "utf8")).toBe(text);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
  });

  test("that changed since the person looked is not written", async () => {
    put(settings(), "{}\n");
    const plan = await planned("claude", "install", places());
    writeFileSync(settings(), '{"a": 1}\n');
    await expect(applyChange(plan, places())).rejects.toThrow(/changed meanwhile/);
    expect(readFileSync(settings(), "utf8")).toBe('{"a": 1}\n');
  });

  test("that cannot be read is left alone, and said so", async () => {
    put(settings(), "{ broken");
    expect(await planChange("claude", "install", places())).toMatchObject({
      ok: false,
      message: expect.stringContaining(settings()),
    });
    expect(await agentStatus("claude", places())).toMatchObject({ state: "unreadable" });
  });

  test("of an older version is told apart, and of another folder found", async () => {
    await change("claude", "install");
    writeFileSync(settings(), readFileSync(settings(), "utf8").replaceAll("3600", "60"));
    expect(await agentStatus("claude", places())).toMatchObject({ state: "outdated" });
    const moved = join(home, "elsewhere");
    const env = { CLAUDE_CONFIG_DIR: moved };
    expect(await agentStatus("claude", { ...places(), env })).toMatchObject({
      state: "absent",
      file: join(moved, "settings.json"),
    });
  });

  test("a person's own hook script of the same name is not replaced", async () => {
    put(join(home, ".cline/hooks/PreToolUse"), "#!/bin/sh\necho mine\n");
    expect(await planChange("cline", "install", places())).toMatchObject({ ok: false });
  });
});

describe("what keeps hooks from running is named", () => {
  const rows: readonly [AgentChange["agent"], string, string, string][] = [
    ["claude", "~/.claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
    ["claude", ".claude/settings.local.json", '{"disableAllHooks": true,}', "disableAllHooks"],
    ["codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"],
    ["codex", "~/.codex/config.toml", "features = { hooks = false }\n", "features.hooks"],
    ["gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"],
    [
      "gemini",
      ".gemini/settings.json",
      '{"hooksConfig": {"disabled": ["countersign"]}}',
      "hooksConfig.disabled",
    ],
    ["copilot", "~/.copilot/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
    ["qwen", ".qwen/settings.json", '// off\n{"disableAllHooks": true}', "disableAllHooks"],
  ];
  test.each(rows)("%s: %s", async (agent, file, text, setting) => {
    const path = file.startsWith("~/") ? join(home, file.slice(2)) : join(workspace, file);
    put(path, text);
    expect((await agentStatus(agent, places())).switchedOff).toEqual([{ file: path, setting }]);
  });

  test("and what does not is not", async () => {
    put(join(workspace, ".claude/settings.json"), '{"disableAllHooks": false, "hooks": {}}');
    put(join(workspace, ".gemini/settings.json"), '{"hooksConfig": {"disabled": ["another"]}}');
    put(join(workspace, ".codex/config.toml"), "[features]\nhooks = true\n");
    for (const agent of outsideAgents) expect((await agentStatus(agent, places())).switchedOff).toEqual([]);
  });

  test("Codex's review of our hook is looked for, never written", async () => {
    await change("codex", "install");
    expect(await agentStatus("codex", places())).toMatchObject({ state: "installed", reviewed: false });
    const config = join(home, ".codex/config.toml");
    expect(existsSync(config)).toBe(false);
    put(config, `[hooks.state."${home}/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n`);
    expect(await agentStatus("codex", places())).toMatchObject({ reviewed: true });
  });
});

describe("an agent among the ancestors", () => {
  const tree =
    (...list: readonly (readonly string[])[]) =>
    (pid: number) => {
      const words = list[list.length - pid + 1];
      return words === undefined ? undefined : { parent: pid - 1, words };
    };
  const rows: readonly [readonly (readonly string[])[], string | undefined][] = [
    [[["-bash"], ["/usr/bin/gnome-terminal-server"], ["/usr/lib/systemd/systemd"]], undefined],
    [[["/bin/zsh", "-l"], ["tmux: server"]], undefined],
    [[["sh", "-c"], ["/opt/claude/bin/claude"], ["bash"]], "claude"],
    [[["sh"], ["node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"]], "codex.js"],
    [[["bash"], ["/usr/share/code/code", "--type=utility"]], "code"],
    [[["sh"], ["C:\\tools\\gemini.exe"]], "gemini.exe"],
    [[["vim", "claude.md"]], undefined],
  ];
  test.each(rows)("%j", (list, expected) => {
    expect(agentAncestor(list.length + 1, tree(...list))).toBe(expected);
  });

  test("that cannot be told counts as one", () => {
    expect(agentAncestor(7, () => undefined)).toBe("unknown");
    expect(agentAncestor(7, () => ({ parent: 7, words: ["sh"] }))).toBe("unknown");
  });

  test("this very process has ancestors that can be told", () => {
    expect(agentAncestor()).not.toBe("unknown");
  });
});
