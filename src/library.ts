/** What `import … from "countersign"` gives: the decisions, the chain, the governed call, the audit's verification. */
export { refusal as refusedResult } from "./agents/ownToolResults";
export type { AuditRecord, RecordBody } from "./core/audit/record";
export type { Args, Facets, ToolCall } from "./core/call";
export type { PreResult, Survey } from "./core/chain";
export { HookChain } from "./core/chain";
export type { Decision, Finding, SessionScope } from "./core/decision";
export { Allow, AskUser, Deny, LogOnly, Rewrite } from "./core/decision";
export { CountersignError } from "./core/errors";
export type { CallOptions, Governed, Governor } from "./core/govern";
export { auditLog } from "./core/guards/auditHook";
export { quota } from "./core/guards/quota";
export type { Hook, HookContext, Outcome, TrailEntry } from "./core/hook";
export type { SnakeHook } from "./core/hookAnswer";
export type {
  HookEvent,
  HookEventName,
  HookRequest,
  HookResponse,
} from "./core/hookRules/types";
export { UNSET } from "./core/hookRules/types";
export type { PolicyDecision, PolicyEvent, ToolPolicy } from "./core/policies/define";
export { defineToolPolicy } from "./core/policies/define";
export type { Config, ConfigFile } from "./core/rules/schema";
export { verifyAuditLog } from "./node/auditVerify";
export { openAuditLog } from "./node/auditWriter";
export { HookRun } from "./node/hookRun";
export type { HookConfig } from "./node/hookRunConfig";
export { readHookConfig } from "./node/hookRunConfig";
export { withContext } from "./node/hookRunContext";
export { HookDenied, HookError } from "./node/hookRunErrors";
export type { HookAnswer, HookFunction } from "./node/hookRunHandlers";
export { DenyHandler, HookResult } from "./node/hookRunHandlers";
export type { ApiAddress, RequestFunction } from "./node/hookRunHttp";
export type { DenialRecord, ErrorRecord, RunSummary } from "./node/hookRunMeters";
export type { RuleOptions } from "./node/hookRunRules";
export { secureTools } from "./node/hookRunSecure";
export type { Entity } from "./node/hookRunSeeds";
export type { GovernedSession, RequestOptions, Session, SessionResponse } from "./node/hookRunSession";
export type { HookRunOptions, Legend, RunVerdict } from "./node/hookRunTypes";
export type { Wrapped } from "./node/hookRunWrap";
export type { CreateHooksOptions, Hooks } from "./node/hooks";
export { createHooks } from "./node/hooks";
export { nodeClock, stderrLog } from "./node/ports";
export type { Ask, AskAnswer, AskRequest, AuditStore, Clock, FileSystem, Log } from "./ports";
export { version } from "./version";
