/** From a verdict to an outcome: consent by arguments, by grants, or by a person. Knows the dialog only as the `Ask` port. */
import type { Ask, AskAnswer, AskRequest, Hasher, Ids } from "../ports";
import type { ToolCall } from "./call";
import {
  changedFacts,
  fingerprint,
  type GrantEnd,
  type GrantFacts,
  type GrantOrigin,
  type GrantState,
  type Grants,
  type GrantUse,
  scopeKey,
  sessionKey,
} from "./consent";
import type { Evaluation } from "./evaluation";
import type { Outcome, TrailEntry } from "./hook";
import { allowed, denied, held } from "./outcomes";
import { refusalReason, type Sentences } from "./sentences";

export interface DecideDeps {
  readonly ask: Ask;
  readonly grants: Grants;
  readonly hasher: Hasher;
  readonly ids: Ids;
  readonly sentences: Sentences;
  readonly consent: "human" | "args";
  /** Told before a person is asked and after the answer, so that both are on record; a rejection denies the call. */
  readonly onAsk: (call: ToolCall, asked: { askId: string; evaluation: Evaluation }) => Promise<void>;
  readonly onAnswer: (call: ToolCall, answered: { askId: string; answer: AskAnswer }) => Promise<void>;
  /** Told before a grant that outlives this call is in force, and when it has ended; a rejection denies the call. */
  readonly onGrant: (call: ToolCall, grant: GrantState, ended?: GrantEnd) => Promise<void>;
}

const MAX_ROUNDS = 3;

/** A verdict, and the digest of the configuration that it was taken under: the one in force may be another by now. */
export interface Judged {
  readonly evaluation: Evaluation;
  readonly policyDigest: string;
}

export interface AskRun extends Judged {
  readonly again: () => Promise<Judged>;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** True once the caller was told to come back: a click then mints the grant and does not spend it. */
  readonly detached?: () => boolean;
}

/** `again` judges the same call anew: guards run once more after the click. A caller that has gone gets nothing run. */
export async function decide(call: ToolCall, deps: DecideDeps, run: AskRun): Promise<Outcome> {
  const outcome = await reach(call, deps, run);
  if (outcome.kind !== "run" || !run.signal.aborted) return outcome;
  const { args, contexts, findings, trail, rewritten, askId } = outcome;
  const base = { args, contexts, findings, trail, rewritten, ...(askId === undefined ? {} : { askId }) };
  return { ...base, kind: "denied", reason: deps.sentences.gone, by: "security", broken: false };
}

async function reach(call: ToolCall, deps: DecideDeps, run: AskRun): Promise<Outcome> {
  const { evaluation } = run;
  if (deps.grants.paused(sessionKey(call)))
    return denied(evaluation, { reason: deps.sentences.paused, by: "person" });
  if (evaluation.kind === "deny") {
    return denied(evaluation, { reason: evaluation.reason ?? "denied", by: evaluation.by ?? "security" });
  }
  if (evaluation.kind !== "ask" || evaluation.ask === undefined) return allowed(evaluation);
  if (deps.consent === "args") return held(evaluation, deps.ids("ask"));
  const lifted = await liftedByGrant(call, deps, run);
  if (lifted !== undefined) return lifted;
  if (!deps.ask.available)
    return denied(evaluation, { reason: noPerson(deps, evaluation), by: evaluation.ask.by });
  return askPerson(call, deps, run);
}

async function askPerson(call: ToolCall, deps: DecideDeps, run: AskRun): Promise<Outcome> {
  let shown: Judged = run;
  let changed: readonly string[] | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { evaluation } = shown;
    const askId = deps.ids("ask");
    await deps.onAsk(call, { askId, evaluation });
    const answer = await deps.ask.ask(requestOf(call, { askId, evaluation, changed }), run.signal);
    await deps.onAnswer(call, { askId, answer });
    if (answer.kind !== "allow") return refused(call, deps, { evaluation, answer, askId });
    const { evaluation: again, policyDigest } = await run.again();
    const after = { ...again, trail: [...evaluation.trail, personEntry(answer), ...again.trail] };
    if (after.kind === "deny") {
      return denied(after, { reason: after.reason ?? "denied", by: after.by ?? "security", askId });
    }
    const now = { evaluation: after, policyDigest };
    changed = changedFacts(factsOf(call, shown), factsOf(call, now));
    if (changed.length > 0) {
      // Nothing is asked any more. Who was told to come back runs nothing on this answer.
      if (after.ask === undefined) {
        const later = { reason: deps.sentences.approvedLater, by: "person", askId };
        return run.detached?.() === true ? denied(after, later) : allowed(after, { askId });
      }
      shown = now;
      continue;
    }
    if (run.signal.aborted) return denied(after, { reason: deps.sentences.gone, by: "person", askId });
    if (run.detached?.() === true) {
      const grant = deps.grants.once(originOf(call, askId));
      await deps.onGrant(call, grant);
      deps.grants.mintOnce(fingerprint(deps.hasher, factsOf(call, now)), grant);
      return denied(after, { reason: deps.sentences.approvedLater, by: "person", askId });
    }
    const consent = await consume(call, deps, { ...now, scope: answer.scope, askId });
    if (consent === undefined) continue;
    return allowed(after, { consent, askId });
  }
  return denied(shown.evaluation, {
    reason: "The call kept changing while it was being approved.",
    by: "security",
  });
}

/** The click mints the grant and this very call consumes it: of "once" nothing is left over for another. */
async function consume(
  call: ToolCall,
  deps: DecideDeps,
  approved: Judged & { scope: "once" | "session"; askId: string },
): Promise<"once" | "session" | undefined> {
  const { grants } = deps;
  const facts = factsOf(call, approved);
  const scope = approved.evaluation.ask?.sessionScope;
  const origin = originOf(call, approved.askId);
  if (approved.scope === "session" && scope !== undefined) {
    const key = scopeKey(facts, scope.key);
    const grant = grants.session({ ...origin, shape: scope.label });
    await deps.onGrant(call, grant);
    grants.mintSession(key, grant);
    return (await spend(call, deps, grants.consumeSession(key))) === undefined ? undefined : "session";
  }
  const key = fingerprint(deps.hasher, facts);
  grants.mintOnce(key, grants.once(origin));
  return grants.consumeOnce(key)?.lifted === true ? "once" : undefined;
}

/** Without the call's arguments: a grant may outlive it for long. */
function originOf({ sessionId, agent, cwd }: ToolCall, askId: string): GrantOrigin {
  return { askId, call: { sessionId, agent, ...(cwd === undefined ? {} : { cwd }) } };
}

/** The grant that lifts the question, its end on record where this was its last use. */
async function spend(
  call: ToolCall,
  deps: DecideDeps,
  use: GrantUse | undefined,
): Promise<GrantState | undefined> {
  if (use?.ended !== undefined) await deps.onGrant(call, use.grant, use.ended);
  return use?.lifted === true ? use.grant : undefined;
}

async function liftedByGrant(call: ToolCall, deps: DecideDeps, judged: Judged): Promise<Outcome | undefined> {
  const { evaluation } = judged;
  const facts = factsOf(call, judged);
  const scope = evaluation.ask?.sessionScope;
  const wide = scope === undefined ? undefined : deps.grants.consumeSession(scopeKey(facts, scope.key));
  const session = await spend(call, deps, wide);
  if (session !== undefined) {
    const { askId } = session;
    return allowed(withConsentEntry(evaluation, "session grant"), { consent: "session", askId });
  }
  const once = await spend(call, deps, deps.grants.consumeOnce(fingerprint(deps.hasher, facts)));
  if (once === undefined) return undefined;
  return allowed(withConsentEntry(evaluation, "grant"), { consent: "once", askId: once.askId });
}

async function refused(
  call: ToolCall,
  deps: DecideDeps,
  run: { evaluation: Evaluation; answer: Exclude<AskAnswer, { kind: "allow" }>; askId: string },
): Promise<Outcome> {
  const { answer, askId } = run;
  const evaluation = { ...run.evaluation, trail: [...run.evaluation.trail, personEntry(answer)] };
  if (answer.kind === "deny" && answer.pauseAgent === true)
    for (const grant of deps.grants.pause(sessionKey(call))) await deps.onGrant(call, grant, "revoked");
  const by = answer.kind === "busy" ? "security" : "person";
  return denied(evaluation, { reason: refusalReason(deps.sentences, answer), by, askId });
}

function requestOf(
  call: ToolCall,
  run: { askId: string; evaluation: Evaluation; changed: readonly string[] | undefined },
): AskRequest {
  const { ask, args } = run.evaluation;
  return {
    askId: run.askId,
    call,
    prompt: ask?.prompt ?? "",
    by: ask?.askers ?? [],
    details: ask?.details ?? {},
    finalArgs: args,
    ...(ask?.sessionScope === undefined ? {} : { sessionScope: ask.sessionScope }),
    ...(run.changed === undefined ? {} : { changed: run.changed }),
  };
}

function factsOf(call: ToolCall, { evaluation, policyDigest }: Judged): GrantFacts {
  const { args, binding, ask } = evaluation;
  const question = ask === undefined ? null : [ask.prompt, ask.sessionScope?.key ?? null];
  return { call, args, binding, policyDigest, question };
}

function noPerson(deps: DecideDeps, evaluation: Evaluation): string {
  return `${evaluation.ask?.prompt ?? ""}\n${deps.sentences.nobody}`.trim();
}

function personEntry(answer: AskAnswer): TrailEntry {
  const decision = answer.kind === "allow" ? "allow" : "deny";
  const note = answer.kind === "allow" ? `allowed ${answer.scope}` : answer.kind;
  return { by: "person", stage: "person", decision, ms: 0, note };
}

function withConsentEntry(evaluation: Evaluation, note: string): Evaluation {
  return {
    ...evaluation,
    trail: [...evaluation.trail, { by: "consent", stage: "consent", decision: "allow", ms: 0, note }],
  };
}
