/**
 * VS Code's hook payloads and answers, in both of its harnesses: the local agent mode (snake_case in, `hookSpecificOutput` out)
 * and the Agent Host (camelCase in, top level out). Pure; knows nothing of verdicts beyond their kind.
 */
import { isPlainObject } from "../core/call";
import type { Outcome } from "../core/hook";
import type { AgentDoor, CallPayload, Capabilities, HookHost, ReadPayload } from "./agentDoor";
import { claudeShape } from "./claudeShape";
import type { BrokerAnswer, HookEvent } from "./hookRequest";
import { cwdOf, readObject, refuse, textOf as text } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { type Verdict, verdictOf } from "./verdict";

const names = {
  pre: ["PreToolUse"],
  post: ["PostToolUse"],
  "session-start": ["SessionStart"],
  "subagent-start": ["SubagentStart"],
  "subagent-stop": ["SubagentStop"],
  stop: ["Stop"],
} as const;

/** Reads the stdin of one hook. Anything that is not exactly one of the two forms is refused, never guessed at. */
export function readHookPayload(event: HookEvent, payload: string): ReadPayload {
  const read = readObject(payload);
  if (!read.ok) return read;
  const { value } = read;
  const local = "hook_event_name" in value || "session_id" in value || "tool_name" in value;
  const agentHost = "sessionId" in value || "toolName" in value;
  if (local === agentHost) return refuse(local ? "it mixes two forms" : "it names no session");
  return local ? readSnake(formOf(value), event, value) : readAgentHost(event, value);
}

/** Only Claude Code tells its permission mode; its sessions in the editor load the same plugin. */
function formOf(value: Record<string, unknown>): SnakeForm {
  const agent = typeof value.permission_mode === "string" ? "claude" : "vscode";
  return { agent, host: "local", names, results: ["tool_response"] };
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

const capabilities: Capabilities = { basis: "run", rewrite: true, context: true, allow: true };

/** The JSON for `host`, or nothing at all where there is nothing to say: an explicit "allow" would skip the host's own question. */
function write(host: HookHost, verdict: Verdict): string {
  if (host !== "agentHost") return claudeShape(verdict).stdout;
  const body =
    verdict.kind === "deny"
      ? { permissionDecision: "deny", permissionDecisionReason: verdict.reason }
      : {
          ...(verdict.clicked ? { permissionDecision: "allow" } : {}),
          ...(verdict.input === undefined ? {} : { modifiedArgs: verdict.input }),
          ...(verdict.context === undefined ? {} : { additionalContext: verdict.context }),
        };
  return Object.keys(body).length === 0 ? "" : JSON.stringify(body);
}

/** A deny, whoever took it. */
export function writeDeny(host: HookHost, reason: string): string {
  return write(host, { kind: "deny", reason: reason.trim() === "" ? "denied" : reason });
}

/** The answer to a PreToolUse hook. */
export function writeOutcome(payload: Pick<CallPayload, "host" | "rawInput">, outcome: Outcome): string {
  return write(payload.host, verdictOf({ ...payload, agent: "vscode" }, outcome, capabilities));
}

const answer = (stdout: string): BrokerAnswer => ({ stdout });

export const vscodeDoor: AgentDoor = {
  id: "vscode",
  title: "VS Code",
  capabilities,
  events: {
    PreToolUse: "pre",
    PostToolUse: "post",
    SessionStart: "session-start",
    SubagentStart: "subagent-start",
    SubagentStop: "subagent-stop",
    Stop: "stop",
    UserPromptSubmit: "none",
    SessionEnd: "none",
    PreCompact: "none",
    PostCompact: "none",
    Notification: "none",
  },
  readPayload: readHookPayload,
  writeOutcome: (payload, outcome) => answer(writeOutcome(payload, outcome)),
  writeDeny: ({ host }, reason) => answer(writeDeny(host, reason)),
};
