/** Where a run meets the engine: its rules for governed calls, and single events through them. Counts before anything is thrown. */
import type { Finding } from "../core/decision";
import { createBackground } from "../core/hookRules/background";
import { type CallRules, callRules } from "../core/hookRules/callRules";
import type { LateAnswer, RuleContext, RuleDenial, RuleRun } from "../core/hookRules/ruleRun";
import { runRules } from "../core/hookRules/runRules";
import type { HookEvent } from "../core/hookRules/types";
import type { Log } from "../ports";
import { HookDenied, HookError } from "./hookRunErrors";
import type { Governing } from "./hookRunGovernor";
import type { At, Meters } from "./hookRunMeters";
import type { RuleList } from "./hookRunRules";
import { nodeClock } from "./ports";

/** An event that was not refused. */
export interface Fired {
  /** As the rules left it. */
  readonly event: HookEvent;
  readonly contexts: readonly RuleContext[];
  readonly findings: readonly Finding[];
}

/** The rules of one governed call, with what they said of it. */
export interface WatchedRules extends CallRules {
  contexts(): readonly RuleContext[];
  denial(): (RuleDenial & Pick<HookEvent, "event">) | undefined;
}

export interface Fire {
  /** Rejects with HookDenied or HookError, after it has been recorded. */
  fire(event: HookEvent): Promise<Fired>;
  /** For one call: what was said is kept with it. */
  watched(): WatchedRules;
  /** Waits for async handlers, each within its own time, and tells what all of them found. */
  settled(): Promise<readonly Finding[]>;
}

/** What calls and requests need of their run. */
export interface RunCore extends Pick<Fire, "fire" | "watched"> {
  readonly meters: Meters;
  governing(): Governing;
  /** True when `governing` has guards of its own. */
  guarded(): boolean;
  /** Does the work once the rules are built. Rejects with a HookError where they cannot be, or the run is over. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** The keys that all events of the run have. */
  base(vendor: string | undefined): Pick<HookEvent, "run_id" | "session_id" | "agent" | "cwd" | "vendor">;
}

interface FireDeps {
  readonly rules: RuleList;
  readonly meters: Meters;
  readonly log: Log;
}

const NEVER = new AbortController().signal;

export function createFire({ rules, meters, log }: FireDeps): Fire {
  const background = createBackground(nodeClock);
  const late: Finding[] = [];
  const ends = openEnds();
  const onLate = ({ event, findings, error }: LateAnswer): void => {
    late.push(...findings);
    meters.found(findings);
    if (error !== undefined) meters.failed(event, error);
  };
  const deps = { clock: nodeClock, log, onError: "record", background, onLate } as const;
  return {
    watched: () => watch(callRules(rules.compiled(), deps), { meters, ends }),
    async fire(event) {
      const asked = runRules(rules.compiled(), deps, { event, signal: NEVER });
      if (event.event === "post_response") ends.add(asked);
      return concluded(meters, event, await asked);
    },
    async settled() {
      late.push(...(await ends.left(rules.longestMs())));
      const left = await background.drain(rules.longestMs());
      if (left > 0) {
        const message = `${left} async handlers were still at work when their time at the end of the run was over`;
        meters.failed({ event: "run_end" }, { handler: "", message });
        log.error(message);
      }
      return [...late];
    },
  };
}

/** Rules that look at what a call or a request brought, as long as they do. */
interface OpenEnds {
  add(asked: Promise<RuleRun>): void;
  /** What those found that were under way when it was asked, within `ms`. */
  left(ms: number): Promise<readonly Finding[]>;
}

function openEnds(): OpenEnds {
  const open = new Set<Promise<RuleRun>>();
  return {
    add(asked) {
      open.add(asked);
      const done = (): void => void open.delete(asked);
      asked.then(done, done);
    },
    async left(ms) {
      const findings: Finding[] = [];
      const all = [...open].map(async (asked) => findings.push(...(await asked).findings));
      if (all.length === 0) return [];
      const timer = nodeClock.timer(ms);
      await Promise.race([Promise.allSettled(all), timer.done]);
      timer.cancel();
      return findings;
    },
  };
}

function watch(
  rules: CallRules,
  { meters, ends }: { readonly meters: Meters; readonly ends: OpenEnds },
): WatchedRules {
  const contexts: RuleContext[] = [];
  let denial: ReturnType<WatchedRules["denial"]>;
  const heard = (at: At, ran: RuleRun): RuleRun => {
    tally(meters, at, ran);
    contexts.push(...ran.contexts);
    if (ran.deny !== undefined) denial = { ...ran.deny, event: at.event };
    return ran;
  };
  return {
    watches: rules.watches,
    contexts: () => contexts,
    denial: () => denial,
    async pre(call, args, signal) {
      const at = { event: "pre_tool_call", tool_name: call.toolName } as const;
      return heard(at, await rules.pre(call, args, signal));
    },
    async post(call, end, signal) {
      const at = { event: "post_tool_call", tool_name: call.toolName } as const;
      const asked = rules.post(call, end, signal);
      ends.add(asked);
      const ran = await asked;
      if (end.outcome.kind === "run") return heard(at, ran);
      // They looked on: what they would have changed did not happen.
      tally(meters, at, { ...ran, rewritten: false });
      return ran;
    },
  };
}

function tally(meters: Meters, at: At, ran: RuleRun): void {
  meters.found(ran.findings);
  for (const error of ran.errors) meters.failed(at, error);
  if (ran.rewritten && ran.deny === undefined) meters.count("rewrites");
}

function concluded(meters: Meters, event: HookEvent, ran: RuleRun): Fired {
  tally(meters, event, ran);
  const { deny, findings } = ran;
  if (deny === undefined) return { event: ran.event, contexts: ran.contexts, findings };
  const { reason, handler } = deny;
  // The engine has it among its errors already.
  if (deny.raised) throw new HookError(reason, { handler });
  meters.denied(event, { reason, handler, findings });
  throw new HookDenied(reason, { handler, findings });
}
