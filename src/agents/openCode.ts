/**
 * OpenCode as our own plugin file reports it: snake_case in, `{decision, reason, args}` out; the plugin throws on a denial
 * and writes the arguments in place. Knows nothing of how it is installed.
 */
import type { AgentDoor, Capabilities } from "./agentDoor";
import type { BrokerAnswer } from "./hookRequest";
import { readObject } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { type Verdict, verdictOf } from "./verdict";

/** OpenCode asks by its own rules before the plugin is called. */
const capabilities: Capabilities = { basis: "run", rewrite: true, context: false, allow: false };

const form: SnakeForm = {
  agent: "opencode",
  host: "cli",
  names: {
    pre: ["tool.execute.before"],
    post: ["tool.execute.after"],
    "session-start": ["session.created"],
    stop: ["session.idle"],
  },
  results: ["tool_response"],
};

function write(verdict: Verdict): BrokerAnswer {
  if (verdict.kind === "deny")
    return { stdout: JSON.stringify({ decision: "deny", reason: verdict.reason }) };
  return { stdout: verdict.input === undefined ? "" : JSON.stringify({ args: verdict.input }) };
}

export const openCodeDoor: AgentDoor = {
  id: "opencode",
  title: "OpenCode",
  capabilities,
  events: {
    "tool.execute.before": "pre",
    "tool.execute.after": "post",
    "session.created": "session-start",
    "session.idle": "stop",
  },
  readPayload(event, text) {
    const read = readObject(text);
    return read.ok ? readSnake(form, event, read.value) : read;
  },
  writeOutcome: (payload, outcome) => write(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => write({ kind: "deny", reason }),
};
