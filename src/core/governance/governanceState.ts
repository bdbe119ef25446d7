/** What changed under an agent's hooks and waits for a person's look. Pure; knows no file and no dialog. */

export interface HookChange {
  /** Absolute path of the file. */
  readonly path: string;
  readonly agents: readonly string[];
  readonly kind: "appeared" | "changed" | "gone";
  /** Switches in the file that turn hooks off now. */
  readonly off: readonly string[];
}

/** A call that did not run with the arguments it was let through with. */
export interface RanOther {
  readonly agent: string;
  readonly tool: string;
  readonly callId: string;
}

export interface GovernanceState {
  changed(change: HookChange): void;
  ranOther(what: RanOther): void;
  /** Of one agent, or of all; the newest of each file. */
  changes(agent?: string): readonly HookChange[];
  otherRuns(agent?: string): readonly RanOther[];
  /** A person has looked at exactly these; what came since stays. */
  acknowledge(seen: { readonly changes: readonly HookChange[]; readonly runs: readonly RanOther[] }): void;
}

const MAX_OPEN = 200;

export function governanceState(): GovernanceState {
  const open = new Map<string, HookChange>();
  let runs: RanOther[] = [];
  return {
    changed(change) {
      open.delete(change.path);
      open.set(change.path, change);
      const [first] = open.keys();
      if (open.size > MAX_OPEN && first !== undefined) open.delete(first);
    },
    ranOther(what) {
      runs = [...runs.slice(1 - MAX_OPEN), what];
    },
    changes: (agent) =>
      [...open.values()].filter(({ agents }) => agent === undefined || agents.includes(agent)),
    otherRuns: (agent) => runs.filter((run) => agent === undefined || run.agent === agent),
    acknowledge(seen) {
      for (const change of seen.changes) if (open.get(change.path) === change) open.delete(change.path);
      runs = runs.filter((run) => !seen.runs.includes(run));
    },
  };
}
