/**
 * VS Code's hook payloads and answers, in both of its harnesses: the local agent mode (snake_case in, `hookSpecificOutput` out)
 * and the Agent Host (camelCase in, top level out). Pure; knows nothing of verdicts beyond their kind.
 */
import { type Args, isPlainObject } from "../core/call";
import type { Outcome } from "../core/hook";
import { brokenText } from "./denial";
import type { HookEvent } from "./hookRequest";

export type HookHost = "local" | "agentHost";

interface Base {
  readonly host: HookHost;
  readonly agent: "vscode" | "claude";
  readonly sessionId: string;
  /** Absolute; absent when the host names none. */
  readonly cwd?: string;
}

export interface CallPayload extends Base {
  readonly kind: "pre" | "post";
  /** The host's own id of this call; the Agent Host has none. */
  readonly toolUseId?: string;
  readonly toolName: string;
  readonly input: Args;
  /** Set where the host sent the arguments as one text: they can then not be rewritten. */
  readonly rawInput?: true;
  readonly agentId?: string;
  /** What the tool gave back, in whatever form the host reports it; only with "post". */
  readonly response?: unknown;
}

export interface NoticePayload extends Base {
  readonly kind: "notice";
  readonly agentId?: string;
  /** The agent's last words, where its program tells them; only with "stop". */
  readonly finalText?: string;
}

export type HookPayload = CallPayload | NoticePayload;

export type ReadPayload =
  | { readonly ok: true; readonly value: HookPayload }
  | { readonly ok: false; readonly reason: string };

const eventNames: Readonly<Record<HookEvent, string>> = {
  pre: "PreToolUse",
  post: "PostToolUse",
  "session-start": "SessionStart",
  "subagent-start": "SubagentStart",
  "subagent-stop": "SubagentStop",
  stop: "Stop",
};

/** Reads the stdin of one hook. Anything that is not exactly one of the two forms is refused, never guessed at. */
export function readHookPayload(event: HookEvent, text: string): ReadPayload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("it is no JSON");
  }
  if (!isPlainObject(value)) return refuse("it is no object");
  const local = "hook_event_name" in value || "session_id" in value || "tool_name" in value;
  const agentHost = "sessionId" in value || "toolName" in value;
  if (local === agentHost) return refuse(local ? "it mixes two forms" : "it names no session");
  return local ? readLocal(event, value) : readAgentHost(event, value);
}

function readLocal(event: HookEvent, value: Record<string, unknown>): ReadPayload {
  const sessionId = text(value.session_id);
  if (value.hook_event_name !== eventNames[event]) return refuse(`it is no ${eventNames[event]} event`);
  if (sessionId === undefined) return refuse("it names no session");
  // Only Claude Code tells its permission mode; its sessions in the editor load the same plugin.
  const agent = typeof value.permission_mode === "string" ? ("claude" as const) : ("vscode" as const);
  const base = { host: "local" as const, agent, sessionId, ...cwdOf(value.cwd) };
  const agentId = text(value.agent_id);
  const named = agentId === undefined ? {} : { agentId };
  if (event !== "pre" && event !== "post") {
    const last = event === "stop" ? text(value.last_assistant_message) : undefined;
    const said = last === undefined ? {} : { finalText: last };
    return { ok: true, value: { kind: "notice", ...base, ...named, ...said } };
  }
  const toolName = text(value.tool_name);
  const toolUseId = text(value.tool_use_id);
  if (toolName === undefined) return refuse("it names no tool");
  if (!isPlainObject(value.tool_input)) return refuse("its tool_input is no object");
  if (value.tool_use_id !== undefined && toolUseId === undefined) return refuse("its tool_use_id is no text");
  return {
    ok: true,
    value: {
      kind: event,
      ...base,
      ...named,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      toolName,
      input: value.tool_input,
      ...(event === "post" ? { response: value.tool_response } : {}),
    },
  };
}

function readAgentHost(event: HookEvent, value: Record<string, unknown>): ReadPayload {
  const sessionId = text(value.sessionId);
  if (sessionId === undefined) return refuse("it names no session");
  const base = {
    host: "agentHost" as const,
    agent: "vscode" as const,
    sessionId,
    ...cwdOf(value.workingDirectory ?? value.cwd),
  };
  if (event !== "pre" && event !== "post") return { ok: true, value: { kind: "notice", ...base } };
  const toolName = text(value.toolName);
  const args = readToolArgs(value.toolArgs);
  if (toolName === undefined) return refuse("it names no tool");
  if (args === undefined) return refuse("its toolArgs are no object");
  const response = event === "post" ? { response: value.toolResult } : {};
  return { ok: true, value: { kind: event, ...base, toolName, ...args, ...response } };
}

/** Some tools take one text instead of an object; it is judged as the argument `input`. */
function readToolArgs(value: unknown): Pick<CallPayload, "input" | "rawInput"> | undefined {
  if (isPlainObject(value)) return { input: value };
  if (typeof value !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    if (isPlainObject(parsed)) return { input: parsed, rawInput: true };
  } catch {
    // Plain text, as it says above.
  }
  return { input: { input: value }, rawInput: true };
}

function refuse(what: string): ReadPayload {
  return { ok: false, reason: `the hook's input cannot be read: ${what}` };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function cwdOf(value: unknown): { cwd?: string } {
  const named = text(value);
  return named !== undefined && /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(named) ? { cwd: named } : {};
}

/** What the host shall do with the call, in the one form it reads. */
interface Verdict {
  readonly decision?: "allow" | "deny";
  readonly reason?: string;
  readonly input?: Args;
  readonly context?: string;
}

/** The JSON for `host`, or nothing at all where there is nothing to say: an explicit "allow" would skip the host's own question. */
function write(host: HookHost, verdict: Verdict): string {
  const { decision, reason, input, context } = verdict;
  const common = {
    ...(decision === undefined ? {} : { permissionDecision: decision }),
    ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
  };
  const more = context === undefined ? {} : { additionalContext: context };
  const rewrite =
    input === undefined ? {} : host === "local" ? { updatedInput: input } : { modifiedArgs: input };
  const body = { ...common, ...rewrite, ...more };
  if (Object.keys(body).length === 0) return "";
  return JSON.stringify(
    host === "local" ? { hookSpecificOutput: { hookEventName: "PreToolUse", ...body } } : body,
  );
}

/** A deny, whoever took it. */
export function writeDeny(host: HookHost, reason: string): string {
  return write(host, { decision: "deny", reason: reason.trim() === "" ? "denied" : reason });
}

/** The answer to a PreToolUse hook. */
export function writeOutcome(payload: Pick<CallPayload, "host" | "rawInput">, outcome: Outcome): string {
  const { host } = payload;
  if (outcome.kind === "denied")
    return writeDeny(host, outcome.broken ? brokenText(outcome.reason) : outcome.reason);
  if (outcome.kind === "asks_user") {
    return writeDeny(
      host,
      `${outcome.prompt}\nThis needs a person's approval, and nobody could be asked here.`,
    );
  }
  if (outcome.rewritten && payload.rawInput === true) {
    return writeDeny(host, brokenText("this call was rewritten, and its tool takes no rewritten arguments"));
  }
  const clicked = outcome.consent === "once" || outcome.consent === "session";
  // An approved call is sent back whole: what another hook made of it meanwhile is not what the person saw.
  const input = outcome.rewritten || (clicked && payload.rawInput !== true) ? { input: outcome.args } : {};
  const context = outcome.contexts.length === 0 ? {} : { context: outcome.contexts.join("\n") };
  return write(host, { ...(clicked ? { decision: "allow" as const } : {}), ...input, ...context });
}
