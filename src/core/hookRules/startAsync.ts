/** A handler that nobody waits for: checked, started in the background, and told of whatever becomes of it. Knows no door. */
import { messageOf } from "../errors";
import { callHandler } from "./callHandler";
import { lateAnswer, reportLate } from "./lateAnswer";
import type { OpenRun, RunDeps } from "./ruleRun";
import { noteError, refuse } from "./takeAnswer";
import type { Handler, HandlerAnswer, Rule } from "./types";

/** Denies where the handler is not the code that was trusted: that it comes too late for the call is no excuse. */
export async function startAsync(
  rule: Rule,
  handler: Handler,
  { deps, state }: { readonly deps: RunDeps; readonly state: OpenRun },
): Promise<void> {
  const { event } = state;
  const changed = await changeOf(handler);
  const said = (message: string) => ({ rule: rule.name, handler: handler.name, message });
  const trail = (decision: "allow" | "error", note: string): void => {
    const who = handler.name === rule.name ? "" : `${handler.name}: `;
    state.trail.push({ by: rule.name, stage: "rules", decision, ms: 0, note: `${who}${note}` });
  };
  if (changed !== undefined) {
    deps.log.error(`rule ${rule.name}: ${handler.name}: ${changed}`);
    refuse(state, said(changed));
    return trail("error", changed);
  }
  // The call's end must not end it: it has its own time.
  const own = new AbortController().signal;
  let isTold = false;
  const tell = async (answer: HandlerAnswer): Promise<void> => {
    if (isTold) return;
    isTold = true;
    await reportLate(deps, lateAnswer(rule, handler, { event, answer }));
  };
  const taken = deps.background.start({
    run: event.run_id,
    work: async () => tell(await callHandler(handler, deps.clock, { event, signal: own })),
    left: (why) => tell({ kind: "failed", why }),
  });
  if (taken) trail("allow", "not waited for");
  else noteError(state, said("too many async handlers wait already: it did not run"));
}

async function changeOf(handler: Handler): Promise<string | undefined> {
  try {
    return await handler.changed?.();
  } catch (error) {
    return `whether it is what was trusted cannot be told: ${messageOf(error)}`;
  }
}
