/** One PreToolUse hook as VS Code runs it, against the bare start of the same runtime through the same shell. Medians of 15 interleaved pairs. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const name = "hook round trip";

const PAIRS = 15;

export async function bench({ root }) {
  const core = createRequire(import.meta.url)(join(root, "dist/core.js"));
  const home = mkdtempSync(join(tmpdir(), "cs-bench-"));
  const plugin = join(root, "dist/agent-plugin");
  const manifest = JSON.parse(readFileSync(join(plugin, "hooks/hooks.json"), "utf8"));
  const line = manifest.hooks.PreToolUse[0].hooks[0].command;
  const { startBroker } = core["node/broker"];
  const quiet = { info() {}, warn() {}, error() {} };
  const broker = await startBroker({ handle: async () => ({ stdout: "" }), log: quiet });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLAUDE_PLUGIN_ROOT: plugin,
    COUNTERSIGN_NODE: process.execPath,
    COUNTERSIGN_SOCKET: broker.socket,
    COUNTERSIGN_NONCE: broker.nonce,
  };
  const payload = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "run_in_terminal",
    tool_input: { command: "ls" },
    tool_use_id: "c__vscode-1",
    cwd: home,
  });
  const hooks = [];
  const bare = [];
  const shell = [];
  try {
    for (let i = 0; i <= PAIRS; i += 1) {
      const hook = await run(line, env, payload);
      if (hook.stdout !== "") throw new Error(`the hook answered ${hook.stdout}`);
      const start = await run(`"${process.execPath}" -e 0`, env, payload);
      const plain = await run(":", env, payload);
      if (i === 0) continue;
      hooks.push(hook.ms);
      bare.push(start.ms);
      shell.push(plain.ms);
    }
  } finally {
    await broker.close();
    rmSync(home, { recursive: true, force: true });
  }
  const added = median(hooks) - median(bare);
  return {
    measures: {
      "hook (ms)": median(hooks),
      "bare runtime (ms)": median(bare),
      "shell alone (ms)": median(shell),
      "added by the client (ms)": added,
    },
    ratios: { "hook to bare runtime": { value: median(hooks) / median(bare), goal: 1.3 } },
  };
}

function run(line, env, input) {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", line], { env, stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("close", () => resolve({ ms: performance.now() - began, stdout }));
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
