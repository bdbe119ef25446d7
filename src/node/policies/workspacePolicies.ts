/** The policies that judge the calls of workspaces: found, opened once per content, read anew when a card, its lock or its trust changes. Decides no trust itself. */
import type { CallPolicies, CardIssue, PolicySource } from "../../core/policies/types";
import { stableText } from "../../core/values";
import { installedPolicies, type PoliciesPlace } from "../cards/installedPolicies";
import { nodeClock } from "../ports";
import { openPolicies, type PolicyHostDeps } from "./policyHost";
import { kindInText } from "./readPolicies";

export type PolicyPlace = PoliciesPlace & Required<Pick<PoliciesPlace, "inForce">>;

export interface PoliciesInForce {
  /** Undefined = there are none. The same object for the same content, so that a call judged twice asks them once. */
  readonly policies: CallPolicies | undefined;
  readonly active: readonly PolicySource[];
  /** Installed and named, and nobody has trusted them. */
  readonly pending: readonly PolicySource[];
  /** What a person can mend. */
  readonly issues: readonly CardIssue[];
  /** Of these, what was trusted to stop calls and cannot: while there is one, only reads may pass. */
  readonly broken: readonly CardIssue[];
}

export interface WorkspacePolicies {
  /** Of several places all policies count. Never rejects. */
  of(places: readonly PolicyPlace[]): Promise<PoliciesInForce>;
  /** Ends the processes of policies. */
  close(): Promise<void>;
}

export type WorkspacePoliciesDeps = Omit<PolicyHostDeps, "clock" | "defaultTimeoutMs">;

export const NO_POLICIES: PoliciesInForce = {
  policies: undefined,
  active: [],
  pending: [],
  issues: [],
  broken: [],
};

interface Last {
  readonly key: string;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly opened: Promise<Opened>;
}

interface Opened {
  readonly policies: CallPolicies;
  /** Trusted to stop calls, and this runtime does not let them run. */
  readonly unconfined: readonly CardIssue[];
}

/** What failed may have been the machine's doing, such as a start under load: it is tried anew, but not for each call. */
const PASSING = "policy_unloadable";
const AGAIN_MS = 10_000;
/** How long calls that are under way may still ask policies that are no longer in force. */
const LINGER_MS = 120_000;

export function createWorkspacePolicies(deps: WorkspacePoliciesDeps): WorkspacePolicies {
  let last: Last | undefined;
  const retired = new Set<Promise<Opened>>();
  const retire = (opened: Promise<Opened>): void => {
    retired.add(opened);
    void nodeClock.timer(LINGER_MS).done.then(async () => {
      if (retired.delete(opened)) await closeOpened(opened);
    });
  };
  const isFailed = async ({ at, opened }: Last): Promise<boolean> => {
    if (nodeClock.monotonic() - at < AGAIN_MS) return false;
    return (await opened).policies.issues().some(({ code }) => code === PASSING);
  };
  const drop = (): void => {
    if (last !== undefined) retire(last.opened);
    last = undefined;
  };
  const openedFor = async (sources: readonly PolicySource[], timeoutMs: number): Promise<Opened> => {
    const facts = sources.map(({ name, folder, digest, unconfined }) => [name, folder, digest, unconfined]);
    const key = stableText([timeoutMs, facts]);
    const seen = last;
    const failed = seen?.key === key && (await isFailed(seen));
    // Another call may have opened them meanwhile.
    if (last?.key === key && !(failed && last === seen)) return last.opened;
    drop();
    const opened = openAll(sources, { ...deps, clock: nodeClock, defaultTimeoutMs: timeoutMs });
    last = { key, at: nodeClock.monotonic(), opened };
    return opened;
  };
  return {
    async of(places) {
      const named = places.filter(({ inForce }) => inForce.policies.cards.length > 0);
      if (named.length === 0) {
        drop();
        return NO_POLICIES;
      }
      const found = await Promise.all(named.map(installedPolicies));
      const active = onceEach(found.flatMap((one) => one.active));
      const timeoutMs = Math.min(...named.map(({ inForce }) => inForce.policies.default_timeout_ms));
      if (active.length === 0) drop();
      const opened = active.length === 0 ? undefined : await openedFor(active, timeoutMs);
      return {
        policies: opened?.policies,
        active,
        pending: onceEach(found.flatMap((one) => one.pending)),
        issues: [...found.flatMap((one) => one.issues), ...(opened?.policies.issues() ?? [])],
        broken: [...found.flatMap((one) => one.broken), ...(opened?.unconfined ?? [])],
      };
    },
    async close() {
      const all = [...retired, ...(last === undefined ? [] : [last.opened])];
      retired.clear();
      last = undefined;
      await Promise.all(all.map(closeOpened));
    },
  };
}

/** A policy of two workspaces at once, with the same bytes, is asked once. */
function onceEach(sources: readonly PolicySource[]): readonly PolicySource[] {
  return [...new Map(sources.map((source) => [`${source.name} ${source.digest}`, source])).values()];
}

async function openAll(sources: readonly PolicySource[], deps: PolicyHostDeps): Promise<Opened> {
  const policies = await openPolicies(sources, deps);
  const refused = policies.issues().filter(({ code }) => code === "needsUnconfinedTrust");
  const kinds = await Promise.all(
    refused.map(async (issue) => {
      const source = sources.find(({ entry }) => entry === issue.file);
      return source === undefined ? "enforcement" : kindInText(source);
    }),
  );
  // Which runtime we run on is for an agent to choose: a lesser one must not switch an enforcement policy off.
  return { policies, unconfined: refused.filter((_, index) => kinds[index] !== "observer") };
}

const closeOpened = (opened: Promise<Opened>): Promise<void> =>
  opened.then(
    ({ policies }) => policies.dispose(),
    () => undefined,
  );
