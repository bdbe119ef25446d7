/** Which calls a door has seen, so that a call seen twice is judged once and a result finds its verdict. Pure; knows nothing of verdicts' meaning. */
import type { ToolCall } from "../core/call";
import type { Outcome } from "../core/hook";

export interface Sighting {
  readonly sessionId: string;
  /** The host's own id; absent where it has none. */
  readonly toolUseId?: string;
  readonly toolName: string;
  /** Hash of the arguments. */
  readonly hash: string;
  /** Which installation of ours saw it. */
  readonly observer: string;
}

export interface Seen {
  readonly first: Sighting;
  readonly call: ToolCall;
  readonly verdict: Promise<Outcome>;
  /** Milliseconds on the caller's clocks. */
  readonly at: number;
  readonly startedAt: number;
  outcome?: Outcome;
  /** Hash of the arguments that were let through. */
  finalHash?: string;
  /** A result record exists, or will never. */
  done: boolean;
  readonly observers: Set<string>;
  readonly reported: Set<string>;
}

export type Joined =
  | { readonly kind: "settle"; readonly seen: Seen }
  /** Another observer reported this very result before. */
  | { readonly kind: "repeated" }
  | { readonly kind: "ungoverned" };

/** A call as the door that runs it knows it. */
export interface Running {
  /** The host's own id of the call, else of the session; without either nothing is taken over. */
  readonly toolUseId?: string;
  readonly sessionId?: string;
  /** The tool as its server calls it. */
  readonly tool: string;
  /** Hash of the arguments it runs with. */
  readonly hash: string;
}

export interface CallTable {
  /** The earlier sighting whose verdict this one shares; claims it, so each observer shares it once. */
  share(sighting: Sighting, now: number): Seen | undefined;
  /** Returns what was pushed out to make room. */
  add(seen: Seen): readonly Seen[];
  /** Finds the call that a result belongs to. */
  join(sighting: Sighting): Joined;
  /** True when this id is known already: a second sighting by one observer is another call. */
  knows(sighting: Sighting): boolean;
  /** Takes a call that was let through over to the door that runs it: once, and its result is that door's to report. */
  claim(running: Running): Seen | undefined;
  /** Calls of a session that were let through and have no result yet. */
  open(sessionId: string): readonly Seen[];
}

/** Without ids a deny is shared this long: two hooks of one call run within it. */
const SHARE_MS = 10_000;

export function createCallTable(limit = 1000): CallTable {
  const table: Seen[] = [];
  const sameCall = (a: Sighting, b: Sighting): boolean =>
    a.sessionId === b.sessionId && a.toolName === b.toolName && a.toolUseId === b.toolUseId;

  return {
    share(sighting, now) {
      const found = table.find((seen) => {
        if (!sameCall(seen.first, sighting) || seen.first.hash !== sighting.hash) return false;
        if (seen.done || seen.observers.has(sighting.observer)) return false;
        if (sighting.toolUseId !== undefined) return true;
        // No id: these may be two calls, and one click must not run both.
        return seen.outcome?.kind === "denied" && now - seen.at <= SHARE_MS;
      });
      found?.observers.add(sighting.observer);
      return found;
    },
    add(seen) {
      table.push(seen);
      return table.splice(0, Math.max(0, table.length - limit));
    },
    join(sighting) {
      const ours = table.filter(
        (seen) => sameCall(seen.first, sighting) && !seen.reported.has(sighting.observer),
      );
      const exact = ours.filter(
        (seen) => seen.first.hash === sighting.hash || seen.finalHash === sighting.hash,
      );
      const candidates =
        sighting.toolUseId === undefined ? exact.filter((s) => s.observers.has(sighting.observer)) : ours;
      // A call that was let through comes before one that was refused: only without the former did a refused one run.
      const rank = (s: Seen): number =>
        (s.done ? 4 : 0) + (s.outcome?.kind === "run" ? 0 : 2) + (exact.includes(s) ? 0 : 1);
      const [seen] = candidates.toSorted((a, b) => rank(a) - rank(b));
      if (seen === undefined) return { kind: "ungoverned" };
      seen.reported.add(sighting.observer);
      if (seen.done) return { kind: "repeated" };
      return { kind: "settle", seen };
    },
    knows: (sighting) =>
      sighting.toolUseId !== undefined && table.some((seen) => sameCall(seen.first, sighting)),
    claim({ toolUseId, sessionId, tool, hash }) {
      const found = table.find(({ first, outcome, finalHash, done }) => {
        if (done || outcome?.kind !== "run" || finalHash !== hash || !isToolOf(first.toolName, tool))
          return false;
        if (toolUseId !== undefined) return first.toolUseId === toolUseId;
        return sessionId !== undefined && first.sessionId === sessionId;
      });
      if (found !== undefined) found.done = true;
      return found;
    },
    open: (sessionId) =>
      table.filter(
        (seen) => seen.first.sessionId === sessionId && !seen.done && seen.outcome?.kind === "run",
      ),
  };
}

/** `mcp_<server>_<tool>` and `mcp__<server>__<tool>`, with `_` in the place of what a host allows in no name. */
function isToolOf(name: string, tool: string): boolean {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, "_");
  return name.startsWith("mcp_") && plain(name).endsWith(plain(`_${tool}`));
}
