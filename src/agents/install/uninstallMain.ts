/**
 * The way out that needs no extension: `node uninstall.js`, run by the editor once the extension is gone, and
 * `uninstall.js agents uninstall AGENT…` by a person on a terminal. Small and alone; a copy lies in `~/.countersign/bin`.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { visibleText } from "../../core/visible";
import { applyPlan, unwrapPlans } from "../../mcp/wrap/wrappedServers";
import { agentAncestor } from "../../node/agentAncestor";
import { type AgentChange, applyChange, outsideAgents, planChange } from "../../node/agentSettings";

const places = { home: homedir(), env: process.env };

/** The editor marks what it removes, and only then runs this from the extension's own folder. */
function extensionIsRemoved(): boolean {
  const folder = dirname(__dirname);
  try {
    const marked: unknown = JSON.parse(readFileSync(join(dirname(folder), ".obsolete"), "utf8"));
    return typeof marked === "object" && marked !== null && Reflect.get(marked, basename(folder)) === true;
  } catch {
    return false;
  }
}

async function changes(names: readonly string[]): Promise<readonly AgentChange[]> {
  const wanted = outsideAgents.filter((agent) => names.length === 0 || names.includes(agent));
  const found: AgentChange[] = [];
  for (const agent of wanted) {
    const planned = await planChange(agent, "uninstall", places);
    if (!planned.ok) process.stderr.write(`countersign: ${planned.message}\n`);
    else if (planned.change.files.length > 0) found.push(planned.change);
  }
  return found;
}

async function agreed(all: readonly { readonly diff: readonly string[] }[]): Promise<boolean> {
  const agent = agentAncestor();
  if (agent !== undefined || !process.stdin.isTTY || !process.stderr.isTTY) {
    const why = agent === undefined ? "there is no terminal" : `this runs under ${agent}`;
    process.stderr.write(`countersign: nothing was changed: a person must agree, and ${why}\n`);
    return false;
  }
  process.stderr.write(
    `${all
      .flatMap(({ diff }) => diff)
      .map(visibleText)
      .join("\n")}\n\n`,
  );
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const said = await reader.question('Write it? Type "yes": ');
  reader.close();
  return said.trim() === "yes";
}

async function main(): Promise<number> {
  const [first, second, ...names] = process.argv.slice(2);
  const byEditor = first === undefined && extensionIsRemoved();
  if (!byEditor && (first !== "agents" || second !== "uninstall")) {
    process.stderr.write("usage: uninstall.js agents uninstall [AGENT…]\n");
    return 2;
  }
  const all = await changes(names);
  // A server that starts through the launcher would not start any more.
  const servers =
    names.length > 0
      ? []
      : await unwrapPlans({ ...places, platform: process.platform, workspace: process.cwd() });
  if (all.length + servers.length === 0) return 0;
  if (!byEditor && !(await agreed([...all, ...servers]))) return 1;
  for (const change of all) await applyChange(change, places);
  for (const plan of servers) await applyPlan(places.home, plan);
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`countersign: ${String(error)}\n`);
    process.exit(2);
  },
);
