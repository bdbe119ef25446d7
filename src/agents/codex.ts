/**
 * Codex's hooks: snake_case in, `hookSpecificOutput` out, read strictly: one key too many and the tool runs.
 * Knows nothing of how they are installed, nor of Codex's own trust in them.
 */
import type { AgentDoor, Capabilities } from "./agentDoor";
import { claudeShape } from "./claudeShape";
import { readObject } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { type Verdict, verdictOf } from "./verdict";

const capabilities: Capabilities = {
  basis: "run",
  rewrite: true,
  context: true,
  allow: true,
  namesSubagents: true,
  unseenInput: true,
};

const form: SnakeForm = {
  agent: "codex",
  host: "cli",
  names: {
    pre: ["PreToolUse"],
    post: ["PostToolUse"],
    "session-start": ["SessionStart"],
    "subagent-start": ["SubagentStart"],
    "subagent-stop": ["SubagentStop"],
    stop: ["Stop", "SessionEnd"],
  },
  results: ["tool_response"],
};

/** "allow" is valid only with the arguments to run, and arguments only with "allow". */
function asCodexReads(verdict: Verdict): Verdict {
  return verdict.kind === "deny" ? verdict : { ...verdict, clicked: verdict.input !== undefined };
}

export const codexDoor: AgentDoor = {
  id: "codex",
  title: "Codex",
  capabilities,
  events: {
    PreToolUse: "pre",
    PostToolUse: "post",
    SessionStart: "session-start",
    SubagentStart: "subagent-start",
    SubagentStop: "subagent-stop",
    Stop: "stop",
    SessionEnd: "stop",
    UserPromptSubmit: "none",
    PreModelRequest: "none",
    PreCompact: "none",
    PostCompact: "none",
    Notification: "none",
  },
  readPayload(event, text) {
    const read = readObject(text);
    return read.ok ? readSnake(form, event, read.value) : read;
  },
  writeOutcome: (payload, outcome) => claudeShape(asCodexReads(verdictOf(payload, outcome, capabilities))),
  writeDeny: (_payload, reason) => claudeShape({ kind: "deny", reason }),
};
