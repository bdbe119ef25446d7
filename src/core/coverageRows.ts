/** Makes the map's rows out of what settings, watchers and real calls say. Decides nothing about a call. */
import type { CoverageRow, CoverageState, ForeignHook, LastCall, Program, SwitchedOff } from "./coverage";
import { blindSpotsOf } from "./coverageBlindSpots";
import type { HookChange, RanOther } from "./governance/governanceState";

/** What is known of every agent alike. */
export interface Around {
  /** By the id of the row. */
  readonly seen: ReadonlyMap<string, LastCall>;
  readonly changes: readonly HookChange[];
  readonly otherRuns: readonly RanOther[];
  /** Hooks that are not ours, by agent. */
  readonly foreign: (agent: string) => readonly ForeignHook[];
}

export interface AgentFacts {
  readonly id: string;
  readonly title: string;
  readonly hook: "installed" | "outdated" | "absent" | "unreadable";
  readonly file: string;
  readonly message?: string;
  readonly off: readonly SwitchedOff[];
  /** Codex alone. */
  readonly reviewed?: boolean;
  readonly experimental: boolean;
  /** Absent = not found where programs are. */
  readonly program?: Program;
  /** Whether what the hook's entry starts is there. */
  readonly launcher: boolean;
}

export interface EditorFacts {
  /** Why the door does not work, in words. */
  readonly trouble?: string;
  readonly trusted: boolean;
  readonly off: readonly SwitchedOff[];
  /** A tool that the chat ran although no hook had told of it. */
  readonly ranPast?: string;
}

type Common = Pick<CoverageRow, "changed" | "foreign"> & { readonly lastCall?: LastCall };

function commonOf(id: string, { seen, changes, foreign }: Around): Common {
  const lastCall = seen.get(id);
  return {
    changed: changes.filter(({ agents, off }) => agents.includes(id) && off.length === 0).map((c) => c.path),
    foreign: foreign(id),
    ...(lastCall === undefined ? {} : { lastCall }),
  };
}

/** What is still well once nothing is switched off. */
function calm(id: string, { lastCall, changed }: Common, { otherRuns }: Around): CoverageState {
  if (otherRuns.some(({ agent }) => agent === id)) return "ran-other";
  if (changed.length > 0) return "changed";
  return lastCall === undefined ? "quiet" : "governed";
}

export function agentRow(facts: AgentFacts, around: Around): CoverageRow {
  const { id, title, file, experimental, program, message } = facts;
  const common = commonOf(id, around);
  const state = stateOf(facts, common, around);
  const hooked = facts.hook === "installed" || facts.hook === "outdated";
  return {
    id,
    title,
    state,
    ...common,
    // What happens to hooks of an agent that has none of ours is no news of ours.
    ...(hooked ? {} : { changed: [], foreign: [] }),
    off: hooked ? facts.off : [],
    file,
    experimental,
    blindSpots: blindSpotsOf(id, program?.version),
    ...(message === undefined ? {} : { message }),
    ...(program === undefined ? {} : { program }),
  };
}

function stateOf(facts: AgentFacts, common: Common, around: Around): CoverageState {
  switch (facts.hook) {
    case "unreadable":
      return "unreadable";
    case "absent":
      return facts.program === undefined ? "not-installed" : "not-governed";
    case "installed":
    case "outdated":
      if (!facts.launcher) return "broken";
      if (facts.off.length > 0) return "switched-off";
      if (facts.reviewed === false) return "not-reviewed";
      if (facts.hook === "outdated") return "outdated";
      return calm(facts.id, common, around);
    default:
      return facts.hook satisfies never;
  }
}

export function editorRow(title: string, facts: EditorFacts, around: Around): CoverageRow {
  const id = "vscode";
  const common = commonOf(id, around);
  const state: CoverageState =
    facts.trouble !== undefined
      ? "broken"
      : !facts.trusted
        ? "untrusted"
        : facts.off.length > 0
          ? "switched-off"
          : facts.ranPast !== undefined
            ? "plugin-disabled"
            : calm(id, common, around);
  const message = facts.trouble ?? facts.ranPast;
  return {
    id,
    title,
    state,
    ...common,
    off: facts.off,
    experimental: false,
    blindSpots: blindSpotsOf(id),
    ...(message === undefined ? {} : { message }),
  };
}

/** Hooks of the Agent Host count as unproven until a call of theirs has come. */
export function agentHostRow(title: string, around: Around): CoverageRow {
  const id = "vscode.agentHost";
  const lastCall = around.seen.get(id);
  return {
    id,
    title,
    state: lastCall === undefined ? "unproven" : "governed",
    off: [],
    changed: [],
    foreign: [],
    experimental: true,
    blindSpots: blindSpotsOf(id),
    ...(lastCall === undefined ? {} : { lastCall }),
  };
}

export interface McpFacts {
  readonly behind: number;
  readonly all: number;
}

/** Undefined where there is no server to speak of. */
export function mcpRow(title: string, { behind, all }: McpFacts): CoverageRow | undefined {
  if (all === 0) return undefined;
  const state: CoverageState = behind === all ? "quiet" : behind === 0 ? "not-governed" : "partly";
  return {
    id: "mcp",
    title,
    state,
    off: [],
    changed: [],
    foreign: [],
    experimental: false,
    blindSpots: behind === all ? [] : blindSpotsOf("mcp"),
    servers: { behind, all },
  };
}

/** Tools that this extension itself runs, and judges where it runs them. */
export function toolsRow(title: string, around: Around): CoverageRow {
  const id = "tools";
  const lastCall = around.seen.get(id);
  return {
    id,
    title,
    state: lastCall === undefined ? "quiet" : "governed",
    off: [],
    changed: [],
    foreign: [],
    experimental: false,
    blindSpots: [],
    ...(lastCall === undefined ? {} : { lastCall }),
  };
}
