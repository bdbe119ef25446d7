/**
 * What a policy of a card costs a call: from the call's arguments to the verdict, through the card's own process. Cold =
 * with the start of that process; the overrun = how long after its timeout an endless loop is answered and gone.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export const name = "policies";

const CALLS = 2000;
const COLD = 7;
const TIMEOUT_MS = 300;
const GOALS = { p50: 0.2, p99: 5, cold: 400, overrun: 100 };

const guard = `import { defineToolPolicy } from "countersign/policy";
export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash", timeoutMs: ${TIMEOUT_MS},
  async beforeToolCall(event) {
    const command = String(event.input ?? "");
    if (command === "hang") for (;;) {}
    return command.includes("rm -rf /") ? { action: "deny", reason: "no" } : { action: "allow" };
  } });`;

const callOf = (command) => ({
  callId: "c",
  runId: "r",
  sessionId: "s",
  agent: "bench",
  toolName: "Bash",
  canonicalName: "Bash",
  input: { command },
  cwd: "/",
  profile: "default",
  traceId: "t",
  extra: {},
});
const NEVER = new AbortController().signal;
const quiet = { info() {}, warn() {}, error() {} };

export async function bench({ root }) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cs-bench-policies-")));
  try {
    const { openPolicies, nodeClock } = await runner(root, base);
    const open = (sources) => openPolicies(sources, { log: quiet, clock: nodeClock, onConsole() {} });
    const sources = card(base, "one", ["guard"]);
    const cold = [];
    for (let i = 0; i < COLD; i += 1) {
      const began = performance.now();
      const policies = await open(sources);
      await ask(policies, "ls -l");
      cold.push(performance.now() - began);
      await policies.dispose();
    }
    const policies = await open(sources);
    const bare = await bareRoundTrips(base);
    const small = await timed(policies, (i) => `git log --oneline -n ${i}`);
    const large = await timed(
      policies,
      (i) => `cat > notes-${i}.txt <<'EOF'\n${"a line of text\n".repeat(700)}EOF`,
    );
    const resident = residentOf("policyProcess");
    const overrun = [];
    for (let i = 0; i < COLD; i += 1) {
      await ask(policies, "ls");
      const began = performance.now();
      const { deny } = await ask(policies, "hang");
      if (deny === undefined) throw new Error("a loop was let through");
      overrun.push(performance.now() - began - TIMEOUT_MS);
    }
    await policies.dispose();
    const five = await open(card(base, "five", ["a", "b", "c", "d", "e"]));
    const several = await timed(five, (i) => `git log --oneline -n ${i}`);
    await five.dispose();
    return figures({ bare, cold, small, large, several, overrun, resident });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function figures({ bare, cold, small, large, several, overrun, resident }) {
  return {
    measures: {
      "a line to a process and back, nothing else p50 (ms)": at(bare, 0.5),
      "one policy, a command p50 (ms)": at(small, 0.5),
      "one policy, a command p99 (ms)": at(small, 0.99),
      "one policy, 10 KB p50 (ms)": at(large, 0.5),
      "five policies of a card, a command p50 (ms)": at(several, 0.5),
      "first call with the start of the process p50 (ms)": at(cold, 0.5),
      "endless loop answered after its timeout, worst (ms)": at(overrun, 1),
      "resident memory of a card's process (MB)": resident / 1024,
    },
    ratios: {
      "p50 to 0.2 ms": { value: at(small, 0.5) / GOALS.p50, goal: 1 },
      "p50 to that of a line to a process and back": { value: at(small, 0.5) / at(bare, 0.5), goal: 4 },
      "p99 to 5 ms": { value: at(small, 0.99) / GOALS.p99, goal: 1 },
      "first call to 400 ms": { value: at(cold, 0.5) / GOALS.cold, goal: 1 },
      "overrun of a loop to 100 ms": { value: at(overrun, 1) / GOALS.overrun, goal: 1 },
    },
  };
}

const at = (times, part) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];

function ask(policies, command) {
  const call = callOf(command);
  return policies.before(call, call.input, NEVER);
}

async function timed(policies, commandOf) {
  const { deny } = await ask(policies, "rm -rf /");
  if (deny?.reason !== "no") throw new Error("the policy does not judge");
  for (let i = 0; i < 300; i += 1) await ask(policies, commandOf(i));
  const times = [];
  for (let i = 0; i < CALLS; i += 1) {
    const command = commandOf(i);
    const began = performance.now();
    await ask(policies, command);
    times.push(performance.now() - began);
  }
  return times;
}

/** What the system takes for it on this machine, now. */
async function bareRoundTrips(base) {
  const echo = `const { Socket } = require("node:net");
const [input, output] = [new Socket({ fd: 3, writable: false }), new Socket({ fd: 4, readable: false })];
require("node:readline").createInterface({ input }).on("line", (line) => output.write(line + "\\n"));`;
  writeFileSync(join(base, "echo.cjs"), echo);
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [join(base, "echo.cjs")], { stdio });
  const times = [];
  for (let i = 0; i < CALLS; i += 1) {
    const began = performance.now();
    const heard = new Promise((resolve) => child.stdio[4].once("data", resolve));
    child.stdio[3].write(`${JSON.stringify(callOf(`git log --oneline -n ${i}`))}\n`);
    await heard;
    times.push(performance.now() - began);
  }
  child.kill();
  return times.slice(CALLS / 4);
}

/** The runner and its child as they are shipped, beside each other. */
async function runner(root, base) {
  const contents = `export { openPolicies } from "./src/node/policies/policyHost"; export { nodeClock } from "./src/node/ports";`;
  const common = { absWorkingDir: root, bundle: true, platform: "node", target: "node20", logLevel: "error" };
  const here = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  const stdin = { contents, resolveDir: root };
  await build({ ...common, stdin, format: "esm", outfile: join(base, "runner.mjs"), banner: { js: here } });
  const entryPoints = [join(root, "src/node/policies/policyProcess.ts")];
  await build({ ...common, entryPoints, format: "cjs", outfile: join(base, "policyProcess.js") });
  return import(pathToFileURL(join(base, "runner.mjs")).href);
}

function card(base, folderName, policies) {
  const folder = join(base, folderName);
  const files = policies.map((policy) => ({
    path: `hooks/${policy}/policy.ts`,
    sha256: createHash("sha256").update(guard).digest("hex"),
  }));
  for (const { path } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), guard);
  }
  return policies.map((policy, i) => ({
    name: `@bench/${folderName}/${policy}`,
    card: `@bench/${folderName}`,
    folder,
    entry: join(folder, files[i].path),
    files,
    digest: "",
  }));
}

/** Kilobytes of the child whose command line holds `name`; 0 where the system does not tell. */
function residentOf(name) {
  try {
    for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      if (!status.includes(`\nPPid:\t${process.pid}\n`)) continue;
      if (readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(name))
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    }
  } catch {
    // Another process ended while it was looked at.
  }
  return 0;
}
