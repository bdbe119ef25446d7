/** The end of an agent's run put to the rules of `run_end`: a verdict on what was handed in. Knows no door and writes no record. */
import type { CompiledRules } from "./fires";
import type { RuleRun, RunDeps } from "./ruleRun";
import { runRules } from "./runRules";
import type { HookEvent } from "./types";

export interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd?: string;
  readonly profile: string;
  /** The agent's last words; null where its program does not tell them. */
  readonly report: string | null;
}

export interface RunVerdict {
  readonly ran: RuleRun;
  /** Async handlers of the run that were still at work when the waiting for them ended. */
  readonly left: number;
}

export interface RunEndRules {
  /** False = no rule of `run_end`: there is nothing to ask and nothing to record. */
  watches(): boolean;
  /** Waits for the run's async handlers too, within bounds. Never rejects. */
  end(run: EndedRun, signal: AbortSignal): Promise<RunVerdict>;
}

/** How long the end of a run waits for its async handlers: nobody waits for it meanwhile. */
const SETTLE_MS = 60_000;

export function runEndRules(rules: CompiledRules, deps: RunDeps): RunEndRules {
  return {
    watches: () => rules.has("run_end"),
    async end(run, signal) {
      const ran = await runRules(rules, deps, { event: endEvent(run), signal });
      return { ran, left: await deps.background.settled(run.runId, SETTLE_MS) };
    },
  };
}

function endEvent({ runId, sessionId, agent, cwd, report }: EndedRun): HookEvent {
  return {
    event: "run_end",
    run_id: runId,
    session_id: sessionId,
    agent,
    ...(cwd === undefined ? {} : { cwd }),
    report,
    artifacts: {},
  };
}
