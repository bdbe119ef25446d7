/** A handler's answer taken into the run of its rules: applied, told, denied or put down as a failure. Asks no handler. */
import type { TrailEntry } from "../hook";
import { applyResult } from "./applyResult";
import { errorFinding } from "./lateAnswer";
import { onErrorOf } from "./onError";
import type { HandlerError, OpenRun, RunDeps } from "./ruleRun";
import type { Handler, HandlerAnswer, HookResult, Rule } from "./types";

export interface Taken {
  readonly rule: Rule;
  readonly handler: Handler;
  readonly answer: HandlerAnswer;
  readonly deps: RunDeps;
}

/** Answers what the trail says of it. */
export function takeAnswer(state: OpenRun, taken: Taken): TrailEntry["decision"] {
  const { rule, handler, answer, deps } = taken;
  const failure = (message: string): HandlerError => ({ rule: rule.name, handler: handler.name, message });
  switch (answer.kind) {
    case "context":
      addContext(state, handler, answer.text);
      return "allow";
    case "deny":
      return deny(state, taken, answer.reason);
    case "result":
      return takeResult(state, taken, answer.result);
    case "broken":
      deps.log.error(`rule ${rule.name}: ${handler.name}: ${answer.why}`);
      refuse(state, failure(answer.why));
      return "error";
    case "failed":
      deps.log.warn(`rule ${rule.name}: ${handler.name} failed: ${answer.why}`);
      takeFailure(state, taken, failure(answer.why));
      return "error";
    default:
      return answer satisfies never;
  }
}

function takeResult(state: OpenRun, taken: Taken, result: HookResult): TrailEntry["decision"] {
  const { rule, handler } = taken;
  state.findings.push(...result.findings.map((one) => ({ ...one, by: rule.name })));
  if (result.decision === "deny") return deny(state, taken, result.reason ?? "");
  const applied = applyResult(state.event, result);
  if (applied.kind === "misfit") {
    const error = {
      rule: rule.name,
      handler: handler.name,
      message: `its answer cannot be applied: ${applied.why}`,
    };
    refuse(state, error, "raised");
    return "error";
  }
  if (result.additional_context !== null) addContext(state, handler, result.additional_context);
  if (applied.kind === "kept") return "allow";
  state.event = applied.event;
  state.rewritten = true;
  state.rewrittenBy = rule.name;
  return "rewrite";
}

function addContext(state: OpenRun, handler: Handler, text: string): void {
  if (text !== "") state.contexts.push({ name: handler.name, text });
}

function deny(state: OpenRun, { rule, handler }: Taken, reason: string): "deny" {
  const said = reason.trim() === "" ? `refused by the rule ${rule.name}` : reason;
  state.deny = { reason: said, by: rule.name, handler: handler.name, broken: false, raised: false };
  return "deny";
}

/** What failed denies, and says so: never that a policy refused. */
export function refuse(state: OpenRun, error: HandlerError, how?: "raised"): void {
  noteError(state, error);
  state.deny = {
    reason: `guard broken: ${label(error)}: ${error.message}`,
    by: error.rule,
    handler: error.handler,
    broken: true,
    raised: how === "raised",
  };
}

const label = ({ rule, handler }: HandlerError): string =>
  rule === handler ? `rule ${rule}` : `rule ${rule}, handler ${handler}`;

function takeFailure(state: OpenRun, taken: Taken, error: HandlerError): void {
  const what = onErrorOf(taken.handler, state.event.event, taken.deps.onError);
  switch (what) {
    case "record":
      noteError(state, error);
      return;
    case "ask":
      noteError(state, error);
      state.asks.push(error);
      return;
    case "deny":
      refuse(state, error);
      return;
    case "raise":
      refuse(state, error, "raised");
      return;
    default:
      what satisfies never;
  }
}

export function noteError(state: OpenRun, error: HandlerError): void {
  state.errors.push(error);
  state.findings.push(errorFinding(error));
}
