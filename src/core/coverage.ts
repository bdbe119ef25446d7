/** What the map of governed and ungoverned agents is made of: rows, states, and how loud each state is. Knows no disk and no view. */
import type { BlindSpot } from "./coverageBlindSpots";

/** One call that came through the door itself; configuration never makes one. */
export interface LastCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tool?: string;
}

export interface SwitchedOff {
  /** Absolute path; absent where only the editor knows where the setting stands. */
  readonly file?: string;
  /** `chat.useHooks`, `disableAllHooks`, `features.hooks`, … */
  readonly key: string;
}

export type CoverageState =
  /** A real call has come. */
  | "governed"
  /** Everything is in place and no call has come yet. */
  | "quiet"
  /** Another harness of the editor, whose hooks nobody has seen working. */
  | "unproven"
  | "changed"
  | "ran-other"
  | "not-reviewed"
  | "outdated"
  | "switched-off"
  | "plugin-disabled"
  | "untrusted"
  | "unreadable"
  | "broken"
  /** The program is there, our hook is not. */
  | "not-governed"
  /** Some of the servers are not behind the chain. */
  | "partly"
  /** Neither program nor hook. */
  | "not-installed";

export interface ForeignHook {
  readonly file: string;
  /** First line of what it runs. */
  readonly runs: string;
}

export interface CoverageRow {
  /** The agent's own name, `vscode.agentHost`, `tools` or `mcp`. */
  readonly id: string;
  readonly title: string;
  readonly state: CoverageState;
  readonly lastCall?: LastCall;
  readonly off: readonly SwitchedOff[];
  /** Files whose hooks changed and at which nobody has looked. */
  readonly changed: readonly string[];
  readonly foreign: readonly ForeignHook[];
  /** In the words of whoever failed. */
  readonly message?: string;
  /** The settings file that names our hook, or would. */
  readonly file?: string;
  readonly program?: Program;
  readonly experimental: boolean;
  readonly blindSpots: readonly BlindSpot[];
  /** Of MCP servers. */
  readonly servers?: { readonly behind: number; readonly all: number };
}

export interface Program {
  readonly path: string;
  /** Absent = the program is there and what it is cannot be told without running it. */
  readonly version?: string;
}

/** "off" = meant to be governed and is not; "look" = a person should look; "gap" = never was governed. */
export type Severity = "ok" | "quiet" | "gap" | "look" | "off";

const SEVERITIES: Readonly<Record<CoverageState, Severity>> = {
  governed: "ok",
  quiet: "quiet",
  unproven: "quiet",
  changed: "look",
  "ran-other": "off",
  "not-reviewed": "off",
  outdated: "look",
  "switched-off": "off",
  "plugin-disabled": "look",
  untrusted: "off",
  unreadable: "look",
  broken: "off",
  "not-governed": "gap",
  partly: "gap",
  "not-installed": "quiet",
};

/** A hook that is not ours may change a call after us: what looks well, or would, is then worth a look. */
export function severityOf(row: Pick<CoverageRow, "state" | "foreign">): Severity {
  const severity = SEVERITIES[row.state];
  return hasCompany(row) ? "look" : severity;
}

/** Nothing is wrong with our hook, and another one stands beside it. */
export const hasCompany = ({ state, foreign }: Pick<CoverageRow, "state" | "foreign">): boolean =>
  foreign.length > 0 && (state === "governed" || state === "quiet");

/** Those that were meant to be governed and are not, the editor's own door first. */
export function notGoverned(rows: readonly CoverageRow[]): readonly CoverageRow[] {
  return rows.filter((row) => severityOf(row) === "off");
}

export type CoverageAction = "govern" | "stop" | "openSwitch" | "acknowledge" | "verify";

const HAS_HOOK: readonly CoverageState[] = [
  "governed",
  "quiet",
  "changed",
  "ran-other",
  "not-reviewed",
  "outdated",
  "switched-off",
];
const OUTSIDE = /^[a-z]+$/;

export const hasHook = ({ state }: Pick<CoverageRow, "state">): boolean => HAS_HOOK.includes(state);

/** Agents in whose calls a person has a say; what happens to the hooks of others is no news. */
export function isGoverned(rows: readonly CoverageRow[], agent: string): boolean {
  return rows.some(
    (row) => row.id === agent && (agent === "vscode" || hasHook(row) || row.state === "broken"),
  );
}

/** What a person can do about a row, in the order of the icons. */
export function actionsOf(row: CoverageRow): readonly CoverageAction[] {
  const outside = OUTSIDE.test(row.id) && !["vscode", "tools", "mcp"].includes(row.id);
  const installed = outside && hasHook(row);
  return [
    ...(row.off.length > 0 ? (["openSwitch"] as const) : []),
    ...(row.state === "changed" || row.state === "ran-other" ? (["acknowledge"] as const) : []),
    ...(installed || row.id === "vscode" ? (["verify"] as const) : []),
    ...(isGovernable(row, outside) ? (["govern"] as const) : []),
    ...(installed ? (["stop"] as const) : []),
  ];
}

function isGovernable({ state, id }: CoverageRow, outside: boolean): boolean {
  if (id === "mcp") return state === "not-governed" || state === "partly";
  return outside && ["not-governed", "not-installed", "outdated"].includes(state);
}
