/** `countersign agents status|install|uninstall`: how each agent outside the editor is governed. Changes nothing that no person agreed to. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { agentDoors } from "../agents/agentDoors";
import { messageOf } from "../core/errors";
import { visibleText } from "../core/visible";
import {
  type AgentChange,
  type AgentStatus,
  agentStatus,
  applyChange,
  type OutsideAgent,
  outsideAgents,
  planChange,
  planUninstalls,
} from "../node/agentSettings";
import { type AgentCoverage, agentCoverage, seenInLog, usualLog } from "../node/coverageAgents";
import { hookProgram, writeLauncher } from "../node/launcherFiles";
import { confirmChange } from "./confirmChange";
import type { Io, Run } from "./io";
import { answerUsage, didYouMean, readOptions } from "./options";

const USAGE = `usage: countersign agents status [--json] [AGENT…]
       countersign agents install AGENT…
       countersign agents uninstall AGENT…

Puts Countersign's hook into the settings of agents that run outside the editor, or takes it out again. The exact change is shown,
and a person agrees to it in the editor's own dialog; where no window is open, on the terminal.
  AGENT     ${outsideAgents.join(", ")}
  --json    for programs
`;

const LINE = { name: "agents", usage: USAGE, texts: [], flags: ["json"], words: 20 } as const;

export const runAgents: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [verb, ...names] = asked.words;
  const wrong = (why: string): number => answerUsage({ kind: "wrong", why }, LINE, io);
  const unknown = names.find((name) => !isOutside(name));
  if (unknown !== undefined)
    return wrong(`there is no agent "${unknown}"${didYouMean(unknown, outsideAgents)}`);
  const agents = names.filter(isOutside);
  if (verb === "status")
    return status(agents.length === 0 ? outsideAgents : agents, {
      io,
      form: asked.flags.has("json") ? "json" : "text",
    });
  if (verb !== "install" && verb !== "uninstall")
    return wrong(verb === undefined ? "name status, install or uninstall" : `there is no "${verb}"`);
  if (agents.length === 0) return wrong(`name the agents to ${verb}`);
  let code = 0;
  for (const agent of agents) code = Math.max(code, await change(agent, verb, io));
  return code;
};

const isOutside = (name: string): name is OutsideAgent => outsideAgents.some((known) => known === name);

const placesOf = (io: Io) => ({ home: homedir(), env: io.env, workspace: io.cwd });

async function status(
  agents: readonly OutsideAgent[],
  { io, form }: { readonly io: Io; readonly form: "json" | "text" },
): Promise<number> {
  const places = placesOf(io);
  const seen = await seenInLog(await usualLog(io.cwd, places.home));
  const all = await Promise.all(
    agents.map(async (agent) => {
      const one = await agentStatus(agent, places);
      return { ...one, coverage: await agentCoverage(one, { ...places, seen }) };
    }),
  );
  await io.stdout(
    form === "json" ? `${JSON.stringify(all, null, 2)}\n` : `${all.map(statusLine).join("\n")}\n`,
  );
  return 0;
}

function statusLine(one: AgentStatus & { readonly coverage: AgentCoverage }): string {
  const { lastCall } = one.coverage;
  const notes = [
    one.message,
    one.state !== "installed"
      ? undefined
      : lastCall === null
        ? "no call seen yet in this folder's log"
        : `last call ${lastCall.at}`,
    ...one.switchedOff.map(({ file, setting }) => `switched off by ${setting} in ${file}`),
    ...one.coverage.foreign.map(
      ({ file, runs }) => `another hook beside it: ${visibleText(runs)} in ${file}`,
    ),
    one.reviewed === false && one.state === "installed"
      ? "not yet reviewed in Codex: run /hooks there"
      : undefined,
    one.basis === "read" ? "experimental: never run with the real program" : undefined,
  ].filter((note) => note !== undefined);
  const tail = notes.length === 0 ? "" : `\n${notes.map((note) => `             ${note}`).join("\n")}`;
  return `${one.agent.padEnd(10)} ${one.state.padEnd(11)} ${one.file}${tail}`;
}

async function change(agent: OutsideAgent, to: "install" | "uninstall", io: Io): Promise<number> {
  const { title } = agentDoors[agent];
  const places = placesOf(io);
  const planned =
    to === "install" ? [await planChange(agent, to, places)] : await planUninstalls(agent, places);
  const wrong = planned.find((one) => !one.ok);
  if (wrong !== undefined && !wrong.ok) {
    io.stderr(`countersign agents: ${wrong.message}\n`);
    return 2;
  }
  const changes = planned.flatMap((one) => (one.ok && one.change.files.length > 0 ? [one.change] : []));
  if (changes.length === 0) await io.stdout(`${title}: nothing to ${to}\n`);
  let code = 0;
  for (const one of changes) code = Math.max(code, await propose(one, io));
  return code;
}

async function propose(change: AgentChange, io: Io): Promise<number> {
  const { agent, to } = change;
  const { title } = agentDoors[agent];
  const question = to === "install" ? `Govern ${title} with Countersign?` : `Stop governing ${title}?`;
  const said = await confirmChange({ title: question, lines: change.diff }, { io, home: homedir() });
  if (said.kind === "no") {
    io.stderr(`countersign agents: ${title} was left as it is: ${said.why}\n`);
    return 1;
  }
  try {
    if (to === "install") ensureLauncher();
    await applyChange(change, placesOf(io));
  } catch (error) {
    io.stderr(`countersign agents: ${messageOf(error)}\n`);
    return 2;
  }
  await io.stdout(`${title}: ${to === "install" ? "installed" : "uninstalled"}\n${afterwards(agent, to)}`);
  return 0;
}

/** The editor writes it with every start; where it never ran, an entry without the launcher would deny every call. */
function ensureLauncher(): void {
  const home = homedir();
  if (existsSync(hookProgram(home))) return;
  writeLauncher({ home, runtime: process.execPath, dist: import.meta.dirname });
}

/** Codex asks its user to review every hook; nobody else may answer that. */
function afterwards(agent: OutsideAgent, to: "install" | "uninstall"): string {
  return agent === "codex" && to === "install"
    ? "Codex runs a hook only once you have reviewed it: start codex, type /hooks, and trust the entries of Countersign.\n"
    : "";
}
