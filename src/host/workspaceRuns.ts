/** Ends of agents' runs in one workspace: put to the rules of `run_end`, one record each. Knows no door and shows nothing. */
import type { RecordBody } from "../core/audit/record";
import { messageOf } from "../core/errors";
import { createBackground } from "../core/hookRules/background";
import { runEndRecord } from "../core/hookRules/ruleRecords";
import type { RuleDenial } from "../core/hookRules/ruleRun";
import type { EndedRun } from "../core/hookRules/runEnd";
import { createUnderWay, type UnderWay } from "../core/hookRules/underWay";
import { nodeClock, sha256 } from "../node/ports";
import type { Resolved } from "../node/resolveWorkspace";
import type { RulesInForce } from "../node/workspaceRules";
import type { Log } from "../ports";

export interface WorkspaceRunsDeps {
  /** The rules as the next call would be judged by them. */
  readonly inForce: () => Promise<{ readonly ruled: RulesInForce; readonly resolved: Resolved }>;
  readonly append: (record: RecordBody) => Promise<unknown>;
  readonly log: Log;
  /** Told when a rule does not accept what an agent handed in. */
  readonly onRefused: (run: EndedRun, denial: RuleDenial) => void;
}

export interface WorkspaceRuns extends Pick<UnderWay, "during"> {
  /** Never rejects. Nobody waits for it: what an agent handed in is out already. */
  end(run: EndedRun): Promise<void>;
  /** Handlers that still run are ended, and each run that is being judged gets its record. */
  close(): Promise<void>;
}

/** How long the end of a run waits for the ends of its calls: rules after a tool may still be at work, and what they say comes first. */
const CALLS_MS = 60_000;
/** Each that is being judged ends at once when the window closes, but for its record. */
const CLOSE_MS = 5_000;

export function workspaceRuns(deps: WorkspaceRunsDeps): WorkspaceRuns {
  const { log } = deps;
  const gone = new AbortController();
  const background = createBackground(nodeClock);
  const calls = createUnderWay(nodeClock);
  const conclude = async (run: EndedRun): Promise<void> => {
    const { ruled, resolved } = await deps.inForce();
    const { config, policyDigest } = resolved;
    if (!config.chain.enabled || ruled.runEnd?.watches() !== true) return;
    const openCalls = await calls.over(run.runId, { ms: CALLS_MS, signal: gone.signal });
    const verdict = await ruled.runEnd.end(run, gone.signal);
    const { deny } = verdict.ran;
    if (deny !== undefined) {
      log.warn(`run ${run.runId}: not accepted by ${deny.by}: ${deny.reason}`);
      deps.onRefused(run, deny);
    }
    if (config.chain.audit_log)
      await deps.append(runEndRecord(run, verdict, { policyDigest, hasher: sha256, openCalls }));
  };
  return {
    during: calls.during,
    end: (run) =>
      new Promise((resolve) => {
        const work = async (): Promise<void> => {
          await conclude(run).catch((error: unknown) => log.error(`run_end: ${messageOf(error)}`));
          resolve();
        };
        if (background.start({ run: run.runId, work })) return;
        log.error(`run_end: too many runs end at once: ${run.runId} was put to no rule`);
        resolve();
      }),
    async close() {
      gone.abort();
      await background.drain(CLOSE_MS);
    },
  };
}
