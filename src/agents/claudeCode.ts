/** Claude Code's hooks: snake_case in, `hookSpecificOutput` out. Knows nothing of how they are installed. */
import type { AgentDoor, Capabilities } from "./agentDoor";
import { claudeShape } from "./claudeShape";
import { readObject } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { verdictOf } from "./verdict";

const capabilities: Capabilities = {
  basis: "run",
  rewrite: true,
  context: true,
  allow: true,
  namesSubagents: true,
};

const form: SnakeForm = {
  agent: "claude",
  host: "cli",
  names: {
    pre: ["PreToolUse"],
    // A command that ends with a failure, and a tool that reports one, come under a name of their own.
    post: ["PostToolUse", "PostToolUseFailure"],
    "session-start": ["SessionStart"],
    "subagent-start": ["SubagentStart"],
    "subagent-stop": ["SubagentStop"],
    stop: ["Stop", "SessionEnd"],
  },
  results: ["tool_response"],
};

export const claudeDoor: AgentDoor = {
  id: "claude",
  title: "Claude Code",
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
    PostToolBatch: "none",
    PreCompact: "none",
    PostCompact: "none",
    Notification: "none",
  },
  readPayload(event, text) {
    const read = readObject(text);
    return read.ok ? readSnake(form, event, read.value) : read;
  },
  writeOutcome: (payload, outcome) => claudeShape(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => claudeShape({ kind: "deny", reason }),
};
