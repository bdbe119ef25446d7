/**
 * Cursor's hooks, from its documents alone: `preToolUse` with a flat `permission` out. An allowed call must be answered too,
 * since Cursor takes an empty answer for a broken hook. Knows nothing of how they are installed.
 */
import { isPlainObject } from "../core/call";
import type { AgentDoor, Capabilities, ReadPayload } from "./agentDoor";
import type { BrokerAnswer, HookEvent } from "./hookRequest";
import { cwdOf, readObject, refuse, textOf } from "./payloadFields";
import { type Verdict, verdictOf } from "./verdict";

const capabilities: Capabilities = { basis: "read", rewrite: true, context: false, allow: true };

const names: Readonly<Partial<Record<HookEvent, readonly string[]>>> = {
  pre: ["preToolUse"],
  post: ["postToolUse", "postToolUseFailure"],
  "session-start": ["sessionStart"],
  "subagent-start": ["subagentStart"],
  "subagent-stop": ["subagentStop"],
  stop: ["stop", "sessionEnd"],
};

function read(event: HookEvent, value: Record<string, unknown>): ReadPayload {
  if (names[event]?.some((name) => name === value.hook_event_name) !== true)
    return refuse(`it is no ${names[event]?.[0] ?? event} event`);
  const sessionId = textOf(value.conversation_id) ?? textOf(value.session_id);
  if (sessionId === undefined) return refuse("it names no conversation");
  const [root] = Array.isArray(value.workspace_roots) ? value.workspace_roots : [];
  const base = { host: "cli", agent: "cursor", sessionId, ...cwdOf(value.cwd ?? root) } as const;
  if (event !== "pre" && event !== "post") return { ok: true, value: { kind: "notice", ...base } };
  const toolName = textOf(value.tool_name);
  const toolUseId = textOf(value.tool_use_id);
  if (toolName === undefined) return refuse("it names no tool");
  if (!isPlainObject(value.tool_input)) return refuse("its tool_input is no object");
  const error = textOf(value.error_message);
  return {
    ok: true,
    value: {
      kind: event,
      ...base,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      toolName: toolName.replace(/^MCP:/, "mcp_"),
      input: value.tool_input,
      ...(event === "post" ? { response: value.tool_output ?? null } : {}),
      ...(event === "post" && error !== undefined ? { error } : {}),
    },
  };
}

function write(verdict: Verdict): BrokerAnswer {
  if (verdict.kind === "deny") {
    const { reason } = verdict;
    return { stdout: JSON.stringify({ permission: "deny", user_message: reason, agent_message: reason }) };
  }
  const input = verdict.input === undefined ? {} : { updated_input: verdict.input };
  return { stdout: JSON.stringify({ permission: "allow", ...input }) };
}

export const cursorDoor: AgentDoor = {
  id: "cursor",
  title: "Cursor",
  capabilities,
  events: {
    preToolUse: "pre",
    postToolUse: "post",
    postToolUseFailure: "post",
    sessionStart: "session-start",
    subagentStart: "subagent-start",
    subagentStop: "subagent-stop",
    stop: "stop",
    sessionEnd: "stop",
    beforeSubmitPrompt: "none",
    preCompact: "none",
  },
  readPayload(event, text) {
    const parsed = readObject(text);
    return parsed.ok ? read(event, parsed.value) : parsed;
  },
  writeOutcome: (payload, outcome) => write(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => write({ kind: "deny", reason }),
};
