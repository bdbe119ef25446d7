/**
 * The way out that needs no extension: `node uninstall.js`, run by the editor once the extension is gone, and
 * `uninstall.js agents uninstall AGENT…` by a person on a terminal. Small and alone; a copy lies in `~/.countersign/bin`.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { visibleText } from "../../core/visible";
import { applyPlan, unwrapPlans } from "../../mcp/wrap/wrappedServers";
import { agentAncestor } from "../../node/agentAncestor";
import { type AgentChange, applyChange, outsideAgents, planUninstalls } from "../../node/agentSettings";

const places = { home: homedir(), env: process.env };

/** The one argument that the editor gives to this script. */
const BY_EDITOR = "--type=extension-post-uninstall";

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

/** The launcher leads to the extension of another editor, which answers for the agents' hooks from now on as before. */
function answersElsewhere(): boolean {
  try {
    const program = readFileSync(join(places.home, ".countersign", "program"), "utf8").trim();
    const theirs = dirname(dirname(dirname(program)));
    return existsSync(program) && theirs !== dirname(dirname(__dirname));
  } catch {
    return false;
  }
}

async function changes(names: readonly string[]): Promise<readonly AgentChange[]> {
  const wanted = outsideAgents.filter((agent) => names.length === 0 || names.includes(agent));
  const planned = (await Promise.all(wanted.map((agent) => planUninstalls(agent, places)))).flat();
  return planned.flatMap((one) => {
    if (one.ok) return [one.change];
    process.stderr.write(`countersign: ${one.message}\n`);
    return [];
  });
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
  const byEditor = first === BY_EDITOR && second === undefined && extensionIsRemoved();
  if (!byEditor && (first !== "agents" || second !== "uninstall")) {
    process.stderr.write("usage: uninstall.js agents uninstall [AGENT…]\n");
    return 2;
  }
  if (byEditor && answersElsewhere()) return 0;
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
