/** Qwen Code's hooks: Claude Code's form, but arguments cannot be rewritten and context is not read. Knows nothing of how they are installed. */
import type { AgentDoor, Capabilities } from "./agentDoor";
import { claudeShape } from "./claudeShape";
import { readObject } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { verdictOf } from "./verdict";

const capabilities: Capabilities = {
  basis: "run",
  rewrite: false,
  context: false,
  allow: true,
  namesSubagents: true,
};

const form: SnakeForm = {
  agent: "qwen",
  host: "cli",
  names: {
    pre: ["PreToolUse"],
    post: ["PostToolUse", "PostToolUseFailure"],
    "session-start": ["SessionStart"],
    "subagent-start": ["SubagentStart"],
    "subagent-stop": ["SubagentStop"],
    stop: ["Stop", "SessionEnd"],
  },
  results: ["tool_response"],
};

export const qwenDoor: AgentDoor = {
  id: "qwen",
  title: "Qwen Code",
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
  },
  readPayload(event, text) {
    const read = readObject(text);
    return read.ok ? readSnake(form, event, read.value) : read;
  },
  writeOutcome: (payload, outcome) => claudeShape(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => claudeShape({ kind: "deny", reason }),
};
