/** `countersign write`: gives agents what this workspace's cards bring. Changes nothing that no person agreed to. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { agentDoors } from "../agents/agentDoors";
import { agentPlaces, type WrittenAgent, writtenAgents } from "../core/cards/agentPlaces";
import { policiesOf } from "../core/cards/cardManifest";
import { messageOf } from "../core/errors";
import { visibleLine } from "../core/visible";
import { type AgentChange, applyChange, planChange } from "../node/agentSettings";
import { createCardConsents } from "../node/cards/cardConsents";
import { type CardState, type CardsPlace, weighCards } from "../node/cards/cardsInForce";
import { applyWrite, planWrite, type WritePlan } from "../node/cards/writePlan";
import { loadWorkspaceConfig } from "../node/configFiles";
import { ensureDataFolder } from "../node/dataFolder";
import { hookProgram, writeLauncher } from "../node/launcherFiles";
import { cardsPlace } from "./cardPlace";
import { confirmChange } from "./confirmChange";
import type { Io, Run } from "./io";
import { answerUsage, didYouMean, readOptions } from "./options";

const USAGE = `usage: countersign write [--agent AGENT,…] [--strict] [--dry-run]
       countersign write --undo [--dry-run]

Gives the agents of this workspace what its cards bring: skills and MCP servers as files of the workspace, and, once a person has trusted
the hooks of a card, Countersign's hook in the agent's own settings, through which the policies judge its calls. The exact change is shown,
and a person agrees to it in the editor's own dialog; where no window is open, on the terminal. In VS Code the extension does it by itself.
  AGENT      ${writtenAgents.join(", ")}; default: those that are set up here
  --strict   fails, and writes nothing, where something would be left out
  --undo     takes out again what it wrote; hooks go by \`countersign agents uninstall\`
  --dry-run  shows the change and writes nothing

Exit: 0 done, 1 not agreed, or left out under --strict; 2 wrong usage, or it cannot be written.
`;

const LINE = { name: "write", usage: USAGE, texts: ["agent"], flags: ["strict", "undo", "dry-run"] } as const;

export const runWrite: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const wrong = (why: string): number => answerUsage({ kind: "wrong", why }, LINE, io);
  const names = asked.values.agent?.split(",");
  const unknown = names?.find((name) => !isWritten(name));
  if (unknown !== undefined)
    return wrong(`there is no agent "${unknown}"${didYouMean(unknown, writtenAgents)}`);
  const undo = asked.flags.has("undo");
  if (undo && (names !== undefined || asked.flags.has("strict")))
    return wrong("--undo takes everything out; it goes with --dry-run alone");
  const place = await cardsPlace(io);
  const loaded = await loadWorkspaceConfig(place.root);
  if (loaded.kind === "broken") {
    io.stderr(`countersign write: ${loaded.file} has mistakes; \`countersign config check\` lists them\n`);
    return 2;
  }
  const policies = loaded.kind === "read" ? (loaded.parsed.policies ?? {}) : {};
  const cards = [...new Set(policies.cards ?? [])].filter(
    (card) => policies.exclude?.includes(card) !== true,
  );
  const states = undo ? [] : await weighCards(place, cards, createCardConsents({ home: homedir() }));
  const agents = undo
    ? []
    : (names?.filter(isWritten) ?? writtenAgents.filter((agent) => isUsed(agent, place)));
  const planned = await planAll(place, { states, agents, io });
  const left = [...states.flatMap(leftOut), ...planned.warnings];
  if (agents.length === 0 && !undo) left.push("no agent is set up here: name them by --agent");
  for (const line of left) io.stderr(`countersign write: ${visibleLine(line)}\n`);
  if (left.length > 0 && (asked.flags.has("strict") || policies.strict === true)) {
    io.stderr("countersign write: nothing was written: something would be left out\n");
    return 1;
  }
  return carryOut(planned, asked.flags.has("dry-run") ? "show" : "write", io);
};

const isWritten = (name: string): name is WrittenAgent => writtenAgents.some((known) => known === name);

const isUsed = (agent: WrittenAgent, { root }: CardsPlace): boolean =>
  agentPlaces[agent].home.some((path) => existsSync(join(homedir(), path))) ||
  existsSync(join(root, agentPlaces[agent].skills));

/** Skills and servers of a card go without its hooks being trusted; what is not there cannot. */
function leftOut({ card, found, state, issue }: CardState): readonly string[] {
  if (issue === undefined) return [];
  if (found === undefined || policiesOf(found.content.manifest).length === 0)
    return [`${card} is left out: ${issue.message}. ${issue.mend}`];
  return state === "trusted" ? [] : [`${card}: its hooks are left out: ${issue.message}. ${issue.mend}`];
}

interface Planned {
  readonly plan: WritePlan;
  readonly hooks: readonly AgentChange[];
  readonly warnings: readonly string[];
  readonly places: Parameters<typeof applyChange>[1];
}

async function planAll(
  place: CardsPlace,
  {
    states,
    agents,
    io,
  }: { readonly states: readonly CardState[]; readonly agents: readonly WrittenAgent[]; readonly io: Io },
): Promise<Planned> {
  const plan = await planWrite(place, states, agents);
  const places = { home: homedir(), env: io.env, workspace: place.root };
  const trusted = states.some(
    ({ state, found }) =>
      state === "trusted" && found !== undefined && policiesOf(found.content.manifest).length > 0,
  );
  const hooks: AgentChange[] = [];
  const warnings = [...plan.warnings];
  for (const agent of trusted ? agents : []) {
    const planned = await planChange(agent, "install", places);
    if (!planned.ok) warnings.push(`the hook of ${agentDoors[agent].title} is left out: ${planned.message}`);
    else if (planned.change.files.length > 0) hooks.push(planned.change);
  }
  return { plan, hooks, warnings, places };
}

async function carryOut({ plan, hooks, places }: Planned, to: "show" | "write", io: Io): Promise<number> {
  const diff = [...plan.diff, ...hooks.flatMap((change) => change.diff)];
  if (diff.length === 0) {
    await io.stdout("nothing to write\n");
    return 0;
  }
  if (to === "show") {
    await io.stdout(`${diff.map(visibleLineOf).join("\n")}\n`);
    return 0;
  }
  const said = await confirmChange(
    { title: "Write what the cards of this workspace bring?", lines: diff },
    { io, home: homedir() },
  );
  if (said.kind === "no") {
    io.stderr(`countersign write: nothing was written: ${said.why}\n`);
    return 1;
  }
  try {
    const data = await ensureDataFolder(plan.root);
    if (!data.ok) throw new Error(data.problems[0]?.message ?? "the data folder cannot be used");
    await applyWrite(plan);
    if (hooks.length > 0 && !existsSync(hookProgram(places.home)))
      writeLauncher({ home: places.home, runtime: process.execPath, dist: import.meta.dirname });
    for (const change of hooks) await applyChange(change, places);
  } catch (error) {
    io.stderr(`countersign write: ${messageOf(error)}\n`);
    return 2;
  }
  for (const { file, after } of plan.files)
    await io.stdout(`${after === undefined ? "removed" : "written"} ${file}\n`);
  for (const { agent } of hooks) await io.stdout(`${agentDoors[agent].title}: the hook is installed\n`);
  return 0;
}

/** A line of a difference, with what a terminal would take as a command made visible; its indentation stays. */
const visibleLineOf = (line: string): string =>
  /^[ \t+-]*/.exec(line)?.[0] + visibleLine(line.replace(/^[ \t+-]*/, ""));
