/** One event through the rules that match it: order, rewrites, denials, failures. Knows handlers only as ports, and no door. */
import type { Clock, Log } from "../../ports";
import type { Finding } from "../decision";
import { messageOf } from "../errors";
import type { TrailEntry } from "../hook";
import { applyResult } from "./applyResult";
import type { Background } from "./background";
import { callHandler } from "./callHandler";
import type { CompiledRules } from "./fires";
import { errorFinding, lateAnswer, reportLate } from "./lateAnswer";
import { type DoorDefault, onErrorOf } from "./onError";
import type { Handler, HandlerAnswer, HookEvent, HookResult, Rule } from "./types";

export interface RunDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly onError: DoorDefault;
  readonly background: Background;
  /** Whether the code that a rule carries may run; absent = it may. */
  readonly trusted?: (rule: Rule) => Promise<Trust> | Trust;
  /** Told what an async handler came to after its call went on. */
  readonly onLate?: (late: LateAnswer) => void;
}

export type Trust =
  | { readonly kind: "trusted" }
  /** Nobody has trusted it yet: it does not run. */
  | { readonly kind: "inert"; readonly why: string }
  /** It is not what was trusted any more: the call is denied. */
  | { readonly kind: "changed"; readonly why: string };

export interface HandlerError {
  readonly rule: string;
  readonly handler: string;
  readonly message: string;
}

export interface LateAnswer {
  readonly event: HookEvent;
  readonly findings: readonly Finding[];
  readonly error?: HandlerError;
}

export interface RuleContext {
  /** Name of the handler. */
  readonly name: string;
  readonly text: string;
}

export interface RuleDenial {
  readonly reason: string;
  /** Name of the rule. */
  readonly by: string;
  readonly handler: string;
  /** True when something of ours or of the handler failed, and nobody decided to refuse. */
  readonly broken: boolean;
  /** True when `on_error = "raise"`, or the answer could not be applied: an error, no refusal. */
  readonly raised: boolean;
}

/** What the rules made of an event. */
export interface RuleRun {
  /** After every rewrite. */
  readonly event: HookEvent;
  readonly rewritten: boolean;
  /** Name of the last rule that rewrote. */
  readonly rewrittenBy?: string;
  readonly deny?: RuleDenial;
  /** Handlers that failed where a person is to be asked. */
  readonly asks: readonly HandlerError[];
  readonly contexts: readonly RuleContext[];
  readonly findings: readonly Finding[];
  /** Every failure, whatever became of it. */
  readonly errors: readonly HandlerError[];
  readonly trail: readonly TrailEntry[];
}

/** Never rejects. `signal` is aborted when the caller has gone. */
export async function runRules(
  rules: CompiledRules,
  deps: RunDeps,
  given: { readonly event: HookEvent; readonly signal: AbortSignal },
): Promise<RuleRun> {
  const state = startRun(given.event);
  if (!rules.has(given.event.event)) return state;
  const { rules: matching, unsearched } = rules.matching(given.event);
  for (const rule of matching) {
    await runRule(rule, deps, { state, signal: given.signal });
    if (state.deny !== undefined) return state;
  }
  if (unsearched !== undefined) {
    const message = "the call holds more text than its patterns can be searched in";
    refuse(state, { rule: unsearched.name, handler: unsearched.name, message });
    state.trail.push({ by: unsearched.name, stage: "rules", decision: "error", ms: 0, note: message });
  }
  return state;
}

type Mutable = {
  -readonly [K in keyof RuleRun]: RuleRun[K] extends readonly (infer T)[] ? T[] : RuleRun[K];
};

function startRun(event: HookEvent): Mutable {
  return { event, rewritten: false, asks: [], contexts: [], findings: [], errors: [], trail: [] };
}

interface Running {
  readonly state: Mutable;
  readonly signal: AbortSignal;
}

async function runRule(rule: Rule, deps: RunDeps, running: Running): Promise<void> {
  const { state } = running;
  const trust = await trustOf(rule, deps);
  for (const handler of rule.handlers) {
    const inert = handler.kind !== "deny" && trust.kind !== "trusted";
    if (inert && trust.kind === "inert") {
      state.findings.push(finding(rule, "rule_inert", `${handler.name}: ${trust.why}`, "warning"));
      continue;
    }
    if (inert) {
      const message = trust.kind === "changed" ? trust.why : "";
      refuse(state, { rule: rule.name, handler: handler.name, message });
      state.trail.push({ by: rule.name, stage: "rules", decision: "error", ms: 0, note: message });
    } else if (handler.async === true) startAsync(rule, handler, { deps, running });
    else await consult(rule, handler, { deps, running });
    if (state.deny !== undefined) return;
  }
}

async function trustOf(rule: Rule, deps: RunDeps): Promise<Trust> {
  if (deps.trusted === undefined || rule.handlers.every((one) => one.kind === "deny")) {
    return { kind: "trusted" };
  }
  try {
    return await deps.trusted(rule);
  } catch (error) {
    return { kind: "changed", why: `whether it is trusted cannot be told: ${messageOf(error)}` };
  }
}

async function consult(
  rule: Rule,
  handler: Handler,
  how: { readonly deps: RunDeps; readonly running: Running },
): Promise<void> {
  const { deps, running } = how;
  const { state } = running;
  const started = deps.clock.monotonic();
  const answer = await callHandler(handler, deps.clock, { event: state.event, signal: running.signal });
  const decision = take(state, { rule, handler, answer, deps });
  const ms = Math.round((deps.clock.monotonic() - started) * 1000) / 1000;
  const note = noteOf(handler, rule, answer);
  state.trail.push({ by: rule.name, stage: "rules", decision, ms, ...(note === undefined ? {} : { note }) });
}

function noteOf(handler: Handler, rule: Rule, answer: HandlerAnswer): string | undefined {
  const who = handler.name === rule.name ? "" : `${handler.name}: `;
  const what = answer.kind === "failed" || answer.kind === "broken" ? answer.why : "";
  return who + what === "" ? undefined : who + what || handler.name;
}

interface Taken {
  readonly rule: Rule;
  readonly handler: Handler;
  readonly answer: HandlerAnswer;
  readonly deps: RunDeps;
}

function take(state: Mutable, taken: Taken): TrailEntry["decision"] {
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

function takeResult(state: Mutable, taken: Taken, result: HookResult): TrailEntry["decision"] {
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

function addContext(state: Mutable, handler: Handler, text: string): void {
  if (text !== "") state.contexts.push({ name: handler.name, text });
}

function deny(state: Mutable, { rule, handler }: Taken, reason: string): "deny" {
  const said = reason.trim() === "" ? `refused by the rule ${rule.name}` : reason;
  state.deny = { reason: said, by: rule.name, handler: handler.name, broken: false, raised: false };
  return "deny";
}

/** What failed denies, and says so: never that a policy refused. */
function refuse(state: Mutable, error: HandlerError, how?: "raised"): void {
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

function takeFailure(state: Mutable, taken: Taken, error: HandlerError): void {
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

function noteError(state: Mutable, error: HandlerError): void {
  state.errors.push(error);
  state.findings.push(errorFinding(error));
}

function finding(
  rule: Rule,
  code: string,
  message: string,
  severity: NonNullable<Finding["severity"]>,
): Finding {
  return { code, message, by: rule.name, severity };
}

function startAsync(
  rule: Rule,
  handler: Handler,
  how: { readonly deps: RunDeps; readonly running: Running },
): void {
  const { deps, running } = how;
  const { event } = running.state;
  // The call's end must not end it: it has its own time.
  const own = new AbortController().signal;
  const taken = deps.background.start(async () => {
    const answer = await callHandler(handler, deps.clock, { event, signal: own });
    reportLate(deps, lateAnswer(rule, handler, { event, answer }));
  });
  if (taken) return;
  const message = "too many async handlers wait already: it did not run";
  noteError(running.state, { rule: rule.name, handler: handler.name, message });
}
