/** Gemini CLI's hooks: snake_case in, a `decision` at the top level out. Calls have no id. Knows nothing of how they are installed. */
import { isPlainObject } from "../core/call";
import type { AgentDoor, Capabilities, ReadPayload } from "./agentDoor";
import type { BrokerAnswer } from "./hookRequest";
import { readObject, textOf } from "./payloadFields";
import { readSnake, type SnakeForm } from "./snakePayload";
import { type Verdict, verdictOf } from "./verdict";

/** Context before a tool is ignored; "allow" does not lift its own question, and is never needed. */
const capabilities: Capabilities = { basis: "run", rewrite: true, context: false, allow: false };

const form: SnakeForm = {
  agent: "gemini",
  host: "cli",
  names: {
    pre: ["BeforeTool"],
    post: ["AfterTool"],
    "session-start": ["SessionStart"],
    stop: ["AfterAgent", "SessionEnd"],
  },
  results: ["tool_response"],
};

function write(verdict: Verdict): BrokerAnswer {
  if (verdict.kind === "deny")
    return { stdout: JSON.stringify({ decision: "deny", reason: verdict.reason }) };
  if (verdict.input === undefined) return { stdout: "" };
  return {
    stdout: JSON.stringify({
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: verdict.input },
    }),
  };
}

/** A tool that failed says so inside its response. */
function withError(read: ReadPayload): ReadPayload {
  if (!read.ok || read.value.kind !== "post" || !isPlainObject(read.value.response)) return read;
  const { error } = read.value.response;
  const said = isPlainObject(error) ? textOf(error.message) : textOf(error);
  return said === undefined ? read : { ok: true, value: { ...read.value, error: said } };
}

export const geminiDoor: AgentDoor = {
  id: "gemini",
  title: "Gemini CLI",
  capabilities,
  events: {
    BeforeTool: "pre",
    AfterTool: "post",
    SessionStart: "session-start",
    AfterAgent: "stop",
    SessionEnd: "stop",
    BeforeAgent: "none",
    BeforeModel: "none",
    AfterModel: "none",
    BeforeToolSelection: "none",
    PreCompress: "none",
    Notification: "none",
  },
  readPayload(event, text) {
    const read = readObject(text);
    return read.ok ? withError(readSnake(form, event, read.value)) : read;
  },
  writeOutcome: (payload, outcome) => write(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => write({ kind: "deny", reason }),
};
