/** What governs the calls of a run: its rules alone, or a program's hooks with their guards, consent and audit ahead of them. */
import { canonicalName } from "../agents/toolFacts";
import type { Args, ToolCall } from "../core/call";
import { HookChain } from "../core/chain";
import { createGrants } from "../core/consent";
import { createEmitter, createMetrics } from "../core/events";
import { createGovernor, type Governor } from "../core/govern";
import type { CallRules } from "../core/hookRules/callRules";
import { englishSentences } from "../core/sentences";
import type { Log } from "../ports";
import type { HookRunOptions } from "./hookRunTypes";
import { nobody } from "./hooks";
import { definedPolicies } from "./policies/definedPolicies";
import { nodeClock, nodeIds, randomNonce, sha256 } from "./ports";

export interface Governing {
  /** `rules` come after the guards, which judge again whatever they rewrite. */
  governing(rules: CallRules): Governor;
  call(toolName: string, input: Args, more: Partial<ToolCall>): ToolCall;
}

/** No guards and no audit: the run's policies and rules are all there is. Throws a CountersignError for what is no policy. */
export function rulesAlone(log: Log, given: Pick<HookRunOptions, "ask" | "policies"> = {}): Governing {
  const { ask = nobody, policies = [] } = given;
  const chain = new HookChain({ clock: nodeClock, log });
  const said = (error: unknown): void => log.error(String(error));
  const judging = {
    chain,
    clock: nodeClock,
    hasher: sha256,
    enabled: true,
    consent: "human",
    confirmKeys: [],
    nonce: randomNonce(),
    policies: definedPolicies(policies, nodeClock),
  } as const;
  const deciding = {
    ask,
    grants: createGrants(nodeClock),
    hasher: sha256,
    ids: nodeIds,
    policyDigest: () => "",
    sentences: englishSentences,
  };
  const deps = {
    decide: () => deciding,
    audit: () => undefined,
    auditRequired: () => false,
    recordsChoices: false,
    hasher: sha256,
    clock: nodeClock,
    log,
    metrics: createMetrics(),
    asked: createEmitter<never>(said),
    denied: createEmitter<never>(said),
  };
  return {
    governing: (rules) => createGovernor({ ...deps, evaluate: () => ({ ...judging, rules }) }),
    call: bareCall,
  };
}

function bareCall(toolName: string, input: Args, more: Partial<ToolCall>): ToolCall {
  const callId = nodeIds("call");
  return {
    callId,
    runId: callId,
    sessionId: callId,
    agent: "library",
    toolName,
    canonicalName: canonicalName(toolName),
    input,
    profile: "default",
    traceId: callId,
    extra: {},
    ...more,
  };
}
