/** A recorded call put to the rules of a configuration once more. No tool runs; code of the rules runs only where its files are those that a person accepted. */
import { canonicalName } from "../agents/toolFacts";
import type { Translate } from "../core/askText";
import type { AuditRecord } from "../core/audit/record";
import type { ToolCall } from "../core/call";
import { labelled, type RuleRun } from "../core/hookRules/ruleRun";
import { visibleText } from "../core/visible";
import type { Log } from "../ports";
import { createWorkspaceRules, type RuleSource } from "./workspaceRules";

export interface TryCall {
  readonly record: AuditRecord;
  readonly event: "pre_tool_call" | "post_tool_call";
  /** Its trust says whether code runs. */
  readonly source: RuleSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Undefined where no rule of the event is there. */
export async function tryCall(given: TryCall): Promise<RuleRun | undefined> {
  const { record, event, source, env, log, signal } = given;
  const rules = createWorkspaceRules({ log, env, onError: "ask" });
  try {
    const { rules: built } = await rules.of([source]);
    if (built?.watches(event) !== true) return undefined;
    const call = callOf(record, source.folder);
    if (event === "pre_tool_call") return await built.pre(call, call.input, signal);
    const outcome = {
      kind: "run",
      decision: "allow",
      by: null,
      binding: {},
      args: call.input,
      contexts: [],
      findings: [],
      trail: [],
      rewritten: false,
    } as const;
    return await built.post(call, { outcome, result: null, error: record.error }, signal);
  } finally {
    await rules.close();
  }
}

function callOf(record: AuditRecord, cwd: string): ToolCall {
  const toolName = record.tool ?? "";
  return {
    callId: "try",
    runId: "try",
    sessionId: "try",
    agent: record.agent ?? "",
    toolName,
    canonicalName: canonicalName(toolName),
    input: record.args ?? {},
    cwd,
    profile: record.profile ?? "default",
    traceId: "try",
    extra: {},
  };
}

/** What the rules said, as lines for a person. */
export function triedLines(record: AuditRecord, run: RuleRun | undefined, t: Translate): readonly string[] {
  const head = [`${record.tool ?? ""} ${JSON.stringify(record.args ?? {})}`, ""];
  const silent = run === undefined || (run.trail.length === 0 && run.findings.length === 0);
  const lines = silent
    ? [t("No rule speaks on this call.")]
    : [verdictLine(run, t), "", ...saidLines(run, t)];
  return [...head, ...lines].flatMap((text) => text.split("\n").map(visibleText));
}

function verdictLine({ deny, asks }: RuleRun, t: Translate): string {
  if (deny !== undefined) return t("Denied by {0}: {1}", deny.by, deny.reason);
  return asks.length > 0 ? t("A person would be asked.") : t("The rules let it go on.");
}

function saidLines(run: RuleRun, t: Translate): readonly string[] {
  const changed = JSON.stringify(run.event.tool_input ?? run.event.tool_result);
  return [
    ...run.trail.flatMap(({ by, decision, ms, note }) => [
      `  ${by}: ${decision}, ${ms.toFixed(1)} ms`,
      ...(note === undefined ? [] : [`    ${note}`]),
    ]),
    ...run.findings.map(({ by, code, message }) => `  ${by}: ${code}: ${message}`),
    ...run.contexts.map((context) => `  ${labelled(context)}`),
    ...(run.rewritten ? [`  ${t("changed to: {0}", changed)}`] : []),
  ];
}
