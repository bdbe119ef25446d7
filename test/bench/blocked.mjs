/** How long one governed call of hostile length keeps the event loop from everything else: the longest stretch of each. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

export const name = "event loop under hostile calls";

const GOAL_MS = 50;
const KB = 1024;
const filled = (part, kb) => part.repeat(Math.floor((kb * KB) / part.length));

/** What is sent, by door. */
const TEXTS = {
  "30 open brackets": `SELECT ${"(".repeat(30)}`,
  "1 MB of text": filled("SELECT 1 ", 1024),
  "100,000 statements": "SELECT 1;".repeat(100_000),
  "NUL bytes": filled("\0", 64),
  "lone surrogates": filled("\ud800", 64),
  "256 KB of calls": `SELECT ${filled("f(", 255)}`,
  "256 KB of brackets": `SELECT ${filled("[ ", 255)}`,
  "64 KB of programs": filled("npx ", 63),
  "64 KB of commands": filled("a; ", 63),
  "64 KB of folders": filled("cd a; ", 63),
  "64 KB of variables": filled("$A ", 63),
  "64 KB of wildcards": filled("* ", 63),
  "64 KB of one wildcard": filled("*/", 63),
  "64 KB of quotes": filled("' ", 63),
  "64 KB of substitutions": filled("$(a) ", 63),
  "64 KB of one heredoc": `cat > a <<'A'\n${filled("let a = f(1);\n", 62)}A\n`,
};
const BASH = { extra: { shell: "bash" } };
/** The arguments of each tool, and what else the door knows of the call. */
const DOORS = {
  run_in_terminal: { args: (command) => ({ command }), more: BASH },
  "run_in_terminal of PowerShell": { args: (command) => ({ command }), more: { extra: { shell: "pwsh" } } },
  db_query_sql: { args: (sql) => ({ sql }) },
  create_file: { args: (content) => ({ filePath: "a.txt", content }) },
  mcp_server_run: { args: (note) => ({ note, command: note, path: note, query: note }), more: BASH },
};
/** Guards that are on: any of them may be off. */
const GUARDS = {
  "all guards": {},
  "destructive_sql alone": { self_protection: false, path_allowlist: false },
  "self_protection alone": { destructive_sql: false, path_allowlist: false },
  "path_allowlist alone": { destructive_sql: false, self_protection: false },
};

export async function bench({ root }) {
  const { createHooks } = createRequire(import.meta.url)(join(root, "dist/library.js"));
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const measures = {};
  const ratios = {};
  try {
    for (const [guards, chain] of Object.entries(GUARDS)) {
      const auditPath = join(folder, `${Object.keys(measures).length}.jsonl`);
      const hooks = await createHooks({ auditPath, roots: [folder], env: {}, log, config: { chain } });
      // One guard of several does no other work in the other tools.
      const doors = Object.entries(DOORS).filter(
        ([door]) => guards === "all guards" || door.startsWith("run_in"),
      );
      for (const [door, { args, more }] of doors) {
        const worst = await worstOf(hooks, {
          tool: door.split(" ")[0],
          args,
          more: { cwd: folder, ...more },
        });
        measures[`host blocked (ms): ${door}, ${guards}, ${worst.what}`] = worst.ms;
        measures[`of that own work (ms): ${door}, ${guards}`] = worst.cpu;
        ratios[`host blocked by ${door}, ${guards}, to ${GOAL_MS} ms`] = {
          value: worst.ms / GOAL_MS,
          goal: 1,
        };
      }
      await hooks.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { measures, ratios };
}

async function worstOf(hooks, { tool, args, more }) {
  let worst = { ms: 0, cpu: 0, what: "" };
  for (const [what, text] of Object.entries(TEXTS)) {
    const found = await blocked(() => hooks.governor.govern(hooks.call(tool, args(text), more), () => "ok"));
    if (found.ms > worst.ms) worst = { ...found, what };
  }
  return worst;
}

/** A busy machine may lengthen one call, and the next; what we do ourselves lengthens all of them. */
const ROUNDS = 8;

/** The longest stretch of the best of several calls, in milliseconds, and what of it this thread worked. */
async function blocked(run) {
  let best = { ms: Number.POSITIVE_INFINITY, cpu: 0 };
  for (let round = 0; round < ROUNDS && best.ms > GOAL_MS; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await new Promise((done) => setTimeout(done, 5));
    delay.reset();
    const work = longestWork();
    await run();
    await new Promise((done) => setTimeout(done, 5));
    delay.disable();
    const cpu = work.end();
    const ms = delay.max / 1e6;
    if (ms < best.ms) best = { ms, cpu };
  }
  return best;
}

/** The most CPU time, in milliseconds, that this thread takes between two turns of its event loop. */
function longestWork() {
  let longest = 0;
  let before = process.threadCpuUsage();
  let turn = setImmediate(function look() {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    turn = setImmediate(look);
  });
  return {
    end() {
      clearImmediate(turn);
      return longest;
    },
  };
}
