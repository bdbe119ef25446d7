/** What `agents status` says of real calls, from the log of the folder. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { runAgents } from "../../src/cli/agents";
import { applyChange, planChange } from "../../src/node/agentSettings";
import { openAuditLog } from "../../src/node/auditWriter";
import { tempFolder } from "../agents/pluginBench";

const temp = tempFolder();
let home = "";
let folder = "";
let count = 0;
beforeEach(() => {
  count += 1;
  home = join(realpathSync(temp.path), `home${count}`);
  folder = join(realpathSync(temp.path), `work${count}`);
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(folder, ".countersign"), { recursive: true, mode: 0o700 });
  vi.stubEnv("HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => temp.remove());

async function status(...argv: string[]): Promise<string> {
  let out = "";
  const code = await runAgents(["status", ...argv], {
    stdout(text) {
      out += text;
    },
    stderr: () => undefined,
    lines: (async function* () {})(),
    stdin: (async function* () {})(),
    env: { PATH: "" },
    cwd: folder,
  });
  expect(code).toBe(0);
  return out;
}

async function record(...calls: readonly { readonly agent: string; readonly tool: string }[]) {
  const path = join(folder, ".countersign/storage/default/audit.jsonl");
  const log = await openAuditLog({ path, role: "cli", version: "0" });
  for (const call of calls) await log.append({ event: "call", decision: "allow", error: null, ...call });
  await log.close();
}

test("the newest call of each agent comes from the log", async () => {
  await record({ agent: "claude", tool: "Read" }, { agent: "claude", tool: "Bash" });
  const [claude, codex] = JSON.parse(await status("--json", "claude", "codex"));
  expect(claude.coverage.lastCall).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), tool: "Bash" });
  expect(codex.coverage.lastCall).toBeNull();
  expect(codex.coverage.blindSpots).toContain("typedInput");
});

test("a server's call and a tool of ours prove no hook", async () => {
  await record({ agent: "claude", tool: "mcp__git__log" }, { agent: "claude", tool: "db_query_sql" });
  const [claude] = JSON.parse(await status("--json", "claude"));
  expect(claude.coverage.lastCall).toBeNull();
});

test("a hook beside ours is told, as far as ours is there", async () => {
  const theirs = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ command: "./fmt.sh\u202e" }] }] } });
  mkdirSync(join(folder, ".claude"));
  writeFileSync(join(folder, ".claude/settings.json"), theirs);
  const [before] = JSON.parse(await status("--json", "claude"));
  expect(before.coverage.foreign).toEqual([]);
  const planned = await planChange("claude", "install", { home, env: {} });
  if (!planned.ok) throw new Error(planned.message);
  await applyChange(planned.change, { home, env: {} });
  const [claude] = JSON.parse(await status("--json", "claude"));
  const file = join(folder, ".claude/settings.json");
  expect(claude.coverage.foreign).toEqual([{ file, runs: "./fmt.sh\u202e" }]);
  expect(await status("claude")).toContain(`another hook beside it: ./fmt.sh\\u{202E} in ${file}`);
});

test("a folder without a log has seen no call", async () => {
  const [claude] = JSON.parse(await status("--json", "claude"));
  expect(claude.coverage).toMatchObject({ lastCall: null });
  expect(["not-installed", "not-governed"]).toContain(claude.coverage.state);
});
