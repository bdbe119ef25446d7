/** Ports for exact tests: a clock that stands still, counted ids, a readable hash, an audit store in memory. */
import { createHash } from "node:crypto";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";
import type { Args, ToolCall } from "../../src/core/call";
import { HookChain } from "../../src/core/chain";
import { createGrants, type Grants } from "../../src/core/consent";
import { type AskedEvent, createEmitter, createMetrics, type DeniedEvent } from "../../src/core/events";
import { createGovernor, type Governor } from "../../src/core/govern";
import { auditLog } from "../../src/core/guards/auditHook";
import type { Hook } from "../../src/core/hook";
import { createBackground } from "../../src/core/hookRules/background";
import { type CallRules, callRules } from "../../src/core/hookRules/callRules";
import { compileRules } from "../../src/core/hookRules/fires";
import type { Rule } from "../../src/core/hookRules/types";
import type { CallPolicies } from "../../src/core/policies/types";
import { englishSentences } from "../../src/core/sentences";
import type { Ask, AskAnswer, AskRequest, AuditStore, Clock, Log } from "../../src/ports";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const quietLog: Log = { info() {}, warn() {}, error() {} };

export function fakeClock(start = 1_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  const timers = new Set<{ at: number; fire: () => void }>();
  return {
    now: () => now,
    monotonic: () => now,
    timer(ms) {
      let entry: { at: number; fire: () => void } | undefined;
      const done = new Promise<void>((fire) => {
        entry = { at: now + ms, fire };
        timers.add(entry);
      });
      return { done, cancel: () => void (entry && timers.delete(entry)) };
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.fire();
      }
    },
  };
}

export function call(toolName: string, input: Args, more: Partial<ToolCall> = {}): ToolCall {
  return {
    callId: "c1",
    runId: "r1",
    sessionId: "s1",
    agent: "test",
    toolName,
    canonicalName: toolName,
    input,
    cwd: "/ws",
    profile: "default",
    traceId: "t1",
    extra: {},
    ...more,
  };
}

export interface Rig {
  readonly governor: Governor;
  readonly grants: Grants;
  readonly chain: HookChain;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly records: RecordBody[];
  readonly intents: RecordBody[];
  readonly requests: AskRequest[];
  readonly asked: AskedEvent[];
  readonly denied: DeniedEvent[];
}

export function rig(options: {
  hooks?: readonly Hook[];
  answers?: readonly (AskAnswer | ((request: AskRequest) => AskAnswer | Promise<AskAnswer>))[];
  consent?: "human" | "args";
  enabled?: boolean;
  person?: "there" | "absent";
  audit?: Partial<AuditStore> | "none";
  auditRequired?: boolean;
  bind?: () => Promise<Record<string, string>>;
  policyDigest?: () => string;
  brokenConfig?: boolean;
  rules?: readonly Rule[];
  policies?: CallPolicies;
}): Rig {
  const clock = fakeClock();
  const records: RecordBody[] = [];
  const intents: RecordBody[] = [];
  const requests: AskRequest[] = [];
  const store: AuditStore = {
    async intend(body) {
      intents.push(body);
    },
    async append(body) {
      records.push(body);
      return body as AuditRecord;
    },
    ...(typeof options.audit === "object" ? options.audit : {}),
  };
  const audit = options.audit === "none" ? undefined : store;
  const policyDigest = options.policyDigest ?? (() => "policy-1");
  const hooks = [
    ...(options.hooks ?? []),
    ...(audit ? [auditLog({ store: audit, hasher: sha256, policyDigest })] : []),
  ];
  const chain = new HookChain({ clock, log: quietLog }, hooks);
  const answers = [...(options.answers ?? [])];
  const ask: Ask = {
    available: options.person !== "absent",
    async ask(request) {
      requests.push(request);
      const next = answers.shift();
      if (next === undefined) throw new Error("the test did not expect this question");
      return typeof next === "function" ? next(request) : next;
    },
  };
  const rules = options.rules === undefined ? undefined : callRulesOf(options.rules, clock);
  let ids = 0;
  const nextId = (prefix: string): string => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  const grants = createGrants(clock);
  const asked = createEmitter<AskedEvent>(() => undefined);
  const denied = createEmitter<DeniedEvent>(() => undefined);
  const seen = { asked: [] as AskedEvent[], denied: [] as DeniedEvent[] };
  asked.on((event) => seen.asked.push(event));
  denied.on((event) => seen.denied.push(event));
  const governor = createGovernor({
    evaluate: () => {
      if (options.brokenConfig === true) throw new Error("no configuration");
      return {
        chain,
        clock,
        hasher: sha256,
        enabled: options.enabled ?? true,
        consent: options.consent ?? "human",
        confirmKeys: ["confirm_destructive"],
        nonce: "n",
        ...(rules === undefined ? {} : { rules }),
        ...(options.policies === undefined ? {} : { policies: options.policies }),
        ...(options.bind === undefined ? {} : { bind: options.bind }),
      };
    },
    decide: () => ({
      ask,
      grants,
      hasher: sha256,
      ids: nextId,
      policyDigest,
      sentences: englishSentences,
    }),
    audit: () => audit,
    auditRequired: () => options.auditRequired ?? true,
    recordsChoices: true,
    hasher: sha256,
    clock,
    log: quietLog,
    metrics: createMetrics(),
    asked,
    denied,
  });
  return {
    governor,
    grants,
    chain,
    clock,
    records,
    intents,
    requests,
    asked: seen.asked,
    denied: seen.denied,
  };
}

function callRulesOf(rules: readonly Rule[], clock: Clock): CallRules {
  const compiled = compileRules(rules);
  if (!compiled.ok) throw new Error("the test's rules cannot be compiled");
  return callRules(compiled.value, {
    clock,
    log: quietLog,
    onError: "ask",
    background: createBackground(clock),
  });
}
