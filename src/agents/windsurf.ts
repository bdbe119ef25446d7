/**
 * Windsurf's hooks, from its documents alone: one event per kind of action, and exit 2 is the only word it takes.
 * Experimental. Knows nothing of how they are installed.
 */
import { type Args, isPlainObject } from "../core/call";
import type { AgentDoor, Capabilities, ReadPayload } from "./agentDoor";
import type { BrokerAnswer, HookEvent } from "./hookRequest";
import { cwdOf, readObject, refuse, textOf } from "./payloadFields";
import { type Verdict, verdictOf } from "./verdict";

const capabilities: Capabilities = { basis: "read", rewrite: false, context: false, allow: false };

/** Which of our tool names an action goes by; MCP tools bring their own. */
const actions: Readonly<Record<string, string>> = {
  read_code: "Read",
  write_code: "Edit",
  run_command: "Bash",
};

function read(event: HookEvent, value: Record<string, unknown>): ReadPayload {
  const sessionId = textOf(value.trajectory_id);
  const name = textOf(value.agent_action_name) ?? "";
  const info = value.tool_info;
  if (sessionId === undefined) return refuse("it names no trajectory");
  if (!isPlainObject(info)) return refuse("its tool_info is no object");
  const base = { host: "cli", agent: "windsurf", sessionId, ...cwdOf(info.cwd) } as const;
  if (event !== "pre" && event !== "post") return { ok: true, value: { kind: "notice", ...base } };
  const [, stage, action = ""] = /^(pre|post)_(\w+)$/.exec(name) ?? [];
  if (stage !== event) return refuse(`it is no ${event} event`);
  const called = callOf(action, info);
  if (called === undefined) return refuse(`the action ${name} is not known`);
  return {
    ok: true,
    value: { kind: event, ...base, ...called, ...(event === "post" ? { response: info } : {}) },
  };
}

function callOf(
  action: string,
  info: Record<string, unknown>,
): { toolName: string; input: Args } | undefined {
  if (action === "mcp_tool_use") {
    const server = textOf(info.mcp_server_name);
    const tool = textOf(info.mcp_tool_name);
    if (server === undefined || tool === undefined || !isPlainObject(info.mcp_tool_arguments))
      return undefined;
    return { toolName: `mcp__${server}__${tool}`, input: info.mcp_tool_arguments };
  }
  const toolName = Object.hasOwn(actions, action) ? actions[action] : undefined;
  return toolName === undefined ? undefined : { toolName, input: info };
}

function write(verdict: Verdict): BrokerAnswer {
  return verdict.kind === "deny" ? { stdout: "", stderr: verdict.reason, exitCode: 2 } : { stdout: "" };
}

export const windsurfDoor: AgentDoor = {
  id: "windsurf",
  title: "Windsurf",
  capabilities,
  events: {
    pre_read_code: "pre",
    pre_write_code: "pre",
    pre_run_command: "pre",
    pre_mcp_tool_use: "pre",
    post_read_code: "post",
    post_write_code: "post",
    post_run_command: "post",
    post_mcp_tool_use: "post",
    post_cascade_response: "stop",
    pre_user_prompt: "none",
  },
  readPayload(event, text) {
    const parsed = readObject(text);
    return parsed.ok ? read(event, parsed.value) : parsed;
  },
  writeOutcome: (payload, outcome) => write(verdictOf(payload, outcome, capabilities)),
  writeDeny: (_payload, reason) => write({ kind: "deny", reason }),
};
