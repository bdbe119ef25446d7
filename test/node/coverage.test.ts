/** What the map reads from the disk: programs, versions, hooks, logs, and the hook tried out. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentStatus } from "../../src/node/agentSettings";
import { agentCoverage, factsOf, foreignOf, isHookCall } from "../../src/node/coverageAgents";
import { newProbe, pluginLine, runProbe } from "../../src/node/coverageProbe";
import { findProgram } from "../../src/node/coverageProgram";
import { writeLauncher } from "../../src/node/launcherFiles";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "countersign-coverage-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, text: string, mode = 0o644): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}
const env = (path = "") => ({ home, env: { PATH: path }, platform: "linux" as const });

describe("programs", () => {
  test("a package of npm tells its version", async () => {
    const main = put("lib/node_modules/@openai/codex/bin/codex.js", "#!/usr/bin/env node", 0o755);
    put("lib/node_modules/@openai/codex/package.json", '{"name":"@openai/codex","version":"0.171.0"}');
    mkdirSync(join(home, "bin"));
    symlinkSync(main, join(home, "bin/codex"));
    expect(await findProgram("codex", env(join(home, "bin")))).toEqual({
      path: join(home, "bin/codex"),
      version: "0.171.0",
    });
  });
  test("so does a folder that is named by it", async () => {
    put(".local/share/claude/versions/2.1.332", "", 0o755);
    mkdirSync(join(home, ".local/bin"), { recursive: true });
    symlinkSync(join(home, ".local/share/claude/versions/2.1.332"), join(home, ".local/bin/claude"));
    expect((await findProgram("claude", env()))?.version).toBe("2.1.332");
  });
  test("another package around it does not", async () => {
    put("project/package.json", '{"name":"shop","version":"9.9.9"}');
    put("project/bin/gemini", "", 0o755);
    expect(await findProgram("gemini", env(join(home, "project/bin")))).toEqual({
      path: join(home, "project/bin/gemini"),
    });
  });
  test("what cannot be run is none, nor is a place relative to nowhere", async () => {
    put("bin/qwen", "", 0o644);
    put("tools/codex", "", 0o755);
    expect(await findProgram("codex", env(relative(process.cwd(), join(home, "tools"))))).toBeUndefined();
    expect(await findProgram("qwen", env(`${join(home, "bin")}:.:node_modules/.bin`))).toBeUndefined();
    expect(await findProgram("vscode", env())).toBeUndefined();
  });
});

describe("an agent's facts", () => {
  const places = () => ({ ...env(), workspace: join(home, "work") });
  test("a project's switch is named by file and key", async () => {
    const file = put("work/.claude/settings.json", '{"disableAllHooks": true}');
    const status = await agentStatus("claude", places());
    expect(factsOf(status, { program: undefined, launcher: true })).toMatchObject({
      id: "claude",
      hook: "absent",
      off: [{ file, key: "disableAllHooks" }],
      experimental: false,
    });
  });
  test("for programs: state, last call, blind spots", async () => {
    const seen = new Map([["codex", { at: 1_000, tool: "Bash" }]]);
    const status = await agentStatus("codex", places());
    expect(await agentCoverage(status, { ...places(), seen })).toEqual({
      state: "not-installed",
      lastCall: { at: "1970-01-01T00:00:01.000Z", tool: "Bash" },
      program: null,
      foreign: [],
      blindSpots: ["typedInput", "codexReview", "projectSwitches", "children"],
    });
  });
});

test("a server's call proves nothing of the agent's hook", () => {
  expect([isHookCall({ tool: "Bash" }), isHookCall({ tool: "mcp__git__log" })]).toEqual([true, false]);
});

test("hooks that are not ours, by agent", () => {
  const source = {
    path: "/w/.claude/settings.json",
    agents: ["claude", "vscode"],
    fact: "",
    off: [],
    foreign: ["fmt"],
  };
  const foreign = foreignOf([source], { except: (_path, agent) => agent === "vscode" });
  expect([foreign("claude"), foreign("vscode"), foreign("codex")]).toEqual([
    [{ file: source.path, runs: "fmt" }],
    [],
    [],
  ]);
});

describe("trying the hook out", () => {
  const probe = newProbe("1234");
  const line = (text: string) => ({ program: "/bin/sh", args: ["-c", text] });
  test("a denial of what cannot be read is as it must be", async () => {
    const answer = await runProbe(line("cat >&2; echo 'guard broken: x' >&2; exit 2"), probe, home);
    expect(answer.kind).toBe("denied");
  });
  test.each([
    ["silence", "cat >/dev/null"],
    ["an allow", 'cat >/dev/null; echo \'{"permissionDecision":"allow"}\''],
  ])("%s is not", async (_name, text) => {
    expect((await runProbe(line(text), probe, home)).kind).toBe("silent");
  });
  test("a missing program is told as such", async () => {
    const answer = await runProbe({ program: join(home, "gone"), args: [] }, probe, home);
    expect(answer).toMatchObject({ kind: "failed" });
  });
  test("the launcher itself denies where no window answers", async () => {
    const runtime = put("runtime", "", 0o700);
    chmodSync(home, 0o700);
    writeLauncher({ home, runtime, dist: join(home, "dist") });
    const hook = join(home, ".countersign/bin/hook");
    const answer = await runProbe({ program: hook, args: ["claude", "pre"] }, probe, home);
    expect(answer.kind).toBe("denied");
  });
  test("the editor's own line denies where its client is gone", async () => {
    const answer = await runProbe(await pluginLine(join(process.cwd(), "src/agents/plugin")), probe, home);
    expect(answer.kind).toBe("denied");
  });
});
