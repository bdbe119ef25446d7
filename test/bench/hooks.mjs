/**
 * One pre hook end to end, as each kind of agent starts it, judged by the real chain: the plugin's line that VS Code runs, and the
 * launcher of all other agents, each against the bare start of what it runs on. Medians over interleaved rounds.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const name = "hook round trip";

const CALLS = 200;

/** No two calls are alike: what guards remember of a text must not stand in for reading one. */
const payloadOf = (cwd, host, call) => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: host === "vscode" ? "run_in_terminal" : "Bash",
  tool_input: { command: `npm test -- --shard=${call}/9 && git status --short` },
  cwd,
});

/** A window with everything a real one has but the editor. */
async function openWindow(root, folder) {
  const require = createRequire(import.meta.url);
  const core = require(join(root, "dist/core.js"));
  const { createHooks } = require(join(root, "dist/library.js"));
  const hooks = await createHooks({ auditPath: join(folder, "audit.jsonl"), roots: [folder], env: {} });
  const { nodeClock: clock, nodeIds: ids, sha256: hash } = core["node/ports"];
  const log = { info() {}, warn() {}, error() {} };
  const door = core["agents/hookDoor"].createHookDoor({
    governor: hooks.governor,
    isOwnTool: () => false,
    canonicalName: core["agents/toolFacts"].canonicalName,
    profile: () => "default",
    hash,
    clock,
    ids,
    log,
  });
  const inside = [];
  const handle = async (request, ctx) => {
    const began = performance.now();
    const answer = await door(request, ctx);
    inside.push(performance.now() - began);
    return answer;
  };
  const broker = await core["node/broker"].startBroker({ handle, log });
  core["node/launcherFiles"].writeLauncher({
    home: folder,
    runtime: process.execPath,
    dist: join(root, "dist"),
  });
  core["node/locator"].writeLocator(folder, { pid: process.pid, folders: [folder], ...broker });
  return { broker, hooks, inside };
}

export async function bench({ root }) {
  const folder = mkdtempSync(join(tmpdir(), "cs-bench-"));
  mkdirSync(join(folder, ".countersign"), { mode: 0o700 });
  const plugin = join(root, "dist/agent-plugin");
  const manifest = JSON.parse(readFileSync(join(plugin, "hooks/hooks.json"), "utf8"));
  const { broker, hooks, inside } = await openWindow(root, folder);
  const env = { PATH: process.env.PATH, HOME: folder };
  const editor = {
    ...env,
    CLAUDE_PLUGIN_ROOT: plugin,
    COUNTERSIGN_NODE: process.execPath,
    COUNTERSIGN_SOCKET: broker.socket,
    COUNTERSIGN_NONCE: broker.nonce,
    COUNTERSIGN_HTTP: broker.http,
  };
  const shell = (line) => ["/bin/sh", ["-c", line]];
  const node = `"${process.execPath}"`;
  const curl = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].find(existsSync);
  const launcher = join(folder, ".countersign/bin/hook");
  const kinds = {
    launcher: { run: [launcher, ["claude", "pre"]], env, host: "claude" },
    "bare start of curl": { run: shell(`${curl} -q --version; :`), env },
    "Node client instead": {
      run: shell(`${node} "${join(root, "dist/cli.js")}" hook --agent claude --event pre --token; :`),
      env,
      host: "claude",
      says: "CS1 0 ",
    },
    "plugin line": { run: shell(manifest.hooks.PreToolUse[0].hooks[0].command), env: editor, host: "vscode" },
    "plugin line without curl": {
      run: shell(manifest.hooks.PreToolUse[0].hooks[0].command),
      env: { ...editor, COUNTERSIGN_HTTP: undefined },
      host: "vscode",
    },
    "bare start of Node": { run: shell(`${node} -e 0; :`), env },
  };
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const broke = [];
  try {
    for (let call = 0; call <= CALLS; call += 1) {
      for (const [kind, { run, env: own, host, says = "" }] of Object.entries(kinds)) {
        // The comparisons with Node need fewer rounds.
        if (/Node|without/.test(kind) && call % 4 !== 0) continue;
        const input = JSON.stringify({ ...payloadOf(folder, host, call), tool_use_id: `${kind} ${call}` });
        inside.length = 0;
        const ran = await start(run, own, input);
        if (host !== undefined && (ran.stdout !== says || ran.code !== 0))
          throw new Error(`${kind} ended with ${ran.code} and said ${ran.stdout}`);
        if (call === 0) continue;
        times[kind].push(ran.ms);
        if (kind === "launcher") broke.push(...inside);
      }
    }
  } finally {
    await broker.close();
    await hooks.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (kind) => median(times[kind]);
  return {
    measures: {
      ...Object.fromEntries(Object.keys(kinds).map((kind) => [`${kind} (ms)`, of(kind)])),
      "broker and chain (ms)": median(broke),
    },
    ratios: {
      "launcher to 25 ms": { value: of("launcher") / 25, goal: 1 },
      "broker and chain to 2 ms": { value: median(broke) / 2, goal: 1 },
      "launcher to its bare runtime": { value: of("launcher") / of("bare start of curl"), goal: 1.3 },
      // Since it starts curl, as the launcher does.
      "plugin line to its bare runtime": {
        value: of("plugin line") / of("bare start of curl"),
        goal: 1.3,
      },
      "plugin line without curl to the bare start of Node": {
        value: of("plugin line without curl") / of("bare start of Node"),
      },
    },
  };
}

function start([program, args], env, input) {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd: env.HOME, stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("close", (code) => resolve({ ms: performance.now() - began, stdout, code }));
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
