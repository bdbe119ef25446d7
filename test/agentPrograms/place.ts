/** A home and a workspace of its own for one run of an agent program, governed as the extension would set it up. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { plannedInstall, plannedUninstall } from "../../src/agents/install/installPlan";
import { type Plan, plans } from "../../src/agents/install/settingsPlan";
import { hookProgram, writeLauncher } from "../../src/node/launcherFiles";
import { writeLocator } from "../../src/node/locator";
import type { Heard, ModelCall } from "./modelWire";
import type { Program } from "./programs";
import { startModel } from "./scriptedModel";

const root = join(import.meta.dirname, "../..");
/** Where `scripts/testAgents.mjs` put the programs, and the product that it built. */
export const cache = join(root, ".agent-programs");
const dist = process.env.COUNTERSIGN_TEST_DIST ?? join(root, "out/agents-dist");

export interface Ran {
  readonly heard: Heard;
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
}

export interface Place {
  readonly home: string;
  readonly workspace: string;
  /** The agent's settings file that the hook is installed in. */
  readonly settings: string;
  install(): void;
  uninstall(): void;
  /** Makes this process the window that has the workspace open. */
  openWindow(ends: { socket: string; nonce: string; http?: string }): void;
  /** Lets the model make the calls, one after the other, and waits for the end. */
  run(calls: readonly ModelCall[], more?: RunOptions): Promise<Ran>;
  /** True when a file of that name is in the workspace. */
  has(file: string): boolean;
  read(file: string): string;
  remove(): void;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly seconds?: number;
  readonly onStart?: (child: ChildProcess) => void;
}

export function makePlace(program: Program): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `cs-${program.id}-`)));
  const home = join(base, "home");
  const workspace = join(base, "shop");
  mkdirSync(home);
  mkdirSync(workspace);
  for (const [name, value] of Object.entries(program.settings ?? {}))
    put(join(home, name), `${JSON.stringify(value, null, 2)}\n`);
  writeLauncher({ home, runtime: process.execPath, dist });
  const plan = planOf(program, home);
  const settings = join(home, ...plan.file.below);
  const text = (): string | undefined => (existsSync(settings) ? readFileSync(settings, "utf8") : undefined);
  let made: Parameters<typeof plannedUninstall>[1]["made"] = [];
  return {
    home,
    workspace,
    settings,
    install() {
      const planned = plannedInstall(text(), plan.file);
      if (!planned.ok) throw new Error(planned.message);
      made = planned.value.made;
      put(settings, planned.value.text);
    },
    uninstall() {
      const planned = plannedUninstall(text() ?? "{}", { file: plan.file, made });
      if (!planned.ok) throw new Error(planned.message);
      put(settings, planned.text);
    },
    openWindow: (ends) => writeLocator(home, { pid: process.pid, folders: [workspace], ...ends }),
    run: (calls, more = {}) => runProgram(program, { home, workspace, calls, ...more }),
    has: (file) => existsSync(join(workspace, file)),
    read: (file) => readFileSync(join(workspace, file), "utf8"),
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function planOf(program: Program, home: string): Extract<Plan, { kind: "settings" }> {
  const openCodePlugin = pathToFileURL(join(home, ".countersign/bin/opencode.mjs")).href;
  const plan = plans[program.id]({ hook: hookProgram(home), openCodePlugin });
  if (plan.kind !== "settings") throw new Error("a program here has a settings file");
  return plan;
}

export function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The environment is made from nothing: no key, proxy or setting of the machine reaches the program. */
export async function runProgram(
  program: Program,
  given: RunOptions & { home: string; workspace: string; calls: readonly ModelCall[] },
): Promise<Ran> {
  const { home, workspace, calls } = given;
  const model = await startModel(calls);
  const name = {
    claude: "claude",
    codex: "codex",
    gemini: "gemini",
    opencode: "opencode",
    copilot: "copilot",
    qwen: "qwen",
  };
  const file = realpathSync(join(cache, program.id, "node_modules/.bin", name[program.id]));
  const args = program.args({ port: model.port, home });
  const [command, all] = program.kind === "native" ? [file, args] : [process.execPath, [file, ...args]];
  const began = performance.now();
  const child = spawn(command, all, {
    cwd: workspace,
    env: {
      PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      HOME: home,
      TMPDIR: tmpdir(),
      LANG: "C.UTF-8",
      TERM: "dumb",
      NO_COLOR: "1",
      // It unpacks itself there once.
      ...(program.id === "copilot" ? { XDG_CACHE_HOME: join(cache, "copilot/cache") } : {}),
      ...program.env({ port: model.port, home }),
      ...given.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  given.onStart?.(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  const late = setTimeout(end, 1000 * (given.seconds ?? 240));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(late);
  end();
  model.close();
  const heard = model.heard();
  // A program that never starts runs nothing either.
  if (heard.tools.length === 0) throw new Error(`${program.title} did not ask its model:\n${output}`);
  return { heard, code, output, ms: performance.now() - began };
}
