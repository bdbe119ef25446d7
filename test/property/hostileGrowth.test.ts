/** No text makes a guard fail, and none makes it slower than its length: one part over and over, through the whole chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Evaluation } from "../../src/core/evaluation";
import { createHooks, type Hooks } from "../../src/node/hooks";
import { HOSTILE_PARTS } from "./hostileParts";

const KB = 1024;
const GROWTH = 2.5;
/** What the clock and the collector add to a short run, in milliseconds of processor time. */
const NOISE = 40;
const folder = mkdtempSync(join(tmpdir(), "countersign-hostile-"));
let hooks: Hooks;

beforeAll(async () => {
  hooks = await createHooks({ roots: [folder], env: {} });
});
afterAll(async () => {
  await hooks.close();
  rmSync(folder, { recursive: true, force: true });
});

const filled = (part: string, kb: number): string =>
  part.repeat(Math.floor((kb * KB) / part.length)).slice(0, kb * KB);

async function judged(
  tool: string,
  args: Record<string, unknown>,
): Promise<{ ms: number; said: Evaluation }> {
  const call = hooks.call(tool, args, { cwd: folder, extra: { shell: "bash" } });
  // This thread alone: workers and the rest of the machine do not count.
  const began = process.threadCpuUsage();
  const said = await hooks.governor.evaluate(call);
  const { user, system } = process.threadCpuUsage(began);
  return { ms: (user + system) / 1000, said };
}

/** Times the work for twice the length, the larger of two doublings. A busy machine may slow one run: the least of three counts. */
async function growth(text: (kb: number) => string): Promise<number> {
  const ms = async (kb: number) => (await judged("run_in_terminal", { command: text(kb) })).ms;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && least > GROWTH; round++) {
    const [small, middle, large] = [await ms(8), await ms(16), await ms(32)];
    least = Math.min(least, Math.max((middle - NOISE) / small, (large - NOISE) / middle));
  }
  return least;
}

const DOORS: readonly (readonly [tool: string, args: (text: string) => Record<string, unknown>])[] = [
  ["run_in_terminal", (text) => ({ command: text })],
  ["db_query_sql", (sql) => ({ sql })],
  ["create_file", (content) => ({ filePath: join(folder, "a"), content })],
  ["mcp_server_run", (text) => ({ command: text, path: text, query: text, note: text })],
];

test.each(DOORS)("%s answers every hostile text by a rule", { timeout: 120_000 }, async (tool, args) => {
  const broken: string[] = [];
  for (const part of HOSTILE_PARTS) {
    const { said } = await judged(tool, args(filled(part, 16)));
    if (said.broken || said.trail.some(({ note }) => /broken|no answer/.test(note ?? "")))
      broken.push(`${JSON.stringify(part)}: ${said.reason ?? ""}`);
  }
  expect(broken).toEqual([]);
});

test("a terminal text takes time in step with its length", { timeout: 240_000 }, async () => {
  const grows: string[] = [];
  for (const part of HOSTILE_PARTS) {
    const ratio = await growth((kb) => filled(part, kb));
    if (ratio > GROWTH) grows.push(`${JSON.stringify(part)}: ${ratio.toFixed(1)} times for twice the length`);
  }
  expect(grows).toEqual([]);
});

/** A cap may not become a way through: what stands behind the flood is asked about all the same. */
test.each([
  "npx ".repeat(16_000),
  "bq ".repeat(20_000),
  `${"nohup ".repeat(40)}rm .vscode/settings.json`,
  `${"a; ".repeat(5000)}rm .vscode/settings.json`,
  `${"a ".repeat(5000)}; rm .vscode/settings.json`,
  `${"cd a; ".repeat(3000)}rm ../.vscode/settings.json`,
  `${Array.from({ length: 400 }, (_, i) => `A${i}=/x; `).join("")}rm $A1`,
  `cat ${"$A ".repeat(10_000)}; rm .git/hooks/pre-commit`,
  `cat ${"* ".repeat(10_000)}; rm .git/hooks/pre-commit`,
  `cat ${Array.from({ length: 1000 }, (_, i) => `x${i}*`).join(" ")} .e*`,
])("what is too much to read is never allowed", { timeout: 30_000 }, async (command) => {
  const { said } = await judged("run_in_terminal", { command });
  expect(said.kind).not.toBe("allow");
  expect(said.broken).toBe(false);
});
