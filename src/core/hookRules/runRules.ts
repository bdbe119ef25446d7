/** One event through the rules that match it: order, trust, handlers in the background. Knows handlers only as ports, and no door. */
import type { Finding } from "../decision";
import { messageOf } from "../errors";
import { callHandler } from "./callHandler";
import type { CompiledRules } from "./fires";
import type { Budget } from "./patternSearch";
import { type OpenRun, openRun, type RuleRun, type RunDeps, type Trust } from "./ruleRun";
import { startAsync } from "./startAsync";
import { refuse, takeAnswer } from "./takeAnswer";
import type { Handler, HandlerAnswer, HookEvent, Rule } from "./types";

/** Steps of the patterns of rules that only deny, which are in force before anybody has read them: a tenth of a second at worst. */
const STEPS_OF_DENIALS = 6_000_000;
/** Those of rules whose code a person has accepted; what patterns take at worst, they hardly ever take. */
const STEPS_OF_CODE = 100_000_000;

/** Never rejects. `signal` is aborted when the caller has gone. */
export async function runRules(
  rules: CompiledRules,
  deps: RunDeps,
  given: { readonly event: HookEvent; readonly signal: AbortSignal },
): Promise<RuleRun> {
  const state = openRun(given.event);
  if (!rules.has(given.event.event)) return state;
  const denials: Budget = { left: STEPS_OF_DENIALS };
  const code: Budget = { left: STEPS_OF_CODE };
  for (const { rule, fits } of rules.of(given.event.event)) {
    // By what earlier rules made of it: what was asked for first is not what is going to run.
    const fit = fits(state.event, rule.handlers.every(isDenial) ? denials : code);
    if (fit === "unsearched") failUnsearched(state, rule, deps);
    else if (fit === "yes") await runRule(rule, deps, { state, signal: given.signal });
    if (state.deny !== undefined) return state;
  }
  return state;
}

const isDenial = ({ kind }: Handler): boolean => kind === "deny";

/** Nobody knows whether the rule matches: it has failed, which of a denial is a denial. */
function failUnsearched(state: OpenRun, rule: Rule, deps: RunDeps): void {
  const why = "the call holds more text than its patterns can be searched in";
  state.trail.push({ by: rule.name, stage: "rules", decision: "error", ms: 0, note: why });
  for (const handler of rule.handlers) {
    if (isDenial(handler)) refuse(state, { rule: rule.name, handler: handler.name, message: why });
    else takeAnswer(state, { rule, handler, answer: { kind: "failed", why }, deps });
    if (state.deny !== undefined) return;
  }
}

interface Running {
  readonly state: OpenRun;
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
    } else if (handler.async === true) await startAsync(rule, handler, { deps, state });
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
  const decision = takeAnswer(state, { rule, handler, answer, deps });
  const ms = Math.round((deps.clock.monotonic() - started) * 1000) / 1000;
  const note = noteOf(handler, rule, answer);
  state.trail.push({ by: rule.name, stage: "rules", decision, ms, ...(note === undefined ? {} : { note }) });
}

function noteOf(handler: Handler, rule: Rule, answer: HandlerAnswer): string | undefined {
  const who = handler.name === rule.name ? "" : `${handler.name}: `;
  const what = answer.kind === "failed" || answer.kind === "broken" ? answer.why : "";
  return who + what === "" ? undefined : who + what || handler.name;
}

function finding(
  rule: Rule,
  code: string,
  message: string,
  severity: NonNullable<Finding["severity"]>,
): Finding {
  return { code, message, by: rule.name, severity };
}
