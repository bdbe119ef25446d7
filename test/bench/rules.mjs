/** What rules that do not match add to a call: the same calls judged with 200 rules and without any. Each figure is the median of five rounds. */
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const name = "rules";

const ROUNDS = 5;
const CALLS = 2000;
const RULES = 200;
const GOAL_MS = 0.2;

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
  const figure = (key) => Math.max(0, median(added[key]));
  return {
    measures: {
      "added by 200 rules, known tool names p50 (ms)": figure("known"),
      "added by 200 rules, every name new p50 (ms)": figure("fresh"),
      "added by 200 rules, 66 patterns on the SQL p50 (ms)": figure("sql"),
    },
    ratios: {
      "rules on known names to 0.2 ms": { value: figure("known") / GOAL_MS, goal: 1 },
      "rules on new names to 0.2 ms": { value: figure("fresh") / GOAL_MS, goal: 1 },
      "rules on arguments to 0.2 ms": { value: figure("sql") / GOAL_MS, goal: 1 },
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
