/**
 * Cline's hook scripts: one payload form of its own; `cancel` ends the whole run and the model is told nothing.
 * It runs the tool when a hook fails, whatever the exit code. Experimental. Knows nothing of how they are installed.
 */
import { isPlainObject } from "../core/call";
import type { AgentDoor, Capabilities, ReadPayload } from "./agentDoor";
import type { BrokerAnswer, HookEvent } from "./hookRequest";
import { cwdOf, readObject, refuse, textOf } from "./payloadFields";
import { type Verdict, verdictOf } from "./verdict";

const capabilities: Capabilities = {
  basis: "run",
  rewrite: true,
  context: true,
  allow: false,
  namesSubagents: true,
};

/** The field that carries the call, for each event that has one. */
const carriers = { pre: "tool_call", post: "tool_result" } as const;

function read(event: HookEvent, value: Record<string, unknown>): ReadPayload {
  const sessionId = textOf(value.taskId);
  if (sessionId === undefined) return refuse("it names no task");
  const [root] = Array.isArray(value.workspaceRoots) ? value.workspaceRoots : [];
  // The program tells an agent of its own and a subagent apart by the parent alone.
  const agentId = textOf(value.parent_agent_id) === undefined ? undefined : textOf(value.agent_id);
  const base = {
    host: "cli",
    agent: "cline",
    sessionId,
    ...cwdOf(root),
    ...(agentId === undefined ? {} : { agentId }),
  } as const;
  if (event !== "pre" && event !== "post") return { ok: true, value: { kind: "notice", ...base } };
  const call = value[carriers[event]];
  if (!isPlainObject(call)) return refuse(`it has no ${carriers[event]}`);
  const toolName = textOf(call.name);
  const toolUseId = textOf(call.id);
  if (toolName === undefined) return refuse("it names no tool");
  if (!isPlainObject(call.input)) return refuse("its input is no object");
  return {
    ok: true,
    value: {
      kind: event,
      ...base,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      toolName,
      input: call.input,
      ...(event === "post" ? { response: call.output ?? null } : {}),
    },
  };
}

function write(verdict: Verdict): BrokerAnswer {
  if (verdict.kind === "deny")
    return { stdout: JSON.stringify({ cancel: true, errorMessage: verdict.reason }) };
  return {
    stdout: JSON.stringify({
      cancel: false,
      ...(verdict.input === undefined ? {} : { overrideInput: verdict.input }),
      ...(verdict.context === undefined ? {} : { contextModification: verdict.context }),
    }),
  };
}

export const clineDoor: AgentDoor = {
  id: "cline",
  title: "Cline",
  capabilities,
  events: {
    tool_call: "pre",
    tool_result: "post",
    agent_start: "session-start",
    agent_end: "stop",
    prompt_submit: "none",
  },
  readPayload(event, text) {
    const parsed = readObject(text);
    return parsed.ok ? read(event, parsed.value) : parsed;
  },
  writeOutcome: (payload, outcome) => write(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => write({ kind: "deny", reason }),
};
