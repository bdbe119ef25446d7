/**
 * What rules that do not match add to a call: the same calls with 200 rules and without any, judged by the library, and
 * made whole through a real MCP server, which looks at its configuration for each call. Each figure is the median of five rounds.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const name = "rules";

const ROUNDS = 5;
const CALLS = 2000;
const RULES = 200;
const GOAL_MS = 0.2;
const DOOR_CALLS = 150;
/** A configuration file counts as settled after this long, and is then not read again while it is the same. */
const SETTLED_MS = 3000;

/** A third each: names, patterns that need the engine, patterns on an argument of the very tool that is called. */
const rules = Array.from({ length: RULES }, (_, i) => ({
  name: `rule ${i}`,
  ...[
    { matcher: `mcp__server${i}__.*|vendor_${i}` },
    { matcher: `mcp__(?:shop|crm)${i}__(?:get|set)_[a-z]+` },
    { matcher: "db_.*", arg: { sql: `(?i)\\bdrop\\s+table\\s+secret_${i}\\b` } },
  ][i % 3],
  handlers: [{ type: "deny" }],
}));

const calls = [
  [
    "db_query_sql",
    { sql: "SELECT u.id, count(*) FROM users u JOIN orders o ON o.user_id = u.id GROUP BY u.id" },
  ],
  ["mcp_github_list_issues", { owner: "a", repo: "b" }],
  ["make_tea", { kind: "green" }],
];

export async function bench({ root }) {
  const { createHooks } = createRequire(import.meta.url)(join(root, "dist/library.js"));
  // Guards are off: they are the same on both sides and would only add noise.
  const chain = { path_allowlist: false, destructive_sql: false, self_protection: false, audit_log: false };
  const plain = await createHooks({ roots: [tmpdir()], env: {}, config: { chain } });
  const ruled = await createHooks({
    roots: [tmpdir()],
    env: {},
    config: { chain, hooks: { pre_tool_call: rules } },
  });
  const added = { known: [], fresh: [], sql: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const known = (i) => calls[1 + (i % 2)];
    const fresh = (i) => [`tool_${round}_${i}`, { kind: "green" }];
    const sql = () => calls[0];
    for (const [key, callOf] of Object.entries({ known, fresh, sql })) {
      const without = await timed(plain, callOf);
      const difference = (await timed(ruled, callOf)) - without;
      // The first round warms up.
      if (round > 0) added[key].push(difference);
    }
  }
  await Promise.all([plain.close(), ruled.close()]);
  const door = await throughDoor(root);
  const figure = (key) => Math.max(0, median(added[key]));
  return {
    measures: {
      "added by 200 rules, known tool names p50 (ms)": figure("known"),
      "added by 200 rules, every name new p50 (ms)": figure("fresh"),
      "added by 200 rules, 66 patterns on the SQL p50 (ms)": figure("sql"),
      "whole call through the MCP server, no rules p50 (ms)": door.plain,
      "added to it by 200 rules p50 (ms)": door.added,
    },
    ratios: {
      "rules on known names to 0.2 ms": { value: figure("known") / GOAL_MS, goal: 1 },
      "rules on new names to 0.2 ms": { value: figure("fresh") / GOAL_MS, goal: 1 },
      "rules on arguments to 0.2 ms": { value: figure("sql") / GOAL_MS, goal: 1 },
      "200 rules at the door to 0.2 ms": { value: door.added / GOAL_MS, goal: 1 },
    },
  };
}

async function timed(hooks, callOf) {
  const times = [];
  for (let i = 0; i < CALLS; i += 1) {
    const call = hooks.call(...callOf(i));
    const began = performance.now();
    await hooks.governor.evaluate(call);
    times.push(performance.now() - began);
  }
  return median(times);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Two servers side by side, asked in turn, each first every other time, so that what else the machine does weighs on both alike. */
async function throughDoor(root) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cs-bench-rules-")));
  const servers = [serverIn(root, join(base, "plain"), []), serverIn(root, join(base, "ruled"), rules)];
  try {
    for (const { ready } of servers) await ready();
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const plain = [];
    const added = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const times = [[], []];
      for (let i = 0; i < DOOR_CALLS; i += 1) {
        for (const index of i % 2 === 0 ? [0, 1] : [1, 0]) times[index].push(await oneCall(servers[index]));
      }
      if (round === 0) continue;
      plain.push(median(times[0]));
      added.push(median(times[1]) - median(times[0]));
    }
    return { plain: median(plain), added: Math.max(0, median(added)) };
  } finally {
    await Promise.all(servers.map(({ end }) => end()));
    rmSync(base, { recursive: true, force: true });
  }
}

async function oneCall({ ask }) {
  const began = performance.now();
  const { result } = await ask("tools/call", { name: "kb_search", arguments: { query: "green tea" } });
  if (JSON.parse(result.content[0].text).kind !== "ok") throw new Error(result.content[0].text);
  return performance.now() - began;
}

function serverIn(root, base, rulesOfIt) {
  const [home, folder] = [join(base, "home"), join(base, "ws")];
  for (const made of [home, join(folder, ".countersign")]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "gateway-hooks.json"), JSON.stringify({ hooks: { pre_tool_call: rulesOfIt } }));
  const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };
  const child = spawn(process.execPath, [join(root, "dist/mcp.js")], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const reply = JSON.parse(line);
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let last = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    });
  const ready = async () => {
    const clientInfo = { name: "bench", version: "1" };
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  };
  const end = () =>
    new Promise((resolve) => {
      child.once("close", resolve);
      child.stdin.end();
    });
  return { ask, ready, end };
}
