/** Activation in the real editor: what our own code takes inside `activate`, and the bare load of the bundle. Medians of five. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureHost } from "../../scripts/setup.mjs";
import { closeSession, evaluate, openSession } from "../e2e/harness.mjs";

export const name = "activation";

const ROUNDS = 5;

export async function bench({ root }) {
  spawnSync(process.execPath, [join(root, "scripts/package.mjs")], { stdio: "ignore" });
  await ensureHost();
  const inside = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = await openSession({ name: "bench-activation" });
    try {
      const code = `return vscode.extensions.getExtension("countersign.countersign").exports.summary().activatedInMs`;
      inside.push(await evaluate(session, code));
    } finally {
      await closeSession(session);
    }
  }
  const load = Array.from({ length: ROUNDS }, () => {
    const script = `const t = performance.now(); require(${JSON.stringify(join(root, "dist/core.js"))}); process.stdout.write(String(performance.now() - t))`;
    return Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout);
  });
  return {
    measures: { "inside activate (ms)": median(inside), "load of core.js (ms)": median(load) },
    ratios: { "activation to 50 ms": { value: median(inside) / 50, goal: 1 } },
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
