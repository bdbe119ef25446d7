/** What governs the calls of a run: its rules alone, or a program's hooks with their guards, consent and audit ahead of them. */
import { canonicalName } from "../agents/toolFacts";
import type { Args, ToolCall } from "../core/call";
import { HookChain } from "../core/chain";
import { createGrants } from "../core/consent";
import { createEmitter, createMetrics } from "../core/events";
import { createGovernor, type Governor } from "../core/govern";
import type { CallRules } from "../core/hookRules/callRules";
import { englishSentences } from "../core/sentences";
import type { Ask, Log } from "../ports";
import { nobody } from "./hooks";
import { nodeClock, nodeIds, randomNonce, sha256 } from "./ports";

export interface Governing {
  /** `rules` come after the guards, which judge again whatever they rewrite. */
  governing(rules: CallRules): Governor;
  call(toolName: string, input: Args, more: Partial<ToolCall>): ToolCall;
}

/** No guards and no audit: the run's rules are all there is. */
export function rulesAlone(log: Log, ask: Ask = nobody): Governing {
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
