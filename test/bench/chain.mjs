/** The whole chain in one process: guards, decision, durable intent, handler, record. Each figure is the median of five rounds. */
import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const name = "chain in process";

const ROUNDS = 5;
const CALLS = 400;

/** No two calls are alike: what guards remember of a text must not stand in for reading one. */
const calls = [
  (n) => [
    "db_query_sql",
    {
      sql: `SELECT u.id, count(*) FROM users u JOIN orders o ON o.user_id = u.id WHERE u.id > ${n} GROUP BY u.id`,
    },
  ],
  (n) => ["run_in_terminal", { command: `npm test -- --shard=${n}/9 && git status --short` }],
  (n) => ["read_file", { filePath: `src/index${n}.ts` }],
  (n) => ["create_file", { filePath: `src/new${n}.ts`, content: "export const a = 1;\n".repeat(20) }],
  (n) => ["mcp_github_list_issues", { owner: "a", repo: `b${n}` }],
];
let made = 0;
const next = (i) => {
  made += 1;
  return calls[i % calls.length](made);
};

export async function bench({ root }) {
  const { createHooks } = createRequire(import.meta.url)(join(root, "dist/library.js"));
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const p50 = [];
  const p99 = [];
  const judged = [];
  const bare = [];
  try {
    const hooks = await createHooks({ auditPath: join(folder, "audit.jsonl"), roots: [folder], env: {} });
    for (let round = 0; round <= ROUNDS; round += 1) {
      const times = await timed(CALLS, (i) => hooks.govern(...next(i), () => "ok"));
      const only = await timed(CALLS, (i) => hooks.governor.evaluate(hooks.call(...next(i))));
      const line = "x".repeat(600);
      const file = join(folder, "bare.jsonl");
      const plain = await timed(CALLS, () => {
        createHash("sha256").update(line).digest("hex");
        appendFileSync(file, `${line}\n`);
      });
      // The first round warms up.
      if (round === 0) continue;
      p50.push(quantile(times, 0.5));
      p99.push(quantile(times, 0.99));
      judged.push(quantile(only, 0.5));
      bare.push(quantile(plain, 0.5));
    }
    await hooks.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const measures = {
    "governed call p50 (ms)": median(p50),
    "governed call p99 (ms)": median(p99),
    "judging alone p50 (ms)": median(judged),
    "bare hash and append p50 (ms)": median(bare),
  };
  const ratios = {
    "governed call p50 to 0.5 ms": { value: median(p50) / 0.5, goal: 1 },
    "governed call p99 to 5 ms": { value: median(p99) / 5, goal: 1 },
    "governed call to bare hash and append": { value: median(p50) / median(bare) },
  };
  return { measures, ratios };
}

async function timed(count, run) {
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const began = performance.now();
    await run(i);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
const median = (values) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
