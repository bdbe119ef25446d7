/** Reads what the map says of agents outside the editor: their settings, our hook, their programs, the newest call in a log. Changes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { OWN_TOOL_NAMES } from "../agents/ownTools";
import type { CoverageRow, ForeignHook, LastCall, Program } from "../core/coverage";
import { type AgentFacts, type Around, agentRow } from "../core/coverageRows";
import { createSeen } from "../core/coverageSeen";
import type { AgentPlaces, AgentStatus } from "./agentSettings";
import { tailRecords } from "./auditFile";
import { findProgram } from "./coverageProgram";
import { findDataFolder } from "./dataFolder";
import { type FoundSource, findHookSources } from "./hookSourceFiles";
import { hookProgram } from "./launcherFiles";

/** Records at a log's end that are looked at for the newest calls. */
const TAIL = 5000;

export function factsOf(
  status: AgentStatus,
  { program, launcher }: { readonly program: Program | undefined; readonly launcher: boolean },
): AgentFacts {
  const { agent, title, state, file, message, switchedOff, reviewed, basis } = status;
  return {
    id: agent,
    title,
    hook: state,
    file,
    off: switchedOff.map(({ file, setting }) => ({ file, key: setting })),
    experimental: basis === "read",
    launcher,
    ...(message === undefined ? {} : { message }),
    ...(reviewed === undefined ? {} : { reviewed }),
    ...(program === undefined ? {} : { program }),
  };
}

/** The newest call of each agent that a log holds at its end. A log that cannot be read holds none. */
export async function seenInLog(path: string): Promise<ReadonlyMap<string, LastCall>> {
  const seen = createSeen({ isOwnTool });
  for (const { record } of await tailRecords(path, TAIL).catch(() => []))
    if (record !== null && isHookCall(record)) seen.addRecord(record);
  return seen.calls();
}

export const isOwnTool = (tool: string): boolean => OWN_TOOL_NAMES.some((name) => name === tool);

/** A server's calls say nothing of the agent's hook: they are judged without one. */
export const isHookCall = ({ tool = "" }: { readonly tool?: string }): boolean => !tool.startsWith("mcp__");

/** Where the log of the folder usually stands. */
export async function usualLog(cwd: string, home: string): Promise<string> {
  const { folder } = await findDataFolder({ cwd, workspaceFolders: [], home });
  return join(folder, "storage", "default", "audit.jsonl");
}

/** Hooks that are not ours, as the watched files name them. */
export function foreignOf(
  sources: readonly FoundSource[],
  { except = () => false }: { readonly except?: (path: string, agent: string) => boolean } = {},
): Around["foreign"] {
  return (agent) =>
    sources
      .filter(({ agents, path }) => agents.includes(agent) && !except(path, agent))
      .flatMap(({ path, foreign }): ForeignHook[] => foreign.map((runs) => ({ file: path, runs })));
}

/** What `countersign agents status --json` says of one agent beside its settings. */
export interface AgentCoverage {
  readonly state: CoverageRow["state"];
  /** UTC, ISO 8601. */
  readonly lastCall: { readonly at: string; readonly tool?: string } | null;
  readonly program: Program | null;
  readonly blindSpots: CoverageRow["blindSpots"];
  /** Hooks beside ours, which may change a call after us. */
  readonly foreign: CoverageRow["foreign"];
}

export async function agentCoverage(
  status: AgentStatus,
  places: AgentPlaces & { readonly seen: ReadonlyMap<string, LastCall> },
): Promise<AgentCoverage> {
  const program = await findProgram(status.agent, places);
  const facts = factsOf(status, { program, launcher: existsSync(hookProgram(places.home)) });
  const { home, env, workspace } = places;
  const roots = workspace === undefined ? [] : [workspace];
  const foreign = foreignOf(await findHookSources({ home, env, roots, system: "/" }));
  const row = agentRow(facts, { seen: places.seen, changes: [], otherRuns: [], foreign });
  const { state, lastCall, blindSpots } = row;
  const last =
    lastCall === undefined
      ? null
      : {
          at: new Date(lastCall.at).toISOString(),
          ...(lastCall.tool === undefined ? {} : { tool: lastCall.tool }),
        };
  return { state, lastCall: last, program: program ?? null, blindSpots, foreign: row.foreign };
}
