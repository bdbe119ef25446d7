/**
 * GitHub Copilot's hook files, in the form with capital event names: snake_case in, `hookSpecificOutput` out. Calls have no id.
 * VS Code's agent mode reads the same files and sends its own payloads through them. Knows nothing of how they are installed.
 */
import type { AgentDoor, Capabilities } from "./agentDoor";
import { claudeShape } from "./claudeShape";
import { readObject } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { verdictOf } from "./verdict";
import { readHookPayload } from "./vscodeHooks";

const capabilities: Capabilities = { basis: "run", rewrite: true, context: true, allow: true };

const form: SnakeForm = {
  agent: "copilot",
  host: "cli",
  names: {
    pre: ["PreToolUse"],
    post: ["PostToolUse", "PostToolUseFailure"],
    "session-start": ["SessionStart"],
    "subagent-start": ["SubagentStart"],
    "subagent-stop": ["SubagentStop"],
    stop: ["Stop", "SessionEnd"],
  },
  results: ["tool_result", "tool_response"],
};

/** Only the editor's agent mode gives its calls an id, and marks it as its own. */
const fromEditor = (value: Record<string, unknown>): boolean =>
  typeof value.tool_use_id === "string" && value.tool_use_id.includes("__vscode-");

export const copilotDoor: AgentDoor = {
  id: "copilot",
  title: "GitHub Copilot CLI",
  capabilities,
  events: {
    PreToolUse: "pre",
    PostToolUse: "post",
    PostToolUseFailure: "post",
    SessionStart: "session-start",
    SubagentStart: "subagent-start",
    SubagentStop: "subagent-stop",
    Stop: "stop",
    SessionEnd: "stop",
    UserPromptSubmit: "none",
    PreCompact: "none",
    Notification: "none",
    ErrorOccurred: "none",
  },
  readPayload(event, text) {
    const read = readObject(text);
    if (!read.ok) return read;
    return fromEditor(read.value) ? readHookPayload(event, text) : readSnake(form, event, read.value);
  },
  writeOutcome: (payload, outcome) => claudeShape(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => claudeShape({ kind: "deny", reason }),
};
